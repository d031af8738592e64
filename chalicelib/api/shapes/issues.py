"""Issues and the pages they affect (specification 2.3 and 2.4)."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    Address,
    Category,
    Confidence,
    Count,
    IssueStatus,
    Severity,
    Timestamp,
    WritableField,
)
from chalicelib.http.answers import Shape

Evidence = Annotated[dict[str, Any], Meta(description="What was seen: `message` in words, and what backs it.")]


class LastRecheck(Shape):
    """What the last recheck saw. ``passed`` is null when no page shows the issue but some could not be read."""

    at: Timestamp
    present: Annotated[Count, Meta(description="Pages that still show the issue, of those read.")]
    checked: Annotated[Count, Meta(description="Pages that were read.")]
    crawl_id: str
    passed: bool | None
    linking_pages: Count | UnsetType = UNSET
    not_rechecked: Annotated[Count, Meta(description="Pages that could not be read; they stay listed.")] | UnsetType = (
        UNSET
    )
    note: Annotated[str, Meta(description="Why the recheck could not judge the issue.")] | UnsetType = UNSET


class Issue(Shape):
    """A rule that fires on a website."""

    id: str
    rule_id: str
    title: str
    category: Category
    severity: Severity
    confidence: Confidence
    status: IssueStatus
    affected_pages: Count
    template: Annotated[str | None, Meta(description="The page template that all affected pages share.")]
    summary: str
    first_seen: Timestamp
    last_seen: Timestamp
    last_recheck: LastRecheck | None
    link: Address


class IssueList(Shape):
    """Issues of a website: severe ones first, then by affected pages."""

    issues: list[Issue]


class AffectedPage(Shape):
    """A page that the issue lists."""

    url: Address
    page_id: str
    evidence: Evidence
    first_seen: Timestamp
    last_seen: Timestamp


class ChangeItem(Shape):
    """A value that was approved for a page, and what became of it."""

    url: Address
    field: str
    value: str
    status: str
    applied_at: Timestamp | None
    live: bool | None
    live_value: str | None
    not_live_reason: str | None
    live_note: str | None
    error: str | None


class ChangeBatch(Shape):
    """The last approved changes of the issue."""

    batch_id: str
    approved_by: str
    approved_at: Timestamp
    changes: list[ChangeItem]


class IssueDetail(Issue):
    """An issue with its pages and what to do about it."""

    pages: Annotated[list[AffectedPage], Meta(max_length=1000)]
    pages_truncated: bool
    evidence: Evidence | None
    explanation: Annotated[str | None, Meta(description="The drafted explanation; null until there is one.")]
    fix: str
    writable_field: WritableField | None
    last_change: ChangeBatch | None


class RecheckQueued(Shape):
    """The recheck is queued. Follow it under `GET /sites/{siteId}/audits/{crawlId}`."""

    queued: bool
    crawl_id: str
    note: str
    link: Address
