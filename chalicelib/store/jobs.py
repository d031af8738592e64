"""Jobs (table jobs): a website's background work other than crawls.

Access patterns
- a job of a website by its id: Get SITE#s, JOB#j; all of them: Query SITE#s
- overdue jobs that no worker holds: index ``overdueJobs`` (runShard, leaseUntil)

A job is in the index until it ends, except while it waits for something else, such as an earlier batch. At the end of
the wait it is put back into the index. A recurring job keeps its row, which has the time of the next run. Each claim of
a job increases a number, the fence. A worker's writes fail if the fence has changed since its claim.
"""

import contextlib
import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.jobs import Job
from chalicelib.store import items, keys, lanes, slots
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import Lane
from chalicelib.store.transactions import Delete, Put, Update, commit

TABLE: Final = "jobs"
JOB: Final = "job"  # in a ``Conflict``, the name of the write of a job
WAITING: Final = "waiting job"  # the name of the write that puts a waiting job back into the index
QUEUED_GRACE_SECONDS: Final = 60.0  # how long after its time a job is sent again, if its message seems lost
KEPT_SECONDS: Final = 30 * 86_400.0  # how long a job is kept after its end

_log = logging.getLogger(__name__)


def _item(job: Job) -> dict[str, Any]:
    pk, sk = keys.job(job.site_id, job.id)
    item: dict[str, Any] = {"pk": pk, "sk": sk, **msgspec.to_builtins(job, builtin_types=(bytes,))}
    if not job.lease_until:  # no worker holds the job: the same transaction frees the slot
        item |= {"lane": None, "slot": None}
    if job.ended_at is not None:
        item["ttl"] = int(job.ended_at + KEPT_SECONDS)
    else:
        item["runShard"] = keys.job_shard(job.site_id, job.id)
        item["leaseUntil"] = job.lease_until or job.due_at + QUEUED_GRACE_SECONDS
    return {name: value for name, value in item.items() if value is not None}


def put_new(job: Job, *, waits: bool = False) -> Put:
    """Return the write that creates a job. The write fails when the website has an unfinished job with that id.
    ``waits``: whether the job cannot start yet; then the job is not in the index ``overdueJobs`` until ``put_back``
    adds it."""
    condition = "attribute_not_exists(pk) OR attribute_exists(ended_at)"
    item = _item(job)
    if waits:
        item = {name: value for name, value in item.items() if name not in ("runShard", "leaseUntil")}
    return Put(TABLE, item, condition=condition, name=JOB)


def create(job: Job) -> None:
    """Create a job, unless the website has an unfinished job with that id."""
    write = put_new(job)
    with contextlib.suppress(Conflict):
        items.put(TABLE, write.item, condition=write.condition)


def get(site_id: str, job_id: str) -> Job | None:
    item = items.get(TABLE, *keys.job(site_id, job_id))
    return None if item is None else typed.convert(item, Job)


class Found(NamedTuple):
    """A job, and whether its website is slow for this kind of work."""

    job: Job | None
    slow: bool


def find(site_id: str, job_id: str, lane: Lane) -> Found:
    """Load a job for a worker of a queue. One round trip."""
    job, slow = (TABLE, *keys.job(site_id, job_id)), lane.slow_key(site_id)
    found = items.batch_get([job, slow])
    if job not in found:
        return Found(None, slow=False)
    read = typed.convert(found[job], Job)
    return Found(read, lanes.remembers(found.get(slow), read.work))


def get_many(site_id: str, job_ids: Iterable[str]) -> list[Job]:
    """Load these jobs, in the given order. Jobs that do not exist are left out. One round trip; none without ids."""
    wanted = [(TABLE, *keys.job(site_id, job_id)) for job_id in job_ids]
    found = items.batch_get(wanted)
    return [typed.convert(found[key], Job) for key in wanted if key in found]


