"""The first minute of an audit: robots.txt, where the home page answers, sitemaps, llms.txt."""

import asyncio
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import sitemap, urls
from chalicelib.domain.page.facts import PageFacts, RobotsFile, SiteFacts, SitemapFile, TextFile
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.workers.audit.probing import probe
from chalicelib.workers.audit.reading import PageReader, Politeness

ROBOTS_MAX_BYTES = 512_001  # one more than crawlers read, so that a file that is too large shows
ROBOTS_TRIES = 3
ROBOTS_MAX_REDIRECTS = 5
HOME_MAX_REDIRECTS = 10
SITEMAP_MAX_BYTES = 50_000_000
SITEMAP_FILES = 200
SITEMAP_URLS = 50_000
SITEMAP_SECONDS = 30
LLMS_MAX_BYTES = 400_000
GUESSED_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")


class WebsiteUnreadable(Exception):
    """The website cannot be audited at all; the text says why in words."""


class Discovery(NamedTuple):
    """What is known of the website before its pages are read. ``home`` is None when robots.txt forbids it."""

    site: SiteFacts
    home: PageFacts | None
    robots: robots_txt.Robots


async def discover(
    fetcher: Fetcher, start_url: str, token: str, concurrency: int, *, seed: str, as_agents: bool = True
) -> Discovery:
    """Find the website's host, its rules for crawlers and its sitemaps. ``seed``, ``as_agents``: see
    ``probing.probe``.

    Raises ``WebsiteUnreadable`` when the website does not answer, or answers its robots.txt with a server error:
    search engines stop there too.
    """
    url = start_url
    hops: list[tuple[str, int]] = []
    robots_of: dict[str, RobotsFile] = {}
    while True:
        origin = urls.origin(url)
        if origin not in robots_of:
            robots_of[origin] = await _read_robots(fetcher, origin)
        robots_file = robots_of[origin]
        robots = robots_txt.parse(robots_file.text)
        if not robots.verdict(token, url).allowed:
            site = SiteFacts(home_url=url, host=urls.host_key(url), robots=robots_file, home_redirects=hops)
            await _read_sitemaps(fetcher, site, robots)
            return Discovery(site, None, robots)
        reader = PageReader(fetcher, urls.host_key(url), Politeness(concurrency, robots.crawl_delay(token)))
        home = await reader.read(url)
        target = home.redirect_to
        if target is None or not 300 <= home.status < 400:
            break
        hops.append((url, home.status))
        if len(hops) > HOME_MAX_REDIRECTS or target in {hop for hop, _ in hops}:
            raise WebsiteUnreadable(f"The home page redirects without end: {start_url} leads to {target} again.")
        url = target
    if home.status == 0:
        raise WebsiteUnreadable(f"{url} does not answer ({_in_words(home.error)}).")
    if home.status >= 500:
        raise WebsiteUnreadable(f"The home page {url} answers with a server error ({home.status}).")
    if home.status in (401, 403, 407, 429):
        raise WebsiteUnreadable(
            f"{url} refuses the crawler (status {home.status}). Allow its user agent in your firewall or CDN."
        )
    site = SiteFacts(home_url=url, host=urls.host_key(url), robots=robots_file, home_redirects=hops)
    _, site.llms_txt, _ = await asyncio.gather(
        _read_sitemaps(fetcher, site, robots),
        _read_text(fetcher, urls.origin(url) + "/llms.txt"),
        probe(fetcher, site, robots, token, seed, as_agents=as_agents),
    )
    if home.status >= 400 and not site.sitemap_urls:
        raise WebsiteUnreadable(f"The home page {url} answers {home.status}, and there is no sitemap to start from.")
    return Discovery(site, home, robots)


def _in_words(error: str | None) -> str:
    return {
        "timeout": "no complete answer in 20 seconds",
        "dns": "its name cannot be resolved",
        "connect": "the connection is refused",
        "tls": "its certificate is not valid",
        "reset": "the connection breaks off",
        "refused_address": "its address is not a public one",
        "protocol": "the answer is not HTTP",
    }.get(error or "", "no answer")


