"""SEO-CON-008: log-in, basket and search pages that may be indexed."""

from typing import Final
from urllib.parse import unquote, urlsplit

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule

_KINDS: Final = {"account": "a log-in, account, basket or checkout page", "search": "a page of internal search results"}
# Pages that win customers, who search for them.
_WANTED: Final = frozenset(
    "signup sign-up register registration registrieren registrierung inscription registrarse registrati registreren"
    " rejestracja".split()
)


def check(page: Page, site: Site) -> PageVerdict:
    seen = _KINDS.get(page.kind.kind or "")
    if seen is None or not page.canonical_is_self:
        return None
    last = unquote(urlsplit(page.url).path).rstrip("/").rpartition("/")[2].lower().partition(".")[0]
    if last in _WANTED:
        return None
    if not page.kind.shown:  # an article may have such an address; unread content is unknown
        return UNDECIDED if page.facts.shows_kind is None else None
    return Finding(
        f"This is {seen}, and search engines may index it; set it to noindex.",
        {
            "pageKind": page.kind.kind,
            "advice": {
                "pageKind": "account",
                "legalKind": None,
                "recommended": "noindex",
                "message": "Log-in, basket and search pages have no place in search results: set the page to noindex.",
            },
        },
    )


RULE = Rule(
    id="SEO-CON-008",
    title="Account, cart or search page indexable",
    category="CON",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=5,
    effort="low",
    writable_field="noindex",
    what="A log-in, account, basket or checkout page, or a page of the website's own search results, may be indexed. "
    "Its address or its CMS marks it as such, and it has log-in fields, a basket, or a search with results.",
    why="Nobody looks for log-in, basket or result pages in a search engine, and each visitor sees other content "
    "there. A website can have any number of pages with search results.",
    fix="Set these pages to noindex. Most shop systems do so by themselves; an SEO plugin has a switch for it.",
    not_when="Articles about logging in, buying or searching are left out, whatever their address. So are search pages "
    "with samples of code, as in the manual of a search field, and pages for signing up, because people search for "
    "them. Pages that name another page as canonical are left out too.",
    source="Search engines' guidance: keep internal search results out of the index.",
    page_check=check,
    noindex_need="no_place",
)
