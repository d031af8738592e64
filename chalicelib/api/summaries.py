"""Converts a website's stored record to answers: the portfolio, the website summary and the score history."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, cast

from msgspec import UNSET, UnsetType

from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.values import (
    Days,
    from_tenths,
    from_tenths_or_none,
    instant,
    instant_or_none,
    site_link,
)
from chalicelib.api.shapes.websites import (
    ActionCounts,
    CategoryScore,
    Change,
    Coverage,
    CurrentScore,
    ExplainedScore,
    IssueCounts,
    LastAudit,
    PastScore,
    Platform,
    RuleLoss,
    ScoreChange,
    ScoreOfWeek,
    SearchPeriod,
    SearchTotals,
    Website,
    WebsiteStatus,
)
from chalicelib.domain import ids
from chalicelib.domain.audit import records
from chalicelib.domain.audit import summary as stored
from chalicelib.domain.audit.publish import HISTORY_WEEKS, WEEK_SECONDS, last_week, week_of
from chalicelib.domain.audit.records import PartialReason
from chalicelib.domain.audit.score import ScoreConfidence
from chalicelib.domain.audit.summary import ScoreEntry, SiteSummary
from chalicelib.domain.search.periods import Period, recent
from chalicelib.rules.model import Category
from chalicelib.store import websites

DAY_SECONDS: Final = 86_400
NEW_DAYS: Final = 7
WAITING_DAYS: Final = 14
SEARCH_DAYS: Final = 28
FIRST_MONDAY: Final = 4 * DAY_SECONDS  # 1970 began on a Thursday
_PartialReason = PartialReason | None  # created once: it is used for each website of a portfolio


def of(website: websites.Website | websites.Listed, now: float, with_search: bool) -> Website:
    """Make the website's entry in the portfolio. A portfolio may have thousands of entries, so this calls the
    constructor directly, which is faster than ``shaped``."""
    summary = website.summary
    current = None if summary is None or summary.score is None else summary.score.entry
    week_ago = None if summary is None else last_week(summary, now)
    previous = None if summary is None else summary.previous_audit
    return Website(
        id=website.id,
        name=website.name,
        host=website.host,
        url=website.url,
        platform=platform(website.platform),
        status=status(website.status),
        notice=None if summary is None else summary.notice,
        score=None if summary is None else current_score(summary),
        previous_audit=past(previous),
        last_week=past(week_ago),
        change=Change(
            since_previous_audit=_difference(current, previous), since_last_week=_difference(current, week_ago)
        ),
        weekly_scores=weekly_scores(summary, now),
        issues=_issues(summary, now),
        actions=_actions(summary, now),
        last_audit=None if summary is None or summary.last_audit is None else _last_audit(summary.last_audit),
        running=website.crawl == ("audit", "running"),
        next_scheduled_audit_at=instant_or_none(website.next_audit_at),
        search=search_totals(website, now) if with_search else UNSET,
        link=site_link(website.id),
    )


def weeks(now: float) -> list[str]:
    """Return the Mondays of the last 13 weeks, oldest first."""
    monday = date.fromisoformat(week_of(now))
    return [(monday - timedelta(weeks=ago)).isoformat() for ago in reversed(range(HISTORY_WEEKS))]


def weekly_scores(summary: SiteSummary | None, now: float) -> list[float | None]:
    """Return the last score of each of the last 13 weeks, oldest first. None for a week without a score, or whose score
    has another version than the latest one and so cannot be compared with it."""
    scores: list[float | None] = [None] * HISTORY_WEEKS
    history = () if summary is None else summary.history
    if history:
        version = history[-1].version
        first = _week_number(now) - (HISTORY_WEEKS - 1)
        for entry in history:  # a portfolio has thousands of entries
            place = _week_number(entry.computed_at) - first
            if 0 <= place < HISTORY_WEEKS and entry.version == version:
                scores[place] = entry.site / 10
    return scores


def _week_number(seconds: float) -> int:
    """Return the number of weeks since the first Monday of 1970 (UTC)."""
    return int((seconds - FIRST_MONDAY) // WEEK_SECONDS)


def search_totals(website: websites.Website | websites.Listed, now: float) -> SearchTotals:
    """Return the website's search figures of the last 28 known days, and of the 28 days before."""
    if website.connections.search is None:
        return SearchTotals(connected=False)
    known = website.search
    periods = _periods(_today(now), None if known is None else known.final_day)
    figures, before = (None, None) if known is None else map(known.within, periods)
    shown, shown_before = map(days, periods)
    return SearchTotals(
        connected=True,
        period=shown,
        previous_period=shown_before,
        clicks=None if figures is None else figures.clicks,
        impressions=None if figures is None else figures.impressions,
        previous_clicks=None if before is None else before.clicks,
        previous_impressions=None if before is None else before.impressions,
    )


def search_period(shown: Iterable[Website]) -> SearchPeriod | None:
    """Return the period of the newest search figures of these websites; None if no website has any."""
    known = [one.search for one in shown if one.search is not UNSET and one.search.period is not UNSET]
    if not known:
        return None
    latest = max(known, key=lambda totals: _ends(totals.period))
    now_, before = latest.period, latest.previous_period
    assert now_ is not UNSET and before is not UNSET
    return SearchPeriod(from_=now_.from_, to=now_.to, previous_from=before.from_, previous_to=before.to)


