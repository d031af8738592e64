"""Makes extra requests to a website, once per audit:

- an address that cannot exist
- other spellings of the home address
- the home page with assistants' user agents
- the certificate
"""

import asyncio

from chalicelib.domain import ids
from chalicelib.domain.crawl import hosts, urls
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.page.facts import PAGE_OR_NONE, PageFacts, Probe, SiteFacts
from chalicelib.domain.page.protections import protection_of
from chalicelib.net.fetch import Fetcher
from chalicelib.workers.audit.reading import PAGES, page_facts, reads_body

PROBE_SECONDS = 10.0
NAME_LENGTH = 24
# Assistants' search crawlers and fetchers whose user agents are used to request the home page.
AGENTS = ("OAI-SearchBot", "ChatGPT-User", "Claude-SearchBot", "Claude-User", "PerplexityBot", "Perplexity-User")
AGENT_STRING = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {}/1.0)"
# A browser's request headers, for comparison.
BROWSER_STRING = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
)


async def probe(
    fetcher: Fetcher, site: SiteFacts, robots: robots_txt.Robots, token: str, seed: str, *, as_agents: bool
) -> None:
    """Make the extra requests concurrently, and store the answers in ``site``. Never raises, whatever the website
    answers.

    - ``seed``: the value from which the address that cannot exist is made. The address differs between audits, but
      stays the same if an audit repeats this step.
    - ``as_agents``: whether to request the home page also with assistants' user agents.
    """
    asked = [("variant", url) for url in spellings(site.home_url)]
    missing = missing_address(site.home_url, seed)
    if robots.verdict(token, missing).allowed:
        asked.append(("not_found", missing))
    certificate, probes, agents = await asyncio.gather(
        _certificate(fetcher, site.home_url),
        asyncio.gather(*(ask(fetcher, question, url, site.host) for question, url in asked)),
        _ask_as_agents(fetcher, site, robots if as_agents else None),
    )
    site.certificate_not_after, site.certificate_error = certificate
    site.probes.extend([*probes, *agents])


def missing_address(home_url: str, seed: str) -> str:
    """Return an address of the website at which no page exists."""
    return f"{urls.origin(home_url)}/{ids.digest('not_found', seed).hex()[:NAME_LENGTH]}"


def spellings(home_url: str) -> list[str]:
    """Return the other spellings of the home address: with the other scheme (http or https), and with or without
    ``www.``. The list is empty if the address has a port."""
    scheme, _, rest = home_url.partition("://")
    host = urls.origin(home_url).partition("://")[2]
    if ":" in host or hosts.is_ip_address(host):
        return []
    names = [host]
    if hosts.without_www(host) != host:
        names.append(hosts.without_www(host))
    elif hosts.registrable_domain(host) == host:
        names.append("www." + host)
    path = rest[len(host) :]
    schemes = [scheme, "http" if scheme == "https" else "https"]
    found = [f"{spelt}://{name}{path}" for spelt in schemes for name in names]
    return [url for url in found if url != home_url]


async def ask(fetcher: Fetcher, question: str, url: str, host: str, agent: str | None = None) -> Probe:
    """Request one address, and return its answer.

    - ``host``: the website's host, as ``urls.host_key`` returns it.
    - ``agent``: the user agent to send.
    """
    name = BROWSER_STRING if question == "browser" else None if agent is None else AGENT_STRING.format(agent)
    headers = None if name is None else {"User-Agent": name}
    answer = await fetcher.get(url, headers=headers, read_body=reads_body, total_seconds=PROBE_SECONDS)
    facts = await page_facts(url, answer, host, statuses=PAGE_OR_NONE if question == "not_found" else PAGES)
    return _probe(question, facts, agent, protection_of(answer.headers))


async def _ask_as_agents(fetcher: Fetcher, site: SiteFacts, robots: robots_txt.Robots | None) -> list[Probe]:
    """Request the home page as a browser, then as each assistant that robots.txt allows, one after the other. Stop at
    the first request without an answer.

    Makes no request without ``robots``, or if robots.txt allows no assistant.
    """
    probes: list[Probe] = []
    if robots is None:
        return probes
    agents = [agent for agent in AGENTS if robots.verdict(agent, site.home_url).allowed]
    if agents:
        probes.append(await ask(fetcher, "browser", site.home_url, site.host))
    for agent in agents:
        probes.append(await ask(fetcher, "agent", site.home_url, site.host, agent))
        if probes[-1].status == 0:
            break
    return probes


def _probe(question: str, page: PageFacts, agent: str | None, protection: str | None) -> Probe:
    return Probe(
        question=question,
        url=page.url,
        status=page.status,
        redirect_to=page.redirect_to,
        canonical=next((absolute for _, absolute, _ in page.canonicals if absolute), None),
        title=page.title,
        agent=agent,
        error=page.error,
        text_hash=page.text_hash,
        text=page.text,
        words=page.words,
        protection=protection if question in ("agent", "browser") else None,
    )


async def _certificate(fetcher: Fetcher, home_url: str) -> tuple[int | None, str | None]:
    """Return when the home page's certificate expires (epoch seconds), and its fault. Both are None for http."""
    scheme, _, authority = urls.origin(home_url).partition("://")
    if scheme != "https":
        return None, None
    host, _, port = authority.partition(":")
    return await fetcher.certificate(host, int(port) if port else 443)
