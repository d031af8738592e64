"""The worker of the queues ``crawl`` and ``crawl-slow``: one slice (a worker's turn) of an audit or preview.

Trigger: a message {workspaceId, siteId, crawlId, slice}, sent when an audit starts and when a slice hands over to the
next. The sweeper also sends it, for crawls whose worker no longer renews its lease. For previews, see ``previewing``.

Claim: it succeeds only if the audit's header still has the slice number of the message, and if the lease in the header
has expired. The claim increases the header's fence, a number that every later write of this worker must find unchanged.
Concurrency slots, and fast and slow queues: see ``lease``.

Slices are short, so that long audits take turns: the next slice of an audit goes to the end of its queue. If the
website does not answer in time, the next slice goes to the slow queue.

Failure policy
- Killed before the claim: the message is delivered again, or the sweeper sends it.
- Killed between two checkpoints: the next worker reads again what was read since the last checkpoint. A checkpoint
  (header, frontier step, facts) is one transaction, so no page is counted or kept twice.
- Killed while targets of links and canonicals are requested: the next worker requests again the targets since the last
  checkpoint.
- Waiting for a browser: see ``asking_browser``.
- Killed while judging or publishing: see ``judging`` and ``publishing``.
- Two workers claim one slice: the second claim fails. A worker that lost its lease stops, because its next write fails.
- If an audit is taken over three times without a new checkpoint, it fails, and its error says so.
"""

import asyncio
import gc
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import msgspec

from chalicelib import clock, metrics
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.net.fetch import Fetcher
from chalicelib.net.guard import Guard
from chalicelib.operations.rechecks import send_waiting
from chalicelib.operations.speed import keep_up
from chalicelib.settings.core import core_settings
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.store import crawl_turns, crawls, generations, places, websites
from chalicelib.store.context import request_id
from chalicelib.store.lanes import LANES, Lane
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import Conflict, Write, commit, committed
from chalicelib.workers.audit import asking_browser, previewing
from chalicelib.workers.audit.after_reading import AfterReading
from chalicelib.workers.audit.discovering import WebsiteUnreadable
from chalicelib.workers.audit.lease import Turn, belongs_elsewhere, claim, comes_early
from chalicelib.workers.audit.slices import PlaceLost, Slice
from chalicelib.workers.patience import OutOfPatience

TURN_SECONDS = 240.0  # a slice lasts no longer, so that other audits have their turn
MARGIN_SECONDS = 90.0  # a slice hands over when the function has this long left
STALLED_TAKEOVERS = 3
TRIES = 5  # how often an end starts over because a recheck started to wait for the crawl lock at the same moment
# An audit creates millions of small objects and hardly a cycle. Python's default frequency of cycle collection would
# cost a tenth of the audit and free nothing.
OBJECTS_PER_COLLECTION = 50_000

_log = logging.getLogger(__name__)


class Context(Protocol):
    """The runtime context of the function, from Lambda or from the local pump."""

    def get_remaining_time_in_millis(self) -> int: ...


def handle(message: Mapping[str, Any], context: Context) -> None:
    """Run the slice that the message names. Does nothing if the slice is no longer due."""
    _handle(message, context, LANES["crawl"])


def handle_slow(message: Mapping[str, Any], context: Context) -> None:
    """Run the slice that the message names. Used for the slow queue, which has the work of websites that do not answer
    in time."""
    _handle(message, context, LANES["crawl-slow"])


def _handle(message: Mapping[str, Any], context: Context, lane: Lane) -> None:
    token = request_id.set(message.get("requestId"))
    try:
        with _rare_collections():
            _take(message, context, lane)
    finally:
        request_id.reset(token)


@contextmanager
def _rare_collections() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS_PER_COLLECTION, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _take(message: Mapping[str, Any], context: Context, lane: Lane) -> None:
    header, slow = crawl_turns.find(message["siteId"], message["crawlId"], lane)
    if header is None:
        return
    if header.ended:
        _after(header)
        return
    if header.slice != message["slice"]:
        return
    if comes_early(header, lane):
        return
    if belongs_elsewhere(header, lane, slow=slow):
        return
    place = None
    if header.status == "queued" and header.kind == "audit":
        place = places.start(header.workspace_id, header.site_id, header.id)
    try:
        turn = claim(header, lane, place, slow=slow)
    except NoSlot:
        return
    if turn is not None:
        _run(turn, context)


