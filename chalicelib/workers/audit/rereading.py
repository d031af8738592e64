"""Reads pages again, past page caches and CDNs, together with everything else that a rule needs to judge them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from chalicelib import clock
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.ids import digest
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.page.sitemap_languages import Versions, add_to, of_site
from chalicelib.domain.page.sniffing import is_blank
from chalicelib.domain.page.targets import RESOURCES, Kind, Target, following_of
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.guard import Guard
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.store import crawls
from chalicelib.workers.audit.checking import TargetChecker
from chalicelib.workers.audit.discovering import discover
from chalicelib.workers.audit.reading import MOST_TIMED, PageReader, Politeness, page_facts, reads_body, time_alone

NO_CACHE = {"Cache-Control": "no-cache", "Pragma": "no-cache"}
BUSTING_PARAMETER = "fresh"
MOST_TARGETS = 500  # broken or redirecting addresses that reread pages point at


class FreshReader:
    """Reads addresses of one website past all caches.

    - ``stop_at``: when reading ends (monotonic seconds).
    - ``spelled``: the addresses that are not requested in normal form: normal form -> the spelling to request.
    - ``languages``: the language versions that sitemaps name.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        host: str,
        politeness: Politeness,
        robots: robots_txt.Robots,
        *,
        token: str,
        crawl_id: str,
        stop_at: float,
        spelled: Mapping[str, str],
        languages: Mapping[str, Versions],
    ) -> None:
        self._fetcher = fetcher
        self._host = host
        self._politeness = politeness
        self._robots = robots
        self._token = token
        self._crawl_id = crawl_id
        self._stop_at = stop_at
        self._spelled = spelled
        self._languages = languages
        self._plain = PageReader(fetcher, host, politeness, headers=NO_CACHE)
        self.facts: dict[str, PageFacts] = {}
        self.files: list[TargetFacts] = []

    async def read_all(self, addresses: Iterable[str]) -> None:
        """Read every address that is not in ``facts`` yet, except those that robots.txt forbids."""
        wanted = [
            url
            for url in dict.fromkeys(addresses)
            if url not in self.facts
            and urls.same_site(url, self._host)
            and self._robots.verdict(self._token, url).allowed
        ]
        waiting = asyncio.Queue[str]()
        for url in wanted:
            waiting.put_nowait(url)

        async def reader() -> None:
            while not waiting.empty() and clock.monotonic() < self._stop_at:
                url = waiting.get_nowait()
                self.facts[url] = await self._read(url)
                add_to(self.facts[url], self._languages)

        await asyncio.gather(*(reader() for _ in range(self._politeness.places)))

    async def time_again(self) -> None:
        """Request slow pages again, as visitors and audits do: the slowest first, one at a time, with no other request
        running."""
        slow = [page for page in self.facts.values() if page.crowded_ms is not None and page.status == 200]
        for page in sorted(slow, key=lambda page: -(page.crowded_ms or 0))[:MOST_TIMED]:
            if clock.monotonic() >= self._stop_at:
                return
            page.ttfb_ms = await time_alone(self._fetcher, page.asked or page.url, self._politeness)

    async def check_files(self, pages: Iterable[PageFacts], *, images: bool, resources: bool) -> None:
        """Request the images, or the scripts and style sheets, of pages, and add the answers to ``files``.

        Redirects and imports are followed, up to a limit.
        """
        checker = TargetChecker(self._fetcher, self._host, self._politeness)
        waiting = asyncio.Queue[Target]()
        named: dict[str, Kind] = {}
        for page in pages:
            if resources:
                named.update((resource.url, resource.kind) for resource in page.resources)
            if images:
                named.update((image.src, "image") for image in page.images if image.src and image.src not in named)
        queued = set(islice(named, MOST_TARGETS))
        for url in islice(named, MOST_TARGETS):
            if not urls.same_site(url, self._host) or self._may_read(url):
                waiting.put_nowait(Target(url, named[url], written=self._written(url)))

        async def asker() -> None:
            while not waiting.empty() and clock.monotonic() < self._stop_at:
                target = waiting.get_nowait()
                facts = await checker.check(target)
                self.files.append(facts)
                for following in following_of(target, facts):
                    allowed = self._may_read(following.url) or target.kind not in RESOURCES
                    if allowed and following.url not in queued and len(queued) < 2 * MOST_TARGETS:
                        queued.add(following.url)
                        waiting.put_nowait(following)

        await asyncio.gather(*(asker() for _ in range(self._politeness.places)))

    def _may_read(self, url: str) -> bool:
        return urls.same_site(url, self._host) and self._robots.verdict(self._token, url).allowed

    async def _read(self, url: str) -> PageFacts:
        nonce = digest(self._crawl_id, url).hex()[:12]
        written = self._written(url)
        return await read_past_caches(
            self._plain,
            written,
            nonce,
            lambda _: self._plain.read(url, written),
            lambda _, answer, host: page_facts(url, answer, host, written=written),
        )

    def _written(self, url: str) -> str:
        """Return the spelling with which to request an address: the spelling requested last, else that on a page that
        was read."""
        known = self._spelled.get(url)
        if known is not None:
            return known
        return next((page.spelled[url] for page in self.facts.values() if url in page.spelled), url)


