"""Reports of audits, and gates for pipelines."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.differences import ComparedAudit, CountedPages
from chalicelib.api.shapes.values import (
    Address,
    AffectedPages,
    AppLink,
    AuditId,
    Count,
    IssueTitle,
    NextOffset,
    Offset,
    RuleId,
    ScoreDifference,
    Truncated,
)
from chalicelib.domain.audit.gate import ConditionName, Outcome
from chalicelib.domain.audit.issues import IssueStatus
from chalicelib.domain.audit.records import CrawlStatus
from chalicelib.domain.severity import Severity
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category


class ReportFinding(Shape):
    """A rule that a page breaks. ``pageId`` and ``url`` are null if the finding is about the whole website, or the
    pages are no longer kept."""

    fingerprint: Annotated[str, Meta(description="An id of the finding that is the same in every audit.")]
    rule_id: RuleId
    title: IssueTitle
    category: Category
    severity: Severity
    status: IssueStatus
    judged: Annotated[
        bool, Meta(description="False if the audit lacked the data to judge the issue, and left the issue unchanged.")
    ]
    affected_pages: AffectedPages
    page_id: Annotated[str | None, Meta(description="The page's id.")]
    url: Annotated[Address | None, Meta(description="The page's address.")]


class AuditReport(Shape):
    """The findings of an audit as it recorded them, the most severe first."""

    audit: ComparedAudit
    pages_kept: Annotated[bool, Meta(description="Whether the audit's pages are still stored.")]
    total: Annotated[Count, Meta(description="Findings in all.")]
    offset: Offset
    findings: Annotated[list[ReportFinding], Meta(description="The findings.")]
    link: AppLink
    next_offset: NextOffset = None
    truncated: Truncated = False


class GateCondition(Shape):
    """The result of one condition of the gate. The condition ``audit``: there is an audit to judge."""

    condition: Annotated[ConditionName, Meta(description="Which condition.")]
    outcome: Outcome
    reason: Annotated[str, Meta(description="The reason, in a sentence.")]


class NewIssue(Shape):
    """The new findings of one rule. ``pages`` is null if the rule is about the whole website."""

    rule_id: RuleId
    title: IssueTitle
    severity: Severity
    pages: CountedPages | None


class ChangedLoss(Shape):
    """How much more a rule's findings cost the score; negative if they cost less."""

    rule_id: RuleId
    title: IssueTitle
    difference: ScoreDifference


class Gate(Shape):
    """Whether an audit passes the gate. ``conditions`` say why it is ``unclear``."""

    outcome: Outcome
    conditions: Annotated[list[GateCondition], Meta(description="Every requested condition.")]
    audit_id: AuditId
    status: CrawlStatus
    audit: Annotated[ComparedAudit | None, Meta(description="The audit; null: it has no results to judge.")]
    against: Annotated[ComparedAudit | None, Meta(description="The audit compared with; null: none.")]
    pages_compared: Annotated[
        Count | None, Meta(description="The number of pages that both audits read; null: not known.")
    ]
    pages_not_compared: Annotated[
        Count | None,
        Meta(description="Pages that one of the two audits did not reach. They count neither as new nor as gone."),
    ]
    link: AppLink
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
