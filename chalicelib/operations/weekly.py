"""Starts weekly audits: each at the time chosen for its website, or all at once when the operator requests it."""

import contextlib
from datetime import UTC, datetime

from chalicelib.domain import ids, plans
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.budget import audit_budget, time_limit_minutes
from chalicelib.domain.crawl.weekly import next_weekly_run, weekly_run_of_day
from chalicelib.operations.audits import send_slice
from chalicelib.operations.errors import Refused
from chalicelib.randomness import random_bytes
from chalicelib.store import crawls, keys, places, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website

_FOREVER = 1e12  # epoch seconds after every website's next audit


def start_scheduled(website: Website, plan_limit: int, *, now: float) -> CrawlHeader | None:
    """Start the weekly audit of a website that is due, and set the time of its next one in the same transaction.

    The website's record says for which day the last weekly audit was started, so a second call for the same day starts
    nothing. Returns None if the audit was already started, the website has no next audit, or another crawl holds its
    lock. If the operator starts the audit before the website's time, it counts as today's audit, and the time of the
    next audit does not change.
    """
    scheduled = website.next_audit_at
    if scheduled is None:
        return None
    budget = audit_budget(website.page_budget, plan_limit)
    following = next_weekly_run(now, website.weekly_hour)
    due = weekly_run_of_day(min(scheduled, now), website.weekly_hour)
    day = datetime.fromtimestamp(due, UTC).date().isoformat()
    if website.weekly_day == day:
        if scheduled <= now:  # the day's audit was started early: only the time of the next one is set
            with contextlib.suppress(Conflict):
                commit([websites.next_audit_moved(website, following)])
        return None
    header = CrawlHeader(
        # The time of the start: if the audit is late, it must sort after audits that were started meanwhile.
        id=ids.time_ordered("crawl", now, random_bytes(10)),
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="audit",
        status="queued",
        stage="queued",
        queued_at=now,
        page_budget=budget.default,
        time_limit_minutes=time_limit_minutes(budget.default, budget.default),
        started_by="schedule",
        capped_by_plan=budget.capped_by_plan,
        budget_is_plan_limit=budget.default == plan_limit,
    )
    take = places.take(website, header.id, header.kind, weekly=places.Weekly(day, following))
    try:
        commit([take, crawls.put_new(header)])
    except Conflict:
        return None
    send_slice(header)
    return header


def start_all(actor: Actor, now: float) -> list[CrawlHeader]:
    """Start the weekly audit of every website that is not paused, whether or not it is due, and return the started
    audits. Operator only. A website is left out if a crawl of it runs, or if today's audit was already started."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator can start the weekly run.")
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
