"""Starts, cancels and resumes audits, for people, keys, the schedule and workers.

A website has one crawl lock. The transaction that creates an audit takes the lock. So of two concurrent starts only one
succeeds. The other is refused with the id of the crawl that holds the lock.
"""

from typing import Any, NamedTuple

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.budget import (
    API_START_WINDOW_SECONDS,
    API_STARTS_PER_DAY,
    AuditBudget,
    audit_budget,
    recent_starts,
    time_limit_minutes,
)
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.randomness import random_bytes
from chalicelib.store import acts, crawls, places, queues, websites
from chalicelib.store.context import request_id
from chalicelib.store.queues import Queue
from chalicelib.store.transactions import Conflict, commit
from chalicelib.store.websites import Website


class AuditStarted(NamedTuple):
    """An audit that was started. ``starts_left_today``: how many more audits may be started through the API."""

    header: CrawlHeader
    budget: AuditBudget
    starts_left_today: int


class AlreadyRunning(Refused):
    """Refused because a crawl of the website is queued or running: ``crawl_id``, ``kind`` and ``status`` are those of
    that crawl."""

    def __init__(self, crawl_id: str, kind: str, status: str) -> None:
        super().__init__(
            "already_running",
            f"A crawl of this website is already {status}. Follow it under the address in `poll`, "
            "and start the next one when it has ended.",
        )
        self.crawl_id, self.kind, self.status = crawl_id, kind, status


class TooManyAudits(Refused):
    """Refused because the allowed number of audits of this website was started in the last 24 hours. ``retry_at``: when
    the next start is possible (epoch seconds)."""

    def __init__(self, retry_at: float) -> None:
        super().__init__(
            "too_many_audits",
            f"At most {API_STARTS_PER_DAY} audits of a website can be started through the API in 24 hours.",
        )
        self.retry_at = retry_at


class OverPlanLimit(Refused):
    """Refused because the requested page budget is above the plan's limit."""

    def __init__(self, asked: int, plan_limit: int) -> None:
        super().__init__(
            "over_plan_limit",
            f"`pageBudget` is {asked}; your plan reads at most {plan_limit} pages per audit.",
        )
        self.plan_limit = plan_limit


def start(
    website: Website,
    plan_limit: int,
    *,
    page_budget: int | None,
    person_id: str | None,
    through_api: bool,
    now: float,
    key_id: str | None = None,
) -> AuditStarted:
    """Queue a full audit of a website, and take the website's crawl lock. ``key_id``: the API key with which the person
    starts the audit.

    Raises ``OverPlanLimit``, ``AlreadyRunning``, and ``TooManyAudits`` if ``through_api``. Costs one transaction and
    one queue message. The website's record is loaded again only after a write conflict.
    """
    budget = audit_budget(website.page_budget, plan_limit)
    asked = page_budget if page_budget is not None else budget.default
    if asked > plan_limit:
        raise OverPlanLimit(asked, plan_limit)
    header = CrawlHeader(
        id=ids.time_ordered("crawl", now, random_bytes(10)),
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="audit",
        status="queued",
        stage="queued",
        queued_at=now,
        page_budget=asked,
        time_limit_minutes=time_limit_minutes(asked, budget.default),
        started_by="person",
        person_id=person_id,
        capped_by_plan=page_budget is None and budget.capped_by_plan,
        budget_is_plan_limit=asked == plan_limit,
        request_id=request_id.get(),
    )
    by = OPERATOR if person_id is None else Actor(website.workspace_id, person_id, key_id=key_id)
    noted = acts.done(crawls.TABLE, by, website.workspace_id, "audit.started", now, header.id, website.name)
    current: Website | None = website
    for _ in tries():
        if current is None:
            raise Refused("not_found", "There is no such website.")
        starts = recent_starts(current.api_starts, now)
        if current.place is not None:
            raise AlreadyRunning(current.place.crawl_id, current.place.kind, current.place.status)
        if through_api and len(starts) >= API_STARTS_PER_DAY:
            raise TooManyAudits(starts[0] + API_START_WINDOW_SECONDS)
        try:
            take = places.take(current, header.id, header.kind, api_starts=[*starts, now] if through_api else None)
            commit([take, crawls.put_new(header), noted])
        except Conflict:
            current = websites.get(website.workspace_id, website.id)
            continue
        send_slice(header)
        return AuditStarted(header, budget, API_STARTS_PER_DAY - len(starts) - int(through_api))
    raise Refused("busy", "The website's record keeps changing; try again in a moment.")


def cancel(site_id: str, crawl_id: str, *, now: float) -> CrawlHeader:
    """Cancel a queued or running audit. A queued audit ends at once, a running audit at its next checkpoint."""
    header = crawls.get(site_id, crawl_id)
    if header is None:
        raise Refused("not_found", "There is no such audit of this website.")
    if header.ended:
        raise Refused("already_ended", f"The audit has already ended: it is {header.status}.")
    try:
        commit([crawls.request_cancel(header)])
    except Conflict:
        raise Refused("already_ended", "The audit ended just now.") from None
    asked = msgspec.structs.replace(header, cancel_requested=True)
    send_slice(asked)
    return asked


def send_slice(header: CrawlHeader, *, delay_seconds: float = 0, lane: Queue | None = None) -> None:
    """Send the message that starts the crawl's current slice (the part that a worker does in one run). The sweeper (a
    schedule that finds overdue work) re-sends lost messages.

    ``lane``: the queue. None means the fast queue, whose worker forwards crawls of slow websites to the slow queue.
    """
    message: dict[str, Any] = {
        "workspaceId": header.workspace_id,
        "siteId": header.site_id,
        "crawlId": header.id,
        "slice": header.slice,
    }
    if header.request_id is not None:  # the crawl's own id, even if the sweeper or another request sends the message
        message["requestId"] = header.request_id
    queue: Queue = "recheck" if header.kind == "recheck" else "crawl"
    queues.hint(lane or queue, message, delay_seconds)
