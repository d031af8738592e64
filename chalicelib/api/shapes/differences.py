"""Changes from one audit to another."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    AppLink,
    AuditId,
    Bot,
    Count,
    FinishedAt,
    IssueId,
    IssueTitle,
    PageId,
    PagesCrawled,
    PageUrl,
    RuleId,
    Score,
    ScoreDifference,
)
from chalicelib.api.shapes.websites import PastScore
from chalicelib.domain.audit.difference import MOST_LISTED, IssueChange, PageField
from chalicelib.domain.audit.records import PartialReason
from chalicelib.domain.severity import Severity
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category


class ComparedAudit(Shape):
    """A stored audit. ``score`` is null if nothing could be judged."""

    audit_id: AuditId
    finished_at: FinishedAt
    pages_crawled: PagesCrawled
    partial_reason: PartialReason | None
    score: PastScore | None


class ComparedScore(Shape):
    """A score in both audits. ``difference`` is null if one of the scores is unknown, or if their versions differ."""

    before: Score | None
    after: Score | None
    difference: ScoreDifference | None


class ComparedScores(Shape):
    """The scores in both audits."""

    comparable: Annotated[bool, Meta(description="Whether both scores were computed in the same way.")]
    site: ComparedScore
    health: ComparedScore
    aeo: ComparedScore


class ComparedCategory(ComparedScore, kw_only=True):
    """A category in both audits."""

    category: Category


class PageReference(Shape):
    page_id: PageId
    url: PageUrl


class CountedPages(Shape):
    """The number of pages, and the first of them by address."""

    count: Annotated[Count, Meta(description="How many pages.")]
    pages: (
        Annotated[list[PageReference], Meta(max_length=MOST_LISTED, description="Only with the scope `pages:read`.")]
        | UnsetType
    ) = UNSET


class ComparedIssue(Shape):
    """An issue that changed. ``change``: `new`, `resolved`, `reopened`, `grown`, `shrunk`, or `changed` (other pages,
    but as many)."""

    rule_id: RuleId
    title: IssueTitle
    category: Category
    severity: Severity
    change: Annotated[IssueChange, Meta(description="How the issue changed.")]
    pages_before: Annotated[Count, Meta(description="Affected pages in the earlier audit.")]
    pages_after: Annotated[Count, Meta(description="Affected pages in the later audit.")]
    came: Annotated[
        CountedPages | None,
        Meta(description="Pages that the issue lists now, but did not list before; null: not known."),
    ]
    went: Annotated[CountedPages | None, Meta(description="Pages that the issue no longer lists; null: not known.")]


class ChangedIssue(ComparedIssue, kw_only=True):
    """An issue of the website that changed."""

    issue_id: IssueId
    link: AppLink


class ChangedIssues(Shape):
    """How many issues changed, and each of them."""

    new: Annotated[Count, Meta(description="Issues that are new.")]
    resolved: Annotated[Count, Meta(description="Issues that are resolved.")]
    reopened: Annotated[Count, Meta(description="Issues that were found again.")]
    grown: Annotated[Count, Meta(description="Issues with more pages.")]
    shrunk: Annotated[Count, Meta(description="Issues with fewer pages.")]
    changed: Annotated[Count, Meta(description="Issues whose pages changed.")]
    issues: Annotated[list[ChangedIssue], Meta(description="The issues, severe ones first.")]


class ChangedField(Shape):
    """A value of a page that changed. Null: the page has no such value or, for `status`, did not answer. Texts
    over 300 characters are cut to 300 and end with a digest of the whole text."""

    field: Annotated[PageField, Meta(description="Which member.")]
    before: Annotated[str | int | bool | None, Meta(description="Value in the earlier audit.")]
    after: Annotated[str | int | bool | None, Meta(description="Value in the later audit.")]


class ChangedPage(Shape):
    page_id: PageId
    url: PageUrl
    fields: Annotated[list[ChangedField], Meta(description="What changed on the page.")]


class ChangesByField(Shape):
    """How many pages changed, by kind of value."""

    status: Annotated[Count, Meta(description="Pages whose HTTP status changed.")]
    title: Annotated[Count, Meta(description="Pages whose title changed.")]
    description: Annotated[Count, Meta(description="Pages whose meta description changed.")]
    canonical: Annotated[Count, Meta(description="Pages whose canonical address changed.")]
    indexable: Annotated[Count, Meta(description="Pages that became indexable or stopped being indexable.")]
    words: Annotated[Count, Meta(description="Pages whose number of words changed.")]


class ChangedPages(Shape):
    """Pages that both audits read and that differ: the first ones by address."""

    count: Annotated[Count, Meta(description="How many pages differ.")]
    by_field: ChangesByField
    pages: Annotated[list[ChangedPage], Meta(description="The first of these pages.", max_length=MOST_LISTED)]


class ComparedPages(Shape):
    """Pages that only one of the two audits read, and pages that changed."""

    appeared: CountedPages
    left: Annotated[CountedPages, Meta(description="Pages that disappeared.")]
    changed: ChangedPages


class ComparedRobots(Shape):
    """The answer for /robots.txt in both audits."""

    status_before: Annotated[int | None, Meta(description="HTTP status in the earlier audit; null: no answer.")]
    status_after: Annotated[int | None, Meta(description="HTTP status in the later audit; null: no answer.")]
    changed: Annotated[
        bool | None, Meta(description="Whether the status or text of robots.txt changed; null: not known.")
    ]


class ChangedCrawler(Shape):
    """Whether robots.txt lets a crawler read the home page. Null if robots.txt could not be read."""

    bot: Bot
    before: Annotated[bool | None, Meta(description="Whether the crawler was allowed in the earlier audit.")]
    after: Annotated[bool | None, Meta(description="Whether the crawler was allowed in the later audit.")]


class AuditSpeed(Shape):
    """Speed on phones when an audit ended: lab medians of the tested ``pages``, and visitors' values."""

    pages: Annotated[Count, Meta(description="Tested pages.")]
    lab_lcp_ms: Annotated[float | None, Meta(description="Largest contentful paint, milliseconds.")]
    lab_cls: Annotated[float | None, Meta(description="Cumulative layout shift.")]
    lab_blocking_ms: Annotated[float | None, Meta(description="Total blocking time, milliseconds.")]
    field_lcp_ms: Annotated[float | None, Meta(description="Largest contentful paint of visitors, milliseconds.")]
    field_cls: Annotated[float | None, Meta(description="Cumulative layout shift of visitors.")]
    field_inp_ms: Annotated[float | None, Meta(description="Interaction to next paint of visitors, milliseconds.")]


class ComparedSpeed(Shape):
    """The speed in both audits; null if it was not measured."""

    before: AuditSpeed | None
    after: AuditSpeed | None


class Difference(Shape):
    """Changes since the audit ``against``."""

    against: ComparedAudit
    scores: ComparedScores
    categories: Annotated[
        list[ComparedCategory], Meta(description="The categories that at least one of the audits judged.")
    ]
    robots_txt: ComparedRobots
    crawlers: Annotated[
        list[ChangedCrawler] | None,
        Meta(description="Crawlers whose verdict changed; null: not known."),
    ]
    pages: (
        Annotated[
            ComparedPages | None,
            Meta(description="Needs `pages:read`. Null if the pages of an audit are no longer stored."),
        ]
        | UnsetType
    ) = UNSET


class AuditDifference(Difference, kw_only=True):
    """Changes from the audit ``against`` to ``audit``."""

    audit: ComparedAudit
    speed: ComparedSpeed
    link: AppLink
    issues: Annotated[ChangedIssues, Meta(description="Only with the scope `issues:read`.")] | UnsetType = UNSET
