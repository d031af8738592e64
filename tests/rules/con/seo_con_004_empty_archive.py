"""Tables of SEO-CON-004."""

from typing import Any

from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV, PageFacts
from tests.rules.builders import address, case, links, page

SERVED = page("/category/summer/", links=links("/post", flags=LINK_IN_CONTENT))
NAVIGATION = links("/", "/about", flags=LINK_IN_NAV)
LIST = "archive category category-7"


def bare(path: str, words: int = 3, **changes: Any) -> PageFacts:
    """A list whose body class says so, with nothing but the navigation."""
    return page(path, **{"body_class": LIST, "words": words, "links": NAVIGATION, **changes})


FAILS = {
    "no entries": case(bare("/category/winter/"), SERVED, seen={"seen": "lists no entry"}, says="lists no entry"),
    "49 words of its own": case(bare("/category/winter/", 49), SERVED),
    "it says so itself": case(
        page("/tag/winter/", text="Nothing found. Perhaps searching helps.", links=links("/", flags=LINK_IN_CONTENT)),
        seen={"seen": "says that there is nothing to list"},
    ),
    "told by its body class": case(bare("/winter/"), SERVED),
}
PASSES = {
    "with entries": case(SERVED),
    "with entries that navigation lists too": case(
        bare("/category/winter/", links=links("/post", flags=LINK_IN_CONTENT | LINK_IN_NAV)), SERVED
    ),
    "lists that scripts fill in": case(bare("/category/winter/"), bare("/category/summer/")),
    "a later page": case(bare("/category/winter/page/9/"), SERVED),
    "another address is canonical": case(
        bare("/category/winter/", canonicals=[("", address("/blog"), "html")]), SERVED
    ),
    "50 words of its own": case(bare("/category/winter/", 50), SERVED),
    "only its address says that it is a list": case(bare("/category/winter/", body_class=""), SERVED),
    "a class in a manual of program code": case(
        page("/src-html/org/example/categories/Categories.html", words=9, text="No items found."), SERVED
    ),
    "no list": case(page("/winter/", text="Nothing found.")),
}
NOT_APPLICABLE = {"a page with noindex": case(bare("/category/winter/", robots_meta=[("robots", "noindex")]), SERVED)}
TABLES = {"SEO-CON-004": (FAILS, PASSES, NOT_APPLICABLE)}
