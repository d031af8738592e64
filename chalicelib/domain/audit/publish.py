"""What an audit publishes besides its pages: the website's summary, the score's history, the events."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue, Moved
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.domain.webhooks.events import Event

HISTORY_WEEKS = 13
SCORE_CHANGED_TENTHS = 20  # score.changed: 2 points or more, as shown


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


def site_link(app_url: str, site_id: str, *path: str) -> str:
    """The address of a screen of the app."""
    return "/".join([app_url.rstrip("/"), "sites", site_id, *path])


def audit_events(
    header: CrawlHeader,
    *,
    host: str | None,
    app_url: str,
    now: float,
    moved: list[Moved],
    open_count: int | None,
    score: ScoreEntry | None,
    before: ScoreEntry | None,
    rules: Mapping[str, tuple[str, str]],
) -> list[Event]:
    """The events of an ended audit. ``rules`` gives title and severity of each rule.

    The id of each follows from what happened, so that an audit published twice makes no second event.
    """

    def event(kind: str, subject: str, link: str, fields: dict[str, object]) -> Event:
        return Event(
            id=ids.hashed("evt", kind, header.site_id, subject, header.id),
            kind=kind,
            at=now,
            workspace_id=header.workspace_id,
            site_id=header.site_id,
            host=host,
            link=link,
            fields=fields,
        )

    events = []
    for move in moved:
        if move.kind == "opened":
            continue
        issue = move.issue
        title, severity = rules[issue.rule_id]
        events.append(
            event(
                f"issue.{move.kind}",
                issue.id,
                site_link(app_url, header.site_id, "issues", issue.id),
                {
                    "issue": {
                        "id": issue.id,
                        "ruleId": issue.rule_id,
                        "title": title,
                        "severity": severity,
                        "pages": move.pages,
                    },
                    "crawlId": header.id,
                },
            )
        )
    audit_link = site_link(app_url, header.site_id, "audits", header.id)
    events.append(
        event(
            "audit.finished",
            header.id,
            audit_link,
            {
                "crawlId": header.id,
                "status": header.status,
                "pagesCrawled": header.pages_crawled,
                "openIssues": open_count,
                "score": {
                    "site": tenths(score.site if score else None),
                    "health": tenths(score.health if score else None),
                    "aeo": tenths(score.aeo if score else None),
                },
            },
        )
    )
    if score and before and score.version == before.version and abs(score.site - before.site) >= SCORE_CHANGED_TENTHS:
        events.append(
            event(
                "score.changed",
                header.site_id,
                site_link(app_url, header.site_id),
                {
                    "from": tenths(before.site),
                    "to": tenths(score.site),
                    "delta": tenths(score.site - before.site),
                    "since": datetime.fromtimestamp(before.computed_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                },
            )
        )
    return events


def tenths(value: int | None) -> float | None:
    """Integer tenths as the number that is shown; unknown stays unknown."""
    return None if value is None else value / 10
