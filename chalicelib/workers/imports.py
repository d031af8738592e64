"""The worker of the queues ``imports`` and ``imports-slow``: repeatedly asks a website's connections for their status
and their data.

Trigger: a message {siteId, jobId, kind}, sent by the sweeper when a job is due. Each kind of job has one row per
website, with the time of its next run. If a second message comes for the same run, the job cannot be
claimed again.

Failure policy
- Killed before the transaction that stores the outcome: nothing was written. When the lease is over, another worker
  asks again.
- Killed after that transaction: the row already has the time of the next run.
- One transaction stores the outcome, the time of the next run, and the events ``connection.broken`` and
  ``connection.stale``. So a broken connection is reported once, and once more after seven days.
- If worker after worker takes the job over without an outcome, the job is postponed until its next run.
- A job ends if its website or connection no longer exists.
- For concurrency slots, for fast and slow queues, and for a website that does not answer in time, see ``jobs``.
- Other kinds of jobs are in other modules: content in ``content_sync``, search data in ``search_import``, keyword tasks
  in ``keyword_tasks`` and ``analytics_tasks``, field data in ``field_data``, submissions to search engines in
  ``index_now``, removed websites in ``removal``.
"""

import logging
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from chalicelib import clock
from chalicelib.domain.connections import CHECK_SECONDS, FAILING_SECONDS
from chalicelib.domain.jobs import STALLED_TAKEOVERS, JobKind
from chalicelib.operations import connections
from chalicelib.operations.access import stale
from chalicelib.store import websites
from chalicelib.store.errors import Conflict
from chalicelib.store.lanes import LANES, Lane
from chalicelib.workers import (
    analytics_tasks,
    content_sync,
    field_data,
    index_now,
    keyword_tasks,
    removal,
    search_import,
)
from chalicelib.workers.jobs import JobLease, at_work, take

KINDS: Final[Mapping[JobKind, ModuleType]] = {
    "content_sync": content_sync,
    "search_import": search_import,
    "keyword_tasks": keyword_tasks,
    "analytics_tasks": analytics_tasks,
    "field_data": field_data,
    "index_now": index_now,
    "removal": removal,
}

_log = logging.getLogger(__name__)


def handle(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Does nothing if the job is not due or has ended."""
    _handle(message, LANES["imports"])


def handle_slow(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Used for the slow queue, which has the work of websites that do not answer in
    time."""
    _handle(message, LANES["imports-slow"])


def _handle(message: Mapping[str, Any], lane: Lane) -> None:
    lease = take(message, lane)
    if lease is None:
        return
    stalled = lease.job.stalled > STALLED_TAKEOVERS
    if stalled:
        _log.error("a job failed too often and is left until its next time", extra={"jobId": lease.job.id})
    with at_work(lease):
        if lease.job.kind in KINDS:
            kind = KINDS[lease.job.kind]
            (kind.give_up if stalled else kind.run)(lease)
        elif stalled:
            lease.commit(lease.job.goes_on(clock.now() + CHECK_SECONDS), [])
        else:
            _connection_status(lease)


def _connection_status(lease: JobLease) -> None:
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    try:
        checked = None if website is None else connections.look(website, job.payload["connection"])
    except Exception:
        # The key store does not answer, or this machine has no free socket: that says nothing about the connection.
        _log.exception("a connection could not be checked", extra={"siteId": job.site_id})
        lease.commit(job.goes_on(clock.now() + FAILING_SECONDS), [])
        return
    lease.answered()
    if website is None or checked is None:
        lease.commit(job.done(clock.now(), "Nothing is connected any more."), [])
        return
    try:
        later, told = stale(website, checked.writer, job.goes_on(clock.now() + checked.writer.next_check))
        lease.commit(later, checked.writes, [*checked.events, *told])
    except Conflict as conflict:
        # The connection, or its website, changed at this moment: another worker checks it after the lease.
        _log.info("a connection changed while it was checked", extra={"siteId": job.site_id, "of": str(conflict)})
