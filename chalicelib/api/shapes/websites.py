"""Websites, their scores and the portfolio."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    Address,
    AppLink,
    AuditId,
    ComputedAt,
    Count,
    CrawlId,
    Day,
    Days,
    FinishedAt,
    HasMore,
    Host,
    IssueId,
    Name,
    NextOffset,
    Offset,
    OpenIssues,
    PagesCrawled,
    Percent,
    RuleId,
    Score,
    ScoreDifference,
    ScoreVersion,
    Timestamp,
    Total,
    Truncated,
    WebsiteId,
)
from chalicelib.domain.audit.kept import MOST_SCORES, ScoredBy
from chalicelib.domain.audit.records import PartialReason
from chalicelib.domain.audit.score import ScoreConfidence
from chalicelib.http.answers import Shape
from chalicelib.rules.model import Category

Platform = Literal["wordpress", "shopify", "other", "unknown"]
WebsiteStatus = Literal["active", "paused"]


class WebsiteName(Shape):
    """A website that the key can read."""

    id: WebsiteId
    name: Name
    host: Host
    url: Annotated[Address, Meta(description="Address of the home page.")]
    platform: Platform
    status: WebsiteStatus
    link: AppLink


class WebsiteList(Shape):
    """The websites that the key can read, sorted by name."""

    total: Total
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    websites: Annotated[list[WebsiteName], Meta(description="The websites.")]


class CategoryScore(Shape):
    """A category's score, and its weight in the whole score."""

    category: Category
    score: Score
    weight: Annotated[
        float,
        Meta(
            description="The category's weight in `health` or `aeo`, in per cent. The ten categories of `health` "
            "sum to 100, and so do AEO and AGT."
        ),
    ]
    open_issues: OpenIssues


class CurrentScore(Shape):
    """The current score. ``aeo`` is null until it has been measured."""

    site: Score
    health: Score
    aeo: Score | None
    coverage: Annotated[
        Percent,
        Meta(
            description="How many per cent of the known pages were read and understood. A page is understood if it "
            "has words or links, before or after its scripts run."
        ),
    ]
    confidence: Annotated[ScoreConfidence, Meta(description="How far the score can be trusted.")]
    version: ScoreVersion
    computed_at: ComputedAt
    categories: Annotated[list[CategoryScore], Meta(description="Its categories.")]


class PastScore(Shape):
    """A score at an earlier time."""

    site: Score
    health: Score
    aeo: Score | None
    version: ScoreVersion
    computed_at: ComputedAt


class ScoreChange(Shape):
    """How much each score changed."""

    site: ScoreDifference
    health: ScoreDifference
    aeo: ScoreDifference | None


class Change(Shape):
    """How much the score changed. Null if there is no earlier score, or it has another version."""

    since_previous_audit: ScoreChange | None
    since_last_week: ScoreChange | None


class IssueCounts(Shape):
    """Open issues. Null before the first audit."""

    open: Annotated[Count | None, Meta(description="All open issues.")]
    critical: Annotated[Count | None, Meta(description="Critical ones.")]
    new_this_week: Annotated[Count | None, Meta(description="Issues that were first seen within the last 7 days.")]


class ActionCounts(Shape):
    """Open actions. Null before the first audit."""

    open: Annotated[Count | None, Meta(description="All open actions.")]
    waiting: Annotated[Count | None, Meta(description="Actions that have been open for 14 days or more.")]


class Coverage(Shape):
    """The part of the sitemap that an audit read."""

    sitemap_urls: Annotated[Count, Meta(description="Addresses in the sitemap.")]
    sitemap_crawled: Annotated[Count, Meta(description="Addresses of the sitemap that were read.")]
    percent: Annotated[Percent, Meta(description="The share of the sitemap's addresses that were read, in per cent.")]


class LastAudit(Shape):
    """The last finished audit."""

    id: AuditId
    finished_at: FinishedAt
    pages_crawled: PagesCrawled
    partial_reason: PartialReason | None
    coverage: Coverage | None


class SearchTotals(Shape):
    """Search figures of 28 days and of the 28 days before. Without search data, the only member is ``connected``. A
    figure is null if one of its days is not known yet. ``period`` ends earlier than ``searchPeriod`` if the website's
    data is older."""

    connected: Annotated[bool, Meta(description="Whether search data is connected.")]
    period: Days | UnsetType = UNSET
    previous_period: Days | UnsetType = UNSET
    clicks: Annotated[Count | None, Meta(description="Clicks in the 28 days.")] | UnsetType = UNSET
    impressions: Annotated[Count | None, Meta(description="Impressions in the 28 days.")] | UnsetType = UNSET
    previous_clicks: Annotated[Count | None, Meta(description="Clicks in the previous 28 days.")] | UnsetType = UNSET
    previous_impressions: (
        Annotated[Count | None, Meta(description="Impressions in the previous 28 days.")] | UnsetType
    ) = UNSET


class SearchPeriod(Shape, rename={"from_": "from", "previous_from": "previousFrom", "previous_to": "previousTo"}):
    """The 28 days up to the newest search figures of any website, and the 28 days before. Each website's own days are
    in `search.period`."""

    from_: Annotated[Day, Meta(description="First day.")]
    to: Annotated[Day, Meta(description="Last day.")]
    previous_from: Annotated[Day, Meta(description="First day of the previous 28 days.")]
    previous_to: Annotated[Day, Meta(description="Last day of the previous 28 days.")]


