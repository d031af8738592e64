"""SEO-SMP-006: a page that may be indexed but is in no sitemap."""

import re
from typing import Final

from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.lnk.seo_lnk_005_too_deep import MOST_CLICKS
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.parameters import acts, plain
from chalicelib.rules.series import is_later_page
from chalicelib.rules.soft_404 import soft_404
from chalicelib.rules.wording import spelled

# Kinds of pages that sitemaps rightly leave out. Other rules report some of them (SEO-CON-004, SEO-CON-008).
_LEFT_OUT: Final = frozenset({"account", "search", "empty_archive", "media"})
_LEFT_OUT_TEMPLATES: Final = frozenset({"date archive", "attachment", "search", "cart", "checkout", "account"})
_COMMENT_PAGE: Final = re.compile(r"/comment-page-\d+/?$")


def has_data(site: Site) -> bool:
    """Whether all entries of all sitemaps are known. A file that was not read may list any page."""
    if not site.sitemap or site.facts.sitemap_truncated:
        return False
    return not any(
        file.status in REFUSED or file.status == 0 or file.status >= 500 or (file.status == 200 and file.error)
        for file in site.facts.sitemaps
    )


def check(page: Page, site: Site) -> PageVerdict:
    url = page.url
    if url in site.listed or not page.canonical_is_self:
        return None
    if page.kind.kind in _LEFT_OUT or page.template in _LEFT_OUT_TEMPLATES:
        return NOT_APPLICABLE
    if is_later_page(url, site) or _COMMENT_PAGE.search(url) or acts(url) or plain(url) != url:
        return NOT_APPLICABLE
    depth = page.depth
    if depth is None or depth > MOST_CLICKS:
        return None
    if soft_404(page, site) is not None:
        return NOT_APPLICABLE
    return Finding(
        f"The page may be indexed and is {depth} {'click' if depth == 1 else 'clicks'} from the home page, but no "
        "sitemap lists it; add it, or set it to noindex if nobody should find it.",
        {"depth": depth, "inlinks": page.inlinks},
    )


RULE = Rule(
    id="SEO-SMP-006",
    title="Indexable page missing from the sitemap",
    category="SMP",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field=None,
    what="The page is in no sitemap. It may be indexed, names no other canonical address and is at most "
    f"{spelled(MOST_CLICKS)} clicks from the home page.",
    why="Search engines find new and changed pages sooner when the sitemap lists them. A missing page "
    "was usually forgotten.",
    fix="Let the CMS or its SEO plugin list this kind of page in the sitemap. If you wrote the sitemap by hand, add "
    "an entry.",
    not_when="Account, search, empty and attachment pages, later pages of a list, and addresses with tracking or "
    "sorting parameters are left out. Error pages that answer 200 (SEO-TEC-005) are left out too. Websites without a "
    "sitemap are not judged, and neither are websites with a sitemap that could not be read completely.",
    source=f"Search engines' sitemap documentation; the limit of {spelled(MOST_CLICKS)} clicks is the same as in "
    "SEO-LNK-005.",
    page_check=check,
    has_data=has_data,
    cause=("sitemap",),
)
