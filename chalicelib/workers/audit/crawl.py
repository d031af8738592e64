"""The worker of the queue ``crawl``: one slice of one audit.

Trigger: a message {workspaceId, siteId, crawlId, slice}, sent when an audit is started, when a slice hands over to
the next, and by the sweeper for crawls whose worker gave no sign of life.

Claim: the audit's header, on the condition that its slice is the message's and its lease has run out. The claim
raises the fence; every later write of this worker carries the fence as its condition.

Failure policy
- Killed before the claim: the message comes again, or the sweeper sends it.
- Killed between two checkpoints: what was read since the last one is read again by the next worker. A checkpoint
  (header, frontier step, facts) is one transaction, so no page is counted or kept twice.
- Killed while the targets of links and canonicals are asked for: the same holds, their answers are checkpoints too.
- Killed while judging or publishing: see ``judging``.
- Two workers on one slice: the second claim fails. A worker that lost its lease fails its next write and stops.
- A run that is taken over three times without a new checkpoint fails with a plain error.
"""

import asyncio
import gc
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.records import CrawlHeader, PartialReason
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.frontier import Frontier
from chalicelib.domain.crawl.targets import Plan, TargetQueue, target_limit
from chalicelib.domain.page.facts import LINK_NOFOLLOW, PageFacts, SiteFacts, TargetFacts
from chalicelib.net.fetch import Fetcher
from chalicelib.net.guard import Guard
from chalicelib.operations.audits import send_slice
from chalicelib.operations.rechecks import send_waiting
from chalicelib.settings.core import core_settings
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.store import crawls, places, websites
from chalicelib.store.context import request_id
from chalicelib.store.transactions import Conflict, Write, commit
from chalicelib.workers.audit.checking import TargetChecker
from chalicelib.workers.audit.discovering import WebsiteUnreadable, discover
from chalicelib.workers.audit.reading import PageReader, Politeness

LEASE_SECONDS = 240.0  # renewed by each checkpoint; the fence, not the lease, is what keeps two workers apart
MARGIN_SECONDS = 90.0  # a slice hands over when the function has this long left
STALLED_TAKEOVERS = 3
PAGES_PER_CHECKPOINT = 100
WINDOW_PER_PLACE = 4  # answers that may wait for an earlier one, for each request at once
TARGETS_AT_ONCE = 48  # on different hosts, mostly: each host has its own politeness
TARGETS_SECONDS = 600.0  # how long targets are asked for, at most, after the last page was read
# While an answer is waited for, the lease is renewed this often, and a person's wish to cancel is heard.
RENEW_SECONDS = 60.0
WAKE_SECONDS = 5.0  # how often the clock is looked at meanwhile
# How long a slice whose time is over goes on waiting for the first answer that it could keep.
GRACE_SECONDS = 45.0
# Checkpoints are frequent at first, so that a person sees the pages count up, then rarer.
EARLY_CHECKPOINT_SECONDS, LATE_CHECKPOINT_SECONDS, EARLY_CHECKPOINTS = 1.0, 10.0, 10
# Redirects do not count against the page budget, but they are bounded with it.
FETCHES_PER_PAGE = 3
# An audit makes millions of small objects and hardly a cycle: looking for cycles as often as Python does by itself
# costs a tenth of the audit and frees nothing.
OBJECTS_PER_COLLECTION = 50_000

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


# Addresses in order: each being read, or None where robots.txt forbids it.
Window = deque[asyncio.Task[PageFacts] | None]


class Context(Protocol):
    """What the function's runtime tells: Lambda's context, or the local pump's."""

    def get_remaining_time_in_millis(self) -> int: ...


def handle(message: Mapping[str, Any], context: Context) -> None:
    """Run the slice that the message names. Returns without effect when there is nothing to do for it."""
    token = request_id.set(message.get("requestId"))
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    try:
        _handle(message, context)
    finally:
        request_id.reset(token)


def _handle(message: Mapping[str, Any], context: Context) -> None:
    header = crawls.get(message["siteId"], message["crawlId"])
    if header is None:
        return
    if header.ended:
        _after(header)
        return
    if header.slice != message["slice"]:
        return
    now = clock.now()
    place = None
    if header.status == "queued":
        place = places.start(header.workspace_id, header.site_id, header.id)
    claimed = crawls.claim(header, now=now, lease_until=now + LEASE_SECONDS, place=place)
    if claimed is None:
        return
    try:
        if claimed.stalled >= STALLED_TAKEOVERS:
            _fail(claimed, "The audit was taken up again three times without getting any further.")
            return
        if claimed.cancel_requested and claimed.checkpoint == 0:
            _end_unread(claimed)
            return
        seconds = min(
            float(crawl_settings().slice_seconds), context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
        )
        turn = Slice(claimed, clock.monotonic() + seconds)
        if asyncio.run(turn.read_on()):
            turn.publish()
        else:
            turn.hand_over()
    except (crawls.FenceLost, _PlaceLost):
        _log.info("crawl taken over or website gone", extra={"crawlId": header.id})
    except WebsiteUnreadable as reason:
        _fail(claimed, str(reason))


