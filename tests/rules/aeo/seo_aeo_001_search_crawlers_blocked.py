"""Tables of SEO-AEO-001."""

from chalicelib.domain.page.facts import SiteFacts
from tests.rules.builders import robots, site_case, site_facts


def saying(text: str, status: int = 200) -> SiteFacts:
    """A website with this robots.txt."""
    return site_facts(robots=robots(text, status))


FAILS = {
    "one of them": site_case(
        site=saying("User-agent: PerplexityBot\nDisallow: /\n"),
        seen={"crawlers": [{"bot": "PerplexityBot", "lineNumber": 2, "line": "Disallow: /", "group": "PerplexityBot"}]},
        says="PerplexityBot",
    ),
    "all of them": site_case(
        site=saying("User-agent: *\nDisallow: /\n"),
        says="OAI-SearchBot, Claude-SearchBot, PerplexityBot, Googlebot, bingbot, Applebot and MistralAI-Index",
    ),
    "a crawler that fills an index of its own": site_case(
        site=saying("User-agent: MistralAI-Index\nDisallow: /\n"), says="MistralAI-Index"
    ),
    "Apple follows Google's group": site_case(
        site=saying("User-agent: Googlebot\nDisallow: /\n"), says="Googlebot and Applebot"
    ),
}
PASSES = {
    "nobody is blocked": site_case(),
    "only crawlers for training": site_case(site=saying("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n")),
    "a part of the website": site_case(site=saying("User-agent: OAI-SearchBot\nDisallow: /private/\n")),
    "blocked for all, allowed by name": site_case(
        site=saying(
            "User-agent: OAI-SearchBot\nUser-agent: Claude-SearchBot\nUser-agent: PerplexityBot\n"
            "User-agent: Googlebot\nUser-agent: bingbot\nUser-agent: MistralAI-Index\nAllow: /\n\n"
            "User-agent: *\nDisallow: /\n"
        )
    ),
    "another crawler of the same operator": site_case(site=saying("User-agent: MistralAI-Training\nDisallow: /\n")),
    "a name that only begins alike": site_case(site=saying("User-agent: Applebot-Extended\nDisallow: /\n")),
    "no robots.txt": site_case(site=saying("", 404)),
}
NOT_APPLICABLE = {"robots.txt fails": site_case(site=saying("", 500))}
TABLES = {"SEO-AEO-001": (FAILS, PASSES, NOT_APPLICABLE)}
