"""Reads the pages of an alert again, judges them by all page rules, and publishes what changed. An alert is a job that
starts when a CMS reports changed pages.

The module ``recheck`` claims an alert together with the website's crawl lock, as it does with every recheck. The lease
is renewed while pages are read and judged.

Failure policy
- Killed while pages are read: no page is stored, and the next worker reads all of them again.
- Killed after all pages are read: the pages are stored as a checkpoint. The next worker judges the same facts, and
  writes the same blocks under the alert's own id. Nothing refers to these blocks yet.
- One transaction makes everything visible: issues, score, pages, the freed lock, the alert's end and the events. The
  pages are compared with those published before, so that each difference counts once.
- Killed after that: the alert has ended. When the message of the alert is delivered again, the worker marks the
  replaced data for expiry.
- A page does not answer, or there is no time for it: it keeps its facts and findings, and the alert's notes say so.
- The website does not answer at all: the alert fails.
- Three workers in a row reach no checkpoint: the alert fails.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from chalicelib import clock, metrics
from chalicelib.domain.audit.publish import ended
from chalicelib.domain.audit.records import CrawlHeader, CrawlStatus, PageRow
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.crawl.assets import is_file
from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.alerting import Reread, judge_changes
from chalicelib.store import alerts, blocks, crawls, generations, pages, places, targets, websites
from chalicelib.store.transactions import Conflict, Write, commit, committed
from chalicelib.store.websites import Website
from chalicelib.workers.audit import amending, learning, republishing
from chalicelib.workers.audit.crawl import STALLED_TAKEOVERS
from chalicelib.workers.audit.discovering import WebsiteUnreadable
from chalicelib.workers.audit.inputs import load_beside, load_published
from chalicelib.workers.audit.judging import log_failures
from chalicelib.workers.audit.lease import LEASE_SECONDS, Lease, Turn, during
from chalicelib.workers.audit.publishing import TRIES
from chalicelib.workers.audit.rereading import read_again

STEPS_PER_FENCE = 100  # steps reserved for each worker's facts: 10,000 blocks


def run(turn: Turn, stop_at: float) -> None:
    """Read, judge and publish the pages of an alert. ``stop_at``: when reading ends (monotonic seconds).

    Raises ``OutOfPatience`` in the fast queue, if the website answers too slowly.
    """
    header = turn.header
    website = websites.get(header.workspace_id, header.site_id)
    if website is None:  # the website was removed, with all of its data
        return
    try:
        if header.cancel_requested:
            _end(website, header, "cancelled", "The recheck was cancelled.")
        elif header.stalled >= STALLED_TAKEOVERS:
            _end(website, header, "failed", "The recheck was restarted three times and did not finish.")
        elif website.summary is None:
            _end(website, header, "done")
        else:
            _Alert(website, website.summary, Lease(header, turn.watch)).run(header, stop_at)
            committed(turn.remembered())
    except crawls.FenceLost:
        return
    except crawls.CancelRequested:
        _end(website, header, "cancelled", "The recheck was cancelled.")
    except WebsiteUnreadable as reason:
        _end(website, header, "failed", str(reason))


def clean_up(header: CrawlHeader) -> None:
    """Mark for expiry the data that a finished alert replaced. If the alert published nothing, mark the data that it
    stored itself."""
    if header.replaces is not None:
        generations.expire_replaced(header.site_id, header.id, header.replaces)
    else:
        blocks.expire(crawls.TABLE, crawls.block_keys(header.id))


@dataclass(frozen=True, slots=True)
class _Alert:
    """A claimed alert, and its website's published data at the claim. Nobody else changes that data meanwhile."""

    website: Website
    summary: SiteSummary
    lease: Lease

    def run(self, header: CrawlHeader, stop_at: float) -> None:
        rows = {row.url: row for row in pages.load_list(header.site_id, self.summary.generation.crawl_id)}
        audit = load_published(header.site_id, self.summary, rows, self.lease.keep)
        beside = load_beside(header.site_id)
        asked = _readable(header, rows)
        if header.checkpoint == 0:
            header = self._read(header, asked, audit.pages, stop_at)
        reread, placed = _load(header, asked)
        judged = judge_changes(
            header.site_id,
            reread,
            audit=audit,
            known=rows.keys(),
            now=header.reading_ended_at or header.queued_at,
            beside=beside,
            keep_lease=self.lease.keep,
        )
        self.lease.keep()
        learning.keep(header, self.summary, audit, reread.pages, reread.images)
        log_failures(header.id, judged.failures)
        told = msgspec.structs.replace(header, notes=_notes(header, reread))
        if judged.pages:
            amendment = amending.Amendment(self.website, self.summary, told, judged, rows, placed, beside)
            done = amending.publish(amendment, self.lease.keep)
            metrics.use("pages", done.workspace_id, done.pages_crawled)
            clean_up(done)
        else:
            _end(self.website, told, "done")

    def _read(
        self, header: CrawlHeader, asked: Sequence[str], published: Mapping[str, PageFacts], stop_at: float
    ) -> CrawlHeader:
        """Read the pages and store the result. Returns the header with that checkpoint."""
        reading = read_again(
            self.website.url,
            header.id,
            asked,
            linking=(),
            images=True,
            resources=True,
            published=published,
            before=[published[url] for url in asked if url in published],
            stop_at=stop_at,
            answered=self.lease.answered,
        )
        fresh = asyncio.run(during(reading, self.lease.wait))
        late = clock.monotonic() >= stop_at and any(url not in fresh.pages for url in asked)
        read = msgspec.structs.replace(
            header,
            stage="analysing",
            pages_discovered=len(asked),
            pages_crawled=sum(url in fresh.pages and answered(fresh.pages[url]) for url in asked),
            partial_reason="time_budget" if late else None,
            site_facts_fence=header.fence,
            reading_ended_at=clock.now(),
            lease_until=clock.now() + LEASE_SECONDS,
            checkpoint=1,
        )
        # Block numbers depend on the fence, so a worker that lost its lease cannot overwrite its successor's blocks.
        crawls.put_site_facts(header.id, header.fence, fresh.site)
        packed = crawls.pack_facts(list(fresh.pages.values()))
        blocks.write(crawls.facts_writes(header.id, header.fence * STEPS_PER_FENCE, packed))
        blocks.write(targets.writes(header.id, header.fence, fresh.files))
        try:
            commit([crawls.put_fenced(read, committed_checkpoint=header.checkpoint)])
        except Conflict as conflict:
            raise crawls.why_lost(conflict, header) from None
        self.lease.kept()
        self.lease.heeds_cancel = False  # the remaining steps take almost no time
        return read