class Slice:
    """One worker's turn at an audit: from where the last checkpoint left off until the end or the hand-over."""

    def __init__(self, header: CrawlHeader, stop_at: float) -> None:
        self.header = header
        self.stop_at = stop_at
        self.frontier = Frontier(header.page_budget)
        self.site: SiteFacts | None = None
        self.robots = robots_txt.parse("")
        self.politeness = Politeness(1)
        self.unsaved: list[PageFacts] = []
        self.unsaved_links = 0
        self.unsaved_targets: list[TargetFacts] = []
        self.saved_at = clock.monotonic()

    async def read_on(self) -> bool:
        """Go on where the last checkpoint left off. True when everything is read, False when the time is over."""
        network, settings = network_settings(), crawl_settings()
        guard = Guard(network.allow_addresses, network.extra_hosts)
        async with Fetcher(guard, user_agent=settings.user_agent, extra_ca_file=network.extra_ca_file) as fetcher:
            if self.header.stage == "discovering":
                await self._discover(fetcher)
            else:
                self._resume()
            delay = self.robots.crawl_delay(settings.token)
            self.politeness = Politeness(int(settings.concurrency), delay)
            if self.header.stage == "crawling" and not await self._read(fetcher):
                return False
            return await self._check_targets(fetcher)

    # -- where to begin --------------------------------------------------------------------------------

    async def _discover(self, fetcher: Fetcher) -> None:
        settings = crawl_settings()
        website = websites.get(self.header.workspace_id, self.header.site_id)
        if website is None:
            raise _PlaceLost(self.header.id)
        token, concurrency = settings.token, int(settings.concurrency)
        found = await discover(fetcher, website.url, token, concurrency, seed=self.header.id)
        self.site, self.robots = found.site, found.robots
        self.frontier.add(found.site.home_url)
        self.frontier.take()
        if found.home is not None:
            self._record(found.home)
        self.frontier.behind = 1
        for url, _ in found.site.sitemap_urls:
            self.frontier.add(url)
        self.header.site_facts_fence = self.header.fence
        crawls.put_site_facts(self.header.id, self.header.fence, found.site)
        self.header.stage = "crawling"
        try:
            self._checkpoint()
        except crawls.CancelRequested:
            self._finish_reading("cancelled")

    def _resume(self) -> None:
        self.site = crawls.load_site_facts(self.header.id, self.header.site_facts_fence)
        self.robots = robots_txt.parse(self.site.robots.text if self.site.robots else "")
        for step in crawls.load_steps(self.header.id):
            self.frontier.replay(step)

    # -- reading ---------------------------------------------------------------------------------------

    async def _read(self, fetcher: Fetcher) -> bool:
        """Read addresses in order until there is no more to read (True) or the slice's time is over (False).

        Requests run side by side, but what they bring is recorded strictly in order.
        """
        assert self.site is not None
        token = crawl_settings().token
        reader = PageReader(fetcher, self.site.host, self.politeness)
        window: Window = deque()
        try:
            while True:
                self._fill(window, reader, token, self.politeness.places * WINDOW_PER_PLACE)
                if not window:
                    self._finish_reading(self._budget_reason(token))
                    return True
                task = window[0]
                if task is not None:
                    if not await self._arrives(task, self._out_of_time):
                        if not self._out_of_time():
                            return False
                        self._finish_reading("time_budget")
                        return True
                    self._record(task.result())
                window.popleft()
                self.frontier.behind += 1
                if self._out_of_time():
                    self._finish_reading("time_budget" if window or self._budget_reason(token) else None)
                    return True
                if clock.monotonic() >= self.stop_at:
                    return False
                if self._checkpoint_due():
                    self._checkpoint()
        except crawls.CancelRequested:
            self._finish_reading("cancelled")
            return True
        finally:
            for task in window:
                if task is not None:
                    task.cancel()

    async def _arrives(self, task: asyncio.Task[_T], too_late: Callable[[], bool]) -> bool:
        """Wait for an answer, and keep the lease meanwhile. False when there is no more time to wait for it.

        Raises ``FenceLost`` and ``CancelRequested``.
        """
        while not task.done():
            if too_late() or clock.monotonic() >= self.stop_at + GRACE_SECONDS:
                return False
            await asyncio.wait({task}, timeout=WAKE_SECONDS)
            if not task.done() and clock.monotonic() - self.saved_at >= RENEW_SECONDS:
                self._checkpoint()
        return True

    def _fill(
        self,
        window: Window,
        reader: PageReader,
        token: str,
        size: int,
    ) -> None:
        pending = sum(task is not None for task in window)
        pages_left = self.header.page_budget - self.header.pages_crawled - pending
        fetches_left = self.header.page_budget * FETCHES_PER_PAGE - self.header.fetches - pending
        room = min(pages_left, fetches_left)
        while len(window) < size and room > 0:
            url = self.frontier.take()
            if url is None:
                return
            if self.robots.verdict(token, url).allowed:
                window.append(asyncio.ensure_future(reader.read(url)))
                room -= 1
            else:
                window.append(None)

    def _record(self, facts: PageFacts) -> None:
        """Take up what one address answered: its facts, its links, the counters."""
        assert self.site is not None
        header, host = self.header, self.site.host
        header.fetches += 1
        if facts.status in (401, 403, 429):
            header.refused += 1
        if facts.redirect_to is None:
            header.pages_crawled += 1
        self.unsaved.append(facts)
        self.unsaved_links += len(facts.links)
        for link in facts.links:
            if not link.flags & LINK_NOFOLLOW:
                self.frontier.add(link.url)
        targets = [*facts.frames, facts.meta_refresh, facts.redirect_to]
        targets += [absolute for _, absolute, _ in facts.canonicals]
        targets += [alternate.url for alternate in facts.hreflang]
        for target in targets:
            if target and urls.same_site(target, host):
                self.frontier.add(target)

    def _out_of_time(self) -> bool:
        started = self.header.started_at or self.header.queued_at
        return clock.now() >= started + self.header.time_limit_minutes * 60

    def _budget_reason(self, token: str) -> PartialReason | None:
        """Why reading stops although there are addresses left, or None when all is read."""
        left = self.frontier.urls[self.frontier.behind :]
        if not any(self.robots.verdict(token, url).allowed for url in left):
            return None
        return "plan_page_budget" if self.header.budget_is_plan_limit else "page_budget"

    def _finish_reading(self, reason: PartialReason | None) -> None:
        self.frontier.untake()
        self.header.partial_reason = reason
        self.header.stage = "analysing"
        self.header.reading_ended_at = clock.now()
        try:
            self._checkpoint()
        except crawls.CancelRequested:
            self.header.partial_reason = "cancelled"
            self._checkpoint(heed_cancel=False)

    # -- targets of links and canonicals ---------------------------------------------------------------

    async def _check_targets(self, fetcher: Fetcher) -> bool:
        """Ask for the targets that were not read as pages; True when that is done, False when the slice is over."""
        assert self.site is not None
        if self.header.partial_reason in ("cancelled", "time_budget"):
            return True
        queue = TargetQueue(self._plan())
        for known in crawls.load_targets(self.header.id):
            queue.record(known)
        checker = TargetChecker(fetcher, self.site.host, self.politeness)
        window: deque[asyncio.Task[TargetFacts]] = deque()
        try:
            while not self._targets_late():
                while len(window) < TARGETS_AT_ONCE and (target := queue.take()) is not None:
                    window.append(asyncio.ensure_future(checker.check(target)))
                if not window:
                    break
                if not await self._arrives(window[0], self._targets_late):
                    if self._targets_late():
                        break
                    return False
                facts = window.popleft().result()
                queue.record(facts)
                self.unsaved_targets.append(facts)
                if clock.monotonic() >= self.stop_at:
                    return False
                if self._checkpoint_due():
                    self._checkpoint()
            if self.unsaved_targets:
                self._checkpoint()
        except crawls.CancelRequested:
            self.header.partial_reason = "cancelled"
            self._checkpoint(heed_cancel=False)
        finally:
            for task in window:
                task.cancel()
        return True

    def _plan(self) -> Plan:
        assert self.site is not None
        token = crawl_settings().token
        unread = set(self.frontier.urls[self.frontier.behind :])
        plan = Plan(
            self.site.host,
            target_limit(self.header.pages_crawled),
            read=lambda url: url in self.frontier.known and url not in unread,
            unread=unread,
            allowed=lambda url: self.robots.verdict(token, url).allowed,
        )
        for _, block in crawls.load_facts(self.header.id):
            for facts in block:
                plan.note(facts)
        return plan

    def _targets_late(self) -> bool:
        since = self.header.reading_ended_at or self.header.queued_at
        return self._out_of_time() or clock.now() >= since + TARGETS_SECONDS

    # -- committing ------------------------------------------------------------------------------------

    def _checkpoint_due(self) -> bool:
        answers = len(self.unsaved) + len(self.unsaved_targets)
        if answers >= PAGES_PER_CHECKPOINT or self.unsaved_links >= PAGES_PER_CHECKPOINT * 200:
            return True
        early = self.header.checkpoint <= EARLY_CHECKPOINTS
        seconds = EARLY_CHECKPOINT_SECONDS if early else LATE_CHECKPOINT_SECONDS
        return answers > 0 and clock.monotonic() - self.saved_at >= seconds

    def _checkpoint(self, *, heed_cancel: bool = True, lease_seconds: float | None = LEASE_SECONDS) -> None:
        """Commit what has come since the last checkpoint. Raises ``FenceLost`` and ``CancelRequested``.

        Without ``lease_seconds`` the lease is released with it.
        """
        header = self.header
        number = header.checkpoint + 1
        step = self.frontier.pending_step()
        facts_writes, _ = crawls.facts_writes(header.id, number, self.unsaved)
        header.pages_discovered = len(self.frontier)
        lease_until = 0.0 if lease_seconds is None else clock.now() + lease_seconds
        saved = msgspec.structs.replace(header, checkpoint=number, lease_until=lease_until)
        put = crawls.put_fenced(saved, committed_checkpoint=header.checkpoint, heed_cancel=heed_cancel)
        writes: list[Write] = [put, *crawls.step_writes(header.id, number, step), *facts_writes]
        writes += crawls.targets_writes(header.id, number, self.unsaved_targets)
        try:
            commit(writes)
        except Conflict as conflict:
            lost = crawls.why_lost(conflict, header)
            if isinstance(lost, crawls.CancelRequested):
                header.cancel_requested = True
            raise lost from None
        self.header = saved
        self.frontier.committed()
        self.unsaved = []
        self.unsaved_links = 0
        self.unsaved_targets = []
        self.saved_at = clock.monotonic()

    def hand_over(self) -> None:
        """Commit, release the lease and call the next slice's worker."""
        self.frontier.untake()
        self.header.slice += 1
        try:
            self._checkpoint(lease_seconds=None)
        except crawls.CancelRequested:
            # The wish is now part of the header, and met by the next worker at its first checkpoint.
            self._checkpoint(heed_cancel=False, lease_seconds=None)
        send_slice(self.header)

    def publish(self) -> None:
        """Judge what was read and make it the website's published state."""
        # The judges bring numpy-sized imports along; workers that only read pages do without them.
        from chalicelib.workers.audit.judging import PlaceLost, Publication

        assert self.site is not None
        if self.header.partial_reason == "cancelled" and self.header.pages_crawled == 0:
            _end_unread(self.header)
            return
        known = list(self.frontier.urls)
        known += [url for url, _ in self.site.sitemap_urls if url not in self.frontier.known]
        try:
            publication = Publication(self.header, self.site, known)
            ended = publication.publish(publication.judge())
        except PlaceLost:
            raise _PlaceLost(self.header.id) from None
        _after(ended)


