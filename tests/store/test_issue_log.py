"""The log of issues: it is written with the state's change or not at all, and is read newest first."""

import pytest

from chalicelib import clock
from chalicelib.domain.audit.issue_log import KEPT_SECONDS, LogEntry
from chalicelib.domain.audit.issues import IssueBook
from chalicelib.store import issues, items
from chalicelib.store.transactions import Conflict, commit

pytestmark = pytest.mark.usefixtures("store")

SITE = "site_1"


def book(version: int) -> IssueBook:
    return IssueBook(version, "crawl_1", 1.0, "1", [], {}, [])


def put(version: int, *log: LogEntry) -> None:
    commit([issues.put_state(SITE, book(version), replaces=version - 1, log=log)])


def entry(issue_id: str, number: int, kind: str = "found") -> LogEntry:
    return LogEntry(clock.now() + number, issue_id, kind, pages=number)  # type: ignore[arg-type]


def test_log_entries_are_read_newest_first() -> None:
    both = [entry("iss_1", 1), entry("iss_2", 2)]
    put(1, *both)
    alone = [entry("iss_1", 3, "rechecked"), entry("iss_1", 4, "resolved")]
    put(2, *alone)
    put(3, entry("iss_2", 5, "resolved"))
    several = [entry("iss_1", 6, "reopened"), entry("iss_2", 7, "reopened")]
    put(4, *several)
    assert issues.load_log(SITE, "iss_1") == [several[0], alone[1], alone[0], both[0]]
    assert [one.pages for one in issues.load_log(SITE, "iss_2")] == [7, 5, 2]
    assert issues.load_log(SITE, "iss_3") == issues.load_log("site_2", "iss_1") == []
    assert issues.load_log(SITE, "iss_") == [], "an id is no beginning of another"


def test_an_action_whose_transaction_was_not_committed_is_not_logged() -> None:
    put(1, entry("iss_1", 1))
    with pytest.raises(Conflict):
        commit([issues.put_state(SITE, book(2), replaces=5, log=[entry("iss_1", 2)])])
    assert len(issues.load_log(SITE, "iss_1")) == 1
    put(2)
    assert [row["sk"] for row in items.query_all("issues", f"SITE#{SITE}", "LOG#")] == ["LOG#iss_1#000000000001"]


def test_log_entries_are_kept_for_400_days() -> None:
    put(1, entry("iss_1", 0))
    clock.set_offset(clock.offset() + KEPT_SECONDS - 3_600)
    put(2, entry("iss_1", 0, "resolved"))
    assert len(issues.load_log(SITE, "iss_1")) == 2
    clock.set_offset(clock.offset() + 7_200)
    assert [one.kind for one in issues.load_log(SITE, "iss_1")] == ["resolved"]


def test_the_newest_entries_of_a_very_long_log_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issues, "MOST_LOGGED", 3)
    for version in range(1, 6):
        put(version, entry("iss_1", version))
    assert [one.pages for one in issues.load_log(SITE, "iss_1")] == [5, 4, 3]
