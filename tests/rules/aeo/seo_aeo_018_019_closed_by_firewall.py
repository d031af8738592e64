"""Tables of SEO-AEO-018 and SEO-AEO-019."""

from chalicelib.domain.page.facts import Probe, RobotsFile, SiteFacts
from tests.rules.builders import HOME, answer, case, page, robots, site_case, site_facts

REFUSED = [answer(f"/{number}", 403) for number in range(3)]


def asked(*probes: Probe, file: RobotsFile | None = None) -> SiteFacts:
    return site_facts(probes=list(probes), robots=file or robots("User-agent: *\nDisallow:\n"))


def as_agent(agent: str, status: int = 403) -> Probe:
    return Probe("agent", HOME, status, agent=agent, title="Example", protection="Cloudflare")


SHUT = (as_agent("Claude-User"), as_agent("ChatGPT-User", 429))
OPEN = as_agent("OAI-SearchBot", 200)
NO_PERPLEXITY = robots("User-agent: PerplexityBot\nDisallow: /\n")

ASSISTANTS = (
    {
        "all that were tried": site_case(
            site=asked(*SHUT),
            seen={"protection": "Cloudflare"},
            says="(the answer's headers name Cloudflare), although robots.txt allows them and other clients get the "
            "page. Allow Claude-User and ChatGPT-User in",
        ),
        "a browser gets the page": site_case(site=asked(*SHUT, Probe("browser", HOME, 200, title="Example"))),
    },
    {
        "one gets in": site_case(site=asked(*SHUT, OPEN)),
        "only one was tried": site_case(site=asked(SHUT[0])),
        "all get in": site_case(site=asked(OPEN, as_agent("Claude-User", 200))),
        "one is let in by robots.txt alone": site_case(
            site=asked(SHUT[0], as_agent("PerplexityBot"), file=NO_PERPLEXITY)
        ),
    },
    {
        "nobody asked": site_case(),
        "a browser is turned away too": site_case(site=asked(*SHUT, Probe("browser", HOME, 403))),
        "the crawler is turned away on most pages": site_case(page("/"), *REFUSED, site=asked(*SHUT)),
    },
)
CRAWLER = (
    {
        "all but the home page": site_case(
            page("/"),
            *REFUSED,
            seen={"refused": 3, "asked": 4, "agents": []},
            says="3 of 4 addresses turned the crawler away, such as https://example.com/0.",
        ),
        "assistants too": site_case(
            page("/"), *REFUSED, site=asked(*SHUT), seen={"agents": ["Claude-User", "ChatGPT-User"]}, says="away too"
        ),
        "challenges in place of pages": site_case(
            page("/"), *(page(f"/{number}", title="Just a moment...") for number in range(2))
        ),
    },
    {
        "half of the pages": site_case(page("/"), page("/a"), *REFUSED[:2]),
        "errors are no refusal": site_case(page("/"), answer("/a", 404), answer("/b", 500)),
    },
    {"a page is not judged": case(answer("/a", 403))},
)
TABLES = {"SEO-AEO-018": ASSISTANTS, "SEO-AEO-019": CRAWLER}
