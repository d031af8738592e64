"""SEO-TEC-008: a page that matters to the website asks not to be indexed."""

import re
from typing import Final

from chalicelib.domain.page.facts import LINK_IN_NAV
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import is_later_page
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.parameters import acts, plain
from chalicelib.rules.wording import listed, spelled

LEAST_INLINKS: Final = 10
LEAST_IMPRESSIONS: Final = 100  # in 28 days
# Versions to print or for other readers, which repeat pages of their own.
_VERSION: Final = re.compile(
    r"/(?:print|printable|printer|print-?(?:version|view|page)|amp|pdf)(?:\.[a-z]{3,5})?/?$", re.I
)
# Pages for which noindex is as good a choice as any, or the right one.
_RIGHTLY: Final = frozenset({"legal", "archive", "empty_archive", "account", "search", "media"})


def navigation(site: Site) -> frozenset[str]:
    """Where the navigation, header and footer of the home page lead."""
    if site.home is None:
        return frozenset()
    return frozenset(site.end_of(link.url) for link in site.home.links if link.flags & LINK_IN_NAV)


def check(page: Page, site: Site) -> PageVerdict:
    where = page.directives.noindex
    if where is None or page.is_home or page.kind.kind in _RIGHTLY or not page.canonical_is_self:
        return None
    if is_later_page(page.url) or plain(page.url) != page.url or acts(page.url) or _VERSION.search(page.url):
        return None
    inlinks = page.inlinks
    impressions = site.search.get(page.url, 0) if site.search else 0
    in_navigation = page.url in site.once(navigation)
    reasons = []
    if inlinks >= LEAST_INLINKS:
        reasons.append(f"{inlinks:,} pages link to it")
    if impressions >= LEAST_IMPRESSIONS:
        reasons.append(f"it was shown {impressions:,} times in search in 28 days")
    if in_navigation:
        reasons.append("the home page's navigation leads to it")
    if not reasons:
        return None
    return Finding(
        f"The page says {where}, but {listed(reasons)}; remove noindex if people should find it.",
        {
            "where": where,
            "inlinks": inlinks,
            "impressions": impressions if site.search is not None else None,
            "inNavigation": in_navigation,
            "inSitemap": page.in_sitemap,
        },
    )


RULE = Rule(
    id="SEO-TEC-008",
    title="Important page is noindex",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="readable",
    weight=20,
    effort="low",
    writable_field="noindex",
    what=f"The page says noindex, although at least {spelled(LEAST_INLINKS)} pages link to it, it was shown at least "
    f"{LEAST_IMPRESSIONS} times in search in 28 days, or the home page's navigation leads to it.",
    why="A page with noindex disappears from search results, whatever it says and however often it is linked. On a "
    "page that the website itself treats as important this is mostly an oversight.",
    fix="Remove noindex from the page's robots tag or the X-Robots-Tag header; in a CMS it is a setting of the page "
    "or of its SEO plugin. If noindex is meant, ignore the issue.",
    not_when="The home page is SEO-TEC-002, and a page that only the sitemap speaks for is SEO-TEC-009. Legal, "
    "account, search and archive pages, later pages of a list, versions to print, and pages that name another "
    "canonical address are left out: noindex is a good choice there.",
    source=f"The limits of {spelled(LEAST_INLINKS)} links and {LEAST_IMPRESSIONS} impressions are ours.",
    page_check=check,
)
