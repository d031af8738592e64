"""Tables of SEO-LNK-001."""

from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV
from tests.rules.builders import address, answer, case, links, page, redirect

FAILS = {
    "a link to a page that is gone": case(
        page("/a", links=links("/b", "/c")),
        answer("/b", 404),
        page("/c"),
        seen={"broken": 1, "targets": [{"url": address("/b"), "status": 404, "text": "to /b", "inLayout": False}]},
        says="answers 404",
    ),
    "a link to a server error": case(page("/a", links=links("/b")), answer("/b", 502)),
    "a link to a redirect that ends at an error": case(
        page("/a", links=links("/old")),
        redirect("/old", "/b"),
        answer("/b", 410),
        seen={"targets": [{"url": address("/old"), "status": 410, "text": "to /old", "inLayout": False}]},
    ),
    "a link to a document that is gone": case(page("/a", links=links("/b.pdf")), answer("/b.pdf", 404)),
    "a broken link in the footer": case(
        page("/a", links=links("/b", flags=LINK_IN_NAV)),
        answer("/b", 404),
        seen={"inContent": 0, "inLayout": 1},
    ),
    "a broken link in the menu and in the text": case(
        page("/a", links=links("/b", flags=LINK_IN_NAV | LINK_IN_CONTENT)),
        answer("/b", 404),
        seen={"broken": 1, "inContent": 1, "inLayout": 1},
    ),
    "two broken links": case(
        page("/a", links=links("/b", "/c")),
        answer("/b", 404),
        answer("/c", 404),
        seen={"broken": 2},
        says="The page links 2 addresses that do not work, such as",
    ),
}
PASSES = {
    "a link to a page": case(page("/a", links=links("/b")), page("/b")),
    "a link to a redirect": case(page("/a", links=links("/old")), redirect("/old", "/b"), page("/b")),
    "a link that turns the crawler away": case(page("/a", links=links("/b")), answer("/b", 403)),
    "a link that nobody asked for": case(page("/a", links=links("/b"))),
}
NOT_APPLICABLE = {
    "a page without links": case(page("/a"), answer("/b", 404)),
    "a page with noindex": case(page("/a", links=links("/b"), robots_meta=[("robots", "noindex")]), answer("/b", 404)),
}
TABLES = {"SEO-LNK-001": (FAILS, PASSES, NOT_APPLICABLE)}
