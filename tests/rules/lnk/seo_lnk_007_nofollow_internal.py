"""Tables of SEO-LNK-007."""

from chalicelib.domain.page.facts import LINK_MARKED, LINK_NOFOLLOW, PageFacts
from tests.rules.builders import address, answer, case, links, page, robots, site_facts


def marking(*paths: str) -> PageFacts:
    return page("/a", links=links("/") + links(*paths, flags=LINK_MARKED | LINK_NOFOLLOW))


FAILS = {
    "a page": case(
        marking("/b"),
        page("/b"),
        seen={"links": 1, "targets": [{"url": address("/b"), "text": "to /b"}]},
        says=address("/b"),
    ),
    "a page nobody asked for": case(marking("/b")),
    "an address with parameters in the sitemap": case(marking("/b?id=3"), site=site_facts(sitemap=["/b?id=3"])),
    "a page that is linked without it too": case(page("/a", links=links("/b", flags=LINK_MARKED))),
    "two pages": case(marking("/b", "/c"), says="2 links"),
}
PASSES = {
    "followed": case(page("/a", links=links("/b")), page("/b")),
    "a log-in page": case(marking("/login", "/wp-login.php", "/my-account/")),
    "a basket": case(marking("/cart", "/b?add-to-cart=7")),
    "a search": case(marking("/search")),
    "an answer to a comment": case(marking("/b?replytocom=5")),
    "a filter": case(marking("/b?colour=red", "/b?sort=price")),
    "a file": case(marking("/b.pdf")),
    "disallowed": case(marking("/b"), site=site_facts(robots=robots("User-agent: *\nDisallow: /b\n"))),
    "set to noindex": case(marking("/b"), page("/b", robots_meta=[("robots", "noindex")])),
    "broken is SEO-LNK-001": case(marking("/b"), answer("/b", 404)),
}
NOT_APPLICABLE = {
    "no links": case(page("/a")),
    "noindex": case(
        page("/a", links=links("/b", flags=LINK_MARKED | LINK_NOFOLLOW), robots_meta=[("robots", "noindex")])
    ),
}
TABLES = {"SEO-LNK-007": (FAILS, PASSES, NOT_APPLICABLE)}
