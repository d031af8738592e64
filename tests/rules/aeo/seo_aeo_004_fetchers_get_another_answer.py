"""Tables of SEO-AEO-004."""

from chalicelib.domain.page.facts import Probe, RobotsFile, SiteFacts
from tests.rules.builders import HOME, answer, page, robots, site_case, site_facts


def asked(*probes: Probe, file: RobotsFile | None = None) -> SiteFacts:
    """A website whose home page was asked for in other names."""
    return site_facts(probes=list(probes), robots=file or robots("User-agent: *\nDisallow:\n"))


def as_agent(agent: str, status: int, title: str | None = "Example") -> Probe:
    return Probe("agent", HOME, status, agent=agent, title=title)


def as_browser(status: int, title: str | None = "Example", protection: str | None = None) -> Probe:
    return Probe("browser", HOME, status, title=title, protection=protection)


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
    "a browser gets the page": site_case(
        site=asked(
            as_browser(200),
            Probe("agent", HOME, 403, agent="Claude-User", title="Attention Required!", protection="Cloudflare"),
        ),
        seen={"protection": "Cloudflare"},
        says="answers 403 to Claude-User (the answer's headers name Cloudflare)",
    ),
    "a browser's request fails": site_case(site=asked(as_browser(500), as_agent("PerplexityBot", 403))),
    "a challenge with status 503": site_case(site=asked(as_agent("ChatGPT-User", 503, "Checking your browser"))),
}
PASSES = {
    "the same answer for all": site_case(site=asked(FINE, as_agent("ChatGPT-User", 200))),
    "a server error": site_case(site=asked(as_agent("ChatGPT-User", 500))),
    "robots.txt says so too": site_case(
        site=asked(as_agent("PerplexityBot", 403), file=robots("User-agent: PerplexityBot\nDisallow: /\n"))
    ),
    "only a browser's request is turned away": site_case(site=asked(as_browser(403), FINE)),
}
NOT_APPLICABLE = {
    "nobody asked": site_case(),
    "everybody gets the challenge": site_case(
        page("/", title="Just a moment..."), site=asked(as_agent("ChatGPT-User", 200, "Just a moment..."))
    ),
    "a browser is turned away too": site_case(site=asked(as_browser(403), FINE, as_agent("Claude-User", 403))),
    "a browser gets a challenge too": site_case(
        site=asked(as_browser(200, "Just a moment..."), as_agent("Claude-User", 403))
    ),
    "all are turned away, which is SEO-AEO-018": site_case(
        site=asked(as_agent("Claude-User", 403), as_agent("ChatGPT-User", 403))
    ),
    "most pages turn the crawler away, which is SEO-AEO-019": site_case(
        page("/"), answer("/a", 403), answer("/b", 403), site=asked(FINE, as_agent("Claude-User", 403))
    ),
    "no answer": site_case(site=asked(as_agent("ChatGPT-User", 0))),
    "other questions were asked": site_case(site=asked(Probe("not_found", HOME + "x", 403))),
    "the home page cannot be read": site_case(answer("/", 403), site=asked(as_agent("ChatGPT-User", 403))),
}
TABLES = {"SEO-AEO-004": (FAILS, PASSES, NOT_APPLICABLE)}
