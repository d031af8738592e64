"""SEO-AEO-018 and SEO-AEO-019: a firewall that blocks all assistants, or the service's own crawler."""

from typing import Final

from chalicelib.rules.aeo.seo_aeo_004_fetchers_get_another_answer import by_whom, protection, refused, refuses_all
from chalicelib.rules.aeo.seo_aeo_004_fetchers_get_another_answer import has_data as has_compared
from chalicelib.rules.context import REFUSED, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.refusals import MOST_PAGES, refusals
from chalicelib.rules.wording import codes, counted, listed, part, quoted
from chalicelib.settings.crawl import crawl_settings

SHOWN: Final = 10


def check_assistants(site: Site) -> PageVerdict:
    if site.once(refusals).closes:
        return NOT_APPLICABLE  # SEO-AEO-019 reports that
    if not refuses_all(site):
        return None
    found = refused(site)
    return Finding(
        f"The home page refuses every assistant that the audit tried{by_whom(site)}, although robots.txt allows them "
        f"and other clients get the page. Allow {listed([str(probe.agent) for probe in found])} in the firewall or "
        "CDN. If it can check IP addresses, allow those that the operators publish.",
        {
            "agents": [{"bot": probe.agent, "status": probe.status, "url": probe.url} for probe in found],
            "protection": protection(site),
        },
    )


def has_read(site: Site) -> bool:
    return bool(site.read)


def check_crawler(site: Site) -> PageVerdict:
    found = site.once(refusals)
    if not found.closes:
        return None
    agent = crawl_settings().user_agent
    assistants = [str(probe.agent) for probe in refused(site)]
    others = f" It turns {listed(assistants)} away too." if assistants else ""
    return Finding(
        f"{len(found.refused):,} of {counted(found.asked, 'address', 'addresses')} turned the crawler "
        f"away{by_whom(site)}, such as {found.refused[0].url}.{others} In the firewall or CDN, allow the user agent "
        f"{quoted(agent)} and the user agents of the search engines and assistants that you want. Then start an audit.",
        {
            "refused": len(found.refused),
            "asked": found.asked,
            "userAgent": agent,
            "agents": assistants,
            "protection": protection(site),
            "examples": [address.url for address in found.refused[:SHOWN]],
        },
    )


ASSISTANTS = Rule(
    id="SEO-AEO-018",
    title="A firewall blocks all assistants",
    category="AEO",
    severity="high",
    confidence="likely",
    scope="site",
    population="site",
    weight=70,
    effort="medium",
    writable_field=None,
    what="The home page refuses every request whose user agent is an assistant's fetcher or search crawler. Other "
    "clients get the page with 200.",
    why="Assistants cannot read the website at all, and robots.txt does not show it.",
    fix="Look for a rule against AI bots in the firewall or CDN, and allow the bots you want.",
    not_when="If some of these user agents are allowed, SEO-AEO-004 reports it. User agents that robots.txt disallows "
    "are left out. If a browser's request is refused too, nothing is reported. A firewall that checks the operators' "
    "IP addresses may allow the real crawlers, so the finding is “likely”, not “certain”.",
    source="The website's own answers, and the operators' documentation of their user agents.",
    site_check=check_assistants,
    has_data=has_compared,
)
CRAWLER = Rule(
    id="SEO-AEO-019",
    title="A firewall turns the crawler away on most pages",
    category="AEO",
    severity="high",
    confidence="likely",
    scope="site",
    population="site",
    weight=70,
    effort="medium",
    writable_field=None,
    what=f"More than {part(MOST_PAGES)} of the addresses requested as pages answered {codes(REFUSED, ' or ')}. Or they "
    "showed another page instead: a firewall's challenge, a refusal or a request for cookies.",
    why="Refused pages could not be judged, so score and findings say little. A firewall that stops this crawler "
    "usually stops assistants and smaller search engines too.",
    fix="In the firewall, the security plugin or the CDN's bot protection, allow the crawler's user agent. Also allow "
    "the search engines and assistants that you want. Then start an audit.",
    not_when="If a smaller share of the pages is refused, SEO-TEC-007 reports it.",
    source=f"This service set the limit. If more than {part(MOST_PAGES)} of the pages are refused, most of the "
    "website is unknown.",
    site_check=check_crawler,
    whole_website=True,
    has_data=has_read,
)
RULES = (ASSISTANTS, CRAWLER)
