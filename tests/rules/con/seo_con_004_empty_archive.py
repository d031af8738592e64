"""Tables of SEO-CON-004."""

from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV
from tests.rules.builders import address, case, links, page

SERVED = page("/category/summer/", links=links("/post", flags=LINK_IN_CONTENT))
NAVIGATION = links("/", "/about", flags=LINK_IN_NAV)

FAILS = {
    "no entries": case(
        page("/category/winter/", links=NAVIGATION), SERVED, seen={"seen": "lists no entry"}, says="lists no entry"
    ),
    "it says so itself": case(
        page("/tag/winter/", text="Nothing found. Perhaps searching helps.", links=links("/", flags=LINK_IN_CONTENT)),
        seen={"seen": "says that there is nothing to list"},
    ),
    "told by its body class": case(
        page("/winter/", body_class="archive category category-7", links=NAVIGATION),
        SERVED,
    ),
}
PASSES = {
    "with entries": case(SERVED),
    "with entries that navigation lists too": case(
        page("/category/winter/", links=links("/post", flags=LINK_IN_CONTENT | LINK_IN_NAV)), SERVED
    ),
    "lists that scripts fill in": case(
        page("/category/winter/", links=NAVIGATION), page("/category/summer/", links=NAVIGATION)
    ),
    "a later page": case(page("/category/winter/page/9/", links=NAVIGATION), SERVED),
    "another address is canonical": case(
        page("/category/winter/", links=NAVIGATION, canonicals=[("", address("/blog"), "html")]), SERVED
    ),
    "no list": case(page("/winter/", text="Nothing found.")),
}
NOT_APPLICABLE = {
    "a page with noindex": case(
        page("/category/winter/", links=NAVIGATION, robots_meta=[("robots", "noindex")]), SERVED
    )
}
TABLES = {"SEO-CON-004": (FAILS, PASSES, NOT_APPLICABLE)}
