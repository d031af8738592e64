"""Tables of SEO-SEC-002."""

from tests.rules.builders import answer, case, page, site_facts

SCRIPT = "http://static.example.net/a.js"

FAILS = {
    "a script": case(
        page(insecure_resources=[SCRIPT]),
        seen={"files": 1, "addresses": [SCRIPT]},
        says=f"1 file on http, such as {SCRIPT}",
    ),
    "images": case(page(insecure_resources=["http://example.com/a.jpg", "http://example.com/b.jpg"]), says="2 files"),
}
PASSES = {"none": case(page())}
NOT_APPLICABLE = {
    "a page on http": case(
        page("http://example.com/a", insecure_resources=[SCRIPT]), site=site_facts(home_url="http://example.com/")
    ),
    "noindex": case(page(insecure_resources=[SCRIPT], robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-SEC-002": (FAILS, PASSES, NOT_APPLICABLE)}
