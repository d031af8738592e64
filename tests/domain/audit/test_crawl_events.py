"""The events of an audit and of a recheck, in the order in which they are told."""

from typing import Any

import msgspec

from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issues import Issue, IssueStatus, LastRecheck, Moved
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import CurrentScore, Generation, ScoreEntry, SiteSummary

RULE = "SEO-ONP-001"
LOW, HIGH = ScoreEntry(500, 500, None, "1", 1.0, "crawl_1"), ScoreEntry(900, 900, None, "1", 2.0, "crawl_2")
HEADER = CrawlHeader(
    id="crawl_2",
    site_id="site_1",
    workspace_id="ws_1",
    kind="audit",
    status="done",
    stage="finished",
    queued_at=1.0,
    page_budget=10,
    time_limit_minutes=5,
    pages_crawled=4,
)
EVENTS = CrawlEvents(HEADER, "site.test", "https://app.test", 9.0, {RULE: ("Title is missing", "critical")})


def issue(status: IssueStatus, present: int = 0) -> Issue:
    last = LastRecheck(at=9.0, present=present, checked=3, crawl_id="crawl_2", passed=None)
    return Issue("iss_1", RULE, status, present, 4, 1.0, 2.0, "s", last_recheck=last)


def test_an_audit_sends_its_issue_events_before_audit_finished_and_score_changed() -> None:
    moved = [Moved(issue("resolved"), "resolved", 2), Moved(issue("open"), "opened", 1)]
    told = EVENTS.of_audit(moved, 5, LOW, HIGH)
    assert [event.kind for event in told] == ["issue.resolved", "audit.finished", "score.changed"]
    assert told[1].fields["openIssues"] == 5
    assert told[1].fields["changes"] == {"new": 1, "resolved": 1, "reopened": 0}
    assert [event.kind for event in EVENTS.of_audit([], 5, None, HIGH)] == ["audit.finished"]


def test_a_passed_recheck_reports_the_number_of_fixed_pages() -> None:
    told = EVENTS.of_recheck(issue("resolved"), was("recheck_queued"))
    assert [event.kind for event in told] == ["issue.resolved"], "only audits tell of the score"
    assert (told[0].fields["issue"]["pages"], told[0].fields["issue"]["pagesBefore"]) == (0, 3)


def test_a_failed_recheck_reports_its_reason() -> None:
    (told,) = EVENTS.of_recheck(issue("open", present=2), was("recheck_queued"))
    assert (told.kind, told.fields["reason"]) == ("recheck.failed", "still_present")
    (told,) = EVENTS.of_recheck(issue("open"), was("recheck_queued"))
    assert told.fields["reason"] == "error"
    (told,) = EVENTS.of_recheck(issue("open", present=2), was("recheck_queued"), not_live=True)
    assert told.fields["reason"] == "not_live"


def test_a_recheck_of_a_resolved_issue_sends_an_event_only_if_it_is_reopened() -> None:
    assert EVENTS.of_recheck(issue("resolved"), was("resolved")) == []
    (told,) = EVENTS.of_recheck(issue("reopened", present=1), was("resolved"))
    assert told.kind == "issue.reopened"


def was(status: IssueStatus) -> Issue:
    """The issue when the recheck began, with three pages."""
    return msgspec.structs.replace(issue(status), affected_pages=3)


def finished(standing: SiteSummary | None, **changes: Any) -> dict[str, Any]:
    header = msgspec.structs.replace(HEADER, status="failed", **changes)
    events = CrawlEvents(header, "site.test", "https://app.test", 9.0, {})
    return events.audit_unpublished(standing).fields


def test_the_event_of_a_failed_audit_has_the_last_valid_score() -> None:
    score = CurrentScore(HIGH, 100.0, "high", [])
    standing = SiteSummary(Generation("crawl_1", 1, 1), score, None, [], 0, [1.0, 2.0], [], None)
    told = finished(standing)
    assert (told["openIssues"], told["score"]) == (2, {"site": 90.0, "health": 90.0, "aeo": None})
    first = finished(None)
    assert told["changes"] is None, "it moved nothing"
    assert (first["openIssues"], first["score"]) == (None, {"site": None, "health": None, "aeo": None})


def test_an_audit_reports_its_duration() -> None:
    assert finished(None, started_at=10.0, finished_at=75.9)["durationSeconds"] == 65
    assert finished(None, started_at=None, finished_at=75.9)["durationSeconds"] is None
