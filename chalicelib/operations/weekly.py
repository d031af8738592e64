"""Runs all weekly audits whenever the operator wants."""

from chalicelib.domain import plans
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations.audits import start_scheduled
from chalicelib.operations.errors import Refused
from chalicelib.store import keys, websites

_FOREVER = 1e12  # epoch seconds that no website's next audit lies behind


def start_all(actor: Actor, now: float) -> list[CrawlHeader]:
    """Start the weekly audit of every website that is not paused, due or not, and return the started ones. A website
    whose crawl runs, or whose audit of today was already started, is left out. Operator only.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator starts the weekly run.")
    started = []
    for shard in keys.due_shards():
        position = None
        while True:
            active, position = websites.list_due(shard, _FOREVER, start=position)
            for workspace_id, site_id in active:
                website, workspace = websites.get_with_workspace(workspace_id, site_id)
                if website is not None:
                    header = start_scheduled(website, plans.plan(workspace.plan).pages_per_audit, now=now)
                    started += [] if header is None else [header]
            if position is None:
                break
    return started