def _readable(header: CrawlHeader, rows: Mapping[str, PageRow]) -> list[str]:
    """Return the addresses that the alert reads, published pages first. ``rows``: the published pages by address.

    Other addresses are added to the website's pages as long as these are fewer than its audits may read. Addresses of
    files are never added.
    """
    asked = alerts.asked(header.id)
    known = [url for url in asked if url in rows]
    room = header.page_budget - sum(row.facts_crawl is not None for row in rows.values())
    new = [url for url in asked if url not in rows and not is_file(url)]
    return [*known, *new[: max(0, room)]]


def _load(header: CrawlHeader, asked: Sequence[str]) -> tuple[Reread, dict[str, int]]:
    """Load the pages that the alert has read, and the number of each page's block of facts."""
    read: dict[str, PageFacts] = {}
    placed: dict[str, int] = {}
    most = STEPS_PER_FENCE * crawls.FACTS_BLOCKS_PER_STEP
    first = header.site_facts_fence * most
    for number, block in crawls.load_facts(header.id, range(first, first + most)):
        for facts in block:
            read[facts.url], placed[facts.url] = facts, number
    site = crawls.load_site_facts(header.id, header.site_facts_fence)
    images = list(targets.load(header.id, header.site_facts_fence))
    return Reread(site, read, images, asked), placed


def _notes(header: CrawlHeader, reread: Reread) -> list[str]:
    unread = sum(url not in reread.pages or not answered(reread.pages[url]) for url in reread.asked)
    if not unread:
        return []
    why = "no answer, or forbidden by robots.txt"
    if header.partial_reason == "time_budget":
        why = f"the time was over, {why}"
    return [f"{unread:,} of {len(reread.asked):,} addresses could not be read: {why}. Their last known state is kept."]


def _end(website: Website, header: CrawlHeader, status: CrawlStatus, error: str | None = None) -> None:
    """End an alert that publishes nothing. Raises ``FenceLost``."""
    freeing = places.freeing(website)
    for _ in range(TRIES):
        now = clock.now()
        end = msgspec.structs.replace(ended(header, status, now), error=error)
        writes: list[Write] = [
            places.free(header.workspace_id, header.site_id, header.id, freeing),
            crawls.put_fenced(end, committed_checkpoint=header.checkpoint, heed_cancel=False),
            alerts.forgotten(header.id),
            *freeing.writes(now),
        ]
        try:
            commit(writes)
            clean_up(end)
            return
        except Conflict as conflict:
            freeing = republishing.freeing_again(conflict, header, freeing)
    raise Conflict({places.PLACE: None})
