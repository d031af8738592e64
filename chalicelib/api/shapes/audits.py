"""Audits and rechecks: started, and followed while they run."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import Address, Count, NextOffset, Offset, Timestamp
from chalicelib.api.shapes.websites import Coverage
from chalicelib.domain.audit.records import PartialReason
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

AuditStatus = Literal["queued", "running", "done", "failed", "cancelled"]
Stage = Literal["queued", "discovering", "crawling", "analysing", "scoring", "finished"]


class Audit(Shape):
    """An audit, or a recheck when it was asked for by a recheck's id."""

    id: str
    kind: Literal["audit", "recheck"]
    status: AuditStatus
    stage: Stage
    pages_crawled: Count
    pages_discovered: Count
    page_budget: Count
    time_limit_minutes: Count
    capped_by_plan: bool
    coverage: Coverage | None
    partial_reason: PartialReason | None
    issues_found: Annotated[Count | None, Meta(description="Null until the audit has judged the website.")]
    started_by: Literal["person", "schedule"]
    queued_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None
    error: str | None
    notes: Annotated[list[str], Meta(description="What the audit could not find out, in sentences.")]
    link: Address


class PageBudget(Shape):
    """Pages per audit: what an audit gets by default, the plan's limit, and the website's own setting."""

    default: Count
    plan_limit: Count
    website_setting: Count | None


class ApiStarts(Shape):
    """Audits of the website started through the API within 24 hours."""

    per_day: Count
    used_today: Count
    left: Annotated[Count, Meta(description="Starts that remain.")]


class Busy(Shape):
    """The crawl, audit or recheck that holds the website's crawl lock. ``poll`` is where it can be followed."""

    audit_id: str
    kind: Literal["audit", "recheck"]
    status: Literal["queued", "running"]
    poll: Address


class AuditList(Shape):
    """The newest audits first. ``active`` is the audit that is queued or running.

    ``busy`` is what holds the website's place, a recheck too; while there is one, no audit can be started.
    """

    audits: list[Audit]
    offset: Offset
    next_offset: NextOffset
    active: Audit | None
    busy: Busy | None
    next_scheduled_at: Timestamp | None
    page_budget: PageBudget
    api_starts: ApiStarts


class StartAudit(Body):
    """How the audit is to run."""

    page_budget: Annotated[int, Meta(ge=1, description="Pages to read, at most the plan's.")] | UnsetType = UNSET


class AuditQueued(Shape):
    """The audit that was started. ``poll`` is where it can be followed."""

    queued: bool
    audit_id: str
    status: Literal["queued"]
    page_budget: Count
    time_limit_minutes: Count
    plan_limit: Count
    starts_left_today: Count
    poll: Address
    link: Address