class _PlaceLost(Exception):
    """The website is gone, or its place belongs to another crawl."""


def _fail(header: CrawlHeader, error: str) -> None:
    """End an audit that found nothing out: score and issues stay as they were."""
    _end(msgspec.structs.replace(header, status="failed", error=error))


def _end_unread(header: CrawlHeader) -> None:
    """End an audit that was cancelled before it had read anything."""
    _end(msgspec.structs.replace(header, status="cancelled", partial_reason="cancelled"))


def _end(header: CrawlHeader) -> None:
    now = clock.now()
    ended = msgspec.structs.replace(header, stage="finished", finished_at=now, lease_until=0.0)
    website = websites.get(header.workspace_id, header.site_id)
    told = CrawlEvents(ended, website.host if website else None, core_settings().app_url, now, {})
    writes: list[Write] = [crawls.put_fenced(ended, committed_checkpoint=header.checkpoint, heed_cancel=False)]
    if website is not None:
        writes.append(places.free(header.workspace_id, header.site_id, header.id))
    try:
        commit(writes, [told.audit_finished(None, None)])
    except Conflict as conflict:
        raise crawls.why_lost(conflict, header) from None
    _after(ended)


def _after(header: CrawlHeader) -> None:
    """What is left to do of an audit that has ended. A worker that was killed before it leaves it to the next."""
    if header.replaces is not None:
        from chalicelib.workers.audit.judging import expire_replaced

        expire_replaced(header)
    send_waiting(header.site_id)
