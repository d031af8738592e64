"""Tables of SEO-SEC-001."""

from tests.rules.builders import case, page, redirect

FAILS = {
    "a page on http": case(
        page("http://example.com/a"), seen={"wanted": "https://example.com/a"}, says="https://example.com/a"
    ),
}
PASSES = {"a page on https": case(page("/a"))}
NOT_APPLICABLE = {
    "an http address that redirects": case(redirect("http://example.com/a", "/a"), page("/a")),
    "a page with noindex": case(page("http://example.com/a", robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-SEC-001": (FAILS, PASSES, NOT_APPLICABLE)}
