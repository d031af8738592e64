"""Websites, their scores and the portfolio."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from chalicelib.api.shapes.values import (
    Address,
    Count,
    Day,
    Days,
    NextOffset,
    Offset,
    Percent,
    Score,
    ScoreDifference,
    Timestamp,
    Truncated,
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

    id: str
    name: str
    host: str
    url: Address
    platform: Platform
    status: WebsiteStatus
    link: Address


class WebsiteList(Shape):
    """The websites that the key can read, sorted by name."""

    total: Count
    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    websites: list[WebsiteName]


class CategoryScore(Shape):
    """A category's part of the score."""

    category: Category
    score: Score
    weight: Annotated[
        float,
        Meta(description="Its share of its side's exponents in per cent: health's ten, and AEO and AGT, sum to 100."),
    ]
    open_issues: Count


class CurrentScore(Shape):
    """The current score. ``aeo`` is null until it has been measured."""

    site: Score
    health: Score
    aeo: Score | None
    coverage: Annotated[
        Percent,
        Meta(
            description="Per cent of the known pages that were read and understood. Pages that have neither words nor "
            "links before scripts run, and were not rendered, do not count."
        ),
    ]
    confidence: ScoreConfidence
    version: str
    computed_at: Timestamp
    categories: list[CategoryScore]


class PastScore(Shape):
    """A score of an earlier time."""

    site: Score
    health: Score
    aeo: Score | None
    version: str
    computed_at: Timestamp


class ScoreChange(Shape):
    """By how much the score moved."""

    site: ScoreDifference
    health: ScoreDifference
    aeo: ScoreDifference | None


class Change(Shape):
    """By how much the score moved; null where there is nothing to compare, or the score version changed between."""

    since_previous_audit: ScoreChange | None
    since_last_week: ScoreChange | None


class IssueCounts(Shape):
    """Open issues. Null before the first audit: not known, which is not zero."""

    open: Count | None
    critical: Count | None
    new_this_week: Annotated[Count | None, Meta(description="First seen within the last 7 days.")]


class ActionCounts(Shape):
    """Open actions. Null before the first audit."""

    open: Count | None
    waiting: Annotated[Count | None, Meta(description="Open for 14 days or more.")]


class Coverage(Shape):
    """How much of the sitemap an audit read."""

    sitemap_urls: Count
    sitemap_crawled: Count
    percent: Percent


class LastAudit(Shape):
    """The last audit that finished."""

    id: str
    finished_at: Timestamp
    pages_crawled: Count
    partial_reason: PartialReason | None
    coverage: Coverage | None


class SearchTotals(Shape):
    """The website's search performance in 28 days and in the 28 before; only ``connected: false`` while no search data
    is connected. Figures are null where a day of theirs is not known yet. ``period`` ends earlier than ``searchPeriod``
    where the website's data does."""

    connected: bool
    period: Days | UnsetType = UNSET
    previous_period: Days | UnsetType = UNSET
    clicks: Count | UnsetType | None = UNSET
    impressions: Count | UnsetType | None = UNSET
    previous_clicks: Count | UnsetType | None = UNSET
    previous_impressions: Count | UnsetType | None = UNSET


class SearchPeriod(Shape, rename={"from_": "from", "previous_from": "previousFrom", "previous_to": "previousTo"}):
    """The days that the portfolio's search figures cover, and the 28 before: those of the website whose data is newest.
    Each website names its own in `search.period`."""

    from_: Day
    to: Day
    previous_from: Day
    previous_to: Day


class Website(Shape, kw_only=True):
    """A website of the portfolio. ``score`` and ``lastAudit`` are null before the first audit."""

    id: str
    name: str
    host: str
    url: Address
    platform: Platform
    status: WebsiteStatus
    notice: Annotated[
        str | None,
        Meta(
            description="Why the last audit understood little of the website, and what to do, in a sentence. Null "
            "where it understood enough, and before the first audit."
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
            description="The last `score.site` of each of 13 weeks (from Monday on, UTC), oldest first, this week "
            "last; null where a week has none, or one of another version than the last, which does not compare.",
        ),
    ]
    issues: IssueCounts
    actions: ActionCounts
    last_audit: LastAudit | None
    running: bool
    next_scheduled_audit_at: Timestamp | None
    search: SearchTotals | UnsetType = UNSET
    link: Address


class Portfolio(Shape):
    """One page of the websites that the key can read. ``total`` counts those that match, on all pages."""

    total: Count
    page: int
    per: Annotated[int, Meta(description="Websites in an answer.")]
    has_more: bool
    next_cursor: Annotated[str | None, Meta(description="Pass it as `cursor`; null after the last website.")]
    weeks: Annotated[list[Day], Meta(description="The 13 Mondays of `weeklyScores`, oldest first.")]
    websites: list[Website]
    search_period: SearchPeriod | None


class CmsAccess(Shape):
    """The fields that the CMS connector can write."""

    connected: bool
    writable: bool
    kind: str | None
    seo_plugin: str | None
    writable_fields: list[str]


class ImportProgress(Shape):
    """How far an import has come."""

    days_done: Count
    days: Count


class Connection(Shape):
    """A connection to an outside service and how fresh its data is. ``importing``: of an import of search data that is
    under way, else null."""

    kind: Literal["cms", "shop", "search", "analytics"]
    connected: bool
    last_import_at: Timestamp | None
    rows_last_import: Count | None
    stale_days: Count | None
    error: str | None
    importing: ImportProgress | None = None


class WebsiteSummary(Website, kw_only=True):
    """Everything about one website."""

    stale_inputs: Annotated[
        list[str],
        Meta(
            description="Inputs whose data ends more than 14 days ago: `search` and `speed`, which make the score less "
            "certain, and `analytics`, which does not."
        ),
    ]
    cms: CmsAccess
    connections: list[Connection]


class ScoreOfWeek(Shape):
    """The last score of a week. A week without a score has no entry."""

    week: Annotated[str, Meta(description="The week's Monday.", extra_json_schema={"format": "date"})]
    site: Score
    health: Score
    aeo: Score | None
    version: str
    audit_id: str | None
    computed_at: Timestamp


class RuleLoss(Shape):
    """The score points that the findings of one rule cost."""

    rule_id: str
    issue_id: str
    points: Score


class ExplainedScore(CurrentScore, kw_only=True):
    """The current score, with its parts."""

    losses: Annotated[
        list[RuleLoss] | None,
        Meta(
            description="What each rule costs, dearest first. They sum to 100 minus `site`. Null for a score of an "
            "earlier version, which was not split."
        ),
    ]


class ScoreOfCrawl(Shape):
    """The score that an audit, a recheck or an alert ended with."""

    crawl_id: str
    kind: ScoredBy
    site: Score
    health: Score
    aeo: Score | None
    version: str
    computed_at: Timestamp


class ScoreHistory(Shape):
    """The current score and those of the last 13 weeks, oldest first. Scores of different versions do not compare."""

    current: ExplainedScore | None
    history: Annotated[list[ScoreOfWeek], Meta(max_length=13)]
    audits: (
        Annotated[
            list[ScoreOfCrawl],
            Meta(max_length=MOST_SCORES, description="Only with `detail=audits`. Newest first, of the last 400 days."),
        ]
        | UnsetType
    ) = UNSET
