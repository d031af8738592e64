"""One worker's turn at an audit. The worker reads pages and requests targets, checkpoint by checkpoint.

The module ``crawl``, whose message starts a slice, describes what happens if the worker of a slice is killed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader, PartialReason
from chalicelib.domain.audit.searched import by_page
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.address_names import is_infrastructure
from chalicelib.domain.crawl.assets import is_file
from chalicelib.domain.crawl.frontier import Frontier, Step
from chalicelib.domain.page import sitemap_languages
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.page.leads import leads_of
from chalicelib.net.fetch import Fetcher
from chalicelib.operations import search
from chalicelib.operations.audits import send_slice
from chalicelib.settings.crawl import crawl_settings
from chalicelib.store import crawls, pages, previews, targets, websites
from chalicelib.store.blocks import Block
from chalicelib.store.lanes import LANES
from chalicelib.store.queues import Queue
from chalicelib.store.transactions import Conflict, Write, commit
from chalicelib.workers.audit.committed_facts import CommittedFacts
from chalicelib.workers.audit.discovering import discover
from chalicelib.workers.audit.lease import LEASE_SECONDS, Lease, during
from chalicelib.workers.audit.reading import PageReader, Politeness
from chalicelib.workers.audit.window import OrderedWindow
from chalicelib.workers.jobs import yield_seconds
from chalicelib.workers.patience import Watch

PAGES_PER_CHECKPOINT = 100
BYTES_PER_CHECKPOINT = 8_000_000  # bytes of pages: a page in a checkpoint is in memory several times
WINDOW_PER_PLACE = 4  # answers that may wait for an earlier answer, for each concurrent request
# How long after its time a slice still waits for the next answer in order, since later answers cannot be stored before
# it.
GRACE_SECONDS = 45.0
# Checkpoints are frequent at first, so that a person sees the pages count up, then rarer.
EARLY_CHECKPOINT_SECONDS, LATE_CHECKPOINT_SECONDS, EARLY_CHECKPOINTS = 1.0, 10.0, 10
# The limit of requests for each page of the budget. Redirects count only as requests, not as pages.
FETCHES_PER_PAGE = 3

T = TypeVar("T")


class PlaceLost(Exception):
    """Raised if the website no longer exists, or if another crawl holds its crawl lock."""


class Taken(NamedTuple):
    """An answer that is recorded but not committed yet, and the audit's counters after this answer."""

    facts: PageFacts
    recorded: int  # addresses whose outcome is recorded
    pages_crawled: int
    fetches: int
    refused: int


