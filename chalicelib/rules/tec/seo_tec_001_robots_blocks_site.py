"""SEO-TEC-001: robots.txt blocks search engines from the whole website."""

from typing import Final

from chalicelib.domain.crawl.urls import origin
from chalicelib.rules.context import SEARCH_CRAWLER, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule

LEAST_SHARE: Final = 0.9  # share of the known addresses that must be disallowed, in addition to the home page
GATE: Final = 0.85


def has_data(site: Site) -> bool:
    return site.robots_readable


def check(site: Site) -> PageVerdict:
    verdict = site.robots.verdict(SEARCH_CRAWLER, origin(site.home_url) + "/")
    if verdict.allowed:
        return None
    addresses = len(site.known)
    blocked = sum(not site.allowed(url) for url in site.known)
    if addresses and blocked < LEAST_SHARE * addresses:
        return None
    return Finding(
        f"robots.txt keeps {SEARCH_CRAWLER} out of the home page and of {blocked:,} of {addresses:,} known addresses "
        f'(line {verdict.line_number}: "{verdict.line}"); remove that line, or the website leaves the search results.',
        {
            "lineNumber": verdict.line_number,
            "line": verdict.line,
            "group": verdict.group_agent,
            "disallowed": blocked,
            "known": addresses,
        },
    )


RULE = Rule(
    id="SEO-TEC-001",
    title="robots.txt blocks the whole site",
    category="TEC",
    severity="critical",
    confidence="certain",
    scope="site",
    population="site",
    weight=45,
    effort="low",
    writable_field=None,
    what=f"For Google's crawler, robots.txt disallows the home page and at least {LEAST_SHARE:.0%} of the website's "
    "known addresses.",
    why="Search engines do not read disallowed pages, so the website disappears from their results. Usually a test "
    "website went live with its robots.txt.",
    fix='Remove the "Disallow: /" line (or its whole group) from robots.txt. The evidence names the line that decides.',
    not_when="A robots.txt that cannot be read (no answer, server error) is not judged here.",
    source=f"RFC 9309; the {LEAST_SHARE:.0%} leave room for a few addresses that are allowed by name.",
    site_check=check,
    has_data=has_data,
    gate=GATE,
    cause=("robots_line",),
)
