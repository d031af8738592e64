"""Reads one address into page facts, within the rate limit of its host and with retries."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from typing import Self

from chalicelib import clock
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.extract_refresh import read_refresh_header
from chalicelib.domain.page.facts import COOKIES, KEPT_HEADERS, LONGEST_HEADER, SLOW_MS, PageError, PageFacts
from chalicelib.domain.page.headers import LINE_BREAK, forbids_sniffing, lines_of
from chalicelib.domain.page.sniffing import is_blank, is_page, is_unknown
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import redirect_of
from chalicelib.workers.audit.bounded import TooHard, read_html

PAGE_SECONDS = 20.0  # how long a page may take to answer in full
SECOND_TRY_AFTER_SECONDS = 2.0
LONGEST_RETRY_AFTER_SECONDS = 60.0
USUAL_RETRY_AFTER_SECONDS = 10.0
TRIES_WHEN_THROTTLED = 3
MOST_COOKIES, LONGEST_COOKIE = 5, 60  # most cookie names that are stored of a redirect, and their longest length
MOST_SPELLINGS = 5  # spellings of one address that are requested, each redirecting to the next
MOST_TIMED = 20  # slow pages that are requested again alone
LONGEST_CRAWL_DELAY_SECONDS = 10.0
THROTTLED = frozenset({429, 503})
_log = logging.getLogger(__name__)

PAGES = frozenset({200})  # statuses of answers that are read as pages
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


def reads_body(content_type: str) -> bool:
    """Whether the crawler reads a body of this content type. It reads the bodies of web pages, and of answers without a
    content type ("")."""
    return content_type in HTML_TYPES or is_unknown(content_type or None)


class Politeness:
    """The rate limit for one host: limits concurrent requests, and the time between requests.

    Each time that the host throttles (429, 503), the number of allowed concurrent requests falls by one, but not below
    one. All requests then wait as long as the host asks.
    """

    def __init__(self, concurrency: int, crawl_delay: float | None = None) -> None:
        self.delay = min(crawl_delay or 0.0, LONGEST_CRAWL_DELAY_SECONDS)
        self.places = 1 if self.delay else max(1, concurrency)
        self._free = asyncio.Semaphore(self.places)
        self._next_start = 0.0
        self._taken_away = 0
        self._to_take_away = 0  # slots to remove when their holders release them

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
        """Wait until the next request may start. Call this only inside ``async with`` this object."""
        while (wait := self._next_start - clock.monotonic()) > 0:
            await asyncio.sleep(wait)
        if self.delay:
            self._next_start = clock.monotonic() + self.delay

    def throttled(self, retry_after: float) -> None:
        """Record that the host throttled. All requests then wait for ``retry_after`` seconds, and one request fewer may
        run at the same time."""
        self._next_start = max(self._next_start, clock.monotonic() + retry_after)
        if self._taken_away < self.places - 1:
            self._taken_away += 1
            self._to_take_away += 1


class PageReader:
    """Reads addresses of one website into page facts. ``headers``: the headers to send with every request."""

    def __init__(
        self, fetcher: Fetcher, host: str, politeness: Politeness, headers: Mapping[str, str] | None = None
    ) -> None:
        self.fetcher = fetcher
        self.host = host
        self.politeness = politeness
        self.headers = headers

    async def read(self, url: str, written: str | None = None) -> PageFacts:
        """Read one address into page facts. Never raises.

        ``written``: the spelling in which to request the address, if it differs from ``url``. The field ``tries`` of
        the facts says how often the request was tried.
        """
        try:
            return await self._read(url, written or url)
        except Exception:  # one bad address must not end the audit
            _log.exception("address not readable", extra={"url": url})
            return PageFacts(url=url, error="unreadable", fetched_at=int(clock.now()))

    async def _read(self, url: str, written: str) -> PageFacts:
        answer, tries = await self._ask(written, 0)
        if tries == 1 and _deserves_second_try(answer):
            await asyncio.sleep(SECOND_TRY_AFTER_SECONDS)
            answer, tries = await self._ask(written, tries)
        asked = {written}
        while (again := respelled(url, written, answer, asked)) is not None:
            written = again
            asked.add(written)
            answer, _ = await self._ask(written, tries)
        facts = await page_facts(url, answer, self.host, written=written)
        is_empty = facts.is_html and facts.status == 200 and not facts.bytes and not facts.forwards
        if is_empty and facts.error is None:
            facts.error = "unreadable"  # an empty answer says nothing about the page, so nothing counts as fixed
        facts.tries = tries
        return facts

    async def _ask(self, url: str, tries: int) -> tuple[Answer, int]:
        """Request an address until an answer is not throttling, or no try is left. Returns the last answer and the
        number of tries.

        A throttled request keeps its slot while it waits, so that no other request is sent instead of its retry.
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


