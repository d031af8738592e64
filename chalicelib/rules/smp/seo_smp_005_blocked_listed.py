"""SEO-SMP-005: the sitemap lists an address that robots.txt disallows."""

from chalicelib.rules.context import SEARCH_CRAWLER, Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read


def has_data(site: Site) -> bool:
    return site.robots_readable and was_read(site)


def check(page: Page, site: Site) -> PageVerdict:
    if page.robots_allowed:
        return None
    verdict = site.robots.verdict(SEARCH_CRAWLER, page.url)
    return Finding(
        f"The sitemap lists the address, but robots.txt disallows it for {SEARCH_CRAWLER} (line {verdict.line_number}: "
        f'"{verdict.line}"); allow it, or take it out of the sitemap.',
        {"lineNumber": verdict.line_number, "line": verdict.line, "group": verdict.group_agent},
    )


RULE = Rule(
    id="SEO-SMP-005",
    title="Sitemap lists robots-blocked URLs",
    category="SMP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="sitemap",
    weight=8,
    effort="low",
    writable_field=None,
    what="An address in the sitemap is disallowed for Google's crawler by robots.txt.",
    why="The sitemap invites search engines to an address that robots.txt forbids them to read, so the page cannot be "
    "shown with its text.",
    fix="If the page should be found, remove from robots.txt the line that the evidence shows. If not, remove the "
    "page from the sitemap.",
    not_when="A robots.txt that could not be read is not judged. Rules for other crawlers do not count.",
    source="RFC 9309; search engines' sitemap documentation.",
    page_check=check,
    has_data=has_data,
    cause=("robots_line",),
)
