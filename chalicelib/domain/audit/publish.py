"""What an audit publishes besides its pages: the counts of the website's summary and the score's history."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec

from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue
from chalicelib.domain.audit.summary import ScoreEntry, SiteSummary

HISTORY_WEEKS = 13


def week_of(seconds: float) -> str:
    """The Monday (UTC) of the week, as YYYY-MM-DD."""
    day = datetime.fromtimestamp(seconds, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def add_to_history(history: list[ScoreEntry], entry: ScoreEntry | None) -> list[ScoreEntry]:
    """The history with the entry as its week's last one: at most 13 weeks back, oldest first, no filled-in weeks."""
    if entry is None:
        return history
    week = week_of(entry.computed_at)
    monday = datetime.fromisoformat(week).date()
    oldest = (monday - timedelta(weeks=HISTORY_WEEKS - 1)).isoformat()
    kept = [old for old in history if oldest <= week_of(old.computed_at) != week]
    return sorted([*kept, entry], key=lambda item: item.computed_at)


def open_issues(issues: list[Issue]) -> list[Issue]:
    return [issue for issue in issues if issue.status in OPEN_STATUSES]


def open_by_category(issues: list[Issue]) -> dict[str, int]:
    """How many issues of each category are open. The category is the code in the rule's id."""
    return Counter(issue.rule_id.split("-")[1] for issue in open_issues(issues))


def recounted(summary: SiteSummary, issues: list[Issue], critical: Callable[[str], bool]) -> SiteSummary:
    """The summary with its issue counts taken from these issues. ``critical`` tells it of a rule id."""
    standing = open_issues(issues)
    first_seen = [issue.first_seen for issue in standing]
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
        issue_first_seen=first_seen,
        action_first_seen=first_seen,
    )


def site_link(app_url: str, site_id: str, *path: str) -> str:
    """The address of a screen of the app."""
    return "/".join([app_url.rstrip("/"), "sites", site_id, *path])


def tenths(value: int | None) -> float | None:
    """Integer tenths as the number that is shown; unknown stays unknown."""
    return None if value is None else value / 10