async def read_past_caches(
    reader: PageReader,
    url: str,
    nonce: str,
    as_it_is: Callable[[str], Awaitable[PageFacts]],
    facts_of: Callable[[str, Answer, str], Awaitable[PageFacts]] = page_facts,
) -> PageFacts:
    """Read the current version of a page. ``nonce``: new for each reading. ``facts_of``: extracts the page's facts from
    an answer.

    The request has a parameter that no cache has seen. If the answer has another status than 200 or is blank, or the
    page contains the parameter's value, the parameter may have changed the page. Then ``as_it_is`` reads the unchanged
    address, with headers against caching. The page is judged under its real address.
    """
    busting = f"{url}{'&' if '?' in url else '?'}{BUSTING_PARAMETER}={nonce}"
    async with reader.politeness:
        answer = await reader.fetcher.get(busting, headers=NO_CACHE, read_body=reads_body)
    usable = answer.status == 200 and not answer.error and not is_blank(answer.body)
    if usable and nonce.encode() not in answer.body:
        return await facts_of(url, answer, reader.host)
    return await as_it_is(url)


def _spelled(published: Iterable[PageFacts], before: Iterable[PageFacts], listed: Mapping[str, str]) -> dict[str, str]:
    """Return the requested spelling of addresses that are not requested in normal form.
    It is the spelling requested last, else that of the pages ``before``, else that of the sitemaps (``listed``)."""
    spelled = dict(listed)
    for page in before:
        spelled.update(page.spelled)
    spelled.update({page.url: page.asked for page in published if page.asked is not None})
    return spelled


def pointed_at(facts: PageFacts) -> list[str]:
    """Return every address of the website to which a page points: links, canonicals, alternates, its redirect."""
    targets = [link.url for link in facts.links]
    targets += [absolute for _, absolute, _ in facts.canonicals if absolute]
    targets += [alternate.url for alternate in facts.hreflang]
    if facts.redirect_to is not None:
        targets.append(facts.redirect_to)
    return targets


def published_facts(rows: Mapping[str, PageRow], keep_lease: Callable[[], None]) -> dict[str, PageFacts]:
    """Load the facts of published pages, by address. ``rows``: the rows of these pages, by address."""
    blocks = {(row.facts_crawl, row.facts_block) for row in rows.values() if row.facts_crawl is not None}
    facts: dict[str, PageFacts] = {}
    for crawl_id, number in sorted(blocks):
        keep_lease()
        for page in crawls.load_facts_block(crawl_id, number):
            row = rows.get(page.url)
            if row is not None and (row.facts_crawl, row.facts_block) == (crawl_id, number):
                facts[page.url] = page
    return facts


@dataclass(frozen=True, slots=True)
class Fresh:
    """The result of reading again: facts of the website as a whole, pages by address, and the answers of their
    files."""

    site: SiteFacts
    pages: dict[str, PageFacts]
    files: list[TargetFacts]


async def read_again(
    website_url: str,
    crawl_id: str,
    listed: Sequence[str],
    *,
    whole: bool = False,
    written: Sequence[str] = (),
    linking: Sequence[str],
    images: bool,
    resources: bool,
    published: Mapping[str, PageFacts],
    before: Sequence[PageFacts] = (),
    stop_at: float,
    answered: Callable[[], None],
) -> Fresh:
    """Read the website's own files, the ``listed`` pages, and everything else that a rule needs, past all caches.

    - ``whole``: whether the rule is about the website as a whole. Then its home page is read too, also with assistants'
      user agents.
    - ``written``: pages that a change wrote, read after the listed ones.
    - ``linking``: pages that link to the listed ones, if the rule needs them.
    - ``images``, ``resources``: whether to request the images, and the scripts and style sheets, of the listed pages.
    - ``published``: the facts of all published pages, by address.
    - ``before``: earlier facts of pages. The files and the targets of links that they name are requested too.
    - ``stop_at``: when reading ends (monotonic seconds).
    - ``answered``: called for each answer.

    Raises ``WebsiteUnreadable``.
    """
    network, settings = network_settings(), crawl_settings()
    guard = Guard(network.allow_addresses, network.extra_hosts)
    token, concurrency = settings.token, int(settings.concurrency)
    async with Fetcher(
        guard, user_agent=settings.user_agent, extra_ca_file=network.extra_ca_file, answered=answered
    ) as fetcher:
        found = await discover(fetcher, website_url, token, concurrency, seed=crawl_id, as_agents=whole)
        reader = FreshReader(
            fetcher,
            found.site.host,
            found.politeness,
            found.robots,
            token=token,
            crawl_id=crawl_id,
            stop_at=stop_at,
            spelled=_spelled(published.values(), before, found.spelled),
            languages=of_site(found.site),
        )
        await reader.read_all([found.site.home_url] if whole else listed)
        await reader.read_all(written)
        await reader.time_again()
        if images or resources:
            await reader.check_files([*reader.facts.values(), *before], images=images, resources=resources)
        await reader.read_all(linking[:MOST_TARGETS])
        # Addresses that the reread pages point at, and that did not work, or were not known, last time.
        targets = [url for page in [*reader.facts.values(), *before] for url in pointed_at(page)]
        doubtful = [url for url in targets if url not in published or published[url].status != 200]
        await reader.read_all(doubtful[:MOST_TARGETS])
        return Fresh(found.site, reader.facts, reader.files)
