"""SEO-TEC-008: a page that is important to the website has noindex."""

import re
from typing import Final

from chalicelib.domain.page.facts import LINK_IN_NAV
from chalicelib.rules.context import Address, Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.parameters import acts, plain
from chalicelib.rules.series import is_later_page
from chalicelib.rules.wording import listed, spelled

LEAST_INLINKS: Final = 10
LEAST_IMPRESSIONS: Final = 100  # in 28 days
# If at least this share has noindex, nearly the whole website is hidden, so each of its pages matters.
LEAST_SHARE: Final = 0.8  # share of the readable pages
LEAST_PAGES: Final = 5
GATE: Final = 0.90
# Versions for printing or for other readers, which repeat pages.
_VERSION: Final = re.compile(
    r"/(?:print|printable|printer|print-?(?:version|view|page)|amp|pdf)(?:\.[a-z]{3,5})?/?$", re.I
)
# Pages for which noindex is acceptable or right.
_RIGHTLY: Final = frozenset({"legal", "archive", "empty_archive", "account", "search", "media"})


def navigation(site: Site) -> frozenset[str]:
    """Return the addresses to which the home page's navigation, header and footer link, after redirects."""
    if site.home is None:
        return frozenset()
    return frozenset(site.end_of(link.url) for link in site.home.links if link.flags & LINK_IN_NAV)


def hidden_website(site: Site) -> tuple[int, int] | None:
    """If nearly all pages have noindex, return how many have it and how many pages there are. Otherwise return None.

    Archive and account pages may have noindex for good reason. So nearly all pages of other kinds must have noindex
    too.
    """
    pages = hidden = others = hidden_others = 0
    for address in site.readable():
        pages += 1
        hidden += address.noindex
        if not _rightly(address, site):
            others += 1
            hidden_others += address.noindex
    nearly_all = hidden >= LEAST_SHARE * pages and hidden_others >= LEAST_SHARE * others
    return (hidden, pages) if pages >= LEAST_PAGES and nearly_all and others else None


def _rightly(page: Address | Page, site: Site) -> bool:
    """Whether noindex is an acceptable choice for the page."""
    if page.kind.kind in _RIGHTLY or not page.canonical_is_self:
        return True
    return (
        is_later_page(page.url, site)
        or plain(page.url) != page.url
        or acts(page.url)
        or bool(_VERSION.search(page.url))
    )


def check(page: Page, site: Site) -> PageVerdict:
    where = page.directives.noindex
    if where is None or page.is_home:
        return None
    whole = site.once(hidden_website)
    if whole is None and _rightly(page, site):
        return None
    inlinks = page.inlinks
    impressions = page.impressions
    in_navigation = page.url in site.once(navigation)
    reasons = []
    if inlinks >= LEAST_INLINKS:
        reasons.append(f"{inlinks:,} pages link to it")
    if impressions is not None and impressions >= LEAST_IMPRESSIONS:
        reasons.append(f"it was shown {impressions:,} times in search in 28 days")
    if in_navigation:
        reasons.append("the home page's navigation leads to it")
    if whole is not None:
        seen = f"as {whole[0]:,} of {whole[1]:,} pages of the website do"
    elif reasons:
        seen = f"but {listed(reasons)}"
    else:
        return None
    return Finding(
        f"The page says {where}, {seen}; remove noindex if people should find it.",
        {
            "where": where,
            "inlinks": inlinks,
            "impressions": impressions,
            "inNavigation": in_navigation,
            "inSitemap": page.in_sitemap,
            "ofWebsite": {"noindex": whole[0], "pages": whole[1]} if whole is not None else None,
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
    what="The page says noindex, although the website or searchers treat it as important. At least "
    f"{spelled(LEAST_INLINKS)} pages link to it, search showed it at least {LEAST_IMPRESSIONS} times in 28 days, or "
    f"the home page's navigation links it. If at least {LEAST_SHARE:.0%} of a website's pages say noindex, and it has "
    f"at least {spelled(LEAST_PAGES)} pages, all pages with noindex are reported.",
    why="A page with noindex disappears from search results, whatever its content and links. On an important page "
    "this is usually an oversight.",
    fix="Remove noindex from the page's robots tag or the X-Robots-Tag header. In a CMS it is a setting of the page "
    "or of its SEO plugin. If noindex is intended, ignore the issue.",
    not_when="The home page is reported by SEO-TEC-002, and a page that only the sitemap marks as important by "
    "SEO-TEC-009. Unless nearly the whole website says noindex, pages for which noindex is a good choice are left out: "
    "legal, account, search and archive pages, later pages of a list, print versions, and pages that name another "
    "canonical address.",
    source=f"This service set the limits of {spelled(LEAST_INLINKS)} links, {LEAST_IMPRESSIONS} impressions and "
    f"{LEAST_SHARE:.0%} of the pages.",
    page_check=check,
    gate=GATE,
    needs=("search",),
    cause=("robots_directive", "template"),
)
