"""The common part of all workers of jobs: claims, leases that last as long as the worker lives, and the fast and slow
queues.

A message {siteId, jobId} only asks a worker to check the job. Once a worker has claimed the job, no other worker can
claim it until the lease is over. The claim also increases the job's fence, a number that each later write of the
worker must find unchanged. So a worker whose job was taken over cannot write any more.

Failure policy
- A claim takes the job and one of its workspace's concurrency slots in the queue, in one transaction. The commit that
  ends the lease frees the slot. The slot of a killed worker is free when its lease is over.
- A job that finds no slot is postponed for some seconds. That does not count as a failed attempt. Only the worker that
  postpones the job's row sends the next message.
- When a long job is handed over to the next worker, postponed work of the same workspace gets the slot first. So a
  workspace's long jobs do not delay its short jobs.
- A message may come a moment before the job is due, since the clocks of two machines differ. The message is then sent
  again with the remaining delay.
- If the job's website is slow at this kind of work, the job is forwarded from the fast to the slow queue, without a
  claim.
- A job that waits too long for answers in the fast queue releases its worker. Committed work stays, and the job
  continues in the slow queue. One transaction releases the job, frees its slot, and records that the website is slow.
  If the worker is killed after this transaction, the sweeper sends the message.
- The record that the website is slow is removed only if the website answers work of the same kind in time. A job
  without requests leaves the record unchanged.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from chalicelib import clock, randomness
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations.jobs import send_job
from chalicelib.store import jobs, slots
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import Lane
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import Write, commit
from chalicelib.workers.patience import OutOfPatience, Watch

LEASE_SECONDS: Final = 240.0
RENEW_SECONDS: Final = 60.0
# The largest difference between two machines' clocks. It is at most the shortest postponement, so that copies of a
# message do not multiply.
EARLY_SECONDS: Final = 2.0
PUT_OFF_SECONDS: Final = (2.0, 10.0)  # shortest and longest postponement if a workspace has no free slot
YIELD_SECONDS: Final = PUT_OFF_SECONDS[1] + 2.0  # longer than a postponement: postponed work goes first
ASK_NOBODY: Final[frozenset[JobKind]] = frozenset(
    {"keyword_tasks", "removal"}
)  # their duration says nothing about a website

_log = logging.getLogger(__name__)


class JobLease:
    """The lease on a job that this worker has claimed."""

    def __init__(self, job: Job, lane: Lane, seconds: float = LEASE_SECONDS, *, was_slow: bool = False) -> None:
        """``was_slow``: whether the website was slow at this kind of work when the job was claimed."""
        self.job = job
        self._watch = Watch(lane)
        self._was_slow = was_slow
        self._seconds = seconds
        self._ends_at = job.lease_until
        self._kept_at = clock.monotonic()

    def until(self) -> float:
        """Return the end of a lease that starts now (epoch seconds)."""
        return clock.now() + self._seconds

    def keep(self) -> None:
        """Renew the lease if it is due. Raises ``FenceLost``."""
        if clock.monotonic() - self._kept_at >= RENEW_SECONDS:
            self.job, until = self._with_own_slot(self.job), self.until()
            jobs.renew(self.job, until)
            self._ends_at = until
            self._kept_at = clock.monotonic()

    def wait(self) -> None:
        """Renew the lease if it is due, while waiting for the website.

        Raises ``FenceLost``. In the fast queue, it also raises ``OutOfPatience`` if too few answers came.
        """
        self._watch.check()
        self.keep()

    def answered(self) -> None:
        """Count an answer of an outside system."""
        self._watch.answered()

    @property
    def watch(self) -> Watch:
        """The counter of the website's answers, and of the time spent waiting for them."""
        return self._watch

    def checkpoint(self, writes: Sequence[Write], **payload: Any) -> None:
        """Commit a part of the job, and renew the lease. ``payload``: the members of the job's input that change.

        Raises ``FenceLost``, and ``Conflict`` if another of the writes failed.
        """
        self.commit(self.job.advanced(self.until(), **payload), writes)
        self._kept_at = clock.monotonic()

    def begin(self, writes: Sequence[Write], **payload: Any) -> None:
        """Commit that a part of the job starts, and renew the lease. Unlike ``checkpoint``, this does not count as
        progress."""
        self.commit(self.job.begun(self.until(), **payload), writes)
        self._kept_at = clock.monotonic()

    def commit(self, job: Job, writes: Sequence[Write], events: Sequence[Event] = ()) -> None:
        """Commit writes and events together with the job's next state. Raises the same errors as ``checkpoint``."""
        job = self._with_own_slot(job)
        try:
            commit([jobs.put_fenced(job), *writes, *(self._remembered() if not job.lease_until else ())], events)
        except Conflict as conflict:
            if jobs.JOB in conflict.failed:
                raise FenceLost(job.id) from None
            raise
        self.job, self._ends_at = job, job.lease_until

    def _with_own_slot(self, job: Job) -> Job:
        """Return the job, without its slot if the lease has run out: another worker may have taken the slot."""
        return job if clock.now() < self._ends_at else msgspec.structs.replace(job, lane=None, slot=None)

    def hand_over(self, seconds: float = 0.0, writes: Sequence[Write] = (), **payload: Any) -> None:
        """Release the lease, and let another worker do the next part after this many seconds.

        If other work of the workspace waits for a concurrency slot, that work gets the slot first.

        ``writes``: further writes of the transaction. ``payload`` and errors: as for ``checkpoint``.
        """
        if seconds < YIELD_SECONDS:  # a longer delay lets others go first anyway
            seconds = max(seconds, yield_seconds(self.job.workspace_id, self._watch.lane))
        self.commit(self.job.goes_on(clock.now() + seconds, **payload), writes)
        send_job(self.job, seconds)

    def give_back(self) -> None:
        """Release the lease. The job continues in the slow queue, from its last commit. Raises ``FenceLost``."""
        self.commit(self.job.goes_on(clock.now()), [])
        send_job(self.job, lane=self._watch.lane.slow_lane)

    def _remembered(self) -> Sequence[Write]:
        """Return the write that marks the website as slow, or as no longer slow. Empty if that has not changed."""
        lane, is_slow = self._watch.lane, self._watch.counts_as_slow(self._was_slow)
        if is_slow == self._was_slow or self.job.kind in ASK_NOBODY:
            return ()
        mark = lane.remember if is_slow else lane.forget
        return [mark(self.job.site_id, self.job.work, clock.now())]


