"""Types of members that many shapes use. The OpenAPI document describes each of them once, as a schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from chalicelib.api.shapes import analytics, audits, exports, issues, performance, readiness, search, values, websites
from chalicelib.domain.agentic import Strategy, ToldState
from chalicelib.domain.audit.gate import Outcome
from chalicelib.domain.audit.issues import IssueStatus
from chalicelib.domain.audit.records import PartialReason
from chalicelib.domain.changes.batch import ChangeStatus, Field
from chalicelib.domain.severity import Severity
from chalicelib.rules.model import Category

_OF_VALUES: Final = (
    *("Score", "ScoreDifference", "Total", "Offset", "NextOffset", "NextCursor", "HasMore", "Truncated"),
    *(
        "WebsiteId",
        "IssueId",
        "RuleId",
        "PageId",
        "AuditId",
        "CrawlId",
        "BatchId",
        "JobId",
        "PreviewId",
        "PromptId",
        "Person",
    ),
    *(
        "AppLink",
        "PageUrl",
        "Poll",
        "QueuedAt",
        "StartedAt",
        "FinishedAt",
        "EndedAt",
        "Failure",
        "ComputedAt",
        "ApprovedAt",
        "FirstSeen",
        "LastSeen",
    ),
    *("Name", "Host", "Template", "IssueTitle", "AffectedPages", "OpenIssues", "ScoreVersion", "PagesCrawled"),
    *("MostPages", "TimeLimit", "Clicks", "Impressions", "Bot", "BotOwner", "BotPurpose", "BotKind", "ChangeKey"),
)
# An enumeration's description applies to each member of that type without its own description.
NAMED: Final[Mapping[str, Any]] = {name: getattr(values, name) for name in _OF_VALUES} | {
    "Severity": Annotated[Severity, Meta(description="How severe the issue is.")],
    "Category": Annotated[Category, Meta(description="The group of rules.")],
    "IssueStatus": Annotated[IssueStatus, Meta(description="The issue's state.")],
    "ChangeStatus": Annotated[ChangeStatus, Meta(description="The change's state.")],
    "ChangedValue": Annotated[Field, Meta(description="What was changed.")],
    "CrawlStatus": Annotated[audits.AuditStatus, Meta(description="Its state.")],
    "JobStatus": Annotated[exports.ExportStatus, Meta(description="Its state.")],
    "Queued": Annotated[Literal["queued"], Meta(description="Waiting to start.")],
    "Stage": Annotated[audits.Stage, Meta(description="The current step.")],
    "PartialReason": Annotated[
        PartialReason | None, Meta(description="Why not every page was read; null: all were read.")
    ],
    "Strategy": Annotated[Strategy, Meta(description="The device.")],
    "CheckState": Annotated[ToldState, Meta(description="How the check ended.")],
    "Outcome": Annotated[Outcome, Meta(description="The result.")],
    "Platform": Annotated[websites.Platform, Meta(description="The software that runs the website.")],
    "WebsiteStatus": Annotated[websites.WebsiteStatus, Meta(description="Whether weekly audits run.")],
    "OptionalScore": values.Score | None,
    "Milliseconds": performance.Milliseconds | None,
    "LayoutShift": performance.LayoutShift | None,
    "Amount": analytics.Amount | None,
    "Ctr": search.Ctr | None,
    "Position": search.Position | None,
    "Evidence": issues.Evidence,
    "VerdictSource": readiness.VerdictSource,
    "AnswerStatus": readiness.AnswerStatus,
}
