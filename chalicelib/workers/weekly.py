"""The worker of the schedule ``weekly``: starts the weekly audits whose time has come.

Failure policy: a website's audit has an id made of website and date, and its start moves the website's next time on
in the same transaction. Killed anywhere, the next run starts the rest; firing twice starts nothing twice. A website
whose place is held by another crawl stays due, and is started by a later run.
"""

from chalicelib import clock
from chalicelib.domain import plans
from chalicelib.operations.audits import start_scheduled
from chalicelib.store import keys, websites


def run() -> int:
    """Start every due audit. Gives how many were started."""
    return sum(run_shard(shard) for shard in keys.due_shards())


def run_shard(shard: str) -> int:
    """Start the due audits of one shard of the index."""
    started = 0
    position = None
    while True:
        due, position = websites.list_due(shard, clock.now(), start=position)
        started += sum(_start(workspace_id, site_id) for workspace_id, site_id in due)
        if position is None:
            return started


def _start(workspace_id: str, site_id: str) -> bool:
    website, workspace = websites.get_with_workspace(workspace_id, site_id)
    if website is None or website.next_audit_at is None or website.next_audit_at > clock.now():
        return False
    limit = plans.plan(workspace.plan).pages_per_audit
    return start_scheduled(website, limit, now=clock.now()) is not None
