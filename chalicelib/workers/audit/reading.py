"""Reading one address: politely, with a second try, into page facts."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Self

from chalicelib import clock
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import KEPT_HEADERS, LONGEST_HEADER, SLOW_MS, PageError, PageFacts
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.workers.audit.bounded import TooHard, read_html

PAGE_SECONDS = 20.0  # how long a page may take to answer in full
SECOND_TRY_AFTER_SECONDS = 2.0
LONGEST_RETRY_AFTER_SECONDS = 60.0
USUAL_RETRY_AFTER_SECONDS = 10.0
TRIES_WHEN_THROTTLED = 3
MOST_TIMED = 20  # slow pages that are asked again by themselves
LONGEST_CRAWL_DELAY_SECONDS = 10.0
THROTTLED = frozenset({429, 503})
_log = logging.getLogger(__name__)

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
        self._to_take_away = 0  # places that vanish when whoever holds one gives it back

    async def __aenter__(self) -> Self:
        await self._free.acquire()
        try:
            await self.turn()
        except BaseException:
            self._free.release()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._to_take_away:
            self._to_take_away -= 1
        else:
            self._free.release()

    async def turn(self) -> None:
        """Wait until the next request may start. For whoever holds a place."""
        while (wait := self._next_start - clock.monotonic()) > 0:
            await asyncio.sleep(wait)
        if self.delay:
            self._next_start = clock.monotonic() + self.delay

    def throttled(self, retry_after: float) -> None:
        """The host asked to slow down: everybody waits, and one place is taken away."""
        self._next_start = max(self._next_start, clock.monotonic() + retry_after)
        if self._taken_away < self.places - 1:
            self._taken_away += 1
            self._to_take_away += 1


class PageReader:
    """Reads addresses of one website into page facts. ``headers`` go with every request."""

    def __init__(
        self, fetcher: Fetcher, host: str, politeness: Politeness, headers: Mapping[str, str] | None = None
    ) -> None:
        self.fetcher = fetcher
        self.host = host
        self.politeness = politeness
        self.headers = headers

    async def read(self, url: str) -> PageFacts:
        """The facts of one address. Never raises; a second try stands in ``tries``."""
        try:
            return await self._read(url)
        except Exception:  # one bad address is one bad address, and not the end of the audit
            _log.exception("address not readable", extra={"url": url})
            return PageFacts(url=url, error="unreadable", fetched_at=int(clock.now()))

    async def _read(self, url: str) -> PageFacts:
        answer, tries = await self._ask(url, 0)
        if tries == 1 and _deserves_second_try(answer):
            await asyncio.sleep(SECOND_TRY_AFTER_SECONDS)
            answer, tries = await self._ask(url, tries)
        facts = await page_facts(url, answer, self.host)
        facts.tries = tries
        return facts

    async def _ask(self, url: str, tries: int) -> tuple[Answer, int]:
        """One answer that is no request to slow down, as far as patience goes, and how many tries there were by then.

        Who was throttled keeps the place while waiting, so that the next request of all is the same again.
        """
        async with self.politeness:
            while True:
                tries += 1
                answer = await self.fetcher.get(
                    url, headers=self.headers, read_body=reads_body, total_seconds=PAGE_SECONDS
                )
                if answer.status not in THROTTLED or tries >= TRIES_WHEN_THROTTLED:
                    return answer, tries
                self.politeness.throttled(max(retry_after_seconds(answer), SECOND_TRY_AFTER_SECONDS))
                await self.politeness.turn()


async def time_alone(fetcher: Fetcher, url: str, politeness: Politeness) -> int | None:
    """How long the answer takes to begin, in milliseconds, when nobody else of ours asks; None where that says nothing:
    no answer, or another one than a page. For callers that have no other request under way."""
    async with politeness:
        answer = await fetcher.get(url, read_body=reads_body, total_seconds=PAGE_SECONDS)
    return answer.ttfb_ms if answer.status == 200 and not answer.error else None


def _deserves_second_try(answer: Answer) -> bool:
    if answer.error:
        return answer.error not in ("refused_address", "tls", "too_large")
    return answer.status >= 500


def retry_after_seconds(answer: Answer) -> float:
    """What a throttling host asks for, in bounds; dates count as the default of ten seconds."""
    text = answer.headers.get("retry-after", "").strip()
    if not (text.isascii() and text.isdigit()):
        return USUAL_RETRY_AFTER_SECONDS
    # A number of more digits than these is longer than anybody waits, and need not be read.
    return LONGEST_RETRY_AFTER_SECONDS if len(text) > 9 else min(float(text), LONGEST_RETRY_AFTER_SECONDS)


async def page_facts(url: str, answer: Answer, host: str, *, head_only: bool = False) -> PageFacts:
    """Page facts of an answer: always what the transport tells, and everything in the page when it is one, or no more
    than its head (``head_only``).

    A page that takes too long to read, or that cannot be read at all, says so in ``error``. Never raises for a page.
    """
    facts = _answer_facts(url, answer)
    if not (facts.is_html and facts.status == 200 and answer.body):
        return facts
    try:
        return await read_html(facts, answer.body, answer.headers, host, head_only=head_only)
    except TooHard:
        trouble: PageError = "too_hard"
    except Exception:
        _log.exception("page not readable", extra={"url": url})
        trouble = "unreadable"
    facts = _answer_facts(url, answer)  # the first ones may be filled halfway
    facts.error = trouble
    return facts


def _answer_facts(url: str, answer: Answer) -> PageFacts:
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
        headers={name: headers[name][:LONGEST_HEADER] for name in KEPT_HEADERS if name in headers},
    )
    if facts.ttfb_ms is not None and facts.ttfb_ms > SLOW_MS:
        facts.ttfb_ms, facts.crowded_ms = None, facts.ttfb_ms  # other requests were under way: it may be our own queue
    if 300 <= facts.status < 400 and "location" in headers:
        facts.redirect_to = urls.LinkResolver(url).resolve(headers["location"])
    if facts.status:
        facts.is_html = content_type in HTML_TYPES or (content_type is None and answer.body[:256].lstrip()[:1] == b"<")
    return facts
