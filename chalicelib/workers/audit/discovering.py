"""Does the first requests of an audit: robots.txt, the home page, sitemaps and llms.txt."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import PageFacts, RobotsFile, SiteFacts, TextFile
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import get_following, in_words, through
from chalicelib.workers.audit.probing import probe
from chalicelib.workers.audit.reading import PageReader, Politeness
from chalicelib.workers.audit.sitemaps import read_sitemaps

BEGINNING_SECONDS = 240.0  # time limit for robots.txt and the home page together, with tries and redirects
ROBOTS_TRIES = 3
HOME_MAX_REDIRECTS = 10
LLMS_MAX_BYTES = 400_000


class WebsiteUnreadable(Exception):
    """Raised if the website cannot be audited. The text gives the reason."""


class Discovery(NamedTuple):
    """The facts about the website before its pages are read.

    - ``home``: the home page; None if robots.txt forbids it.
    - ``politeness``: the rate limit for the home page's host. Later reading uses the same object, since the
      delay between requests counts from the last request.
    - ``spelled``: the addresses that sitemaps do not write in normal form: normal form -> as written.
    """

    site: SiteFacts
    home: PageFacts | None
    robots: robots_txt.Robots
    politeness: Politeness
    spelled: Mapping[str, str] = {}


async def discover(
    fetcher: Fetcher, start_url: str, token: str, concurrency: int, *, seed: str, as_agents: bool = True
) -> Discovery:
    """Find the website's host, its rules for crawlers and its sitemaps. ``seed``, ``as_agents``: see ``probing.probe``.

    Raises ``WebsiteUnreadable`` if the website does not answer, or answers /robots.txt with a server error. Search
    engines do not crawl in these cases either.
    """
    try:
        async with asyncio.timeout(BEGINNING_SECONDS):
            found = await _begin(fetcher, start_url, token, concurrency)
    except TimeoutError:
        raise WebsiteUnreadable(
            f"{start_url} took longer than {BEGINNING_SECONDS // 60:.0f} minutes to answer its robots.txt and its home "
            "page."
        ) from None
    site, home, robots, politeness, _ = found
    if home is None:
        return found._replace(spelled=await read_sitemaps(fetcher, site, robots, politeness))
    spelled, site.llms_txt, _ = await asyncio.gather(
        read_sitemaps(fetcher, site, robots, politeness),
        _read_text(fetcher, urls.origin(site.home_url) + "/llms.txt"),
        probe(fetcher, site, robots, token, seed, as_agents=as_agents),
    )
    if home.status >= 400 and not site.sitemap_urls:
        raise WebsiteUnreadable(
            f"The home page {site.home_url} answers {home.status}, and there is no sitemap to start from."
        )
    return found._replace(spelled=spelled)


async def _begin(fetcher: Fetcher, start_url: str, token: str, concurrency: int) -> Discovery:
    """Read robots.txt, and the home page at its final address. Raises ``WebsiteUnreadable``."""
    url, written = start_url, start_url
    hops: list[tuple[str, int]] = []
    robots_of: dict[str, tuple[RobotsFile, robots_txt.Robots, Politeness]] = {}
    while True:
        origin = urls.origin(url)
        if origin not in robots_of:
            file = await _read_robots(fetcher, origin)
            robots = robots_txt.parse(file.text)
            robots_of[origin] = file, robots, Politeness(concurrency, robots.crawl_delay(token))
        robots_file, robots, politeness = robots_of[origin]
        site = SiteFacts(home_url=url, host=urls.host_key(url), robots=robots_file, home_redirects=hops)
        if not robots.verdict(token, url).allowed:
            return Discovery(site, None, robots, politeness)
        home = await PageReader(fetcher, site.host, politeness).read(url, written)
        target = home.redirect_to
        if target is None or not 300 <= home.status < 400:
            break
        hops.append((url, home.status))
        if len(hops) > HOME_MAX_REDIRECTS or target in {hop for hop, _ in hops}:
            raise WebsiteUnreadable(f"The home page redirects without end: {start_url} leads to {target} again.")
        url, written = target, home.spelled.get(target, target)
    if home.status == 0:
        raise WebsiteUnreadable(f"{url} does not answer ({in_words(home.error)}).")
    if home.status >= 500:
        raise WebsiteUnreadable(f"The home page {url} answers with a server error ({home.status}).")
    if home.status in (401, 403, 407, 429):
        raise WebsiteUnreadable(
            f"{url} refuses the crawler (status {home.status}). Allow its user agent in your firewall or CDN."
        )
    return Discovery(site, home, robots, politeness)


async def _read_robots(fetcher: Fetcher, origin: str) -> RobotsFile:
    url = origin + "/robots.txt"
    for _ in range(ROBOTS_TRIES):
        answer, hops = await get_following(fetcher, url)
        if answer.status and answer.status < 500:
            break
        if answer.error in ("dns", "refused_address", "tls", "connect"):
            raise _unanswered(origin, url, answer)
    else:
        if answer.status == 0:
            raise _unanswered(origin, url, answer)
        raise WebsiteUnreadable(
            f"{url} {through(url, answer)}answers with a server error ({answer.status}) on {ROBOTS_TRIES} tries. "
            "Search engines stop crawling in this case, and so does the service."
        )
    found = answer.status == 200
    return RobotsFile(
        url=url,
        status=answer.status,
        text=answer.body.decode("utf-8", "replace") if found else "",
        fetched_at=int(clock.now()),
        error=answer.error,
        content_type=answer.content_type,
        redirects=hops,
        bytes=len(answer.body),
    )


def _unanswered(origin: str, url: str, answer: Answer) -> WebsiteUnreadable:
    led = through(url, answer)
    return WebsiteUnreadable(
        f"{url if led else origin} {led}does not answer ({in_words(answer.error, detail=answer.error_detail)})."
    )


async def _read_text(fetcher: Fetcher, url: str) -> TextFile:
    answer, _ = await get_following(fetcher, url, max_bytes=LLMS_MAX_BYTES)
    return TextFile(
        url=url,
        status=answer.status,
        text=answer.body.decode("utf-8", "replace")[:200_000] if answer.status == 200 else "",
        bytes=len(answer.body),
        content_type=answer.content_type,
        fetched_at=int(clock.now()),
        error=answer.error,
    )
