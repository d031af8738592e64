"""Requests a script or style sheet of the website, and confirms a fault before it is reported.

Files with a hash in their name disappear at each release. A page that was read before a release names files that no
longer exist, although the page is fine. So if a file is missing, or has a type that browsers refuse, this fault is
confirmed first. The page is read again, and the file is requested again. The fault is reported only if the page still
names the file and the file gives the same answer.
"""

import asyncio
from typing import Final, Literal

from chalicelib import clock
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import REFUSED, ResourceKind, TargetFacts
from chalicelib.domain.page.headers import forbids_sniffing
from chalicelib.domain.page.resource_types import is_refused
from chalicelib.domain.page.style_imports import imports_of
from chalicelib.domain.page.targets import Target
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import redirect_of
from chalicelib.workers.audit import reading
from chalicelib.workers.audit.reading import THROTTLED, Politeness, page_facts, reads_body, retry_after_seconds

SECONDS: Final = 20.0  # how long the website may take for an answer
MOST_SHEET_BYTES: Final = 200_000  # how much of a style sheet is read: its imports are at the beginning
MOST_READINGS: Final = 50  # second readings of pages, to see whether they still name a file
# How long a second reading of a page counts for other files too, since a release may come at any moment.
READING_COUNTS_SECONDS: Final = 30.0


class ResourceAsker:
    """Requests scripts and style sheets of the website.

    ``politeness``: limits the concurrent requests. Call ``ask`` only inside ``async with politeness``.
    """

    def __init__(self, fetcher: Fetcher, host: str, politeness: Politeness) -> None:
        self._fetcher = fetcher
        self._host = host
        self._politeness = politeness
        # By page: when it was read again (monotonic seconds), and the files that it names.
        self._named: dict[str, tuple[float, asyncio.Task[frozenset[str]]]] = {}
        self._readings = 0

    async def ask(self, target: Target, kind: ResourceKind) -> TargetFacts:
        """Request the file, and return its answer.

        The answer's field ``stands`` says whether a fault is confirmed: two requests showed it, and a page that was
        read between these requests still named the file. If ``target`` has no pages, it comes from a recheck. The
        recheck has just read the pages, so no page is read again.
        """
        answer = await self._get(target, "GET" if kind == "style" else "HEAD")
        if answer.status in THROTTLED:
            self._politeness.throttled(retry_after_seconds(answer))
        found = resource_facts(target, kind, answer)
        if answer.status < 400 and not answer.error and not is_fault(found, kind):
            return found
        still_named = not is_fault(found, kind) or not target.pages or await self._still_named(target)
        if answer.error or answer.status >= 500:
            await asyncio.sleep(reading.SECOND_TRY_AFTER_SECONDS)
        await self._politeness.turn()
        found = resource_facts(target, kind, await self._get(target, "GET"))
        found.tries = 2
        found.stands = still_named and is_fault(found, kind)
        return found

    async def _get(self, target: Target, method: Literal["GET", "HEAD"]) -> Answer:
        return await self._fetcher.get(
            target.written or target.url,
            method=method,
            total_seconds=SECONDS,
            max_bytes=MOST_SHEET_BYTES,
            read_body=_is_sheet if target.kind == "style" else _no_body,
        )

    async def _still_named(self, target: Target) -> bool:
        for page in target.pages:
            now = clock.monotonic()
            read_at, reading_again = self._named.get(page, (-READING_COUNTS_SECONDS, None))
            if reading_again is None or now - read_at > READING_COUNTS_SECONDS:
                if self._readings >= MOST_READINGS:
                    return False
                self._readings += 1
                reading_again = asyncio.ensure_future(self._read_again(page))
                self._named[page] = now, reading_again
            if (target.named or target.url) in await reading_again:
                return True
        return False

    async def _read_again(self, page: str) -> frozenset[str]:
        await self._politeness.turn()
        answer = await self._fetcher.get(page, total_seconds=SECONDS, read_body=reads_body)
        facts = await page_facts(page, answer, self._host)
        return frozenset(resource.url for resource in facts.resources)


def resource_facts(target: Target, kind: ResourceKind, answer: Answer) -> TargetFacts:
    """Convert a file's answer to the facts that are stored."""
    found = TargetFacts(
        url=target.url,
        own_host=True,
        status=0 if answer.error else answer.status,
        error=answer.error,
        fetched_at=int(clock.now()),
        resource=True,
        content_type=answer.content_type,
        nosniff=forbids_sniffing(answer.headers),
    )
    written = target.written or target.url
    if written != target.url:
        found.asked = written
    resolver = urls.LinkResolver(written)
    if 300 <= found.status < 400:
        found.redirect_to = redirect_of(answer.headers, resolver)
        found.redirect_written = resolver.spelled.get(found.redirect_to or "")
    elif kind == "style" and found.status == 200 and answer.body:
        named = (resolver.resolve(address) for address in imports_of(answer.body.decode("utf-8", "replace")))
        own = (url for url in named if url is not None and urls.same_site(url, urls.host_key(target.url)))
        found.imports = [url for url in dict.fromkeys(own) if url != target.url]
    return found


def is_fault(found: TargetFacts, kind: ResourceKind) -> bool:
    """Whether the file is missing, or browsers refuse its type."""
    if found.status == 200:
        return is_refused(kind, found.content_type, nosniff=found.nosniff)
    return found.status >= 400 and found.status not in REFUSED


def _is_sheet(content_type: str) -> bool:
    return content_type in ("", "text/css")


def _no_body(_: str) -> bool:
    return False
