"""SEO-LNK-003: a page that is in the sitemap or in search data, but to which no other page links."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.scripted import has_unknown_entries

LEAST_COVERAGE: Final = 90.0  # below this, the linking page may just not have been read


def has_data(site: Site) -> bool:
    return site.coverage >= LEAST_COVERAGE


def check(page: Page, site: Site) -> PageVerdict:
    if not page.in_sitemap and not page.impressions:
        return None
    # A page that names another page as canonical need not be linked.
    if page.is_home or not page.canonical_is_self or page.linked or page.inlinks:
        return None
    if hash(page.url) in site.reached:
        return None
    if site.once(has_unknown_entries):
        return NOT_APPLICABLE  # scripts may link the page
    known_from = "The sitemap lists the page" if page.in_sitemap else "The page is shown in search results"
    return Finding(
        f"{known_from}, but no other page of the website links to it; link it from a page on the same subject.",
        {"inSitemap": page.in_sitemap, "impressions": page.impressions},
    )


RULE = Rule(
    id="SEO-LNK-003",
    title="Orphan page",
    category="LNK",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=10,
    effort="medium",
    writable_field=None,
    what="The page is in the sitemap, or appears in search results, but no other page of the website links to it.",
    why="Visitors cannot find the page by clicking. A page without links from its own website counts for little in "
    "search.",
    fix="Link the page from pages on the same subject, from its category or from the menu. If nobody needs it any "
    "more, remove it and redirect its address.",
    not_when=f"Pages are judged only if at least {LEAST_COVERAGE:.0f}% of the known addresses were read, because an "
    "unread page may have the link. The home page and pages that name another canonical address are left out. An "
    "address that a form leads to (its action, or a hidden field such as _next) counts as linked. So does an address "
    "in scripts that fill in a list of links (AngularJS, Vue, Alpine, Knockout). If these scripts name no page, "
    "because they load the entries, nothing is judged. Lists of search results, and lists in menus, headers and "
    "sidebars, have no such effect.",
    source=f"The {LEAST_COVERAGE:.0f}% are ours: below them the finding is a guess.",
    page_check=check,
    needs=("search",),
    has_data=has_data,
)
