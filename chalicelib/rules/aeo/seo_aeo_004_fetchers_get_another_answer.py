"""SEO-AEO-004: a firewall rejects assistants although robots.txt allows them."""

import re
from typing import Final

from chalicelib.domain.page.facts import Probe
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.refusals import refusals
from chalicelib.rules.wording import codes, listed

TURNED_AWAY: Final = frozenset({401, 403, 429})
# Titles of pages that CDNs and firewalls show instead of the website's page.
_CHALLENGE: Final = re.compile(
    r"just a moment|attention required|checking your browser|access (?:to this page has been )?denied|are you (?:a )?"
    r"(?:human|robot)|pardon our interruption|security check|verify(?:ing)? (?:that )?you are human|ddos.guard"
    r"|bot verification|request unsuccessful",
    re.IGNORECASE,
)


def has_data(site: Site) -> bool:
    """Whether the answers to assistants can be compared with the answers to other clients.

    The home page must have been read, and requested with an assistant's user agent. If assistants were refused,
    requests with other user agents must have been answered.
    """
    home = site.addresses.get(site.home_url)
    asked = home is not None and home.readable and any(_answered(probe) for probe in site.facts.probes)
    return asked and not (refused(site) and everybody_is(site))


def without_data(site: Site) -> str | None:
    """Return a note if the comparison is impossible, because the website refuses not only assistants but also other
    clients.

    Otherwise return None.
    """
    home = site.addresses.get(site.home_url)
    if home is None or not home.readable:
        return None
    found = refused(site)
    if not found or not everybody_is(site):
        return None
    return (
        "SEO-AEO-004 (AI fetchers get another answer than browsers) is inconclusive: the home page turns away "
        f"{listed([str(probe.agent) for probe in found])}, but also requests with other user agents{by_whom(site)}. "
        "The firewall's log shows whether the real crawlers get through."
    )


def everybody_is(site: Site) -> bool:
    """Whether the website also refuses our own crawler, or a request that looks like a browser's."""
    assert site.home is not None
    if _CHALLENGE.search(site.home.title or ""):
        return True
    return any(probe.question == "browser" and turned_away(probe) for probe in site.facts.probes)


def refused(site: Site) -> list[Probe]:
    """Return the refused requests with user agents of assistants that robots.txt allows."""
    # What robots.txt disallows is left to SEO-AEO-001 and SEO-AEO-002.
    return [
        probe
        for probe in site.facts.probes
        if _answered(probe) and turned_away(probe) and site.robots.verdict(probe.agent or "", site.home_url).allowed
    ]


def refuses_all(site: Site) -> bool:
    """Whether every request with the user agent of an assistant that robots.txt allows was refused."""
    found = refused(site)
    return len(found) > 1 and len(found) == sum(_answered(probe) for probe in site.facts.probes)


def protection(site: Site) -> str | None:
    """Return the firewall or CDN that refused a request, if the headers of an answer name it."""
    return next((probe.protection for probe in site.facts.probes if turned_away(probe) and probe.protection), None)


def by_whom(site: Site) -> str:
    name = protection(site)
    return "" if name is None else f" (the answer's headers name {name})"


def _answered(probe: Probe) -> bool:
    return probe.question == "agent" and probe.agent is not None and probe.status > 0


def turned_away(probe: Probe) -> bool:
    """Whether the answer to the request is a refusal or a challenge."""
    if probe.status in TURNED_AWAY:
        return True
    return probe.status in (200, 202, 503) and _CHALLENGE.search(probe.title or "") is not None


def check(site: Site) -> PageVerdict:
    found = refused(site)
    if not found:
        return None
    if refuses_all(site) or site.once(refusals).closes:
        return NOT_APPLICABLE  # SEO-AEO-018 and SEO-AEO-019 report that
    first = found[0]
    answer = f"{first.status}" if first.status in TURNED_AWAY else f'a page titled "{first.title}"'
    return Finding(
        f"The home page answers {answer} to {listed([str(probe.agent) for probe in found])}{by_whom(site)}, and 200 "
        "to other clients, although robots.txt allows it. Allow these user agents in the firewall or CDN. If it can "
        "check IP addresses, allow those that the operators publish.",
        {
            "agents": [
                {"bot": probe.agent, "status": probe.status, "title": probe.title, "url": probe.url} for probe in found
            ],
            "protection": protection(site),
        },
    )


RULE = Rule(
    id="SEO-AEO-004",
    title="AI fetchers get another answer than browsers",
    category="AEO",
    severity="high",
    confidence="likely",
    scope="site",
    population="site",
    weight=30,
    effort="medium",
    writable_field=None,
    what=f"The home page answers {codes(TURNED_AWAY)} or a challenge page to a request whose user agent is an "
    "assistant's fetcher or search crawler. Other clients get the page with 200.",
    why="Many firewalls and CDNs block AI crawlers by default, and robots.txt does not show it. Assistants then leave "
    "the website out of their answers, although nobody decided to block them.",
    fix="Look for a rule against AI bots in the firewall or CDN, and allow the bots you want. The firewall's log "
    "shows whether it refused our test because of the user agent or because of the IP address.",
    not_when="User agents that robots.txt disallows are not judged, because the website refuses them on purpose. If "
    "all user agents are refused, SEO-AEO-018 reports it. If the crawler is refused on most pages, SEO-AEO-019 "
    "reports it. If the home page cannot be read at all, nothing is compared. If a browser's request is refused too, "
    "the audit notes that the test is inconclusive. A firewall that checks the operators' IP addresses may refuse our "
    "test but allow the real crawler, so the finding is “likely”, not “certain”.",
    source="The website's own answers, and the operators' documentation of their user agents.",
    site_check=check,
    has_data=has_data,
    without_data=without_data,
)