def _ends(period: Days | UnsetType) -> str:
    return "" if period is UNSET else period.to


@lru_cache(maxsize=64)  # nearly all websites of a portfolio have the same days
def _periods(today: date, final: date | None) -> tuple[Period, Period]:
    """Return the last days that may have search data, and as many days before."""
    period = recent(SEARCH_DAYS, today, final)
    return period, period.before


@lru_cache(maxsize=128)
def days(period: Period) -> Days:
    return Days(from_=period.first.isoformat(), to=period.last.isoformat())


def _today(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).date()


def platform(token: str) -> Platform:
    return cast(Platform, token)


def status(token: str) -> WebsiteStatus:
    return cast(WebsiteStatus, token)


def current_score(summary: SiteSummary) -> CurrentScore | None:
    """Return the current score; None before the first audit."""
    score = summary.score
    if score is None:
        return None
    entry = score.entry
    return CurrentScore(
        site=from_tenths(entry.site),
        health=from_tenths(entry.health),
        aeo=from_tenths_or_none(entry.aeo),
        coverage=round(score.coverage, 1),
        confidence=cast(ScoreConfidence, score.confidence),
        version=entry.version,
        computed_at=instant(entry.computed_at),
        categories=[
            # Positional arguments, which are faster: a portfolio has thousands of category scores.
            CategoryScore(cast("Category", part.category), part.score / 10, part.weight, part.open_issues)
            for part in score.categories
        ],
    )


def explained_score(site_id: str, summary: SiteSummary) -> ExplainedScore | None:
    """Return the current score, with the cost of each rule; None before the first audit."""
    score, shown = summary.score, current_score(summary)
    if score is None or shown is None:
        return None
    losses = None
    if score.losses is not None:
        losses = [
            shaped(RuleLoss, loss, issue_id=ids.issue_id(site_id, loss.rule_id), points=from_tenths(loss.points))
            for loss in score.losses
        ]
    return shaped(ExplainedScore, shown, losses=losses)


def history(summary: SiteSummary, now: float) -> list[ScoreOfWeek]:
    """Return the last score of each of the last 13 weeks, oldest first. Weeks without a score are left out."""
    oldest = (date.fromisoformat(week_of(now)) - timedelta(weeks=HISTORY_WEEKS - 1)).isoformat()
    return [
        shaped(ScoreOfWeek, past(entry), week=week_of(entry.computed_at), audit_id=entry.audit_id)
        for entry in summary.history
        if week_of(entry.computed_at) >= oldest
    ]


def coverage(stored_coverage: records.Coverage | None) -> Coverage | None:
    if stored_coverage is None:
        return None
    return Coverage(
        sitemap_urls=stored_coverage.sitemap_urls,
        sitemap_crawled=stored_coverage.sitemap_crawled,
        percent=round(stored_coverage.percent, 1),
    )


def past(entry: ScoreEntry | None) -> PastScore | None:
    """Convert an earlier score to the shape ``PastScore``; None stays None."""
    if entry is None:
        return None
    return PastScore(
        site=from_tenths(entry.site),
        health=from_tenths(entry.health),
        aeo=from_tenths_or_none(entry.aeo),
        version=entry.version,
        computed_at=instant(entry.computed_at),
    )


def _difference(current: ScoreEntry | None, before: ScoreEntry | None) -> ScoreChange | None:
    """Return the change between two scores; None if one is missing, or if their versions differ."""
    if current is None or before is None or current.version != before.version:
        return None
    aeo = None if current.aeo is None or before.aeo is None else from_tenths(current.aeo - before.aeo)
    return ScoreChange(
        site=from_tenths(current.site - before.site), health=from_tenths(current.health - before.health), aeo=aeo
    )


def _issues(summary: SiteSummary | None, now: float) -> IssueCounts:
    if summary is None:
        return IssueCounts(open=None, critical=None, new_this_week=None)
    since = now - NEW_DAYS * DAY_SECONDS
    return IssueCounts(
        open=len(summary.issue_first_seen),
        critical=summary.critical_issues,
        new_this_week=len(summary.issue_first_seen) - _until(since, summary.issue_first_seen),
    )


def _actions(summary: SiteSummary | None, now: float) -> ActionCounts:
    if summary is None:
        return ActionCounts(open=None, waiting=None)
    since = now - WAITING_DAYS * DAY_SECONDS
    return ActionCounts(
        open=len(summary.action_first_seen),
        waiting=_until(since, summary.action_first_seen),
    )


def _until(moment: float, times: list[float]) -> int:
    """Return how many of these times are not after ``moment``. Pages of an audit share few times, in few runs: sorting
    is faster than comparing each."""
    return bisect_right(sorted(times), moment)


def _last_audit(audit: stored.LastAudit) -> LastAudit:
    return LastAudit(
        id=audit.id,
        finished_at=instant(audit.finished_at),
        pages_crawled=audit.pages_crawled,
        partial_reason=cast(_PartialReason, audit.partial_reason),
        coverage=coverage(audit.coverage),
    )
