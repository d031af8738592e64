"""Tables of KW-007."""

from tests.rules.kw.builders import HOST, PAGE, Case, figures, known, searches

OTHERS = {f"{HOST}/{number}": figures(number, 900) for number in range(1, 20)}
SEVERE = {PAGE: known(defects=["Title missing or empty", "Page is slow"])}

FAILS = {
    "the most visited page": Case(
        searches(pages={**OTHERS, PAGE: figures(50, 900)}, known=SEVERE),
        says="severe issues: Page is slow; Title missing or empty.",
        seen={"issueCount": 2},
    ),
    "the only page": Case(searches(pages={PAGE: figures(1, 9)}, known=SEVERE)),
}
PASSES = {"without an issue": Case(searches(pages={**OTHERS, PAGE: figures(50, 900)}))}
NOT_APPLICABLE = {
    "not among the first tenth": Case(searches(pages={**OTHERS, PAGE: figures(5, 900)}, known=SEVERE)),
    "never clicked": Case(searches(pages={PAGE: figures(0, 900)}, known=SEVERE)),
    "a page that no audit read": Case(searches(pages={PAGE: figures(50, 900)}, known={})),
}
TABLES = {"KW-007": (FAILS, PASSES, NOT_APPLICABLE)}
