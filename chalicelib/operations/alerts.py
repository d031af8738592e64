"""Handles reports from a website's CMS. If pages changed, they are read again. If the CMS's plugins or settings
changed, the CMS is asked for its status."""

from collections.abc import Sequence
from typing import Final

from chalicelib.domain import ids
from chalicelib.domain.audit.alert import GATHER_SECONDS, MOST_WAITING, shared_out
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.connections import WRITER_KINDS, job_id
from chalicelib.domain.crawl.budget import audit_budget
from chalicelib.operations.audits import send_slice
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import tell
from chalicelib.operations.rechecks import TIME_LIMIT_MINUTES
from chalicelib.randomness import random_bytes
from chalicelib.store import alerts, crawls, jobs
from chalicelib.store.alerts import Gathering
from chalicelib.store.context import request_id
from chalicelib.store.transactions import Write, committed
from chalicelib.store.websites import Website

MESSAGE_SECONDS: Final = GATHER_SECONDS + 2  # later than the alert is due, for workers whose clocks are slow


def changed_pages(
    website: Website, addresses: Sequence[str], *, plan_limit: int, person_id: str | None, now: float
) -> int:
    """Queue these addresses of the website to be read again. Returns how many were accepted.

    An alert is a crawl that reads reported addresses. It starts half a minute after it was queued, and contains all
    addresses that are reported until then, up to its limit. No address is accepted before the first audit, which reads
    all pages anyway, or while too many addresses wait.

    Refused: ``busy``. Costs at most two database reads and one transaction, and for each new alert one queue message.
    If the latest alert is full, more database reads are needed to count the waiting addresses.
    """
    wanted = list(dict.fromkeys(addresses))
    if website.current_crawl is None or not wanted:
        return 0
    for _ in tries():
        before = alerts.gathering(website.id)
        waiting = before.addresses if before is not None and before.waits else []
        joined, *others = shared_out(waiting, wanted)
        if waiting and others:  # the waiting alert is full, so others may already wait too
            others = others[: max(0, MOST_WAITING - _waiting(website.id))]
        if not waiting:
            others, joined = [joined, *others][:MOST_WAITING], []
        # In the order in which they are processed: ids of the same millisecond have no order.
        headers = sorted((_new(website, plan_limit, person_id, now) for _ in others), key=lambda header: header.id)
        if committed(_writes(website.id, before, waiting, joined, list(zip(headers, others, strict=True)))):
            for header in headers:
                send_slice(header, delay_seconds=round(MESSAGE_SECONDS))
            taken = {*joined, *(url for urls in others for url in urls)}
            return sum(url in taken for url in wanted)
    raise Refused("busy", "Other alerts of this website are being stored at the same moment; try again in a moment.")


def _writes(
    site_id: str,
    before: Gathering | None,
    waiting: Sequence[str],
    joined: Sequence[str],
    new: Sequence[tuple[CrawlHeader, list[str]]],
) -> list[Write]:
    writes: list[Write] = []
    if before is not None and len(joined) > len(waiting):
        writes += alerts.joined(site_id, before, joined)
    for header, urls in new:
        writes += alerts.created(header, urls)
    if new:
        writes.append(alerts.gathers(new[-1][0], before))
    return writes


def _waiting(site_id: str) -> int:
    return sum(header.alert for header in crawls.queued_rechecks(site_id))


def _new(website: Website, plan_limit: int, person_id: str | None, now: float) -> CrawlHeader:
    """Make a new alert. It may add unknown pages until the website has as many pages as an audit may read."""
    return CrawlHeader(
        id=ids.time_ordered("crawl", now, random_bytes(10)),
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="recheck",
        status="queued",
        stage="queued",
        queued_at=now,
        page_budget=audit_budget(website.page_budget, plan_limit).default,
        time_limit_minutes=TIME_LIMIT_MINUTES,
        person_id=person_id,
        request_id=request_id.get(),
        alert=True,
        due_at=now + GATHER_SECONDS,
    )


def changed_system(website: Website, *, now: float) -> None:
    """Ask the website's CMS and shop for their status half a minute from now. Several calls within this time cause only
    one request. Does nothing if no connection exists."""
    for kind in WRITER_KINDS:
        if website.connections.of(kind) is None:
            continue
        if committed([jobs.due_earlier(website.id, job_id(kind), now + GATHER_SECONDS)]):
            tell(website.id, job_id(kind), "connection_status", MESSAGE_SECONDS)