async def _get_following(fetcher: Fetcher, url: str, redirects: int, **limits: float) -> tuple[Answer, int]:
    """The answer at the end of at most ``redirects`` hops, and how many there were."""
    hops = 0
    while True:
        answer = await fetcher.get(
            url,
            max_bytes=int(limits.get("max_bytes", ROBOTS_MAX_BYTES)),
            total_seconds=limits.get("total_seconds", 20),
        )
        if not 300 <= answer.status < 400 or "location" not in answer.headers or hops >= redirects:
            return answer, hops
        target = urls.LinkResolver(url).resolve(answer.headers["location"])
        if target is None:
            return answer, hops
        url, hops = target, hops + 1


async def _read_robots(fetcher: Fetcher, origin: str) -> RobotsFile:
    url = origin + "/robots.txt"
    for _ in range(ROBOTS_TRIES):
        answer, hops = await _get_following(fetcher, url, ROBOTS_MAX_REDIRECTS)
        if answer.status and answer.status < 500:
            break
        if answer.error in ("dns", "refused_address", "tls", "connect"):
            raise WebsiteUnreadable(f"{origin} does not answer ({_in_words(answer.error)}).")
    else:
        if answer.status == 0:
            raise WebsiteUnreadable(f"{origin} does not answer ({_in_words(answer.error)}).")
        raise WebsiteUnreadable(
            f"{url} answers with a server error ({answer.status}) on {ROBOTS_TRIES} tries. "
            "Search engines stop crawling then, and so does the service."
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


async def _read_sitemaps(fetcher: Fetcher, site: SiteFacts, robots: robots_txt.Robots) -> None:
    """Read the sitemaps that robots.txt names, else the usual places; children of an index in order."""
    origin = urls.origin(site.home_url)
    named = [url for url in (urls.LinkResolver(site.home_url).resolve(line) for line in robots.sitemaps) if url]
    queue = [(url, "robots") for url in dict.fromkeys(named)] or [(origin + path, "guess") for path in GUESSED_SITEMAPS]
    asked = {url for url, _ in queue}
    seen: set[str] = set()
    while queue and len(site.sitemaps) < SITEMAP_FILES:
        url, found_by = queue.pop(0)
        answer, _ = await _get_following(
            fetcher, url, ROBOTS_MAX_REDIRECTS, max_bytes=SITEMAP_MAX_BYTES, total_seconds=SITEMAP_SECONDS
        )
        file = SitemapFile(url=url, found_by=found_by, status=answer.status, bytes=len(answer.body))
        if found_by == "guess" and answer.status != 200:
            continue  # nobody said that there is one
        site.sitemaps.append(file)
        if answer.status != 200:
            file.error = f"answers {answer.status}" if answer.status else f"does not answer ({_in_words(answer.error)})"
            continue
        parsed = sitemap.parse(answer.body, url, answer.content_type)
        file.kind, file.error = parsed.kind, parsed.error
        file.entries = len(parsed.entries) or len(parsed.children)
        if found_by == "guess" and parsed.kind is None:
            site.sitemaps.pop()
            continue
        for child in parsed.children:
            target = urls.LinkResolver(url).resolve(child)
            if target is not None and target not in asked:
                asked.add(target)
                queue.append((target, "index"))
        _take_entries(site, parsed.entries, seen)
        if found_by == "guess":
            queue = [entry for entry in queue if entry[1] != "guess"]
    site.sitemap_truncated = site.sitemap_truncated or bool(queue)


def _take_entries(site: SiteFacts, entries: list[tuple[str, str | None]], seen: set[str]) -> None:
    for loc, lastmod in entries:
        url = urls.normalise(loc)
        if url is None or url in seen:
            continue
        if not urls.same_site(url, site.host):
            site.sitemap_foreign += 1
            continue
        if len(site.sitemap_urls) >= SITEMAP_URLS:
            site.sitemap_truncated = True
            return
        seen.add(url)
        site.sitemap_urls.append((url, lastmod))


async def _read_text(fetcher: Fetcher, url: str) -> TextFile:
    answer, _ = await _get_following(fetcher, url, ROBOTS_MAX_REDIRECTS, max_bytes=LLMS_MAX_BYTES)
    return TextFile(
        url=url,
        status=answer.status,
        text=answer.body.decode("utf-8", "replace")[:200_000] if answer.status == 200 else "",
        bytes=len(answer.body),
        content_type=answer.content_type,
        fetched_at=int(clock.now()),
        error=answer.error,
    )
