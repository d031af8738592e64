"""Tables of KW-002."""

from tests.rules.kw.builders import Case, pair, searches

FAILS = {
    "on the second page": Case(searches(pair("tents", 1, 1_000, 12.0)), says="position 12.0", gain=99.0),
    "just below the first": Case(searches(pair("tents", 2, 100, 4.5))),
    "just above the last": Case(searches(pair("tents", 0, 100, 15.4))),
}
PASSES = {
    "among the first": Case(searches(pair("tents", 2, 100, 4.4))),
    "far below": Case(searches(pair("tents", 0, 100, 15.6))),
    "clicked more than the third place is": Case(searches(pair("tents", 40, 100, 6.0))),
}
NOT_APPLICABLE = {
    "seldom shown": Case(searches(pair("tents", 0, 99, 8.0))),
    "a page that no audit read": Case(searches(pair("tents", 0, 900, 8.0, "example.com/gone")), "example.com/gone"),
}
TABLES = {"KW-002": (FAILS, PASSES, NOT_APPLICABLE)}
