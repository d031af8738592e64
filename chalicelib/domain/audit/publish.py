"""Computes what an audit or a recheck changes for the website as a whole: the score, the website's summary, and the
final state of the crawl's stored header."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter

import msgspec

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue, IssueBook, RuleCount, is_keyword_task
from chalicelib.domain.audit.records import Coverage, CrawlHeader, CrawlStatus
from chalicelib.domain.audit.score import RuleShare, Standing
from chalicelib.domain.audit.summary import (
    CategoryScore,
    CurrentScore,
    Generation,
    LastAudit,
    Returning,
    RuleLoss,
    ScoreEntry,
    SiteSummary,
)
from chalicelib.domain.audit.understood import TURNED_AWAY_SHARE, Understood

HISTORY_WEEKS = 13
DAY_SECONDS = 86_400
WEEK_SECONDS = 7 * DAY_SECONDS
MOST_RECENT = 60


def week_of(seconds: float) -> str:
    """Return the Monday (UTC) of the week of a time (epoch seconds), as YYYY-MM-DD."""
    day = datetime.fromtimestamp(seconds, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def add_to_history(history: list[ScoreEntry], entry: ScoreEntry | None) -> list[ScoreEntry]:
    """Add a score to the weekly history. It replaces the earlier score of its week.

    The history goes 13 weeks back, oldest first. Weeks without a score are not filled in.
    """
    if entry is None:
        return history
    week = week_of(entry.computed_at)
    monday = datetime.fromisoformat(week).date()
    oldest = (monday - timedelta(weeks=HISTORY_WEEKS - 1)).isoformat()
    kept = [old for old in history if oldest <= week_of(old.computed_at) != week]
    return sorted([*kept, entry], key=lambda item: item.computed_at)


def add_to_recent(recent: list[ScoreEntry], entry: ScoreEntry | None) -> list[ScoreEntry]:
    """Add a score to the recent scores, oldest first. These are the scores of the last seven days, and one older score.

    While there are more than 60, the score that is followed soonest by the next score is removed.
    """
    if entry is None:
        return recent
    week_ago = entry.computed_at - WEEK_SECONDS
    first = max((place for place, old in enumerate(recent) if old.computed_at <= week_ago), default=0)
    kept = [*recent[first:], entry]
    while len(kept) > MOST_RECENT:
        del kept[min(range(len(kept) - 1), key=lambda place: kept[place + 1].computed_at - kept[place].computed_at)]
    return kept


def counts_by_week(
    before: IssueBook | None, now: float, counts: Mapping[str, RuleCount]
) -> dict[str, dict[str, RuleCount]]:
    """Return the new value of ``IssueBook.weeks``: the counts of each of the last 13 weeks. ``counts`` replaces those
    of the week of ``now``."""
    week = week_of(now)
    oldest = week_of(now - (HISTORY_WEEKS - 1) * WEEK_SECONDS)
    kept = {old: counted for old, counted in (before.weeks if before else {}).items() if oldest <= old != week}
    kept[week] = {rule_id: count for rule_id, count in sorted(counts.items()) if count.affected}
    return kept


def last_week(summary: SiteSummary, now: float) -> ScoreEntry | None:
    """Return the last score that an audit, recheck or alert computed at least seven days ago; None if there is none."""
    past = [old for old in (*summary.history, *summary.recent) if old.computed_at <= now - WEEK_SECONDS]
    return max(past, key=attrgetter("computed_at"), default=None)


def audited(summary: SiteSummary | None) -> ScoreEntry | None:
    """Return the score of the last audit, without the effect of later rechecks; None before the first audit."""
    if summary is None:
        return None
    return summary.audited or (summary.history[-1] if summary.history else None)


def open_issues(issues: Iterable[Issue]) -> list[Issue]:
    """Return the open issues, except keyword tasks."""
    return [issue for issue in open_actions(issues) if not is_keyword_task(issue.rule_id)]


def open_actions(issues: Iterable[Issue]) -> list[Issue]:
    """Return the issues and keyword tasks that are open."""
    return [issue for issue in issues if issue.status in OPEN_STATUSES]


def open_by_category(issues: list[Issue]) -> dict[str, int]:
    """Count the open issues of each category. The category is a part of the rule's id."""
    return Counter(issue.rule_id.split("-")[1] for issue in open_issues(issues))


def recounted(summary: SiteSummary, issues: list[Issue], critical: Callable[[str], bool]) -> SiteSummary:
    """Return the summary with new issue counts, computed from these issues.

    ``critical``: a function that returns whether a rule, given by its id, is critical.
    """
    standing = open_issues(issues)
    score = summary.score
    if score is not None:
        by_category = open_by_category(issues)
        categories = [
            msgspec.structs.replace(part, open_issues=by_category.get(part.category, 0)) for part in score.categories
        ]
        score = msgspec.structs.replace(score, categories=categories)
    return msgspec.structs.replace(
        summary,
        score=score,
        critical_issues=sum(critical(issue.rule_id) for issue in standing),
        issue_first_seen=[issue.first_seen for issue in standing],
        action_first_seen=[issue.first_seen for issue in open_actions(issues)],
        returning=[_returning(issue, critical) for issue in issues if _comes_back(issue)],
    )


def _comes_back(issue: Issue) -> bool:
    """Whether the issue will be open again once its date has passed. If no page shows it, it will be resolved
    instead."""
    return issue.status == "ignored" and issue.ignored_until() is not None and issue.whole().affected_pages > 0


def _returning(issue: Issue, critical: Callable[[str], bool]) -> Returning:
    until = issue.ignored_until() or 0.0
    if is_keyword_task(issue.rule_id):
        return Returning(until, issue.first_seen, critical=False, category=None)
    return Returning(until, issue.first_seen, critical(issue.rule_id), issue.rule_id.split("-")[1])


