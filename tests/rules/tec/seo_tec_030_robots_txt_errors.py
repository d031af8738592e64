"""Tables of SEO-TEC-030."""

from chalicelib.domain.page.facts import RobotsFile
from tests.rules.builders import Case, case, page, robots, site_case, site_facts

URL = "https://example.com/robots.txt"


def saying(text: str, **changes: object) -> Case:
    return site_case(site=site_facts(robots=robots(text)), **changes)  # type: ignore[arg-type]


def answering(**changes: object) -> Case:
    return site_case(site=site_facts(robots=RobotsFile(URL, **changes)))  # type: ignore[arg-type]


FAILS = {
    "an unknown field": saying(
        "User-agent: *\nCrawl-speed: gentle\n",
        seen={"kind": "lines", "lines": [{"lineNumber": 2, "line": "Crawl-speed: gentle", "kind": "unknown_field"}]},
        says="Line 2",
    ),
    "a rule before any group": saying("Disallow: /a\nUser-agent: *\n", says="before any User-agent"),
    "a misspelt field": saying("User-agent: *\nDissallow: /a\n", says="misspelt"),
    "a pattern without a slash": saying("User-agent: *\nDisallow: private\n", says="never matches"),
    "no colon": saying("User-agent: *\nDisallow /a\n"),
    "a delay that is no number": saying("User-agent: *\nCrawl-delay: slow\n"),
    "two lines": saying("Disallow: /a\nUser-agent: *\nNonsense: 1\n", says="1 more line is wrong too"),
    "a web page": saying("<!doctype html><title>Home</title>", seen={"kind": "html"}, says="web page"),
    "a server error": answering(status=503),
    "no answer": answering(status=0, error="timeout"),
    "too large": answering(status=200, text="User-agent: *\n", bytes=512_001),
    "too many redirects": answering(status=302, redirects=5),
}
PASSES = {
    "an ordinary file": saying("User-agent: *\nDisallow: /a\n\nSitemap: https://example.com/sitemap.xml\n"),
    "empty": saying(""),
    "fields in use": saying(
        "User-agent: *\nCrawl-delay: 5\nContent-Signal: search=yes\nHost: example.com\nLicense: x\n"
    ),
    "comments": saying("# Disallow: everything\nUser-agent: * # all\nAllow: /\n"),
    "none": answering(status=404),
    "turned away": answering(status=403),
    "rules sent as a web page by mistake": site_case(
        site=site_facts(robots=RobotsFile(URL, 200, "User-agent: *\nDisallow:\n", content_type="text/html"))
    ),
    "three redirects": answering(status=200, text="User-agent: *\n", redirects=3),
    "500 KiB": answering(status=200, text="User-agent: *\n", bytes=512_000),
}
NOT_APPLICABLE = {
    "nobody asked": site_case(site=site_facts(robots=None)),
    "a page is not judged": case(page(), site=site_facts(robots=robots("Nonsense: 1\n"))),
}
TABLES = {"SEO-TEC-030": (FAILS, PASSES, NOT_APPLICABLE)}