def list_all(site_id: str) -> list[Job]:
    """Return the jobs of a website, ordered by id, including those that ended in the last 30 days."""
    rows = items.query_all(TABLE, keys.site_partition(site_id), keys.JOB_PREFIX)
    return [typed.convert(item, Job) for item in rows]


def claim(job: Job, *, now: float, lease_until: float, lane: Lane) -> Job | None:
    """Claim the job, and one of its workspace's concurrency slots in the queue, for this worker. Returns None if the
    job is not due, another worker holds it, or it changed since it was read. Raises ``slots.NoSlot`` when all slots are
    taken."""
    if job.ended or job.due_at > now:
        return None

    def taken(slot: int) -> list[Put]:
        return [
            Put(
                TABLE,
                _item(job.claimed(now, lease_until, lane.name, slot)),
                condition="#fence = :fence AND #slice = :slice AND #lease < :now AND attribute_not_exists(#ended)",
                names={"#fence": "fence", "#slice": "slice", "#lease": "lease_until", "#ended": "ended_at"},
                values={":fence": job.fence, ":slice": job.slice, ":now": now},
                name=JOB,
            )
        ]

    of_workspace = lane.slots_of(job.workspace_id)
    try:
        slot = slots.claim(of_workspace, taken, now=now, until=lease_until, holder=job.site_id + job.id, known={})
    except Conflict:
        return None
    return job.claimed(now, lease_until, lane.name, slot)


def postpone(job: Job, at: float, now: float) -> bool:
    """Postpone a job to ``at`` because its workspace has no free concurrency slot. This does not claim the job. Returns
    False if another worker postponed or claimed the job first."""
    return _moved(job, now, "SET due_at = :at, leaseUntil = :later", {":at": at, ":later": at + QUEUED_GRACE_SECONDS})


def forward(job: Job, now: float) -> bool:
    """Record that a job is sent to the slow queue, so that the sweeper (a schedule that finds overdue work) waits for
    that message. Returns False if another worker forwarded or claimed the job first."""
    values = {":later": now + lanes.FORWARDED_SECONDS, ":soon": now + lanes.FORWARDED_SECONDS / 2}
    return _moved(job, now, "SET leaseUntil = :later", values, "leaseUntil < :soon")


def _moved(job: Job, now: float, expression: str, values: dict[str, float], further: str = "due_at = :due") -> bool:
    """Change the due time of a job that no worker holds. Returns False when the job changed since it was read."""
    condition = f"{further} AND #fence = :fence AND #slice = :slice AND #lease < :now AND attribute_not_exists(#ended)"
    seen = {":fence": job.fence, ":slice": job.slice, ":now": now}
    try:
        items.update(
            TABLE,
            *keys.job(job.site_id, job.id),
            expression,
            condition=condition,
            names={"#fence": "fence", "#slice": "slice", "#lease": "lease_until", "#ended": "ended_at"},
            values={**seen, **values, **({":due": job.due_at} if ":due" in further else {})},
        )
    except Conflict:
        return False
    return True


def renew(job: Job, lease_until: float) -> None:
    """Renew a worker's lease and concurrency slot during a long step. It does not count as progress of the job. Raises
    ``FenceLost``."""
    kept = Update(
        TABLE,
        keys.job(job.site_id, job.id),
        "SET #lease = :until, leaseUntil = :until",
        condition="#fence = :fence AND attribute_not_exists(#ended)",
        names={"#lease": "lease_until", "#fence": "fence", "#ended": "ended_at"},
        values={":until": lease_until, ":fence": job.fence},
    )
    try:
        commit([kept, *lanes.follow(TABLE, job.workspace_id, job.lane, job.slot, lease_until)])
    except Conflict:
        raise FenceLost(job.id) from None