def current_score(
    book: IssueBook,
    shares: Iterable[RuleShare],
    *,
    audit_id: str | None,
    version: str,
    now: float,
    coverage: float,
    confidence: str,
) -> CurrentScore | None:
    """Compute the score, at the time ``now``, for the pages of an audit. Returns None if nothing could be judged.

    ``shares``: how many pages each rule applies to and affects.
    """
    standing = Standing(shares, book.measured)
    if not standing.scored:
        return None
    result = standing.score()
    entry = ScoreEntry(result.site_tenths, result.health_tenths, result.aeo_tenths, version, now, audit_id)
    open_issues_of = open_by_category(book.issues)
    categories = [
        CategoryScore(part.category, part.tenths, part.weight, open_issues_of.get(part.category, 0))
        for part in result.categories
    ]
    losses = [RuleLoss(rule_id, points) for rule_id, points in standing.points_lost().items()]
    return CurrentScore(entry, coverage, confidence, categories, losses)


def audit_confidence(
    header: CrawlHeader, coverage: float, stale: Collection[str] = (), understood: Understood | None = None
) -> scoring.ScoreConfidence:
    """Return how far the score of an audit can be trusted.

    - ``coverage``: the percentage of the known addresses that the audit read.
    - ``stale``: the names of inputs with old data.
    - ``understood``: how much of the website the audit understood; None if not measured.
    """
    refused_share = header.refused / header.fetches if header.fetches else 0.0
    little = refused_share > TURNED_AWAY_SHARE
    if understood is not None:
        refused_share, little = max(refused_share, understood.refused_share), little or understood.little
    partial = header.partial_reason is not None
    return scoring.confidence(coverage, refused_share=refused_share, stale_inputs=stale, partial=partial, little=little)


def summary_after_audit(
    before: SiteSummary | None,
    header: CrawlHeader,
    book: IssueBook,
    score: CurrentScore | None,
    generation: Generation,
    critical: Callable[[str], bool],
    *,
    home_url: str,
    inputs: Iterable[str] = (),
    notice: str | None = None,
) -> SiteSummary:
    """Make the summary that an audit publishes.

    - ``header``: the audit's final header.
    - ``critical``: a function that returns whether a rule, given by its id, is critical.
    - ``home_url``: the home page's address after redirects.
    - ``inputs``: the names of the inputs that the audit used in addition to its crawl.
    - ``notice``: why the audit could understand only little of the website; None if it understood enough.
    """
    assert header.finished_at is not None
    summary = SiteSummary(
        generation=generation,
        score=score,
        previous_audit=audited(before),
        history=add_to_history(before.history if before else [], score.entry if score else None),
        recent=add_to_recent(before.recent if before else [], score.entry if score else None),
        critical_issues=0,
        issue_first_seen=[],
        action_first_seen=[],
        last_audit=LastAudit(
            header.id, header.finished_at, header.pages_crawled, header.partial_reason, header.coverage
        ),
        measured=book.measured,
        home_url=home_url,
        inputs=sorted(inputs),
        audited=score.entry if score else audited(before),
        notice=notice,
    )
    return recounted(summary, book.issues, critical)


def summary_after_recheck(
    before: SiteSummary,
    book: IssueBook,
    shares: Iterable[RuleShare],
    critical: Callable[[str], bool],
    *,
    version: str,
    now: float,
) -> SiteSummary:
    """Make the summary after a recheck.

    Each rule applies to as many pages as in the last audit. If the recheck resolved the issue, the score therefore
    rises by exactly the points that were shown as the gain of a fix. ``version``: the current version of the score,
    which may be newer than the audit's.
    """
    summary = recounted(before, book.issues, critical)
    old = before.score
    if old is None:
        return summary
    score = current_score(
        book,
        shares,
        audit_id=old.entry.audit_id,
        version=version,
        now=now,
        coverage=old.coverage,
        confidence=old.confidence,
    )
    entry = score.entry if score else None
    return msgspec.structs.replace(
        summary,
        score=score,
        history=add_to_history(before.history, entry),
        recent=add_to_recent(before.recent, entry),
        audited=audited(before),
    )


def score_entry(summary: SiteSummary | None) -> ScoreEntry | None:
    """Return the score that a summary shows; None if it has none."""
    return summary.score.entry if summary is not None and summary.score is not None else None


def ended(header: CrawlHeader, status: CrawlStatus, now: float) -> CrawlHeader:
    """Return the header of an audit or recheck that ends now. Its lease is released."""
    return msgspec.structs.replace(header, status=status, stage="finished", finished_at=now, lease_until=0.0)


def audit_ended(
    header: CrawlHeader,
    before: SiteSummary | None,
    *,
    now: float,
    coverage: Coverage | None,
    issues_found: int,
    notes: Sequence[str],
) -> CrawlHeader:
    """Return the header of an audit that publishes its results. ``before``: the summary that it replaces; None for the
    first audit."""
    return msgspec.structs.replace(
        ended(header, "cancelled" if header.partial_reason == "cancelled" else "done", now),
        coverage=coverage,
        issues_found=issues_found,
        notes=list(notes),
        replaces=before.generation.crawl_id if before is not None else None,
    )


def site_link(app_url: str, site_id: str, *path: str) -> str:
    """Return the address of a website's screen in the app. ``path``: the parts that follow the website's id."""
    return "/".join([app_url.rstrip("/"), "sites", site_id, *path])


def tenths(value: int | None) -> float | None:
    """Convert a score in tenths of a point to the number that is shown: 830 to 83.0. None stays None."""
    return None if value is None else value / 10
