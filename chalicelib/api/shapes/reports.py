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

    fingerprint: Annotated[str, Meta(description="The same in every audit.")]
    rule_id: RuleId
    title: IssueTitle
    category: Category
    severity: Severity
    status: IssueStatus
    judged: Annotated[bool, Meta(description="False where the audit had nothing to judge it by, and left it.")]
    affected_pages: AffectedPages
    page_id: Annotated[str | None, Meta(description="The page's id.")]
    url: Annotated[Address | None, Meta(description="The page's address.")]


class AuditReport(Shape):
    """The findings of an audit as it recorded them, the most severe first."""

    audit: ComparedAudit
    pages_kept: Annotated[bool, Meta(description="False: only issues are kept, without their pages.")]
    total: Annotated[Count, Meta(description="Findings in all.")]
    offset: Offset
    findings: Annotated[list[ReportFinding], Meta(description="The findings.")]
    link: AppLink
    next_offset: NextOffset = None
    truncated: Truncated = False


class GateCondition(Shape):
    """The result of a condition, and the reason. ``audit`` means that there is an audit to judge."""

    condition: Annotated[ConditionName, Meta(description="Which condition.")]
    outcome: Outcome
    reason: Annotated[str, Meta(description="Why, in a sentence.")]


class NewIssue(Shape):
    """New findings of a rule. ``pages`` is null if the rule is about the whole website."""

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
    conditions: Annotated[list[GateCondition], Meta(description="Every condition that was asked for.")]
    audit_id: AuditId
    status: CrawlStatus
    audit: Annotated[ComparedAudit | None, Meta(description="Null where the audit left nothing to judge.")]
    against: Annotated[ComparedAudit | None, Meta(description="Null where nothing was compared.")]
    pages_compared: Annotated[Count | None, Meta(description="Pages of both audits; null where not known.")]
    pages_not_compared: Annotated[
        Count | None, Meta(description="Pages that one of the two audits did not come to: neither new nor gone.")
    ]
    link: AppLink
    new: (
        Annotated[list[NewIssue] | None, Meta(description="With `issues:read`. Null without `no_new`.")] | UnsetType
    ) = UNSET
    losses: (
        Annotated[list[ChangedLoss] | None, Meta(description="With `issues:read`. Null where not known.")] | UnsetType
    ) = UNSET
    rules_left_out: (
        Annotated[list[str], Meta(description="With `issues:read`: open issues that could not be compared.")]
        | UnsetType
    ) = UNSET
    ignored: (
        Annotated[Count | None, Meta(description="With `issues:read`: issues of that severity that people ignore.")]
        | UnsetType
    ) = UNSET
