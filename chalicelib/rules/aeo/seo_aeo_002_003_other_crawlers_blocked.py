"""SEO-AEO-002 and SEO-AEO-003: robots.txt blocks assistants' fetchers, or crawlers that collect training data."""

from typing import Final

from chalicelib.rules.aeo.seo_aeo_001_search_crawlers_blocked import has_data, verdict_for
from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed

FETCHERS: Final = ("ChatGPT-User", "Claude-User", "Perplexity-User", "MistralAI-User", "DuckAssistBot")
TRAINING: Final = (
    "GPTBot",
    "ClaudeBot",
    "Google-Extended",
    "Applebot-Extended",
    "CCBot",
    "meta-externalagent",
    "Bytespider",
    "MistralAI-Training",
)


def _blocked(site: Site, crawlers: tuple[str, ...]) -> list[dict[str, object]]:
    """Return the crawlers that robots.txt disallows from the home page, each with the line that decides."""
    found: list[dict[str, object]] = []
    for crawler in crawlers:
        verdict = verdict_for(site, crawler)
        if not verdict.allowed:
            found.append(
                {
                    "bot": crawler,
                    "lineNumber": verdict.line_number,
                    "line": verdict.line,
                    "group": verdict.group_agent,
                }
            )
    return found


def _where(blocked: list[dict[str, object]]) -> str:
    """Name the crawlers, and the line that disallows the first of them."""
    names = listed([str(crawler["bot"]) for crawler in blocked])
    return f'{names} out of the home page (line {blocked[0]["lineNumber"]}: "{blocked[0]["line"]}")'


def check_fetchers(site: Site) -> PageVerdict:
    blocked = _blocked(site, FETCHERS)
    if not blocked:
        return None
    return Finding(
        f"robots.txt keeps {_where(blocked)}. They fetch a page when a person asks an assistant about it. Allow them "
        "if assistants should be able to read the website.",
        {"crawlers": blocked},
    )


def check_training(site: Site) -> PageVerdict:
    blocked = _blocked(site, TRAINING)
    if not blocked:
        return None
    return Finding(
        f"robots.txt keeps {_where(blocked)}. These operators will not train their models on the website's content. "
        "The score stays the same.",
        {"crawlers": blocked},
    )


USER_FETCHERS = Rule(
    id="SEO-AEO-002",
    title="AI user-request fetchers blocked",
    category="AEO",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=8,
    effort="low",
    writable_field=None,
    what=f"robots.txt disallows the home page for at least one of {listed(FETCHERS)}.",
    why="Fetchers such as ChatGPT-User request a page when a person asks an assistant about it. If the fetcher is "
    "blocked, the assistant answers from other websites.",
    fix="Allow the fetchers in robots.txt. Crawlers that collect training data have other names and may stay blocked.",
    not_when="A robots.txt that cannot be read (no answer, server error) is not judged. Some of these fetchers ignore "
    "robots.txt, because a person sent them, so a Disallow line may have no effect on them.",
    source="The operators' own documentation of their fetchers; RFC 9309.",
    site_check=check_fetchers,
    has_data=has_data,
    cause=("robots_line",),
)
TRAINING_CRAWLERS = Rule(
    id="SEO-AEO-003",
    title="AI training crawlers blocked (for information)",
    category="AEO",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=0,
    effort="low",
    writable_field=None,
    what=f"robots.txt disallows the home page for at least one of {listed(TRAINING)}.",
    why="The owner of a website decides whether it may be used to train models. The audit shows the current choice, "
    "so that the owner can confirm or change it. It never lowers the score.",
    fix="Nothing needs to be done. To change the choice, edit the groups in robots.txt that name these crawlers.",
    not_when="A robots.txt that cannot be read is not judged.",
    source="The operators' own documentation of their crawlers; RFC 9309.",
    site_check=check_training,
    has_data=has_data,
    cause=("robots_line",),
)
RULES = (USER_FETCHERS, TRAINING_CRAWLERS)