class Slice:
    """One worker's turn at an audit, from the last checkpoint until the end or the hand-over."""

    def __init__(self, header: CrawlHeader, stop_at: Callable[[], float], watch: Watch) -> None:
        """``stop_at``: a function that returns the time at which reading must end (monotonic seconds). This time may
        become earlier. ``watch``: counts the answers."""
        self.header = header
        self.saved = msgspec.structs.replace(header)  # the last committed header
        self._worked_before = header.worked_seconds
        self._began_at = clock.now()
        self._stop_at = stop_at
        self.frontier = Frontier(header.page_budget)
        self._site: SiteFacts | None = None
        self._languages: Mapping[str, sitemap_languages.Versions] = {}
        self.robots = robots_txt.parse("")
        self.politeness = Politeness(1)
        self.committed = CommittedFacts(header.id)
        self.unsaved: list[Taken] = []
        self.unsaved_links = 0
        self.unsaved_bytes = 0
        self.unsaved_targets: list[TargetFacts] = []
        self.saved_at = clock.monotonic()
        self._searched = False  # whether the pages that search shows were added
        self.watch = watch
        self._lease = Lease(header, watch)

    @property
    def stop_at(self) -> float:
        """When reading must end (monotonic seconds). The time may still change."""
        return self._stop_at()

    @property
    def site(self) -> SiteFacts:
        """The facts about the website as a whole; available once ``read_pages`` has started."""
        assert self._site is not None
        return self._site

    def addresses(self) -> list[str]:
        """Return every address that the audit knows, read or not.

        Addresses that were found by reading come first, then addresses that only sitemaps list.
        """
        in_sitemaps = (url for url, _ in self.site.sitemap_urls if not is_file(url) and not is_infrastructure(url))
        return [*self.frontier.urls, *(url for url in in_sitemaps if url not in self.frontier.known)]

    async def read_pages(self, fetcher: Fetcher) -> bool:
        """Read pages from the last checkpoint on. Returns True if all pages are read, and False if the time is over."""
        if self.header.stage == "discovering":
            await self._discover(fetcher)
        else:
            self._resume()
        return self.header.stage != "crawling" or await self._read(fetcher)

    # -- start -----------------------------------------------------------------------------------------

    async def _discover(self, fetcher: Fetcher) -> None:
        settings = crawl_settings()
        website = websites.get(self.header.workspace_id, self.header.site_id)
        if website is None:
            raise PlaceLost(self.header.id)
        token, concurrency = settings.token, int(settings.concurrency)
        url = website.url
        if self.header.site_origin is not None:  # a preview is read under the website's own origin
            url = self.header.site_origin + urls.path_and_query(url)
        discovering = discover(fetcher, url, token, concurrency, seed=self.header.id)
        found = await during(discovering, self._lease.wait)
        self._site, self.robots, self.politeness = found.site, found.robots, found.politeness
        self._languages = sitemap_languages.of_site(found.site)
        self.committed.begin()
        asked = previews.asked_urls(self.header)
        for url in (found.site.home_url, *asked):
            self.frontier.add(url)
        if asked:
            self.header.asked_pages = len({found.site.home_url, *asked})
            self.header.asked_known = len(self.frontier)
        self.frontier.take()
        self._record(found.home)
        known_before = len(self.frontier)
        for url, _ in found.site.sitemap_urls:
            self._discover_page(url)
        self.frontier.count((url for url, _ in found.site.sitemap_urls), found.spelled, known_before)
        self.header.site_facts_fence = self.header.fence
        crawls.put_site_facts(self.header.id, self.header.fence, found.site)
        self.header.stage = "crawling"
        try:
            self.checkpoint()
        except crawls.CancelRequested:
            self._finish_reading("cancelled")

    def _resume(self) -> None:
        self._site = crawls.load_site_facts(self.header.id, self.header.site_facts_fence)
        self._languages = sitemap_languages.of_site(self._site)
        self.robots = robots_txt.parse(self.site.robots.text if self.site.robots else "")
        settings = crawl_settings()
        self.politeness = Politeness(int(settings.concurrency), self.robots.crawl_delay(settings.token))
        for step in crawls.load_steps(self.header.id):
            self.frontier.replay(step)

    # -- reading ---------------------------------------------------------------------------------------

    async def _read(self, fetcher: Fetcher) -> bool:
        """Read addresses in order. Returns True if no address is left, False if the slice's time is over."""
        token = crawl_settings().token
        reader = PageReader(fetcher, self.site.host, self.politeness)
        size = self.politeness.places * WINDOW_PER_PLACE
        with OrderedWindow[PageFacts]() as window:
            try:
                while True:
                    self._fill(window, reader, token, size)
                    if not window and self._discover_searched():
                        continue
                    if not window:
                        self._finish_reading(self._budget_reason(token))
                        return True
                    if not await window.arrives(lambda: self.waits(self.out_of_time)):
                        if not self.out_of_time():
                            return False
                        self._finish_reading("time_budget")
                        return True
                    self._record(window.take())
                    if self.out_of_time():
                        self._finish_reading("time_budget" if window or self._budget_reason(token) else None)
                        return True
                    if clock.monotonic() >= self.stop_at:
                        return False
                    if self._checkpoint_due():
                        self.checkpoint()
                    self.keep_lease()
            except crawls.CancelRequested:
                self._finish_reading("cancelled")
                return True

    def waits(self, too_late: Callable[[], bool]) -> bool:
        """Whether there is time to keep waiting for an answer. This also renews the lease.

        Raises ``FenceLost`` and ``CancelRequested``.
        """
        if too_late() or clock.monotonic() >= self.stop_at + GRACE_SECONDS:
            return False
        self.keep_lease()
        return True

    def keep_lease(self) -> None:
        """Renew the lease if this is due. If there is anything to commit, a checkpoint does both.

        Raises ``FenceLost`` and ``CancelRequested``.
        """
        if self._lease.due() and (self.unsaved or self.unsaved_targets):
            self.checkpoint()
        self._lease.keep()

    def _fill(self, window: OrderedWindow[PageFacts], reader: PageReader, token: str, size: int) -> None:
        """Request further addresses, as many as the budgets and the number of concurrent requests allow."""
        pages_left = self.header.page_budget - self.header.pages_crawled - window.pending
        fetches_left = self.header.page_budget * FETCHES_PER_PAGE - self.header.fetches - window.pending
        room = min(pages_left, fetches_left)
        end = self._end()
        while len(window) < size and room > 0 and self.frontier.cursor < end:
            url = self.frontier.take()
            if url is None:
                return
            if self.robots.verdict(token, url).allowed:
                window.ask(reader.read(url, self.frontier.spelling(url)))
                room -= 1
            else:
                window.skip()

    def _end(self) -> int:
        """Return how many of the known addresses may be read, in their order. In a preview with named addresses, only
        the home page and these addresses are read; they come first."""
        return self.header.asked_known or len(self.frontier)

    def _record(self, facts: PageFacts | None) -> None:
        """Record the answer of the next address in order: its facts, its links, the counters. ``facts``: None if
        robots.txt forbids the request."""
        self.frontier.recorded += 1
        if facts is None:
            return
        if self.header.ignores_robots:
            facts.robots_meta = []
        sitemap_languages.add_to(facts, self._languages)
        header = self.header
        self.watch.answered()
        header.fetches += 1
        if facts.status in (401, 403, 429):
            header.refused += 1
        if facts.redirect_to is None:
            header.pages_crawled += 1
        counters = (header.pages_crawled, header.fetches, header.refused)
        self.unsaved.append(Taken(facts, self.frontier.recorded, *counters))
        self.unsaved_links += len(facts.links)
        self.unsaved_bytes += facts.bytes
        known_before = len(self.frontier)
        for url in leads_of(facts, self.site.host):
            self._discover_page(url)
        self.frontier.count(leads_of(facts, self.site.host), facts.spelled, known_before)

    def _discover_page(self, url: str) -> None:
        """Add an address that may be a page to the known addresses."""
        if url not in self.frontier.known and not is_file(url) and not is_infrastructure(url):
            self.frontier.add(url)

    def _discover_searched(self) -> bool:
        """Add pages that search shows although nothing links to them, most shown first. Does so once, after everything
        else is read.
        Returns whether any were added."""
        if self._searched or self.frontier.cursor < len(self.frontier):
            return False
        self._searched = True
        known = len(self.frontier)
        searched = search.by_page(self.header.site_id)
        if searched is None:
            self._discover_searched_before()
            return len(self.frontier) > known
        shown = by_page(searched, self.site.host, self.frontier.known, lambda: self.frontier.urls)
        for url in sorted(shown, key=lambda url: (-shown[url].impressions, url)):
            self._discover_page(url)
        return len(self.frontier) > known

    def _discover_searched_before(self) -> None:
        """Add the last audit's published pages, if that audit had search data and there is none now. Search may show
        them although nothing links to them."""
        website = websites.get(self.header.workspace_id, self.header.site_id)
        if website is None or "search" not in website.inputs_had:
            return
        assert website.summary is not None
        rows = pages.load_list(website.id, website.summary.generation.crawl_id)
        for url in sorted(row.url for row in rows if row.status == 200):
            if urls.same_site(url, self.site.host):
                self._discover_page(url)

    def take_target(self, facts: TargetFacts) -> None:
        """Record a target's answer. It is committed with the next checkpoint. If a checkpoint is due, it is made
        now."""
        self.watch.answered()
        self.unsaved_targets.append(facts)
        if self._checkpoint_due():
            self.checkpoint()

    def out_of_time(self) -> bool:
        """Whether the audit's time limit is reached. Time between two slices does not count, since no worker was
        running then."""
        return self._worked_seconds() >= self.header.time_limit_minutes * 60

    def _worked_seconds(self) -> float:
        """Return how many seconds workers have worked on the audit, this worker included."""
        return self._worked_before + max(0.0, clock.now() - self._began_at)

    def _budget_reason(self, token: str) -> PartialReason | None:
        """Return why reading ends before all allowed addresses are read. Returns None if all are read."""
        for url in self.frontier.urls[self.frontier.recorded :]:
            self.keep_lease()
            if self.robots.verdict(token, url).allowed:
                break
        else:
            return None
        return "plan_page_budget" if self.header.budget_is_plan_limit else "page_budget"

    def _finish_reading(self, reason: PartialReason | None) -> None:
        self.frontier.untake()
        self.header.partial_reason = reason
        self.header.stage = "analysing"
        self.header.reading_ended_at = clock.now()
        try:
            self.checkpoint()
        except crawls.CancelRequested:
            self.cancelled_after_reading()

    def cancelled_after_reading(self) -> None:
        """Mark the audit as cancelled, but let it be judged by the pages that were read so far. The audit then shows
        that it was cancelled."""
        self.header.partial_reason = "cancelled"
        self.header.cancel_requested = True
        self._lease.heeds_cancel = False
        self.checkpoint(heed_cancel=False)

    # -- committing ------------------------------------------------------------------------------------

    def _checkpoint_due(self) -> bool:
        answers = len(self.unsaved) + len(self.unsaved_targets)
        if answers >= PAGES_PER_CHECKPOINT or self.unsaved_links >= PAGES_PER_CHECKPOINT * 200:
            return True
        if self.unsaved_bytes >= BYTES_PER_CHECKPOINT:
            return True
        early = self.header.checkpoint <= EARLY_CHECKPOINTS
        seconds = EARLY_CHECKPOINT_SECONDS if early else LATE_CHECKPOINT_SECONDS
        return answers > 0 and clock.monotonic() - self.saved_at >= seconds

    def checkpoint(
        self,
        *,
        heed_cancel: bool = True,
        lease_seconds: float | None = LEASE_SECONDS,
        also: Sequence[Write] = (),
    ) -> None:
        """Commit everything since the last checkpoint. Raises ``FenceLost`` and ``CancelRequested``.

        - ``also``: further writes of the last transaction.
        - ``lease_seconds``: None releases the lease in the last transaction.

        If there is too much for one transaction, several transactions are committed. After each, the next worker could
        continue from there.
        """
        *added, last = self.frontier.pending_steps()
        for step in added:
            self._commit(self._so_far(), step, (), (), LEASE_SECONDS, heed_cancel=heed_cancel)
        *groups, rest = self._groups()
        for group in groups:
            taken = self.unsaved[sum(block.records for block in group) - 1]
            header = msgspec.structs.replace(
                self._so_far(), pages_crawled=taken.pages_crawled, fetches=taken.fetches, refused=taken.refused
            )
            step = Step(last.added, taken.recorded, last.skipped_traps, last.spelled)
            self._commit(header, step, group, (), LEASE_SECONDS, heed_cancel=heed_cancel)
            last = Step([], last.cursor, last.skipped_traps)
        self._commit(self.header, last, rest, self.unsaved_targets, lease_seconds, heed_cancel=heed_cancel, also=also)
        self.header = msgspec.structs.replace(self.saved)
        self.unsaved_targets = []
        self.unsaved_links = self.unsaved_bytes = 0

    def _so_far(self) -> CrawlHeader:
        """Return the header for a checkpoint without the last answers. It is the saved header; at the first checkpoint
        it also gets the stage and the fence of the website's facts."""
        if self.saved.stage != "discovering":
            return self.saved
        return msgspec.structs.replace(self.saved, stage="crawling", site_facts_fence=self.header.site_facts_fence)

    def _groups(self) -> list[list[Block]]:
        """Group the packed facts to commit, one group per transaction. Returns at least one group."""
        groups: list[list[Block]] = [[]]
        size = 0
        for block in crawls.pack_facts([taken.facts for taken in self.unsaved]):
            if groups[-1] and size + len(block.data) > crawls.TRANSACTION_BYTES:
                groups.append([])
                size = 0
            groups[-1].append(block)
            size += len(block.data)
        return groups

    def _commit(
        self,
        header: CrawlHeader,
        step: Step,
        facts: Sequence[Block],
        answered: Sequence[TargetFacts],
        lease_seconds: float | None,
        *,
        heed_cancel: bool,
        also: Sequence[Write] = (),
    ) -> None:
        """Commit one checkpoint in one transaction: the header, the step, the packed facts of some pages, and answers
        of targets."""
        number = self.saved.checkpoint + 1
        saved = msgspec.structs.replace(
            header,
            checkpoint=number,
            lease_until=0.0 if lease_seconds is None else clock.now() + lease_seconds,
            pages_discovered=len(self.frontier),
            worked_seconds=self._worked_seconds(),
        )
        put = crawls.put_fenced(saved, committed_checkpoint=self.saved.checkpoint, heed_cancel=heed_cancel)
        writes: list[Write] = [put, *crawls.step_writes(header.id, number, step)]
        writes += crawls.facts_writes(header.id, number, facts)
        writes += targets.writes(header.id, number, answered)
        writes += also
        try:
            commit(writes)
        except Conflict as conflict:
            lost = crawls.why_lost(conflict, header)
            if isinstance(lost, crawls.CancelRequested):
                self.header.cancel_requested = self.saved.cancel_requested = True
            raise lost from None
        self.saved = saved
        self.committed.add(crawls.numbered(number, facts))
        if also:
            self.committed.forget()
        self.frontier.committed(step)
        del self.unsaved[: sum(block.records for block in facts)]
        self.saved_at = clock.monotonic()
        self._lease.kept()

    def hand_over(self, also: Sequence[Write] = (), lane: Queue | None = None) -> None:
        """Commit, release the lease, and send the next slice's message.

        If other work of the workspace waits for a concurrency slot, that work gets the slot first.

        - ``also``: further writes of the commit.
        - ``lane``: the queue of the next slice; None for the fast queue.
        """
        self.frontier.untake()
        self.header.slice += 1
        wait = yield_seconds(self.header.workspace_id, LANES[lane or "crawl"])
        if wait:
            self.header.due_at = clock.now() + wait
        try:
            self.checkpoint(lease_seconds=None, also=also)
        except crawls.CancelRequested:
            # The header now holds the request to cancel; the next worker handles it at its first checkpoint.
            self.checkpoint(heed_cancel=False, lease_seconds=None, also=also)
        send_slice(self.header, delay_seconds=wait, lane=lane)
