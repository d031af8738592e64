"""Tables of KW-003. The page that is judged is the weaker of two."""

from tests.rules.kw.builders import OTHER, PAGE, Case, figures, pair, searches

STRONG = pair("tents", 60, 500, 4.0, OTHER)
CLEAR = pair("tents", 90, 500, 4.0, OTHER)
WEAK = pair("tents", 10, 200, 8.0)
LEADS = {OTHER: figures(2, 20), PAGE: figures(0, 10)}
TRAILS = {OTHER: figures(2, 10), PAGE: figures(0, 20)}

FAILS = {
    "neither has most of the clicks": Case(
        searches(pair("tents", 40, 500, 4.0, OTHER), pair("tents", 30, 400, 6.0)),
        says="competes with https://example.com/other",
        seen={"queryCount": 1},
        gain=30.0,
    ),
    "the leading one changes": Case(
        searches(CLEAR, WEAK, days={"tents": [LEADS, TRAILS, LEADS, TRAILS]}), says="position 8.0"
    ),
    "nobody clicks either": Case(searches(pair("tents", 0, 100, 9.0, OTHER), pair("tents", 0, 60, 12.0))),
}
PASSES = {
    "one has most of the clicks, and leads": Case(searches(CLEAR, WEAK, days={"tents": [LEADS, LEADS, TRAILS, LEADS]})),
    "no days are known": Case(searches(CLEAR, WEAK)),
}
NOT_APPLICABLE = {
    "one page alone": Case(searches(WEAK)),
    "the other has less than a tenth": Case(searches(pair("tents", 9, 2_000, 4.0, OTHER), pair("tents", 8, 100, 8.0))),
    "the other is seldom shown": Case(searches(pair("tents", 9, 100, 4.0, OTHER), pair("tents", 8, 49, 8.0))),
    "the other stands far below": Case(searches(STRONG, pair("tents", 8, 200, 20.5))),
    "results that are shown together": Case(searches(pair("tents", 9, 200, 4.0, OTHER), pair("tents", 8, 195, 4.5))),
    "the website's own name": Case(searches(pair("acme", 9, 200, 4.0, OTHER), pair("acme", 8, 300, 9.0))),
}
TABLES = {"KW-003": (FAILS, PASSES, NOT_APPLICABLE)}
