"""Functions with which workers claim a crawl (and a concurrency slot of its workspace), postpone it, or move it to the
slow queue.

Access patterns
- a crawl for a worker, and whether the crawl's website is slow: one BatchGet (SITE#s, AUDIT#c, RECHECK#c or PREVIEW#c,
  SLOW#queue)
- the slots of the workspace (``slots``): taken in the transaction that claims the crawl
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.store import crawls, items, keys, lanes, slots
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import Lane
from chalicelib.store.transactions import Put, Update, Write, commit


class Found(NamedTuple):
    """A crawl, and whether its website is slow for this kind of crawl."""

    header: CrawlHeader | None
    slow: bool


def find(site_id: str, crawl_id: str, lane: Lane) -> Found:
    """Load an audit, a recheck or a preview for a worker of a queue. One round trip."""
    pk, slow = keys.site_partition(site_id), lane.slow_key(site_id)
    wanted = [(crawls.TABLE, pk, prefix + crawl_id) for prefix in crawls.SORT_KEYS.values()]
    found = items.batch_get([*wanted, slow])
    header = next((crawls.to_header(found[key]) for key in wanted if key in found), None)
    return Found(header, header is not None and lanes.remembers(found.get(slow), header.kind))


def claim(
    header: CrawlHeader, *, now: float, lease_until: float, place: Update | None, lane: Lane
) -> CrawlHeader | None:
    """Claim for this worker the crawl's next slice (the part that a worker does in one run), and one of the workspace's
    concurrency slots in the queue.

    Returns None if another worker holds the crawl, or the crawl changed since it was read. Raises ``slots.NoSlot`` when
    all slots are taken. ``place``: a write that changes the website's crawl lock in the same transaction; None for no
    change.
    """
    progressed = header.checkpoint != header.claimed_checkpoint
    claimed = msgspec.structs.replace(
        header,
        status="running",
        stage="discovering" if header.stage == "queued" else header.stage,
        started_at=header.started_at or now,
        lease_until=lease_until,
        fence=header.fence + 1,
        claimed_checkpoint=header.checkpoint,
        stalled=0 if progressed else header.stalled + 1,
        lane=lane.name,
    )
    condition = Put(
        crawls.TABLE,
        {},
        condition="#slice = :slice AND #fence = :fence AND #lease < :now "
        "AND #checkpoint = :checkpoint AND #cancel = :cancel",
        names={
            "#slice": "slice",
            "#fence": "fence",
            "#lease": "lease_until",
            "#checkpoint": "checkpoint",
            "#cancel": "cancel_requested",
        },
        values={
            ":slice": header.slice,
            ":fence": header.fence,
            ":now": now,
            ":checkpoint": header.checkpoint,
            ":cancel": header.cancel_requested,
        },
        name=crawls.HEADER,
    )

    def taken(slot: int) -> list[Write]:
        put = replace(condition, item=crawls.header_item(msgspec.structs.replace(claimed, slot=slot)))
        return [put] if place is None else [put, place]

    of_workspace = lane.slots_of(header.workspace_id)
    try:
        slot = slots.claim(of_workspace, taken, now=now, until=lease_until, holder=header.id, known={})
    except Conflict:
        return None
    return msgspec.structs.replace(claimed, slot=slot)


def give_back(header: CrawlHeader, now: float, also: Sequence[Write] = ()) -> None:
    """Release the lease and the concurrency slot of a crawl that continues in the other queue. This does not count as a
    crashed worker. A request to cancel the crawl is kept. Raises ``FenceLost``."""
    free = lanes.follow(crawls.TABLE, header.workspace_id, header.lane, header.slot, 0.0)
    released = Update(
        crawls.TABLE,
        crawls.header_key(header),
        "SET #lease = :none, leaseUntil = :at, #claimed = :never, stalled = :zero REMOVE #lane, #slot",
        condition="#fence = :fence AND #checkpoint = :checkpoint",
        names={
            "#lease": "lease_until",
            "#claimed": "claimed_checkpoint",
            "#lane": "lane",
            "#slot": "slot",
            "#fence": "fence",
            "#checkpoint": "checkpoint",
        },
        values={
            ":none": 0.0,
            ":at": now + crawls.QUEUED_GRACE_SECONDS,
            ":never": -1,
            ":zero": 0,
            ":fence": header.fence,
            ":checkpoint": header.checkpoint,
        },
        name=crawls.HEADER,
    )
    try:
        commit([released, *free, *also])
    except Conflict:
        raise FenceLost(header.id) from None


def postpone(header: CrawlHeader, at: float, now: float) -> bool:
    """Postpone a crawl to ``at`` because its workspace has no free concurrency slot. This does not claim the crawl.
    Returns False if another worker postponed or claimed the crawl first."""
    # Headers of earlier versions do not say when they are due.
    values = {":at": at, ":later": at + crawls.QUEUED_GRACE_SECONDS, ":due": header.due_at}
    condition = "(attribute_not_exists(due_at) OR due_at = :due)"
    return _moved(header, now, "SET due_at = :at, leaseUntil = :later", values, condition)


def forward(header: CrawlHeader, now: float) -> bool:
    """Record that a crawl is sent to the slow queue, so that the sweeper (a schedule that finds overdue work) waits for
    that message. Returns False if another worker forwarded or claimed the crawl first."""
    values = {":later": now + lanes.FORWARDED_SECONDS, ":soon": now + lanes.FORWARDED_SECONDS / 2}
    return _moved(header, now, "SET leaseUntil = :later", values, "leaseUntil < :soon")


def _moved(header: CrawlHeader, now: float, expression: str, values: dict[str, float], further: str) -> bool:
    """Change the due time of a crawl that no worker holds. Returns False when the crawl changed since it was read."""
    try:
        items.update(
            crawls.TABLE,
            *crawls.header_key(header),
            expression,
            condition=f"{further} AND attribute_exists(runShard) AND #fence = :fence AND #slice = :slice"
            " AND #lease < :now",
            names={"#fence": "fence", "#slice": "slice", "#lease": "lease_until"},
            values={":fence": header.fence, ":slice": header.slice, ":now": now, **values},
        )
    except Conflict:
        return False
    return True
