"""Deletes the remaining data of a removed website: a job of the queue ``imports``.

Failure policy
- The transaction that creates the job also deletes the website's record. So nobody sees the website, even if this job
  fails.
- Killed at any point: another worker deletes the remaining data once the lease is over. The job ends only when all data
  is deleted. If it keeps failing, it is tried once an hour.
- After a few minutes another worker continues, so that a website of any size is deleted in the end.
- The job's own row is deleted last. Two workers may delete the same data at the same moment.
"""

import logging
from typing import Final

from chalicelib import clock
from chalicelib.store import removals
from chalicelib.workers.jobs import JobLease

SECONDS: Final = 180.0  # time limit of one worker
AGAIN_SECONDS: Final = 3_600.0

_log = logging.getLogger(__name__)


class _Enough(Exception):
    """Raised when this worker's time is over."""


def run(lease: JobLease) -> None:
    """Delete as much as the time allows. Raises ``FenceLost``."""
    until = clock.monotonic() + SECONDS

    def step() -> None:
        if clock.monotonic() >= until:
            raise _Enough
        lease.keep()

    try:
        removals.purge(lease.job.site_id, step)
    except _Enough:
        lease.hand_over()
        return
    lease.commit(lease.job.done(clock.now()), [])  # this frees the workspace's slot
    removals.forget_job(lease.job.site_id)


def give_up(lease: JobLease) -> None:
    """Postpone the deletion for an hour, because its workers died too often. Raises ``FenceLost``."""
    _log.error("a removed website could not be deleted", extra={"siteId": lease.job.site_id})
    lease.commit(lease.job.goes_on(clock.now() + AGAIN_SECONDS), [])
