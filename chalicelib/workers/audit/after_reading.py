"""Makes the last requests of an audit, after all pages were read: slow pages once more, then the targets of links and
canonicals.

While the crawler reads many pages at once, the times that it measures include the time that a request waited in the
crawler itself. So slow pages are requested again, one at a time, with nothing else running; only this second time
counts. The slowest pages come first, since a really slow page was slow the first time too. Each measured time is
committed as a checkpoint. So a worker that takes over does not time these pages again.
"""

from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.page.facts import TargetFacts
from chalicelib.domain.page.targets import AskedBefore, Plan, TargetQueue, target_limit
from chalicelib.net.fetch import Fetcher
from chalicelib.settings.crawl import crawl_settings
from chalicelib.store import crawls, pages, targets, websites
from chalicelib.workers.audit.checking import TargetChecker
from chalicelib.workers.audit.reading import MOST_TIMED, time_alone
from chalicelib.workers.audit.slices import Slice
from chalicelib.workers.audit.window import OrderedWindow

TIMES_SECONDS = 180.0  # the most time for slow pages, after the last page was read
TARGETS_AT_ONCE = 48  # mostly on different hosts: each host has its own limits


class SlowPage(NamedTuple):
    """A page that was slow at its first request, and the stored block that contains the page's facts."""

    milliseconds: int
    url: str
    block: int
    written: str  # the spelling in which it was requested


class AfterReading:
    """The last requests of an audit, after all pages were read. They are part of a slice (a worker's turn)."""

    def __init__(self, turn: Slice, fetcher: Fetcher) -> None:
        self._turn = turn
        self._fetcher = fetcher

    async def run(self) -> bool:
        """Make the requests.

        Returns True if nothing is left to request, or if the audit's time is over. Returns False if the slice's time is
        over.
        """
        if self._turn.header.partial_reason in ("cancelled", "time_budget"):
            return True
        try:
            slow, plan = self._survey()
            return await self._ask_again(slow) and await self._check_targets(plan)
        except crawls.CancelRequested:
            self._turn.cancelled_after_reading()
            return True

    def _survey(self) -> tuple[list[SlowPage], Plan]:
        """Go through the read pages once. Returns the pages to time again, in order, and the targets to request."""
        plan = self._new_plan()
        slow: list[SlowPage] = []
        for number, block in self._turn.committed.blocks():
            self._turn.keep_lease()
            for facts in block:
                plan.note(facts)
                if facts.crowded_ms is not None and facts.status == 200 and facts.is_html:
                    slow.append(SlowPage(facts.crowded_ms, facts.url, number, facts.asked or facts.url))
        slow.sort(key=lambda page: (-page.milliseconds, page.url))
        return slow[:MOST_TIMED], plan

    # -- slow pages ------------------------------------------------------------------------------------

    async def _ask_again(self, slow: list[SlowPage]) -> bool:
        turn = self._turn
        with OrderedWindow[int | None]() as window:
            for page in slow[turn.header.times_asked :]:
                if self._times_late():
                    break
                window.ask(time_alone(self._fetcher, page.written, turn.politeness))
                if not await window.arrives(lambda: turn.waits(self._times_late)):
                    if self._times_late():
                        break
                    return False
                self._keep_time(page, window.take())
                if clock.monotonic() >= turn.stop_at:
                    return False
        return True

    def _keep_time(self, page: SlowPage, milliseconds: int | None) -> None:
        """Commit the time of a page that was requested alone, with its facts. ``milliseconds``: None if there was no
        answer, or the answer was no page."""
        turn = self._turn
        turn.watch.answered()
        block = crawls.load_facts_block(turn.header.id, page.block)
        for facts in block:
            if facts.url == page.url:
                facts.ttfb_ms = milliseconds
        turn.header.times_asked += 1
        turn.checkpoint(also=[crawls.facts_rewrite(turn.header.id, page.block, block)])

    def _times_late(self) -> bool:
        return self._turn.out_of_time() or clock.now() >= self._since() + TIMES_SECONDS

    def _since(self) -> float:
        return self._turn.header.reading_ended_at or self._turn.header.queued_at

    # -- targets of links and canonicals ---------------------------------------------------------------

    async def _check_targets(self, plan: Plan) -> bool:
        """Request the targets that were not read as pages, as long as the audit's time lasts. Returns False if the
        slice's time is over."""
        turn = self._turn
        queue = TargetQueue(plan)
        for known in targets.load(turn.header.id):
            queue.record(known)
        checker = TargetChecker(self._fetcher, turn.site.host, turn.politeness)
        with OrderedWindow[TargetFacts]() as window:
            while not turn.out_of_time():
                while len(window) < TARGETS_AT_ONCE and (target := queue.take()) is not None:
                    window.ask(checker.check(target))
                if not window:
                    break
                if not await window.arrives(lambda: turn.waits(turn.out_of_time)):
                    if turn.out_of_time():
                        break
                    return False
                facts = window.take()
                assert facts is not None  # every entry of the window has a request
                queue.record(facts)
                turn.take_target(facts)
                if clock.monotonic() >= turn.stop_at:
                    return False
        turn.header.links_unasked = queue.links_left()
        turn.header.images_unasked = queue.files_left()
        if turn.unsaved_targets:
            turn.checkpoint()
        return True

    def _new_plan(self) -> Plan:
        """Make the plan of the targets to request, before the read pages are added to it."""
        turn, token = self._turn, crawl_settings().token
        frontier = turn.frontier
        read = set(frontier.urls[: frontier.recorded])
        published, asked_before = self._published()
        plan = Plan(
            turn.site.host,
            target_limit(turn.header.pages_crawled),
            read=read,
            unread=set(frontier.urls[frontier.recorded :]),
            allowed=lambda url: turn.robots.verdict(token, url).allowed,
            asked_before=asked_before,
        )
        for url, _ in turn.site.sitemap_urls:
            plan.note_file(url)
        for url in published:
            if url not in frontier.known:
                plan.note_published(url)
        return plan

    def _published(self) -> tuple[list[str], AskedBefore | None]:
        """Return the addresses of the published pages, and the files that earlier audits requested.
        The files are None if this audit has read at least as many pages as are published."""
        header = self._turn.header
        website = websites.get(header.workspace_id, header.site_id)
        if website is None or website.summary is None:
            return [], None
        summary = website.summary
        rows = pages.load_list(website.id, summary.generation.crawl_id)
        published, answering = (
            sorted(row.url for row in rows if row.facts_crawl),
            sum(row.status == 200 for row in rows),
        )
        if summary.last_audit is None or header.pages_crawled >= answering:
            return published, None
        return published, AskedBefore(targets.load_known(summary.last_audit.id), answering)
