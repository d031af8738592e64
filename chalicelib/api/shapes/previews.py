"""Previews: audits of an address where a website is not public yet."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.audits import AuditStatus, Stage
from chalicelib.api.shapes.differences import ComparedAudit, ComparedIssue, Difference
from chalicelib.api.shapes.reports import ChangedLoss, GateCondition, NewIssue, ReportFinding
from chalicelib.api.shapes.values import (
    Address,
    Count,
    EndedAt,
    Failure,
    FinishedAt,
    MostPages,
    NextOffset,
    Offset,
    PagesCrawled,
    Poll,
    PreviewId,
    QueuedAt,
    Score,
    StartedAt,
    TimeLimit,
    Timestamp,
    Truncated,
)
from chalicelib.domain.audit.gate import Outcome
from chalicelib.domain.audit.preview import MOST_URLS
from chalicelib.domain.audit.records import CrawlStatus, PartialReason
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body
from chalicelib.http.members import SECRET

Robots = Literal["obey", "ignore"]


class BasicAuth(Body):
    """User name and password of HTTP's basic authentication."""

    username: Annotated[str, Meta(description="User name.", extra=SECRET)]
    password: Annotated[str, Meta(description="Password.", extra=SECRET)]


class PreviewAccess(Body, kw_only=True):
    """The data that the crawler sends to get access: headers, user name and password."""

    headers: (
        Annotated[
            dict[str, Annotated[str, Meta(extra=SECRET)]],
            Meta(
                description="At most 10 headers that give the crawler access, sent only to the preview's host.",
                extra=SECRET,
            ),
        ]
        | UnsetType
    ) = UNSET
    basic_auth: Annotated[BasicAuth, Meta(extra=SECRET)] | UnsetType = UNSET

    def parts(self) -> tuple[dict[str, str], tuple[str, str] | None]:
        """Return the headers, and the user name with the password (None without basic authentication)."""
        return (
            {} if self.headers is UNSET else self.headers,
            None if self.basic_auth is UNSET else (self.basic_auth.username, self.basic_auth.password),
        )


class StartPreview(PreviewAccess, kw_only=True):
    """The preview's address, and what the crawler sends to get access."""

    url: Annotated[str, Meta(description="Address of the host, such as `https://staging.example.com/`.")]
    urls: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=2_000)]],
        Meta(
            max_length=MOST_URLS,
            description="Read only the home page and these addresses of the preview's host or the website.",
        ),
    ] = msgspec.field(default_factory=list)
    robots: (
        Annotated[
            Robots,
            Meta(description="`ignore`: robots.txt and noindex are not obeyed, and not judged. Default: `obey`."),
        ]
        | UnsetType
    ) = UNSET
    page_budget: (
        Annotated[int, Meta(ge=1, description="Pages to read, at most the plan's. Default: the website's own.")]
        | UnsetType
    ) = UNSET


class PreviewQueued(Shape):
    """The preview that was started."""

    queued: Annotated[bool, Meta(description="Always true.")]
    preview_id: PreviewId
    status: Literal["queued"]
    url: Annotated[Address, Meta(description="Address that the preview starts at.")]
    page_budget: MostPages
    time_limit_minutes: TimeLimit
    poll: Poll


class Preview(Shape):
    """A preview. ``score``: the website's score if the preview replaced the website."""

    preview_id: PreviewId
    url: Annotated[Address, Meta(description="Address that the preview starts at.")]
    robots: Annotated[Robots, Meta(description="Whether robots.txt is obeyed.")]
    status: AuditStatus
    stage: Stage
    pages_crawled: PagesCrawled
    pages_discovered: Annotated[Count, Meta(description="The number of addresses found so far.")]
    page_budget: MostPages
    time_limit_minutes: TimeLimit
    partial_reason: PartialReason | None
    issues_found: Annotated[Count | None, Meta(description="The number of issues; null until the preview was judged.")]
    score: Annotated[
        Score | None,
        Meta(description="The score; null: the preview was not judged, or too little of it could be judged."),
    ]
    queued_at: QueuedAt
    started_at: StartedAt
    finished_at: EndedAt
    available_until: Annotated[
        Timestamp | None, Meta(description="The time until which the preview is stored; null before it ends.")
    ]
    error: Failure
    notes: Annotated[list[str], Meta(description="What the preview could not find out, in sentences.")]


class JudgedPreview(Shape):
    """A stored preview. ``score`` is null if too little could be judged."""

    preview_id: PreviewId
    finished_at: FinishedAt
    pages_crawled: PagesCrawled
    partial_reason: PartialReason | None
    score: Score | None


class PreviewReport(Shape):
    """The findings of a preview, the most severe first. Their addresses are those of the website."""

    preview: JudgedPreview
    pages_kept: Annotated[bool, Meta(description="False if the preview has too many pages to store.")]
    total: Annotated[Count, Meta(description="Findings in all.")]
    offset: Offset
    findings: Annotated[list[ReportFinding], Meta(description="The findings.")]
    next_offset: NextOffset = None
    truncated: Truncated = False


class PreviewDifference(Difference, kw_only=True):
    """The changes from the audit ``against`` to the preview."""

    preview: JudgedPreview
    issues: Annotated[list[ComparedIssue], Meta(description="Only with the scope `issues:read`.")] | UnsetType = UNSET


class PreviewGate(Shape):
    """Whether a preview passes the gate. ``conditions`` say why it is ``unclear``."""

    outcome: Outcome
    conditions: Annotated[list[GateCondition], Meta(description="Every requested condition.")]
    preview_id: PreviewId
    status: CrawlStatus
    preview: Annotated[JudgedPreview | None, Meta(description="The preview; null: it has no results to judge.")]
    against: Annotated[ComparedAudit | None, Meta(description="The audit compared with; null: none.")]
    pages_compared: Annotated[
        Count | None, Meta(description="The number of pages that preview and audit read; null: not known.")
    ]
    pages_not_compared: Annotated[
        Count | None,
        Meta(description="Pages that the preview or the audit did not reach. They count neither as new nor as gone."),
    ]
    new: (
        Annotated[
            list[NewIssue] | None, Meta(description="Only with `issues:read`. Null without the condition `no_new`.")
        ]
        | UnsetType
    ) = UNSET
    losses: (
        Annotated[
            list[ChangedLoss] | None,
            Meta(description="Rules whose cost changed; null: not known. Needs `issues:read`."),
        ]
        | UnsetType
    ) = UNSET
    rules_left_out: (
        Annotated[list[str], Meta(description="Open issues that could not be compared. Needs `issues:read`.")]
        | UnsetType
    ) = UNSET
    ignored: (
        Annotated[
            Count | None,
            Meta(description="Ignored issues of at least the severity `no_new`. Needs `issues:read`."),
        ]
        | UnsetType
    ) = UNSET
