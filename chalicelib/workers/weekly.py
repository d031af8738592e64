"""The weekly audits: started every minute by the schedule ``weekly``, as soon as they are due.

A website is due at the hour of the week that it chose, otherwise on Sunday at 02:00 UTC. Its audit is created, and
takes its crawl lock, only when its turn comes. Each run starts a bounded number, and none while the workers lag behind
earlier audits. So a hundred thousand websites are spread over as much of Sunday as the workers need, and a handful
starts at 02:00 sharp.

Failure policy: an audit's id consists of website and date, and its start moves the website's next time on in the same
transaction. Killed anywhere, the next run starts the rest; firing twice starts nothing twice. A website whose crawl
lock is held stays due, and a later run starts its audit.
"""

import logging
from collections.abc import Iterator
from itertools import islice

from chalicelib import clock
from chalicelib.domain import plans
from chalicelib.operations.weekly import start_scheduled
from chalicelib.store import crawls, keys, websites
from chalicelib.store.accounts import Workspace
from chalicelib.store.websites import Website

STARTS_A_SHARD = 30  # in one run; 16 shards and a run each minute make 480 a minute, 28,800 an hour
EXAMINED_A_SHARD = 300  # websites with a held crawl lock are skipped, at most this many
DUE_AT_ONCE = 50
WAITING_A_SHARD = 10  # with this many queued audits unclaimed for two minutes, no more are started
SECONDS = 40.0  # how long a run takes at most: the next one comes in a minute

_log = logging.getLogger(__name__)


def run() -> int:
    """Start audits that are due. Returns how many were started."""
    until = clock.monotonic() + SECONDS
    shards = list(zip(keys.due_shards(), keys.shards(), strict=True))
    # The order of shards rotates each minute, so that none is left out forever if the time does not suffice.
    first = int(clock.now() // 60) % len(shards)
    return sum(_run_shard(due, running, until) for due, running in shards[first:] + shards[:first])


def _run_shard(due_shard: str, running_shard: str, until: float) -> int:
    """Start the due audits of one shard of the index, as far as bounds and the workers' backlog allow."""
    started = 0
    for website, workspace in _due(due_shard):
        if started == 0 and _workers_are_behind(running_shard):
            return 0
        if started >= STARTS_A_SHARD or clock.monotonic() >= until:
            break
        started += _start(website, workspace)
    return started


def _due(shard: str) -> Iterator[tuple[Website, Workspace]]:
    """Websites of a shard that are due and whose crawl lock is free, longest due first."""
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


def _workers_are_behind(running_shard: str) -> bool:
    overdue = islice(crawls.overdue(running_shard, clock.now()), 2 * WAITING_A_SHARD)
    return sum(header.kind == "audit" and header.status == "queued" for header in overdue) >= WAITING_A_SHARD


def _start(website: Website, workspace: Workspace) -> bool:
    try:
        limit = plans.plan(workspace.plan).pages_per_audit
        return start_scheduled(website, limit, now=clock.now()) is not None
    except Exception:
        # One website that cannot be started must not delay the others. It stays due.
        _log.exception("a weekly audit could not be started", extra={"siteId": website.id})
        return False
