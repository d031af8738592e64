"""The table of the issue life cycle: complete, documented, and the only way in which an issue moves."""

import re
from pathlib import Path
from typing import get_args

import pytest

from chalicelib.domain.audit.issues import (
    MOVERS,
    OPEN_STATUSES,
    STATUSES,
    TRANSITIONS,
    Happening,
    Issue,
    IssueStatus,
    Mover,
    next_status,
)
from chalicelib.domain.audit.recheck import Reread, abandoned, decide, failed
from chalicelib.domain.audit.records import AffectedPage

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAGES = [AffectedPage(f"https://site.test/{name}", f"page_{name}", {"message": "m"}, 1, 2) for name in "ab"]


def issue(status: IssueStatus) -> Issue:
    return Issue("iss_1", "SEO-ONP-001", status, 2, 9, 1.0, 2.0, "s", pending_recheck="crawl_1", affected_chunks=1)


def after_recheck(status: IssueStatus, *outcomes: str) -> Issue:
    found = {page.url: Reread(outcome) for page, outcome in zip(PAGES, outcomes, strict=True)}  # type: ignore[arg-type]
    return decide(issue(status), PAGES, found, crawl_id="crawl_1", now=100.0, rows={}).issue


def test_every_status_can_be_left_and_every_event_changes_some_status() -> None:
    assert {status for status, _ in TRANSITIONS} == set(STATUSES)
    assert {what for _, what in TRANSITIONS} == set(get_args(Happening)) == set(MOVERS)


def test_an_open_issue_that_is_not_found_becomes_resolved() -> None:
    assert {status for status in STATUSES if TRANSITIONS.get((status, "not_found")) == "resolved"} == OPEN_STATUSES


def test_only_people_can_ignore_an_issue() -> None:
    assert next_status("open", "ignore", "app") == "ignored"
    for mover in {*get_args(Mover)} - {"app"}:
        with pytest.raises(ValueError, match="not for"):
            next_status("open", "ignore", mover)


def test_an_ignored_issue_stays_ignored_in_an_audit() -> None:
    assert next_status("ignored", "found", "audit") is None
    assert next_status("ignored", "not_found", "audit") is None


@pytest.mark.parametrize("status", sorted(OPEN_STATUSES))
def test_a_recheck_changes_the_status_as_the_table_says(status: IssueStatus) -> None:
    assert after_recheck(status, "passed", "gone").status == "resolved"
    for outcomes in (("present", "passed"), ("unread", "passed"), ("unread", "unread")):
        after = after_recheck(status, *outcomes)
        assert after.status == ("open" if status == "recheck_queued" else status)
        assert after.pending_recheck is None and after.resolved_at is None


def test_a_recheck_does_not_change_an_ignored_issue() -> None:
    assert after_recheck("ignored", "passed", "passed").status == "ignored"
    assert after_recheck("ignored", "present", "passed").status == "ignored"


def test_an_issue_does_not_wait_for_a_recheck_that_has_ended() -> None:
    for status in STATUSES:
        ends = [
            after_recheck(status, "unread", "unread"),
            failed(issue(status), crawl_id="crawl_1", now=1.0, pages=2, note="n"),
            abandoned(issue(status)),
        ]
        assert {end.status for end in ends} == {"open" if status == "recheck_queued" else status}
        assert {end.pending_recheck for end in ends} == {None}


def test_the_documentation_contains_the_table_of_status_transitions() -> None:
    text = (ROOT / "docs" / "decisions" / "issues.md").read_text(encoding="utf-8")
    section = text.split("## Life of an issue")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ([\w, ]+) \| `(\w+)` \|$", section, re.MULTILINE)
    shown = {(before, what): (who, after) for before, what, who, after in rows}
    assert shown == {
        (before, what): (", ".join(sorted(MOVERS[what])), after) for (before, what), after in TRANSITIONS.items()
    }
