"""The worker of the queues ``agentic`` and ``agentic-slow``: all work that needs a browser.

Trigger: a message {siteId, jobId, kind}, sent when a job is made and by the sweeper. If a worker has not renewed its
lease for ten minutes, it counts as dead, and another worker takes the job over.

Failure policy: each kind of job has a module that describes it. An unexpected error is logged, and the job is tried
again when its lease is over. If one worker after another dies, the module of the job's kind decides how to give up.
Concurrency slots, and fast and slow queues: see ``jobs``.
"""

import logging
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from chalicelib.domain.jobs import JobKind
from chalicelib.store.lanes import LANES, Lane
from chalicelib.workers import rendering
from chalicelib.workers.jobs import at_work, take
from chalicelib.workers.speed import rechecked, rerun, weekly
from chalicelib.workers.speed.testing import LEASE_SECONDS

KINDS: Final[Mapping[JobKind, ModuleType]] = {
    "agentic_run": rerun,
    "speed_tests": weekly,
    "speed_recheck": rechecked,
    "render": rendering,
}
MOST_WORKERS: Final = 2  # dead workers in a row: one more try after the first, then no more

_log = logging.getLogger(__name__)


def handle(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Does nothing if the job is not due or has ended."""
    _handle(message, LANES["agentic"])


def handle_slow(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Used for the slow queue, which has the work of websites that do not answer in
    time."""
    _handle(message, LANES["agentic-slow"])


def _handle(message: Mapping[str, Any], lane: Lane) -> None:
    lease = take(message, lane, LEASE_SECONDS)
    if lease is None:
        return
    kind = KINDS[lease.job.kind]
    stalled = lease.job.stalled > MOST_WORKERS
    if stalled:
        _log.error("the workers of a job stopped several times", extra={"jobId": lease.job.id})
    with at_work(lease):
        (kind.give_up if stalled else kind.run)(lease)
