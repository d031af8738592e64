"""Tables of SEO-TEC-019."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, answer, case, page

ELSEWHERE = "https://other.example/a"


def naming(written: str, absolute: str | None = None) -> PageFacts:
    return page("/a", canonicals=[(written, address("/a") if absolute is None else absolute, "html")])


FAILS = {
    "relative": case(
        naming("/a"), seen={"canonical": "/a", "fault": "relative", "wanted": address("/a")}, says="not absolute"
    ),
    "without a scheme": case(naming("//example.com/a"), seen={"fault": "relative"}),
    "relative, beside one on another domain": case(
        page("/a", canonicals=[(ELSEWHERE, ELSEWHERE, "html"), ("/a", address("/a"), "html")])
    ),
    "a fragment": case(naming("https://example.com/a#top"), seen={"fault": "fragment"}, says="fragment"),
    "a file": case(naming("file:///C:/site/a.html", ""), seen={"fault": "not_web", "wanted": address("/a")}),
    "the second of two": case(
        page("/a", canonicals=[(address("/a"), address("/a"), "html"), ("/a", address("/a"), "html")])
    ),
}
PASSES = {
    "its own": case(page("/a")),
    "none": case(page("/a", canonicals=[])),
    "empty": case(naming("", "")),
    "with www": case(naming("https://www.example.com/a", "https://www.example.com/a")),
    "another subdomain": case(naming("https://shop.example.com/a", "https://shop.example.com/a")),
    "capital letters in the scheme": case(naming("HTTPS://example.com/a")),
    "another domain is SEO-TEC-034": case(naming(ELSEWHERE, ELSEWHERE)),
    "another domain, without a scheme": case(naming("//other.example/a", ELSEWHERE)),
    "another domain, with a fragment": case(naming(ELSEWHERE + "#top", ELSEWHERE)),
}
NOT_APPLICABLE = {
    "noindex": case(page("/a", canonicals=[("/a", address("/a"), "html")], robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-TEC-019": (FAILS, PASSES, NOT_APPLICABLE)}