def _run(claimed_turn: Turn, context: Context) -> None:
    claimed, watch = claimed_turn.header, claimed_turn.watch
    try:
        if claimed.stalled >= STALLED_TAKEOVERS:
            _fail(claimed, f"The {claimed.kind} was restarted three times and made no progress.")
            return
        if claimed.cancel_requested and claimed.checkpoint == 0:
            _end_unread(claimed)
            return
        latest = clock.monotonic() + min(float(crawl_settings().slice_seconds), TURN_SECONDS)

        def stop_at() -> float:  # called repeatedly: a process that is being stopped has less time than its function
            left = clock.monotonic() + context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
            return min(latest, left, latest if watch.gives_up_at is None else watch.gives_up_at)

        turn = Slice(claimed, stop_at, watch)
        if not asyncio.run(_read_on(turn)):
            turn.hand_over(claimed_turn.remembered(), claimed_turn.goes_on_in)
            return
        remembered = claimed_turn.remembered()  # before judging, whose time says nothing about the website
        if turn.header.kind == "audit" and asking_browser.ask(turn):
            return
        if turn.header.partial_reason == "cancelled" and turn.header.pages_crawled == 0:
            _end_unread(turn.header)
        else:
            _publish(turn)
        committed(remembered)
    except (crawls.FenceLost, PlaceLost):
        _log.info(
            "the crawl was taken over by another worker, or its website was removed", extra={"crawlId": claimed.id}
        )
        if claimed.kind == "preview":
            previewing.overtaken(claimed)
    except OutOfPatience:  # before anything was read
        claimed_turn.give_back()
    except crawls.CancelRequested:  # before anything was read
        _end_unread(claimed)
    except WebsiteUnreadable as reason:
        _fail(claimed, previewing.said(claimed, str(reason)))


async def _read_on(turn: Slice) -> bool:
    """Read on from the last checkpoint. Returns True if everything is read, False if the time is over."""
    network, settings = network_settings(), crawl_settings()
    guard = Guard(network.allow_addresses, network.extra_hosts)
    if turn.header.kind == "preview":
        reading: Fetcher = previewing.fetcher(turn.header, guard)
    else:
        reading = Fetcher(guard, user_agent=settings.user_agent, extra_ca_file=network.extra_ca_file)
    async with reading as fetcher:
        return await turn.read_pages(fetcher) and await AfterReading(turn, fetcher).run()


def _publish(turn: Slice) -> None:
    """Judge the read pages and publish the result. If the user cancels during this step, publish a cancelled audit of
    these pages."""
    try:
        _after(_judge_and_publish(turn))
    except crawls.CancelRequested:
        turn.cancelled_after_reading()
        _after(_judge_and_publish(turn))


def _judge_and_publish(turn: Slice) -> CrawlHeader:
    # The judges import large libraries such as numpy; slices that only read pages skip them.
    from chalicelib.workers.audit import judging, publishing

    publishing.tell_scoring(turn.header)
    judgement = judging.judge(turn.header, turn.site, turn.addresses(), turn.committed, turn.keep_lease)
    if turn.header.kind == "preview":
        ended = previewing.publish(turn.header, judgement, turn.keep_lease)
        _use(ended)
        return ended
    ended = publishing.publish(turn.header, judgement, turn.keep_lease)
    _count(ended)
    return ended


def _fail(header: CrawlHeader, error: str) -> None:
    """End an audit without a result. Score and issues stay unchanged."""
    _end(msgspec.structs.replace(header, status="failed", error=error))


def _end_unread(header: CrawlHeader) -> None:
    """End an audit that was cancelled before it had read any page."""
    _end(msgspec.structs.replace(header, status="cancelled", partial_reason="cancelled"))


def _end(header: CrawlHeader) -> None:
    if header.kind == "preview":
        _use(previewing.end(header))
        return
    now = clock.now()
    ended = msgspec.structs.replace(header, stage="finished", finished_at=now, lease_until=0.0)
    website = websites.get(header.workspace_id, header.site_id)
    told = CrawlEvents(ended, website.host if website else None, core_settings().app_root, now, {})
    put = crawls.put_fenced(ended, committed_checkpoint=header.checkpoint, heed_cancel=False)
    freeing = places.freeing(website) if website is not None else None
    for _ in range(TRIES):
        writes: list[Write] = [put]
        if freeing is not None:
            free = places.free(header.workspace_id, header.site_id, header.id, freeing)
            writes += [free, *freeing.writes(now)]
        try:
            commit(writes, [told.audit_unpublished(website.summary if website else None)])
        except Conflict as conflict:
            again = places.freeing_again(conflict, header.site_id, header.id)
            if again is None:
                raise crawls.why_lost(conflict, header) from None
            freeing = again
        else:
            _count(ended)
            _after(ended)
            return
    raise Conflict({places.PLACE: None})


def _count(ended: CrawlHeader) -> None:
    """Record the metrics of an audit whose end is committed. An audit that never started has taken no time."""
    took = 0.0 if ended.started_at is None else clock.now() - ended.started_at
    metrics.put(metrics.AUDITS, ended.status, Audits=1, PagesRead=ended.pages_crawled, AuditTime=took)
    _use(ended)


def _use(ended: CrawlHeader) -> None:
    metrics.use("pages", ended.workspace_id, ended.pages_crawled)


def _after(header: CrawlHeader) -> None:
    """Do what follows an audit's end: mark replaced data for expiry, create the speed jobs, send the next recheck. If
    the worker is killed before that, the next worker does it."""
    if header.kind == "preview":
        return
    if header.replaces is not None:
        generations.expire_replaced(header.site_id, header.id, header.replaces)
    if header.status == "done":
        keep_up(header.workspace_id, header.site_id, clock.now())
    send_waiting(header.site_id)
