"""Tables of SEO-AEO-004."""

from chalicelib.domain.page.facts import Probe, RobotsFile, SiteFacts
from tests.rules.builders import HOME, answer, page, robots, site_case, site_facts


def asked(*probes: Probe, file: RobotsFile | None = None) -> SiteFacts:
    """A website whose home page was asked for in other names."""
    return site_facts(probes=list(probes), robots=file or robots("User-agent: *\nDisallow:\n"))


def as_agent(agent: str, status: int, title: str | None = "Example") -> Probe:
    return Probe("agent", HOME, status, agent=agent, title=title)


FINE = as_agent("OAI-SearchBot", 200)

FAILS = {
    "refused": site_case(
        site=asked(FINE, as_agent("Claude-SearchBot", 403, "Forbidden")),
        seen={"agents": [{"bot": "Claude-SearchBot", "status": 403, "title": "Forbidden", "url": HOME}]},
        says="answers 403 to Claude-SearchBot",
    ),
    "told to slow down": site_case(site=asked(as_agent("PerplexityBot", 429))),
    "a challenge with status 200": site_case(
        site=asked(as_agent("ChatGPT-User", 200, "Just a moment...")), says='a page titled "Just a moment..."'
    ),
    "a challenge with status 503": site_case(site=asked(as_agent("ChatGPT-User", 503, "Checking your browser"))),
}
PASSES = {
    "the same answer for all": site_case(site=asked(FINE, as_agent("ChatGPT-User", 200))),
    "a server error": site_case(site=asked(as_agent("ChatGPT-User", 500))),
    "robots.txt says so too": site_case(
        site=asked(as_agent("PerplexityBot", 403), file=robots("User-agent: PerplexityBot\nDisallow: /\n"))
    ),
    "everybody gets the challenge": site_case(
        page("/", title="Just a moment..."), site=asked(as_agent("ChatGPT-User", 200, "Just a moment..."))
    ),
}
NOT_APPLICABLE = {
    "nobody asked": site_case(),
    "no answer": site_case(site=asked(as_agent("ChatGPT-User", 0))),
    "other questions were asked": site_case(site=asked(Probe("not_found", HOME + "x", 403))),
    "the home page cannot be read": site_case(answer("/", 403), site=asked(as_agent("ChatGPT-User", 403))),
}
TABLES = {"SEO-AEO-004": (FAILS, PASSES, NOT_APPLICABLE)}
