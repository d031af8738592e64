"""Tables of KW-012."""

from tests.rules.kw.builders import OTHER, PAGE, Case, searches, visits

FAILS = {
    "a tenth of the usual": Case(
        searches(conversions={PAGE: visits(100, 1), OTHER: visits(900, 99)}), says="1.0% had a key event", gain=9.0
    ),
    "nobody": Case(searches(conversions={PAGE: visits(100, 0), OTHER: visits(900, 9)})),
}
PASSES = {
    "two fifths of the usual": Case(searches(conversions={PAGE: visits(100, 4), OTHER: visits(900, 96)})),
    "as usual": Case(searches(conversions={PAGE: visits(100, 10)})),
}
NOT_APPLICABLE = {
    "without a connected property": Case(searches(conversions=None)),
    "few visits": Case(searches(conversions={PAGE: visits(99, 0), OTHER: visits(900, 99)})),
    "nobody converts anywhere": Case(searches(conversions={PAGE: visits(500, 0)})),
    "a page that no audit read": Case(searches(conversions={PAGE: visits(100, 0), OTHER: visits(9, 9)}, known={})),
}
TABLES = {"KW-012": (FAILS, PASSES, NOT_APPLICABLE)}