def take(message: Mapping[str, Any], lane: Lane, lease_seconds: float = LEASE_SECONDS) -> JobLease | None:
    """Claim the job that the message names, for a worker of a queue. Returns None if this worker has nothing to do.

    It has nothing to do if the job no longer exists, has ended, is not due, is held by another worker, or belongs in
    the slow queue. It also has nothing to do if the job's workspace has no free concurrency slot. In that case, the
    job is postponed.
    """
    job, slow = jobs.find(message["siteId"], message["jobId"], lane)
    now = clock.now()
    if job is None or job.ended:
        return None
    if job.due_at > now:
        if is_nearly_due(job.due_at, now):
            send_job(job, job.due_at - now, lane=lane.name)
        return None
    if slow and not lane.is_slow:
        if jobs.forward(job, now):
            send_job(job, lane=lane.slow_lane)
        return None
    try:
        claimed = jobs.claim(job, now=now, lease_until=now + lease_seconds, lane=lane)
    except NoSlot as full:
        wait = put_off_seconds()
        if jobs.postpone(job, now + wait, now):
            send_job(job, wait, lane=lane.name)
            slots.note_awaited(lane.slots_of(job.workspace_id), full, now + wait, now)
        return None
    return None if claimed is None else JobLease(claimed, lane, lease_seconds, was_slow=slow)


def is_nearly_due(due_at: float, now: float) -> bool:
    """Whether work is due so soon that its message probably came just too early.

    A message that comes much earlier is a duplicate, and another message will come in time.
    """
    return now < due_at <= now + EARLY_SECONDS


def put_off_seconds() -> float:
    """Return how many seconds work waits if there is no free concurrency slot. The number is random, so that the
    waiting work does not all return at the same time."""
    least, most = PUT_OFF_SECONDS
    return least + (most - least) * int.from_bytes(randomness.random_bytes(2), "big") / 65_535


def yield_seconds(workspace_id: str, lane: Lane) -> float:
    """Return how many seconds the next part of a long job or crawl waits, so that postponed work of its workspace gets
    the slot first.

    Returns 0 if no other work of the workspace waits. This takes one round trip to the store.
    """
    # The row stores one time for all postponed work, so some of the work may still wait after this time.
    awaited = slots.awaited_until(lane.slots_of(workspace_id))
    return YIELD_SECONDS if awaited + YIELD_SECONDS > clock.now() else 0.0


@contextmanager
def at_work(lease: JobLease) -> Iterator[None]:
    """Run a block that does the job. The block ends early if another worker has taken the job over.

    If the website does not answer in time, the job moves to the slow queue.
    """
    try:
        try:
            yield
        except OutOfPatience:
            lease.give_back()
    except FenceLost:
        _log.info("another worker has taken over", extra={"jobId": lease.job.id})
