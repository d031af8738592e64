"""Tables of SEO-TEC-008."""

from chalicelib.domain.page.facts import LINK_IN_NAV, PageFacts
from tests.rules.builders import address, case, links, page, redirect, site_facts

HIDDEN = [("robots", "noindex")]


def hidden(path: str = "/a", **changes: object) -> PageFacts:
    return page(path, robots_meta=HIDDEN, **changes)


def linking(path: str, count: int) -> list[PageFacts]:
    return [page(f"/from/{number}", links=links(path)) for number in range(count)]


def website(hidden_pages: int, others: int) -> list[PageFacts]:
    """The rest of a website, of which no page links another."""
    return [hidden(f"/h/{n}") for n in range(hidden_pages)] + [page(f"/o/{n}") for n in range(others)]


NAVIGATION = page("/", links=links("/a", flags=LINK_IN_NAV))

FAILS = {
    "ten pages link to it": case(
        hidden(), *linking("/a", 10), seen={"inlinks": 10, "inNavigation": False, "impressions": None}, says="10 pages"
    ),
    "shown a hundred times": case(
        hidden(), search={address("/a"): 100}, seen={"impressions": 100}, says="shown 100 times"
    ),
    "shown a hundred times, at two of its addresses": case(
        hidden(), search={address("/a"): 60, "http://www.example.com/a/": 40}, seen={"impressions": 100}
    ),
    "ten pages link to it, and it was never shown": case(
        hidden(), *linking("/a", 10), search={address("/"): 9}, seen={"inlinks": 10, "impressions": 0}
    ),
    "in the navigation": case(hidden(), NAVIGATION, seen={"inNavigation": True}, says="navigation"),
    "in the navigation by a redirect": case(
        hidden(), page("/", links=links("/old", flags=LINK_IN_NAV)), redirect("/old", "/a")
    ),
    "in the header": case(page("/a", headers={"x-robots-tag": "noindex"}), *linking("/a", 12), says="X-Robots-Tag"),
    "in the sitemap too": case(hidden(), *linking("/a", 10), site=site_facts(sitemap=["/a"]), seen={"inSitemap": True}),
    "four of five pages": case(
        hidden(), *website(3, 1), seen={"ofWebsite": {"noindex": 4, "pages": 5}}, says="4 of 5 pages of the website do"
    ),
    "the log-in page of such a website": case(hidden("/login"), *website(9, 0)),
    "nearly all of a website": case(hidden(), *website(89, 10), seen={"ofWebsite": {"noindex": 90, "pages": 100}}),
}
PASSES = {
    "indexable": case(page("/a"), *linking("/a", 10)),
    "nine links": case(hidden(), *linking("/a", 9)),
    "the sitemap alone is SEO-TEC-009": case(hidden(), site=site_facts(sitemap=["/a"])),
    "99 impressions": case(hidden(), search={address("/a"): 99}),
    "a hundred impressions of another page": case(hidden(), search={address("/b"): 100}),
    "no search data": case(hidden()),
    "the home page is SEO-TEC-002": case(hidden("/"), *linking("/", 10)),
    "a legal page": case(hidden("/imprint"), *linking("/imprint", 10)),
    "a log-in page": case(hidden("/login"), *linking("/login", 10)),
    "a basket": case(hidden("/cart"), *linking("/cart", 10)),
    "a list of posts": case(hidden("/tag/tents"), *linking("/tag/tents", 10)),
    "a later page of a list": case(hidden("/list?page=2"), *linking("/list?page=2", 10)),
    "a version to print": case(hidden("/book/print.html"), *linking("/book/print.html", 10)),
    "a sorted list": case(hidden("/list?sort=price"), *linking("/list?sort=price", 10)),
    "four pages are too few": case(hidden(), *website(3, 0)),
    "fewer than four in five": case(hidden(), *website(6, 2)),
    "a page that may be indexed, of a website that mostly is not": case(page("/a"), *website(9, 0)),
    "a page of a website with many hidden archives": case(
        hidden(), *website(0, 1), *[hidden(f"/tag/{number}") for number in range(20)]
    ),
    "another canonical address": case(hidden(canonicals=[("", address("/b"), "html")]), page("/b"), *linking("/a", 10)),
}
NOT_APPLICABLE = {
    "a redirect": case(redirect("/a", "/b"), *linking("/a", 10)),
    "never asked for": case(page("/a"), *linking("/a", 10), asked=False),
}
TABLES = {"SEO-TEC-008": (FAILS, PASSES, NOT_APPLICABLE)}
