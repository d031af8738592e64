"""Tables of SEO-TEC-034."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import address, answer, case, page

ELSEWHERE = "https://www.other.example/a"


def naming(*targets: str, **changes: object) -> PageFacts:
    """A page that names these addresses as its canonical ones."""
    return page("/a", canonicals=[(target, address(target), "html") for target in targets], **changes)


FAILS = {
    "another domain": case(
        naming(ELSEWHERE),
        seen={"canonical": ELSEWHERE, "domain": "other.example", "where": "html"},
        says=f"Name the page itself ({address('/a')})",
    ),
    "in the header": case(page("/a", canonicals=[("", ELSEWHERE, "header")]), seen={"where": "header"}),
    "a page that is fine there": case(naming(ELSEWHERE), page(ELSEWHERE)),
    "a page that is broken there": case(naming(ELSEWHERE), answer(ELSEWHERE, 404)),
    "two on other domains": case(naming("https://third.example/", ELSEWHERE), seen={"domain": "third.example"}),
    "noindex as well": case(naming(ELSEWHERE, robots_meta=[("robots", "noindex")])),
    "the home page": case(page("/", canonicals=[("", ELSEWHERE, "html")])),
    "the same name in another top-level domain": case(naming("https://example.de/a")),
}
PASSES = {
    "its own": case(page("/a")),
    "none": case(page("/a", canonicals=[])),
    "another page of the website": case(naming("/b")),
    "with www": case(naming("https://www.example.com/a")),
    "another host of the domain": case(naming("https://shop.example.com/a")),
    "http": case(naming("http://example.com/a")),
    "its own beside it is SEO-TEC-018": case(naming(ELSEWHERE, "/a")),
    "no web address is SEO-TEC-019": case(page("/a", canonicals=[("file:///a", "", "html")])),
}
NOT_APPLICABLE = {
    "an error": case(answer("/a", 404, canonicals=[("", ELSEWHERE, "html")])),
    "a refresh that happens at once": case(naming(ELSEWHERE, meta_refresh=address("/b"), forwards=True)),
    "never asked for": case(naming(ELSEWHERE), asked=False),
}
TABLES = {"SEO-TEC-034": (FAILS, PASSES, NOT_APPLICABLE)}
