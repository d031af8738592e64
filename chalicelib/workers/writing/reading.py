"""Reads pages and files of a website after a write: in this process, or by calling the function in the setting
LIVE_READER_FUNCTION. With the function, the writer's process opens no connection to the website's pages.

The pages are read even if robots.txt excludes crawlers, because a person has requested changes to them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, TypeVar

from chalicelib import clock
from chalicelib.connectors import live_addresses, live_files
from chalicelib.connectors.errors import OutsideError
from chalicelib.connectors.live_files import LiveLlms, LiveRobots
from chalicelib.connectors.live_reader import AT_ONCE, LiveReaderFunction
from chalicelib.domain.changes.batch import Change, Look
from chalicelib.domain.changes.redirecting import Answered
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.readiness.live_file import Fetched
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.guard import Guard
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.workers.audit.reading import PageReader, Politeness, page_facts, reads_body, respelled
from chalicelib.workers.audit.rereading import NO_CACHE, read_past_caches
from chalicelib.workers.writing.live import Caches, LiveReader, of_page, with_plain

# Headers that affect the check or the decoding.
_SAYING: Final = ("content-type", "link", "refresh", "x-robots-tag")

Found = TypeVar("Found")


@asynccontextmanager
async def reader_of(host: str) -> AsyncIterator[LiveReader]:
    """Open the reader for the website of this host. If the setting names a function, the reader calls this function.
    Otherwise it reads in this process."""
    function = LiveReaderFunction.connected()
    if function is None:
        async with reader_here(host) as here:
            yield here
        return
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        yield ReadByFunction(function, host, pool)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # nobody waits for calls that are still running


@asynccontextmanager
async def reader_here(host: str) -> AsyncIterator["ReadHere"]:
    """Open the reader for the website of this host in this process."""
    async with _fetcher() as fetcher:
        yield ReadHere(fetcher, host)


class ReadByFunction:
    """A ``LiveReader`` that calls the function. If the call fails, the result of the reading contains the reason."""

    def __init__(self, function: LiveReaderFunction, host: str, pool: ThreadPoolExecutor) -> None:
        self._function = function
        self._host = host
        self._pool = pool

    async def page(self, change: Change, caches: Caches, nonce: str) -> Look:
        """Call the reader function to check whether a page shows a change."""
        try:
            return await self._call(partial(self._function.page, change, caches, self._host, nonce))
        except OutsideError as error:
            return Look(live=False, at=clock.now(), reason=f"The page could not be read: {_why(error)}.")

    async def addresses(self, urls: Sequence[str]) -> dict[str, Answered]:
        """Call the reader function to request these addresses."""
        try:
            return await self._call(partial(self._function.addresses, urls))
        except OutsideError as error:
            return dict.fromkeys(urls, Answered(status=0, error=_why(error)))

    async def llms(self, url: str, nonce: str) -> LiveLlms:
        """Call the reader function to read llms.txt."""
        try:
            return await self._call(partial(self._function.llms, url, nonce))
        except OutsideError as error:
            nothing = Fetched(0, error=_why(error))
            return LiveLlms(nothing, nothing)

    async def robots(self, url: str, *, plain: bool = False) -> LiveRobots:
        """Call the reader function to read robots.txt."""
        try:
            return await self._call(partial(self._function.robots, url, plain=plain))
        except OutsideError as error:
            return LiveRobots(0, b"", None, _why(error))

    async def _call(self, read: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._pool, read)


def _why(error: OutsideError) -> str:
    """Describe the failure of the call, as the end of a sentence."""
    said = error.message.rstrip(".")
    return said[:1].lower() + said[1:] if said.startswith("The ") else said


class ReadHere:
    """A ``LiveReader`` that uses connections of this process."""

    def __init__(self, fetcher: Fetcher, host: str) -> None:
        self._reader = PageReader(fetcher, host, Politeness(AT_ONCE))

    async def page(self, change: Change, caches: Caches, nonce: str) -> Look:
        """Read a page in this process, and check whether it shows a change."""
        heads = _Heads(whole=change.field == "alt")
        as_it_is = partial(self._read, heads=heads, headers=NO_CACHE)
        fresh = await read_past_caches(self._reader, change.url, nonce, as_it_is, heads.read)
        found = of_page(fresh, change, caches)
        if not found.live:
            return found
        return with_plain(found, await self._read(change.url, heads), change)

    async def addresses(self, urls: Sequence[str]) -> dict[str, Answered]:
        """Request these addresses in this process."""
        return await live_addresses.asked(urls)

    async def llms(self, url: str, nonce: str) -> LiveLlms:
        """Read llms.txt in this process."""
        return await live_files.llms_at(url, nonce)

    async def robots(self, url: str, *, plain: bool = False) -> LiveRobots:
        """Read robots.txt in this process."""
        return await live_files.robots_at(url, plain=plain)

    async def _read(self, url: str, heads: "_Heads", headers: Mapping[str, str] | None = None) -> PageFacts:
        """Read one answer. There is no retry, because the page is read again anyway."""
        written, asked = url, {url}
        async with self._reader.politeness:
            answer = await self._reader.fetcher.get(url, headers=headers, read_body=reads_body)
            while (again := respelled(url, written, answer, asked)) is not None:
                written = again
                asked.add(written)
                answer = await self._reader.fetcher.get(written, headers=headers, read_body=reads_body)
        return await heads.read(url, answer, self._reader.host)


class _Heads:
    """Extracts the facts of several answers of one page: from the HTML's head, or from all of it (``whole``). Most
    pages give everybody the same answer. So an answer that is byte for byte like the one before is not parsed again."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._last: tuple[bytes, Mapping[str, str], PageFacts] | None = None

    async def read(self, url: str, answer: Answer, host: str) -> PageFacts:
        if self._last is not None and answer.status == 200 and not answer.error:
            body, headers, facts = self._last
            if body == answer.body and all(headers.get(name) == answer.headers.get(name) for name in _SAYING):
                return facts
        facts = await page_facts(url, answer, host, head_only=not self._whole)
        if answer.status == 200 and not answer.error:
            self._last = answer.body, answer.headers, facts
        return facts


def _fetcher() -> Fetcher:
    network, crawling = network_settings(), crawl_settings()
    guard = Guard(network.allow_addresses, network.extra_hosts)
    return Fetcher(guard, user_agent=crawling.user_agent, extra_ca_file=network.extra_ca_file)