def put_fenced(job: Job) -> Put:
    """Return the write by which a worker stores the next state of its job, and extends or frees the job's concurrency
    slot. The write fails when another worker has claimed the job, or the job is gone."""
    return Put(
        TABLE,
        _item(job),
        condition="#fence = :fence AND attribute_not_exists(#ended)",
        names={"#fence": "fence", "#ended": "ended_at"},
        values={":fence": job.fence},
        name=JOB,
        also=lanes.follow(TABLE, job.workspace_id, job.lane, job.slot, job.lease_until),
    )


def put_begun_again(seen: Job, job: Job) -> Put:
    """Return the write that restarts a job. ``seen``: the job as it was read. ``job``: its new state. The write fails
    when a worker has claimed the job, or done a part of it, since it was read."""
    return Put(
        TABLE,
        _item(job),
        condition="#fence = :fence AND #slice = :slice AND attribute_not_exists(#ended)",
        names={"#fence": "fence", "#slice": "slice", "#ended": "ended_at"},
        values={":fence": seen.fence, ":slice": seen.slice},
        name=JOB,
        also=lanes.follow(TABLE, seen.workspace_id, seen.lane, seen.slot, 0.0) if seen.lease_until > job.due_at else (),
    )


def waits(job: Job) -> Update:
    """Return the write that releases the lease of a job that must wait, and removes the job from the index
    ``overdueJobs``. ``put_back`` adds the job to the index again. The write fails when another worker has claimed the
    job, or the job is gone."""
    return Update(
        TABLE,
        keys.job(job.site_id, job.id),
        "SET #lease = :none, stalled = :zero REMOVE runShard, leaseUntil",
        condition="#fence = :fence AND attribute_not_exists(#ended)",
        names={"#lease": "lease_until", "#fence": "fence", "#ended": "ended_at"},
        values={":none": 0.0, ":zero": 0, ":fence": job.fence},
        name=JOB,
    )


def put_back(site_id: str, job_id: str, now: float) -> Update:
    """Return the write that puts a waiting job back into the index ``overdueJobs``. By this index the sweeper finds
    overdue jobs, even if a message was lost. The write fails when the job has ended or does not wait. The name of this
    write in a ``Conflict`` is ``WAITING``."""
    return Update(
        TABLE,
        keys.job(site_id, job_id),
        "SET runShard = :shard, leaseUntil = :at",
        condition="attribute_exists(pk) AND attribute_not_exists(runShard) AND attribute_not_exists(#ended)",
        names={"#ended": "ended_at"},
        values={":shard": keys.job_shard(site_id, job_id), ":at": now + QUEUED_GRACE_SECONDS},
        name=WAITING,
    )


def due_earlier(site_id: str, job_id: str, due_at: float) -> Update:
    """Return the write that makes a job due earlier, at ``due_at``. The write fails when the job has ended, is due
    earlier already, or is held by a worker, which sets the next time itself."""
    return Update(
        TABLE,
        keys.job(site_id, job_id),
        "SET due_at = :due, leaseUntil = :at",
        condition="due_at > :due AND #lease = :none AND attribute_not_exists(#ended)",
        names={"#lease": "lease_until", "#ended": "ended_at"},
        values={":due": due_at, ":at": due_at + QUEUED_GRACE_SECONDS, ":none": 0.0},
        name=JOB,
    )


def removed(site_id: str, job_id: str) -> Delete:
    """Return the write that removes a job, even while a worker holds it: the worker's writes then fail."""
    return Delete(TABLE, keys.job(site_id, job_id))


def overdue(shard: str, now: float) -> Iterator[Job]:
    """Yield the overdue jobs of one partition of the index that no worker holds, longest overdue first. They are read
    as the caller takes them. The index may lag behind the rows for a moment. A row that cannot be read is logged and
    skipped.
    """
    for item in items.query_index("overdueJobs", shard, now):
        try:
            yield typed.convert(item, Job)
        except msgspec.ValidationError:
            _log.exception("a job cannot be read", extra={"pk": item["pk"], "sk": item["sk"]})
