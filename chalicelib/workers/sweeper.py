"""The worker of the schedule ``sweeper`` (every minute): finds work whose messages were lost and sends them again, and
starts due weekly audits.

The sweeper has several parts, one for each kind of work. If a part or a single row fails, the error is logged, and the
other parts and rows continue. Each part goes through all overdue work as far as its time allows. It sends a limited
number of messages per website, workspace and endpoint, so that a backlog of one does not delay the work of others. All
messages go to the fast queues. Their workers forward the work of slow websites to the slow queues. The indexes of
overdue work are split into shards. Each minute, a part begins with another shard, so that no shard is always left out
if the time is short.

Failure policy: the sweeper only sends messages, and every worker checks the stored row before it acts on a message. For
the audits see ``weekly``. If the sweeper is killed, the next minute's run finds the same work.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from chalicelib import clock, metrics
from chalicelib.operations.audits import send_slice
from chalicelib.operations.jobs import send_job
from chalicelib.store import crawls, deliveries, jobs, keys, outbox, queues
from chalicelib.workers import weekly
from chalicelib.workers.delivery.hints import send_overdue

# How long a message gets for its work before the sweeper sends another.
BATCH_SECONDS = 5.0
DELIVERY_SECONDS = 20.0
PART_SECONDS = 15.0  # how long one part may take, so that all parts end within the function's time
CRAWLS_A_WEBSITE = 20  # messages sent in one run
JOBS_A_WEBSITE = 20
A_WORKSPACE = 200  # messages about one workspace's crawls in one run, and also about its jobs
DELIVERIES_AN_ENDPOINT = 200

T = TypeVar("T")

_log = logging.getLogger(__name__)


class PartsFailed(Exception):
    """Raised at the end of a run in which whole parts failed, so that the run is reported as failed. The other parts
    did their work."""


def run() -> int:
    """Send the messages of overdue work again, and continue the weekly audits. Returns how many messages were sent.

    Overdue work is:

    - crawls and jobs whose lease has expired, or that were never claimed
    - batches of events that were not delivered
    - webhook deliveries

    Raises ``PartsFailed`` at the end if a part failed."""
    sent, failed = 0, []
    for name, part in PARTS.items():
        try:
            done = part()
            sent += done
            metrics.put(metrics.SWEEPER, name, SentAgain=done)
        except Exception:
            _log.exception("a part of the sweeper failed", extra={"part": name})
            failed.append(name)
    if failed:
        raise PartsFailed(", ".join(failed))
    return sent


def _crawls() -> int:
    now = clock.now()
    overdue = (header for shard in _turns(keys.shards()) for header in crawls.overdue(shard, now))
    fair = _fair(overdue, lambda header: header.site_id, CRAWLS_A_WEBSITE)
    return _each(_fair(fair, lambda header: header.workspace_id, A_WORKSPACE), send_slice)


def _jobs() -> int:
    now = clock.now()
    overdue = (job for shard in _turns(keys.job_shards()) for job in jobs.overdue(shard, now))
    fair = _fair(overdue, lambda job: job.site_id, JOBS_A_WEBSITE)
    return _each(_fair(fair, lambda job: job.workspace_id, A_WORKSPACE), send_job)


def _batches() -> int:
    now, oldest = clock.now(), 0.0

    def overdue() -> Iterator[tuple[str, str]]:
        nonlocal oldest
        for shard in _turns(keys.shards()):
            for key in outbox.overdue(shard, now - BATCH_SECONDS):
                oldest = max(oldest, now - keys.outbox_time(key[1]))
                yield key

    sent = _each(overdue(), lambda key: queues.hint("outbox", {"pk": key[0], "sk": key[1]}))
    metrics.put(metrics.OUTBOX, OldestEvents=oldest)
    return sent


def _deliveries() -> int:
    now = clock.now()
    shards = _turns(keys.due_deliveries_shards())
    overdue = (due for shard in shards for due in deliveries.overdue(shard, now - DELIVERY_SECONDS))
    fair = _fair(overdue, lambda due: due.endpoint_id, DELIVERIES_AN_ENDPOINT)
    return _each(_tens(fair), lambda found: send_overdue(found, now), size=len)


PARTS: Final[dict[str, Callable[[], int]]] = {
    "crawls": _crawls,
    "jobs": _jobs,
    "batches of events": _batches,
    "deliveries": _deliveries,
    "weekly audits": weekly.run,
}


def _turns(shards: list[str]) -> list[str]:
    first = int(clock.now() // 60) % len(shards)
    return shards[first:] + shards[:first]


def _fair(rows: Iterable[T], owner: Callable[[T], str], most: int) -> Iterator[T]:
    """Yield the rows in order, at most ``most`` of each owner."""
    sent: Counter[str] = Counter()
    for row in rows:
        sent[owner(row)] += 1
        if sent[owner(row)] <= most:
            yield row


def _tens(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield the rows in groups of ten, the most messages per call."""
    found = iter(rows)
    while ten := list(islice(found, 10)):
        yield ten


def _each(rows: Iterable[T], send: Callable[[T], object], size: Callable[[T], int] = lambda _: 1) -> int:
    """Send each row separately, as far as the part's time allows. Returns how many were sent. ``size``: how many
    messages a row counts for."""
    until, sent = clock.monotonic() + PART_SECONDS, 0
    for row in rows:
        try:
            send(row)
            sent += size(row)
        except Exception:
            _log.exception("overdue work found by the sweeper was not sent again", extra={"row": str(row)[:200]})
        if clock.monotonic() >= until:
            _log.warning("a part of the sweeper used up its time; it continues in the next minute")
            break
    return sent
