"""Tables of SEO-TEC-026."""

from tests.rules.builders import answer, case, page

LIMIT = 2 * 1024 * 1024

FAILS = {
    "one byte more": case(page(bytes=LIMIT + 1), seen={"bytes": LIMIT + 1, "limit": LIMIT, "truncated": False}),
    "more than the crawler reads": case(page(bytes=5 * LIMIT, truncated=True), says="more than 10.0 MB"),
}
PASSES = {
    "the limit": case(page(bytes=LIMIT)),
    "large, but read whole": case(page(bytes=LIMIT // 2 + 1)),
    "an ordinary page": case(page()),
}
NOT_APPLICABLE = {
    "noindex": case(page(bytes=LIMIT + 1, robots_meta=[("robots", "noindex")])),
    "a large file of another type": case(answer("/a", 200, bytes=LIMIT + 1, content_type="text/csv", is_html=False)),
}
TABLES = {"SEO-TEC-026": (FAILS, PASSES, NOT_APPLICABLE)}
