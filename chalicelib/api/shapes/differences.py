"""Changes from one audit to another."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import Address, Count, Score, ScoreDifference, Timestamp
from chalicelib.api.shapes.websites import PastScore
from chalicelib.domain.audit.difference import MOST_LISTED, IssueChange, PageField
from chalicelib.domain.audit.records import PartialReason
from chalicelib.domain.severity import Severity
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category


class ComparedAudit(Shape):
    """An audit as it is kept. ``score`` is null where nothing could be judged."""

    audit_id: str
    finished_at: Timestamp
    pages_crawled: Count
    partial_reason: PartialReason | None
    score: PastScore | None


class ComparedScore(Shape):
    """A score in both audits. ``difference`` is null where one is unknown, or they were computed in different ways."""

    before: Score | None
    after: Score | None
    difference: ScoreDifference | None


class ComparedScores(Shape):
    """The scores. ``comparable``: both were computed in the same way."""

    comparable: bool
    site: ComparedScore
    health: ComparedScore
    aeo: ComparedScore


class ComparedCategory(ComparedScore, kw_only=True):
    """A category in both audits."""

    category: Category


class PageReference(Shape):
    page_id: str
    url: Address


class CountedPages(Shape):
    """Pages, how many they are, and the first of them by address."""

    count: Count
    pages: (
        Annotated[list[PageReference], Meta(max_length=MOST_LISTED, description="Only with the scope `pages:read`.")]
        | UnsetType
    ) = UNSET


class ComparedIssue(Shape):
    """An issue that changed: `new`, `resolved`, `reopened`, `grown`, `shrunk`, or `changed` (as many pages, others)."""

    rule_id: str
    title: str
    category: Category
    severity: Severity
    change: IssueChange
    pages_before: Count
    pages_after: Count
    came: Annotated[CountedPages | None, Meta(description="Pages that it lists since; null where not known.")]
    went: Annotated[CountedPages | None, Meta(description="Pages that it lists no more; null where not known.")]


class ChangedIssue(ComparedIssue, kw_only=True):
    """An issue of the website that changed."""

    issue_id: str
    link: Address


class ChangedIssues(Shape):
    """How many issues changed, and each of them."""

    new: Count
    resolved: Count
    reopened: Count
    grown: Annotated[Count, Meta(description="Issues with more pages.")]
    shrunk: Annotated[Count, Meta(description="Issues with fewer pages.")]
    changed: Count
    issues: list[ChangedIssue]


class ChangedField(Shape):
    """A member of a page. Null: it has none, or (`status`) it did not answer. Long texts are cut to 300 characters, the
    last of which are a digest of the whole text."""

    field: PageField
    before: str | int | bool | None
    after: str | int | bool | None


class ChangedPage(Shape):
    page_id: str
    url: Address
    fields: list[ChangedField]


class ChangesByField(Shape):
    """How many pages changed in each member."""

    status: Count
    title: Count
    description: Count
    canonical: Count
    indexable: Count
    words: Count


class ChangedPages(Shape):
    """Pages that both audits read and that differ; the first of them by address."""

    count: Count
    by_field: ChangesByField
    pages: Annotated[list[ChangedPage], Meta(max_length=MOST_LISTED)]


class ComparedPages(Shape):
    """Pages that only the later, or only the earlier of the two audits knew as read, and those that changed."""

    appeared: CountedPages
    left: Annotated[CountedPages, Meta(description="Pages that disappeared.")]
    changed: ChangedPages


class ComparedRobots(Shape):
    """The answer of /robots.txt. ``changed``: its status or its text; null where one audit does not know."""

    status_before: int | None
    status_after: int | None
    changed: bool | None


class ChangedCrawler(Shape):
    """Whether robots.txt lets a crawler read the home page. Null: robots.txt could not be read."""

    bot: str
    before: bool | None
    after: bool | None


class AuditSpeed(Shape):
    """The speed on phones when an audit ended: medians of the lab over ``pages``, and what visitors measured."""

    pages: Count
    lab_lcp_ms: float | None
    lab_cls: float | None
    lab_blocking_ms: float | None
    field_lcp_ms: float | None
    field_cls: float | None
    field_inp_ms: float | None


class ComparedSpeed(Shape):
    """Null: nothing was measured by then."""

    before: AuditSpeed | None
    after: AuditSpeed | None


class Difference(Shape):
    """Changes since the audit ``against``."""

    against: ComparedAudit
    scores: ComparedScores
    categories: list[ComparedCategory]
    robots_txt: ComparedRobots
    crawlers: Annotated[
        list[ChangedCrawler] | None,
        Meta(description="Crawlers whose verdict changed; null where one of the two does not know."),
    ]
    pages: (
        Annotated[
            ComparedPages | None,
            Meta(description="Only with the scope `pages:read`. Null where the pages of one of the two are not kept."),
        ]
        | UnsetType
    ) = UNSET


class AuditDifference(Difference, kw_only=True):
    """Changes from the audit ``against`` to ``audit``."""

    audit: ComparedAudit
    speed: ComparedSpeed
    link: Address
    issues: Annotated[ChangedIssues, Meta(description="Only with the scope `issues:read`.")] | UnsetType = UNSET
