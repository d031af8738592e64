"""What of the moves of issues stands in their timelines."""

from typing import Any

import msgspec
import pytest

from chalicelib.domain.audit.issue_log import MOST_REASON, LogEntry, move, moves, rechecked
from chalicelib.domain.audit.issues import STATUSES, Issue, IssueBook, LastRecheck


def issue(status: Any, pages: int = 2, issue_id: str = "iss_1") -> Issue:
    return Issue(issue_id, "SEO-ONP-001", status, pages, 4, 1.0, 2.0, "s")


def book(*issues: Issue) -> IssueBook:
    return IssueBook(1, "crawl_1", 1.0, "1", list(issues), {}, [])


def test_the_log_of_an_audit_contains_only_status_changes() -> None:
    before = book(issue("open"), issue("resolved", 0, "iss_2"), issue("open", 1, "iss_3"), issue("ignored", 3, "iss_4"))
    after = book(
        issue("resolved", 0), issue("reopened", 5, "iss_2"), issue("open", 9, "iss_3"), issue("ignored", 0, "iss_4")
    )
    after.issues.append(issue("open", 7, "iss_5"))
    assert moves(before, after, 9.0, "crawl_2") == [
        LogEntry(9.0, "iss_1", "resolved", pages=2, crawl_id="crawl_2"),
        LogEntry(9.0, "iss_2", "reopened", pages=5, crawl_id="crawl_2"),
        LogEntry(9.0, "iss_5", "found", pages=7, crawl_id="crawl_2"),
    ]
    assert moves(before, before, 9.0, "crawl_2") == []
    assert [entry.kind for entry in moves(None, book(issue("open")), 9.0, None)] == ["found"]


@pytest.mark.parametrize("status", STATUSES)
def test_an_unchanged_issue_has_no_log_entry(status: Any) -> None:
    assert move(issue(status), issue(status, 7), 9.0) == []


@pytest.mark.parametrize("status", ["resolved", "ignored"])
def test_an_issue_that_is_resolved_or_ignored_when_first_stored_has_no_log_entry(status: Any) -> None:
    assert move(None, issue(status), 9.0) == []


def test_a_recheck_reports_its_findings_and_the_new_status_of_the_issue() -> None:
    last = LastRecheck(at=9.0, present=0, checked=2, crawl_id="crawl_3", passed=True, note="x" * 900)
    old = issue("recheck_queued")
    seen, resolved = rechecked(old, msgspec.structs.replace(issue("resolved", 0), last_recheck=last))
    assert (seen.kind, seen.present, seen.checked, seen.pages, seen.crawl_id) == ("rechecked", 0, 2, 0, "crawl_3")
    assert seen.reason == "x" * MOST_REASON
    assert (resolved.kind, resolved.pages, resolved.at) == ("resolved", 2, 9.0)
    still = msgspec.structs.replace(issue("open"), last_recheck=msgspec.structs.replace(last, present=2, note=None))
    assert [entry.kind for entry in rechecked(old, still)] == ["rechecked"]
