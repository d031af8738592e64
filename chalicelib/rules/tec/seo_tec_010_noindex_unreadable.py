"""SEO-TEC-010: a page has noindex, but robots.txt prevents search engines from reading it."""

from chalicelib.rules.context import SEARCH_CRAWLER, Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule


def has_data(site: Site) -> bool:
    return site.content is not None and site.robots_readable


def check(page: Page, site: Site) -> PageVerdict:
    synced = (site.content or {}).get(page.url)
    if synced is None:
        return NOT_APPLICABLE
    # What was read on the page itself is newer than the content of the CMS.
    noindex = page.noindex if page.readable else synced.fields.noindex
    if not noindex or page.robots_allowed:
        return None
    verdict = site.robots.verdict(SEARCH_CRAWLER, page.url)
    return Finding(
        f'The page is set to noindex, but robots.txt disallows it (line {verdict.line_number}: "{verdict.line}"), '
        f"so {SEARCH_CRAWLER} never reads noindex. Allow the page in robots.txt until it has left the results.",
        {"lineNumber": verdict.line_number, "line": verdict.line, "group": verdict.group_agent},
    )


RULE = Rule(
    id="SEO-TEC-010",
    title="Noindex blocked from being read",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="known",
    weight=12,
    effort="low",
    writable_field=None,
    what="The CMS says that the page is noindex, and robots.txt disallows it for Google's crawler.",
    why="Search engines obey noindex only on pages that they can read. A disallowed page can stay in the results for "
    "years, shown with only its address.",
    fix="Allow the page in robots.txt and keep noindex. After it has left the results, you may disallow it again.",
    not_when="Only pages whose content is synced from the CMS are judged. The audit cannot read noindex on other "
    "disallowed pages.",
    source="Search engines' documentation: for noindex to work, the page must not be blocked by robots.txt.",
    page_check=check,
    needs=("content",),
    has_data=has_data,
    cause=("robots_line",),
)
