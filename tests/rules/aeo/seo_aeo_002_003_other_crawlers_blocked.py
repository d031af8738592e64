"""Tables of SEO-AEO-002 and SEO-AEO-003."""

from chalicelib.domain.page.facts import SiteFacts
from tests.rules.builders import robots, site_case, site_facts


def saying(text: str, status: int = 200) -> SiteFacts:
    """A website with this robots.txt."""
    return site_facts(robots=robots(text, status))


FETCHERS = (
    {
        "one of them": site_case(
            site=saying("User-agent: ChatGPT-User\nDisallow: /\n"),
            seen={
                "crawlers": [{"bot": "ChatGPT-User", "lineNumber": 2, "line": "Disallow: /", "group": "ChatGPT-User"}]
            },
            says="ChatGPT-User",
        ),
        "everybody": site_case(
            site=saying("User-agent: *\nDisallow: /\n"),
            says="ChatGPT-User, Claude-User, Perplexity-User, MistralAI-User and DuckAssistBot",
        ),
    },
    {
        "nobody": site_case(),
        "crawlers for training": site_case(site=saying("User-agent: GPTBot\nDisallow: /\n")),
        "a part of the website": site_case(site=saying("User-agent: Claude-User\nDisallow: /private/\n")),
        "no robots.txt": site_case(site=saying("", 404)),
    },
    {"robots.txt fails": site_case(site=saying("", 503))},
)
TRAINING = (
    {
        "one of them": site_case(
            site=saying("User-agent: CCBot\nDisallow: /\n"),
            seen={"crawlers": [{"bot": "CCBot", "lineNumber": 2, "line": "Disallow: /", "group": "CCBot"}]},
            says="score stays the same",
        ),
        "a policy token": site_case(site=saying("User-agent: Google-Extended\nDisallow: /\n"), says="Google-Extended"),
        "a crawler that is new": site_case(
            site=saying("User-agent: MistralAI-Training\nDisallow: /\n"), says="MistralAI-Training"
        ),
    },
    {
        "nobody": site_case(),
        "the search crawler of the same owner": site_case(site=saying("User-agent: OAI-SearchBot\nDisallow: /\n")),
    },
    {"robots.txt fails": site_case(site=saying("", 500))},
)
TABLES = {"SEO-AEO-002": FETCHERS, "SEO-AEO-003": TRAINING}
