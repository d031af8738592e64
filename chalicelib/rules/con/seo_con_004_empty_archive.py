"""SEO-CON-004: a list without entries that may be indexed."""

from typing import Final

from chalicelib.domain.page.facts import LINK_IN_CONTENT
from chalicelib.domain.page.page_kinds import description_advice
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.series import is_later_page

MOST_WORDS: Final = 50  # own words; a page with more is empty only if it says so
_LISTS: Final = frozenset({"archive", "empty_archive"})


def check(page: Page, site: Site) -> PageVerdict:
    if page.kind.certain.kind not in _LISTS or is_later_page(page.url, site) or not page.canonical_is_self:
        return None
    if page.kind.kind == "archive":
        seen = "lists no entry"
        if page.address.own_words >= MOST_WORDS:
            return None
        if any(link.flags & LINK_IN_CONTENT for link in page.facts.links) or not site.once(lists_are_served):
            return None
    else:
        seen = "says that there is nothing to list"
    advice = description_advice(page.kind._replace(kind="empty_archive"))
    return Finding(
        f"The page is a list of posts and {seen}, but search engines may index it. Add posts to it, or set it to "
        "noindex until it has some.",
        {
            "seen": seen,
            "advice": {
                "pageKind": "empty_archive",
                "legalKind": None,
                "recommended": advice.recommended if advice else "add_posts_or_noindex",
                "message": advice.message if advice else "",
            },
        },
    )


def lists_are_served(site: Site) -> bool:
    """Whether the HTML of at least one list of the website contains its entries as links.

    If not, scripts fill in the lists, and an empty list in the HTML does not mean that the list is empty.
    """
    return any(address.kind.kind == "archive" and address.content_links for address in site.indexable())


RULE = Rule(
    id="SEO-CON-004",
    title="Empty archive indexable",
    category="CON",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="low",
    writable_field="noindex",
    what="A category, tag, author or date archive holds no entries, and search engines may index it.",
    why="A page without content disappoints visitors from a search, and a website with many of them looks empty.",
    fix="Add posts to the list, remove the category or tag, or set the archive to noindex until it has entries.",
    not_when="Empty lists are not judged if no list of the website has links in its HTML, because scripts then fill "
    "the lists in. Later pages of a list are left out. Pages are left out if only their address says that they are a "
    f"list. A page with at least {MOST_WORDS} words of its own counts only if it says that it is empty.",
    source="Search engines' guidance on thin and soft-404 pages.",
    page_check=check,
    noindex_need="no_place",
)
