"""Reading one address: politely, with a second try, into page facts."""

import asyncio

from chalicelib import clock
from chalicelib.domain import charset, urls
from chalicelib.domain.audit import extract
from chalicelib.domain.audit.facts import KEPT_HEADERS, PageFacts
from chalicelib.net.fetch import Answer, Fetcher

SECOND_TRY_AFTER_SECONDS = 2.0
LONGEST_RETRY_AFTER_SECONDS = 60.0
TRIES_WHEN_THROTTLED = 3
LONGEST_CRAWL_DELAY_SECONDS = 10.0
THROTTLED = frozenset({429, 503})
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


def reads_body(content_type: str | None) -> bool:
    """Whether the crawler reads a body of this type: web pages, and answers that do not say what they are."""
    return content_type is None or content_type in HTML_TYPES


class Politeness:
    """How many requests one host gets at once, and how far apart.

    A host that throttles (429, 503) is given one place less each time, down to one, and the time it asks for.
    """

    def __init__(self, concurrency: int, crawl_delay: float | None = None) -> None:
        self.delay = min(crawl_delay or 0.0, LONGEST_CRAWL_DELAY_SECONDS)
        self.places = 1 if self.delay else max(1, concurrency)
        self._free = asyncio.Semaphore(self.places)
        self._next_start = 0.0
        self._taken_away = 0

    async def __aenter__(self) -> None:
        await self._free.acquire()
        if self.delay or self._next_start:
            now = clock.monotonic()
            start = max(now, self._next_start)
            if self.delay:
                self._next_start = start + self.delay
            if start > now:
                await asyncio.sleep(start - now)

    async def __aexit__(self, *_: object) -> None:
        self._free.release()

    async def throttled(self, retry_after: float) -> None:
        """The host asked to slow down: everybody waits, and one place is taken away."""
        self._next_start = max(self._next_start, clock.monotonic() + retry_after)
        if self._taken_away < self.places - 1:
            self._taken_away += 1
            await self._free.acquire()


class PageReader:
    """Reads addresses of one website into page facts."""

    def __init__(self, fetcher: Fetcher, host: str, politeness: Politeness) -> None:
        self.fetcher = fetcher
        self.host = host
        self.politeness = politeness

    async def read(self, url: str) -> PageFacts:
        """The facts of one address. Never raises for what the website does; a second try stands in ``tries``."""
        tries = 0
        while True:
            tries += 1
            async with self.politeness:
                answer = await self.fetcher.get(url, read_body=reads_body)
            if answer.status in THROTTLED and tries < TRIES_WHEN_THROTTLED:
                wait = retry_after_seconds(answer)
                await self.politeness.throttled(wait)
                await asyncio.sleep(max(wait, SECOND_TRY_AFTER_SECONDS))
            elif tries < 2 and _deserves_second_try(answer):
                await asyncio.sleep(SECOND_TRY_AFTER_SECONDS)
            else:
                facts = page_facts(url, answer, self.host)
                facts.tries = tries
                return facts


def _deserves_second_try(answer: Answer) -> bool:
    if answer.error:
        return answer.error not in ("refused_address", "tls", "too_large")
    return answer.status >= 500


def retry_after_seconds(answer: Answer) -> float:
    """What a throttling host asks for, in bounds; dates count as the default of ten seconds."""
    text = answer.headers.get("retry-after", "").strip()
    return min(float(text), LONGEST_RETRY_AFTER_SECONDS) if text.isdigit() else 10.0


def page_facts(url: str, answer: Answer, host: str) -> PageFacts:
    """Page facts of an answer: always what the transport tells, and everything in the page when it is one."""
    headers = answer.headers
    content_type = answer.content_type
    facts = PageFacts(
        url=url,
        status=0 if answer.error else answer.status,  # an answer that broke off half-way is none
        error=answer.error,
        fetched_at=int(clock.now()),
        content_type=content_type,
        bytes=len(answer.body),
        transfer_bytes=answer.transfer_bytes,
        content_encoding=answer.content_encoding,
        ttfb_ms=answer.ttfb_ms,
        truncated=answer.truncated,
        headers={name: headers[name] for name in KEPT_HEADERS if name in headers},
    )
    if 300 <= facts.status < 400 and "location" in headers:
        facts.redirect_to = urls.LinkResolver(url).resolve(headers["location"])
    if facts.status:
        facts.is_html = content_type in HTML_TYPES or (content_type is None and answer.body[:256].lstrip()[:1] == b"<")
    if facts.is_html and facts.status == 200 and answer.body:
        text, facts.charset, facts.charset_source = charset.decode(answer.body, headers.get("content-type"))
        extract.read_page(facts, text, headers=headers, host=host, resolver=urls.LinkResolver(url))
    return facts
