"""SEO-AEO-001: robots.txt blocks the search crawlers on which AI answers are based."""

from typing import Final

from chalicelib.domain.crawl.robots import Verdict
from chalicelib.domain.readiness import access
from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed

# Each feeds the index of an assistant or search engine.
CRAWLERS: Final = (
    "OAI-SearchBot",
    "Claude-SearchBot",
    "PerplexityBot",
    "Googlebot",
    "bingbot",
    "Applebot",
    "MistralAI-Index",
)


def has_data(site: Site) -> bool:
    return site.robots_readable


def verdict_for(site: Site, crawler: str) -> Verdict:
    """Return the verdict of robots.txt on the home page for a crawler."""
    return access.verdict_for(site.robots, crawler, site.home_url)


def check(site: Site) -> PageVerdict:
    blocked = [(crawler, verdict) for crawler in CRAWLERS if not (verdict := verdict_for(site, crawler)).allowed]
    if not blocked:
        return None
    first = blocked[0][1]
    return Finding(
        f"robots.txt keeps {listed([crawler for crawler, _ in blocked])} out of the home page "
        f'(line {first.line_number}: "{first.line}"); allow them if the website should appear in AI answers.',
        {
            "crawlers": [
                {
                    "bot": crawler,
                    "lineNumber": verdict.line_number,
                    "line": verdict.line,
                    "group": verdict.group_agent,
                }
                for crawler, verdict in blocked
            ]
        },
    )


RULE = Rule(
    id="SEO-AEO-001",
    title="AI search crawlers blocked",
    category="AEO",
    severity="high",
    confidence="certain",
    scope="site",
    population="site",
    weight=52,
    effort="low",
    writable_field=None,
    what=f"robots.txt disallows the home page for at least one of {listed(CRAWLERS)}.",
    why="Search crawlers fill the indexes from which assistants answer and cite. Assistants cannot cite a website that "
    "their crawlers may not read.",
    fix="Allow these crawlers in robots.txt. Crawlers that only collect training data have other names and may stay "
    "blocked, which does not lower the score.",
    not_when="A robots.txt that cannot be read (no answer, server error) is not judged.",
    source="The operators' own documentation of their crawlers; RFC 9309.",
    site_check=check,
    has_data=has_data,
    cause=("robots_line",),
)
