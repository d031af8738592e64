"""Audits and rechecks: starting them, and their progress."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    AppLink,
    AuditId,
    Count,
    CrawlId,
    EndedAt,
    Failure,
    MostPages,
    NextOffset,
    Offset,
    PagesCrawled,
    Poll,
    QueuedAt,
    StartedAt,
    TimeLimit,
    Timestamp,
)
from chalicelib.api.shapes.websites import Coverage
from chalicelib.domain.audit.records import PartialReason
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

AuditStatus = Literal["queued", "running", "done", "failed", "cancelled"]
Stage = Literal["queued", "discovering", "crawling", "analysing", "scoring", "finished"]


class Audit(Shape):
    """An audit, or a recheck if the id names a recheck."""

    id: CrawlId
    kind: Annotated[Literal["audit", "recheck"], Meta(description="Whole audit, or recheck of an issue.")]
    status: AuditStatus
    stage: Stage
    pages_crawled: PagesCrawled
    pages_discovered: Annotated[Count, Meta(description="The number of addresses found so far.")]
    page_budget: MostPages
    time_limit_minutes: TimeLimit
    capped_by_plan: Annotated[bool, Meta(description="Whether the plan lowered the page budget.")]
    coverage: Coverage | None
    partial_reason: PartialReason | None
    issues_found: Annotated[
        Count | None, Meta(description="The number of issues. Null until the audit has judged the website.")
    ]
    started_by: Annotated[Literal["person", "schedule"], Meta(description="A person, or the weekly schedule.")]
    queued_at: QueuedAt
    started_at: StartedAt
    finished_at: EndedAt
    error: Failure
    notes: Annotated[list[str], Meta(description="What the audit could not find out, in sentences.")]
    link: AppLink


class PageBudget(Shape):
    """Pages per audit."""

    default: Annotated[Count, Meta(description="The page budget if none is sent when an audit is started.")]
    plan_limit: Annotated[Count, Meta(description="The most pages per audit in the plan.")]
    website_setting: Annotated[Count | None, Meta(description="The website's own page budget; null: none.")]


class ApiStarts(Shape):
    """Audits of the website started through the API within 24 hours."""

    per_day: Annotated[Count, Meta(description="Starts allowed.")]
    used_today: Annotated[Count, Meta(description="Starts used.")]
    left: Annotated[Count, Meta(description="Starts that remain.")]


class Busy(Shape):
    """The crawl, audit or recheck that holds the website's crawl lock."""

    audit_id: CrawlId
    kind: Annotated[Literal["audit", "recheck"], Meta(description="Whole audit, or recheck of an issue.")]
    status: Annotated[Literal["queued", "running"], Meta(description="Its state.")]
    poll: Poll


class AuditList(Shape):
    """Audits, newest first. ``active`` is the audit that is queued or running.

    ``busy`` is the audit or recheck that is queued or runs. Until it is null, no audit can start.
    """

    audits: Annotated[list[Audit], Meta(description="The audits.")]
    offset: Offset
    next_offset: NextOffset
    active: Audit | None
    busy: Busy | None
    next_scheduled_at: Annotated[Timestamp | None, Meta(description="When the next weekly audit starts; null: none.")]
    page_budget: PageBudget
    api_starts: ApiStarts


class StartAudit(Body):
    """The options of the new audit."""

    page_budget: Annotated[int, Meta(ge=1, description="Pages to read, at most the plan's.")] | UnsetType = UNSET


class AuditQueued(Shape):
    """The audit that was started."""

    queued: Annotated[bool, Meta(description="Always true.")]
    audit_id: AuditId
    status: Literal["queued"]
    page_budget: MostPages
    time_limit_minutes: TimeLimit
    plan_limit: Annotated[Count, Meta(description="The most pages per audit in the plan.")]
    starts_left_today: Annotated[Count, Meta(description="Audits that can still be started within 24 hours.")]
    poll: Poll
    link: AppLink