class Website(Shape, kw_only=True):
    """A website of the portfolio. ``score`` and ``lastAudit`` are null before the first audit."""

    id: WebsiteId
    name: Name
    host: Host
    url: Annotated[Address, Meta(description="Address of the home page.")]
    platform: Platform
    status: WebsiteStatus
    notice: Annotated[
        str | None,
        Meta(
            description="Why the last audit could judge only little of the website, and what to do. Null: it could "
            "judge enough, or there was no audit."
        ),
    ]
    score: CurrentScore | None
    previous_audit: PastScore | None
    last_week: PastScore | None
    change: Change
    weekly_scores: Annotated[
        list[Score | None],
        Meta(
            min_length=13,
            max_length=13,
            description="The last `score.site` of each of 13 weeks (Monday to Sunday, UTC), oldest first. Null: the "
            "week has no score, or its score has another version than the last one.",
        ),
    ]
    issues: IssueCounts
    actions: ActionCounts
    last_audit: LastAudit | None
    running: Annotated[bool, Meta(description="Whether an audit is running.")]
    next_scheduled_audit_at: Annotated[
        Timestamp | None, Meta(description="When the next weekly audit starts; null: none.")
    ]
    search: SearchTotals | UnsetType = UNSET
    link: AppLink


class Portfolio(Shape):
    """One page of the websites that the key can read."""

    total: Total
    page: Annotated[int, Meta(description="This page of the list, from 1.")]
    per: Annotated[int, Meta(description="Websites in an answer.")]
    has_more: HasMore
    next_cursor: Annotated[str | None, Meta(description="Pass it as `cursor`; null after the last website.")]
    weeks: Annotated[list[Day], Meta(description="The 13 Mondays of `weeklyScores`, oldest first.")]
    websites: Annotated[list[Website], Meta(description="The websites.")]
    search_period: SearchPeriod | None


class CmsAccess(Shape):
    """The connected CMS, and the fields that can be written."""

    connected: Annotated[bool, Meta(description="Whether a CMS is connected.")]
    writable: Annotated[bool, Meta(description="Whether the CMS can be written.")]
    kind: Annotated[str | None, Meta(description="The CMS; null: none.")]
    seo_plugin: Annotated[str | None, Meta(description="The SEO plugin of the CMS; null: none is known.")]
    writable_fields: Annotated[list[str], Meta(description="Fields that can be written.")]


class ImportProgress(Shape):
    """The progress of an import."""

    days_done: Annotated[Count, Meta(description="Days imported so far.")]
    days: Annotated[Count, Meta(description="Days to import.")]


class Connection(Shape):
    """A connection to an outside service, and how fresh its data is. ``importing``: the progress of the current import
    of search data; null if none is running."""

    kind: Annotated[Literal["cms", "shop", "search", "analytics"], Meta(description="What is connected.")]
    connected: Annotated[bool, Meta(description="Whether the service is connected.")]
    last_import_at: Annotated[Timestamp | None, Meta(description="When data was last received; null: never.")]
    rows_last_import: Annotated[Count | None, Meta(description="Rows of the last import; null: not known.")]
    stale_days: Annotated[Count | None, Meta(description="Days since data was last received; null: not known.")]
    error: Annotated[str | None, Meta(description="What is wrong; null: nothing.")]
    importing: ImportProgress | None = None


class WebsiteSummary(Website, kw_only=True):
    """Everything about one website."""

    stale_inputs: Annotated[
        list[str],
        Meta(
            description="Inputs whose data is more than 14 days old. Old `search` and `speed` data make the score "
            "less certain."
        ),
    ]
    cms: CmsAccess
    connections: Annotated[list[Connection], Meta(description="Its connections.")]


class ScoreOfWeek(Shape):
    """The last score of a week. A week without a score has no entry."""

    week: Annotated[str, Meta(description="The week's Monday.", extra_json_schema={"format": "date"})]
    site: Score
    health: Score
    aeo: Score | None
    version: ScoreVersion
    audit_id: AuditId | None
    computed_at: ComputedAt


class RuleLoss(Shape):
    """The score points that the findings of one rule cost."""

    rule_id: RuleId
    issue_id: IssueId
    points: Score


class ExplainedScore(CurrentScore, kw_only=True):
    """The current score and its parts."""

    losses: Annotated[
        list[RuleLoss] | None,
        Meta(
            description="The points that each rule costs, most first. Their sum is 100 minus `site`. Null: the score "
            "has an earlier version, which was not split."
        ),
    ]


class ScoreOfCrawl(Shape):
    """The score after an audit, a recheck or an alert."""

    crawl_id: CrawlId
    kind: Annotated[ScoredBy, Meta(description="What computed it.")]
    site: Score
    health: Score
    aeo: Score | None
    version: ScoreVersion
    computed_at: ComputedAt


class ScoreHistory(Shape):
    """The current score and the last scores of 13 weeks, oldest first. Scores of different versions cannot be
    compared."""

    current: ExplainedScore | None
    history: Annotated[list[ScoreOfWeek], Meta(description="The last score of each week.", max_length=13)]
    audits: (
        Annotated[
            list[ScoreOfCrawl],
            Meta(
                max_length=MOST_SCORES,
                description="Only with `detail=audits`: the scores of the last 400 days, newest first.",
            ),
        ]
        | UnsetType
    ) = UNSET
