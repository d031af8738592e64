"""Tables of KW-008."""

from tests.rules.kw.builders import PAGE, Case, figures, pair, searches

FAILS = {
    "never clicked": Case(
        searches(pair("tents", 0, 400, 8.0), pages={PAGE: figures(0, 1_000, 8.0)}),
        says='most often for "tents"',
        seen={"query": "tents"},
        gain=13.888,
    ),
    "without a known query": Case(searches(pages={PAGE: figures(0, 500, 20.0)}), says="position 20.0, and nobody"),
}
PASSES = {"once": Case(searches(pages={PAGE: figures(1, 1_000, 8.0)}))}
NOT_APPLICABLE = {
    "seldom shown": Case(searches(pages={PAGE: figures(0, 499, 8.0)})),
    "far below": Case(searches(pages={PAGE: figures(0, 900, 20.5)})),
    "a page that no audit read": Case(searches(pages={PAGE: figures(0, 900, 8.0)}, known={})),
}
TABLES = {"KW-008": (FAILS, PASSES, NOT_APPLICABLE)}
