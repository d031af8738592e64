"""Removes a batch from the website's queue, as a last resort if its worker keeps failing."""

import logging
from typing import Final

from chalicelib import clock
from chalicelib.domain.changes.batch import job_id
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.operations.contention import tries
from chalicelib.operations.jobs import tell
from chalicelib.store import changes, jobs
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.workers.jobs import JobLease

MOST_TAKEOVERS: Final = 2 * STALLED_TAKEOVERS  # after the first half of them, a worker tries to end the batch as usual
STOPPED_BEFORE: Final = (
    "The service failed several times to write this change, and then also failed to finish the batch."
)

_log = logging.getLogger(__name__)


def release(lease: JobLease, site_id: str, batch_id: str) -> None:
    """End a batch without reading its changes, its issue or its file, because reading one of these makes the worker
    fail.

    One transaction writes the queue, the batch, its job and the next batch's job. No event is sent, and the issue does
    not change. Raises ``FenceLost``. Raises ``Conflict`` if every attempt met a conflict.
    """
    _log.error("a batch is given up", extra={"siteId": site_id, "batch": batch_id})
    waits = True  # whether the next batch's job must still be put into the index
    for _ in tries():
        now, place = clock.now(), changes.place(site_id)
        after = place.without(batch_id)
        following = after.running if after.running != place.running else None
        writes: list[Write] = [changes.put_place(site_id, after), changes.given_up(site_id, batch_id, now)]
        if following is not None and waits:
            writes.append(jobs.put_back(site_id, job_id(following), now))
        try:
            lease.commit(lease.job.done(now, STOPPED_BEFORE), writes)
        except Conflict as conflict:
            waits = waits and jobs.WAITING not in conflict.failed  # it is in the index already
            continue
        if following is not None:
            tell(site_id, job_id(following), "write")
        return
    raise Conflict({changes.PLACE: None})
