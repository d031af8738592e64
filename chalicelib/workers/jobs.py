"""What the workers of jobs share: a claim, and a lease that lasts as long as the worker lives.

A message {siteId, jobId} is only a hint. Whoever claims the job has it alone until the lease is over; each of the
worker's writes carries the fence of the claim, so one that was overtaken writes nothing more.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chalicelib import clock
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import jobs
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.transactions import Write, commit

LEASE_SECONDS: Final = 240.0
RENEW_SECONDS: Final = 60.0


class JobLease:
    """The lease on a job that this worker has claimed."""

    def __init__(self, job: Job, seconds: float = LEASE_SECONDS) -> None:
        self.job = job
        self._seconds = seconds
        self._kept_at = clock.monotonic()

    def until(self) -> float:
        """How long a lease lasts that begins now."""
        return clock.now() + self._seconds

    def keep(self) -> None:
        """Renew the lease where it is time to. Raises ``FenceLost``."""
        if clock.monotonic() - self._kept_at >= RENEW_SECONDS:
            jobs.renew(self.job, self.until())
            self._kept_at = clock.monotonic()

    def checkpoint(self, writes: Sequence[Write], **payload: Any) -> None:
        """Commit a part of the job, and go on with it. ``payload``: what changed of what its kind needs to know.

        Raises ``FenceLost``, and ``Conflict`` where another of the writes failed.
        """
        self.commit(self.job.advanced(self.until(), **payload), writes)
        self._kept_at = clock.monotonic()

    def commit(self, job: Job, writes: Sequence[Write], events: Sequence[Event] = ()) -> None:
        """Commit writes together with the job's next state. Raises as ``checkpoint``."""
        try:
            commit([jobs.put_fenced(job), *writes], events)
        except Conflict as conflict:
            if jobs.JOB in conflict.failed:
                raise FenceLost(job.id) from None
            raise
        self.job = job


def take(message: Mapping[str, Any], lease_seconds: float = LEASE_SECONDS) -> JobLease | None:
    """The lease on the message's job, for so long; None when there is nothing to do for it: it is gone, it has ended,
    it is not its time, or another worker holds it."""
    job = jobs.get(message["siteId"], message["jobId"])
    if job is None:
        return None
    now = clock.now()
    claimed = jobs.claim(job, now=now, lease_until=now + lease_seconds)
    return None if claimed is None else JobLease(claimed, lease_seconds)
