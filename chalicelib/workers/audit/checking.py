"""Requests one target of a link or canonical: with HEAD, then with GET if HEAD gives no certain answer."""

import asyncio
import logging
from typing import Literal

from chalicelib import clock
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import PageFacts, TargetFacts
from chalicelib.domain.page.headers import first_of
from chalicelib.domain.page.targets import RESOURCES, Target
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.workers.audit import reading
from chalicelib.workers.audit.asking_resources import ResourceAsker
from chalicelib.workers.audit.reading import (
    THROTTLED,
    Politeness,
    page_facts,
    reads_body,
    respelled,
    retry_after_seconds,
)

# Another website gets one request at a time, and not more often than this.
GAP_ELSEWHERE_SECONDS = 1.0
SECONDS_ELSEWHERE = 10.0  # how long another website may take for an answer
SILENCES_ELSEWHERE = 2  # after this many unanswered addresses of a host, the rest are skipped
OWN_SECONDS = 20.0
TRIES = 2
MOST_LENGTH_DIGITS = 15

_log = logging.getLogger(__name__)

Method = Literal["GET", "HEAD"]


class TargetChecker:
    """Requests targets. Requests to the website follow its own rate limit (politeness); each other host gets one
    request at a time.

    If another host throttles, cannot be resolved or does not answer, it gets no further request. Its other addresses
    are assumed to behave in the same way.
    """

    def __init__(self, fetcher: Fetcher, host: str, politeness: Politeness) -> None:
        self.fetcher = fetcher
        self.host = host
        self.politeness = politeness
        self._elsewhere: dict[str, tuple[asyncio.Lock, Politeness]] = {}
        self._silences: dict[str, int] = {}
        self._given_up: dict[str, Answer] = {}
        self._resources = ResourceAsker(fetcher, host, politeness)

    async def check(self, target: Target) -> TargetFacts:
        """Request the target, and return its answer. Never raises."""
        try:
            return await self._check(target)
        except Exception:  # one bad address must not end the audit
            _log.exception("target not readable", extra={"url": target.url})
            return TargetFacts(
                url=target.url,
                own_host=urls.same_site(target.url, self.host),
                error="unreadable",
                fetched_at=int(clock.now()),
                image=target.kind == "image",
                resource=target.kind in RESOURCES,
            )

    async def _check(self, target: Target) -> TargetFacts:
        if target.kind == "script" or target.kind == "style":
            async with self.politeness:
                return await self._resources.ask(target, target.kind)
        if urls.same_site(target.url, self.host):
            return await self._own(target)
        origin = urls.origin(target.url)
        one_at_a_time, polite = self._elsewhere.setdefault(
            origin, (asyncio.Lock(), Politeness(1, GAP_ELSEWHERE_SECONDS))
        )
        async with one_at_a_time:
            given_up = self._given_up.get(origin)
            if given_up is not None:  # no request follows, so no turn is needed
                return await self._facts(target, given_up, TRIES)
            await polite.turn()
            answer = await self._ask(target, _first_method(target), SECONDS_ELSEWHERE)
            tries = 1
            if _uncertain(answer) and answer.status not in THROTTLED:
                await polite.turn()
                answer = await self._ask(target, "GET", SECONDS_ELSEWHERE)
                tries = 2
            self._notice(origin, answer)
            return await self._facts(target, answer, tries)

    async def _own(self, target: Target) -> TargetFacts:
        method = _first_method(target)
        async with self.politeness:
            for tries in range(1, TRIES + 1):
                answer = await self._ask(target, method, OWN_SECONDS)
                if tries == TRIES or not _uncertain(answer):
                    break
                if answer.status in THROTTLED:
                    self.politeness.throttled(retry_after_seconds(answer))
                elif answer.error or answer.status >= 500:
                    await asyncio.sleep(reading.SECOND_TRY_AFTER_SECONDS)
                await self.politeness.turn()
                method = "GET"
            asked = {target.written or target.url}
            while (again := respelled(target.url, target.written or target.url, answer, asked)) is not None:
                asked.add(again)
                target = target._replace(written=again)
                await self.politeness.turn()
                answer = await self._ask(target, method, OWN_SECONDS)
        return await self._facts(target, answer, tries)

    async def _ask(self, target: Target, method: Method, seconds: float) -> Answer:
        wants_page = target.kind == "canonical"
        return await self.fetcher.get(
            target.written or target.url,
            method=method,
            total_seconds=seconds,
            read_body=reads_body if wants_page else _no_body,
        )

    def _notice(self, origin: str, answer: Answer) -> None:
        if answer.error in ("timeout", "connect", "reset", "tls", "protocol"):
            self._silences[origin] = self._silences.get(origin, 0) + 1
        given_up = answer.status in THROTTLED or answer.error == "dns"
        if given_up or self._silences.get(origin, 0) >= SILENCES_ELSEWHERE:
            self._given_up[origin] = answer

    async def _facts(self, target: Target, answer: Answer, tries: int) -> TargetFacts:
        facts = await page_facts(target.url, answer, self.host, written=target.written)
        found = target_facts(facts, own_host=urls.same_site(target.url, self.host), tries=tries)
        if target.kind == "image":
            found.image, found.bytes = True, file_size(first_of(answer.headers, "content-length"))
        return found


def target_facts(page: PageFacts, *, own_host: bool, tries: int) -> TargetFacts:
    """Convert a target's answer to the facts that are stored."""
    return TargetFacts(
        url=page.url,
        own_host=own_host,
        status=page.status,
        error=page.error,
        fetched_at=int(clock.now()),
        tries=tries,
        redirect_to=page.redirect_to,
        is_html=page.is_html,
        canonical=next((absolute for _, absolute, _ in page.canonicals if absolute), None),
        robots_meta=page.robots_meta,
        x_robots_tag=page.headers.get("x-robots-tag"),
        asked=page.asked,
        redirect_written=page.spelled.get(page.redirect_to) if page.redirect_to else None,
    )


def _first_method(target: Target) -> Method:
    """Return the first method for a target: GET for a canonical, since only the page's HTML says whether the page may
    be indexed; else HEAD."""
    return "GET" if target.kind == "canonical" else "HEAD"


def _uncertain(answer: Answer) -> bool:
    """Whether a second try is worthwhile. Servers reject HEAD in many ways, and errors may be temporary."""
    return answer.status >= 400 or (answer.error is not None and answer.error != "refused_address")


def file_size(content_length: str) -> int | None:
    """Return the number of bytes in a Content-Length header. Returns None if the header's value is not a number, or is
    too large for any file."""
    plain = content_length.isascii() and content_length.isdigit() and len(content_length) <= MOST_LENGTH_DIGITS
    return int(content_length) if plain else None


def _no_body(_: str) -> bool:
    return False
