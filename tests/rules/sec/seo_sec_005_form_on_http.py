"""Tables of SEO-SEC-005."""

from tests.rules.builders import answer, case, page, site_facts

TARGET = "http://static.example.net/book"

FAILS = {
    "one form": case(
        page(insecure_forms=[TARGET]), seen={"forms": 1, "targets": [TARGET]}, says="1 form sends what people enter"
    ),
    "two": case(page(insecure_forms=[TARGET, TARGET + "2"]), says="2 forms send"),
}
PASSES = {"none": case(page())}
NOT_APPLICABLE = {
    "a page on http is SEO-SEC-001": case(
        page("http://example.com/a", insecure_forms=[TARGET]), site=site_facts(home_url="http://example.com/")
    ),
    "noindex": case(page(insecure_forms=[TARGET], robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-SEC-005": (FAILS, PASSES, NOT_APPLICABLE)}
