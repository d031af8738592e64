"""Tables of SEO-SMP-004."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import HOME, address, answer, case, page, redirect, site_facts

LISTED = site_facts(sitemap=["/a"])


def naming(*targets: str) -> PageFacts:
    return page("/a", canonicals=[(address(target), address(target), "html") for target in targets])


FAILS = {
    "another page": case(
        naming("/b"),
        page("/b"),
        site=LISTED,
        seen={"canonical": address("/b"), "targetInSitemap": False},
        says=address("/b"),
    ),
    "a page nobody asked for": case(naming("https://shop.example.com/a"), site=LISTED),
    "set to noindex too": case(
        page("/a", canonicals=[("", address("/b"), "html")], robots_meta=[("robots", "noindex")]),
        page("/b"),
        site=LISTED,
    ),
}
PASSES = {
    "its own": case(page("/a"), site=LISTED),
    "none": case(page("/a", canonicals=[]), site=LISTED),
    "another domain is SEO-TEC-034": case(naming("https://other.example/a"), site=LISTED),
    "a broken one is SEO-TEC-014": case(naming("/b"), answer("/b", 404), site=LISTED),
    "a redirect is SEO-TEC-015": case(naming("/b"), redirect("/b", "/a"), site=LISTED),
    "a chain is SEO-TEC-017": case(
        naming("/b"), page("/b", canonicals=[("", address("/c"), "html")]), page("/c"), site=LISTED
    ),
    "several are SEO-TEC-018": case(naming("/b", "/a"), page("/b"), site=LISTED),
    "the same on all pages is SEO-TEC-020": case(
        naming("/"),
        page("/"),
        *(page(f"/{number}", canonicals=[("", HOME, "html")]) for number in range(8)),
        site=LISTED,
    ),
}
NOT_APPLICABLE = {
    "not in the sitemap": case(page("/c", canonicals=[("", address("/b"), "html")]), page("/b"), site=LISTED),
    "an error": case(answer("/a", 404), site=LISTED),
    "never asked for": case(page("/a"), asked=False, site=LISTED),
}
TABLES = {"SEO-SMP-004": (FAILS, PASSES, NOT_APPLICABLE)}
