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
    not_when="The following pages and websites are not reported:\n"
    f"- Websites of which less than {LEAST_COVERAGE:.0f}% of the known addresses were read, because an unread page "
    "may have the link.\n"
    "- The home page, and pages that name another canonical address.\n"
    "- Pages that a form names (in its action, or in a hidden field such as _next).\n"
    "- Pages whose address is in scripts that fill in a list of links (AngularJS, Vue, Alpine, Knockout).\n"
    "- Websites on which a script of this kind loads the links of a list from elsewhere, because the audit cannot see "
    "which pages they link. Lists of search results, and lists in menus, headers and sidebars, are exceptions.",
    source=f"This service set the limit of {LEAST_COVERAGE:.0f}%: below it, the finding would be a guess.",
    page_check=check,
    needs=("search",),
    has_data=has_data,
)
