"""Tables of KW-001."""

from tests.rules.kw.builders import OTHER, Case, pair, searches

FAILS = {
    "a fifth of the usual clicks": Case(
        searches(pair("family tents", 1, 200, 3.0)), says='"family tents" the page was shown 200 times', gain=13.571
    ),
    "usual is what is usual on this website": Case(
        searches(pair("family tents", 15, 1_000, 10.0), pair("huts", 9_000, 90_000, 10.0, OTHER)),
        seen={"queryCount": 1},
    ),
    "two queries of one page": Case(
        searches(pair("family tents", 0, 200, 2.0), pair("dome tents", 0, 300, 4.0)), says="1 more query"
    ),
    "at the last position that counts": Case(searches(pair("tents", 0, 300, 10.0))),
}
PASSES = {
    "as usual": Case(searches(pair("family tents", 20, 200, 3.0))),
    "half of the usual is enough": Case(searches(pair("tents", 50, 1_000, 3.0), pair("huts", 50, 1_000, 3.0, OTHER))),
    "everybody clicks little on this website": Case(
        searches(pair("tents", 20, 1_000, 3.0), pair("huts", 2_000, 100_000, 3.0, OTHER))
    ),
}
NOT_APPLICABLE = {
    "seldom shown": Case(searches(pair("family tents", 0, 199, 3.0))),
    "on the second page": Case(searches(pair("family tents", 0, 900, 10.4))),
    "the website's own name": Case(searches(pair("acme tents", 0, 900, 2.0))),
    "a page that no audit read": Case(searches(pair("tents", 0, 900, 2.0, "example.com/gone")), "example.com/gone"),
}
TABLES = {"KW-001": (FAILS, PASSES, NOT_APPLICABLE)}