def respelled(url: str, written: str, answer: Answer, asked: Collection[str]) -> str | None:
    """If an answer redirects to another spelling of the same address, return this spelling. Otherwise return None.

    Such a redirect is followed at once: both spellings are one address, so the target's answer counts as the address's
    answer.
    """
    if not 300 <= answer.status < 400 or len(asked) > MOST_SPELLINGS:
        return None
    resolver = urls.LinkResolver(written)
    if redirect_of(answer.headers, resolver) != url:
        return None
    again = resolver.spelled.get(url, url)
    return None if again in asked else again


async def time_alone(fetcher: Fetcher, url: str, politeness: Politeness) -> int | None:
    """Measure how many milliseconds pass until the answer starts. The caller ensures that no other request of ours is
    running.

    Returns None if the answer is no longer a page, or if no answer came.
    """
    async with politeness:
        answer = await fetcher.get(url, read_body=reads_body, total_seconds=PAGE_SECONDS)
    return answer.ttfb_ms if answer.status == 200 and not answer.error else None


def _deserves_second_try(answer: Answer) -> bool:
    if answer.error:
        return answer.error not in ("refused_address", "tls", "too_large")
    return answer.status >= 500


def retry_after_seconds(answer: Answer) -> float:
    """Return how many seconds a throttling host asks to wait, within bounds.

    If the header has several values, the longest time counts. If the header has a date, the default of ten seconds is
    used.
    """
    said = [line.strip() for line in lines_of(answer.headers, "retry-after")]
    # A number with more digits is longer than the longest wait.
    seconds = [
        LONGEST_RETRY_AFTER_SECONDS if len(text) > 9 else float(text)
        for text in said
        if text.isascii() and text.isdigit()
    ]
    return min(max(seconds), LONGEST_RETRY_AFTER_SECONDS) if seconds else USUAL_RETRY_AFTER_SECONDS


async def page_facts(
    url: str,
    answer: Answer,
    host: str,
    *,
    written: str | None = None,
    head_only: bool = False,
    statuses: Collection[int] = PAGES,
) -> PageFacts:
    """Return the page facts of an answer: those about the request, such as status and headers, and, if the answer is a
    page, those about its content.

    The answer is a page if its status is in ``statuses``. If a page takes too long to read, or cannot be read,
    no exception is raised, and ``error`` says so.

    White space alone counts as no body: ``bytes`` is then 0.

    - ``head_only``: whether to read only the page's head.
    - ``written``: the spelling in which the address was requested, if it differs from ``url``.
    """
    facts = _answer_facts(url, written or url, answer)
    if facts.is_html and is_blank(answer.body):
        facts.bytes = 0  # white space shows readers no more than an answer without a body
    if not (facts.is_html and facts.status in statuses and facts.bytes):
        return facts
    try:
        return await read_html(facts, answer.body, answer.headers, host, head_only=head_only)
    except TooHard:
        trouble: PageError = "too_hard"
    except Exception:
        _log.exception("page not readable", extra={"url": url})
        trouble = "unreadable"
    facts = _answer_facts(url, written or url, answer)  # the facts read before may be incomplete
    facts.error = trouble
    return facts


def _answer_facts(url: str, written: str, answer: Answer) -> PageFacts:
    headers = answer.headers
    content_type = answer.content_type
    facts = PageFacts(
        url=url,
        status=0 if answer.error else answer.status,  # an incomplete answer counts as no answer
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
        facts.ttfb_ms, facts.crowded_ms = (
            None,
            facts.ttfb_ms,
        )  # other requests of ours may have caused it
    if written != url:
        facts.asked = written
    if 300 <= facts.status < 400:
        resolver = urls.LinkResolver(written)
        facts.redirect_to = redirect_of(headers, resolver)
        cookies = [line.partition("=")[0].strip()[:LONGEST_COOKIE] for line in lines_of(headers, COOKIES)]
        if cookies:
            facts.headers[COOKIES] = LINE_BREAK.join(cookies[:MOST_COOKIES])
        facts.spelled.update(resolver.spelled)
    elif facts.status and "refresh" in headers:
        resolver = urls.LinkResolver(written)
        read_refresh_header(facts, headers, resolver)
        facts.spelled.update(resolver.spelled)
    if facts.status:
        facts.is_html = content_type in HTML_TYPES or (is_unknown(content_type) and _looks_like_page(answer))
    return facts


def _looks_like_page(answer: Answer) -> bool:
    return is_page(answer.body, no_sniff=forbids_sniffing(answer.headers))
