"""The worker of the schedule ``weekly`` (every minute): starts weekly audits that are due.

A website is due at its chosen hour of the week or, if none was chosen, on Sunday at 02:00 UTC. The audit of a
due website is created, and takes the crawl lock, only when a run starts it. Each run starts audits until a fixed number
of them waits for the workers. So a hundred thousand audits are spread over as much of Sunday as the workers need, while
a small number all start at 02:00. For the same reason, an audit that a person starts waits for only a few others.

Failure policy: the transaction that starts an audit also stores in the website's record for which day it was, and the
website's next time. If the worker is killed, the next run starts the remaining audits. If the schedule fires twice, no
audit is started twice. A website whose crawl lock is held stays due, and a later run starts its audit.
"""

import logging
from collections.abc import Iterator
from itertools import chain, islice

from chalicelib import clock
from chalicelib.domain import plans
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations.weekly import start_scheduled
from chalicelib.store import crawls, keys, websites
from chalicelib.store.accounts import Workspace
from chalicelib.store.websites import Website

EXAMINED_A_SHARD = 300  # at most this many websites are skipped because their crawl lock is held
DUE_AT_ONCE = 50
# A run starts audits until this many wait for a worker: 90% of what the deployed workers begin in two minutes, after
# which the sweeper would send their messages again. So at most 10,800 audits start in an hour.
WAITING = 180
SECONDS = 40.0  # how long a run takes at most: the next run comes in a minute

_log = logging.getLogger(__name__)


def run() -> int:
    """Start the audits that are due. Returns how many were started."""
    until, started, most = clock.monotonic() + SECONDS, 0, None
    shards = keys.due_shards()
    # The order of shards rotates each minute, so that no shard is always left out if time or room is short.
    first = int(clock.now() // 60) % len(shards)
    for website, workspace in chain.from_iterable(map(_due, shards[first:] + shards[:first])):
        if most is None:  # counted only if something is due
            most = WAITING - _waiting()
        if started >= most or clock.monotonic() >= until:
            break
        started += _start(website, workspace)
    return started


def _due(shard: str) -> Iterator[tuple[Website, Workspace]]:
    """Yield the websites of a shard that are due and have a free crawl lock, the longest overdue first."""
    examined, position = 0, None
    while examined < EXAMINED_A_SHARD:
        due, position = websites.list_due(shard, clock.now(), limit=DUE_AT_ONCE, start=position)
        examined += len(due)
        for website, workspace in websites.get_with_workspaces(due):
            # The index may lag a moment: the record decides.
            is_due = website.next_audit_at is not None and website.next_audit_at <= clock.now()
            if is_due and website.place is None:
                yield website, workspace
        if position is None:
            return


def _waiting() -> int:
    """Return how many audits wait for a worker.
    Audits that wait in a slow queue, or for a slot of their workspace, delay no other audit. They are left out until
    they are overdue."""
    now = clock.now()
    since = now - crawls.QUEUED_GRACE_SECONDS
    found: set[str] = set()
    for shard in keys.shards():
        late = islice(crawls.overdue(shard, now), WAITING)
        found |= {header.id for header in late if _is_queued(header)}
        listed = islice(crawls.overdue(shard, now + crawls.QUEUED_GRACE_SECONDS), WAITING)
        found |= {header.id for header in listed if _is_queued(header) and header.queued_at > since}
        if len(found) >= WAITING:
            break
    return len(found)


def _is_queued(header: CrawlHeader) -> bool:
    return header.kind == "audit" and header.status == "queued"


def _start(website: Website, workspace: Workspace) -> bool:
    try:
        limit = plans.plan(workspace.plan).pages_per_audit
        return start_scheduled(website, limit, now=clock.now()) is not None
    except Exception:
        # One website that cannot be started must not delay the others. It stays due.
        _log.exception("a weekly audit could not be started", extra={"siteId": website.id})
        return False
