"""How an audit moves issues."""

import pytest
from msgspec.structs import replace

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.issues import (
    SHORT_SUMMARY,
    SHORT_TEXT,
    STATUSES,
    Issue,
    IssueBook,
    IssueStatus,
    RuleOutcome,
    is_keyword_task,
    merge,
    shortened,
)
from chalicelib.domain.audit.records import AffectedPage

RULE = "SEO-ONP-001"
IDS = {RULE: "iss_1", "SEO-SEC-003": "iss_2"}


def page(name: str, last_seen: int = 100) -> AffectedPage:
    return AffectedPage(f"https://site.test/{name}", f"page_{name}", {"message": "m"}, 50, last_seen)


def outcome(*names: str, rule: str = RULE, judged: bool = True, site: bool = False) -> RuleOutcome:
    evidence: dict[str, object] | None = {"message": "m"} if site and names else None
    return RuleOutcome(
        rule, 10, [] if site else [page(name) for name in names], "2 of 10 pages.", judged, None, evidence, site
    )


def book(status: IssueStatus, pages: int = 2) -> IssueBook:
    issue = Issue("iss_1", RULE, status, pages, 10, 10.0, 20.0, "s", affected_crawl="crawl_1", affected_chunks=1)
    return IssueBook(3, "crawl_1", 20.0, "r", [issue], {}, [])


def merged(previous: IssueBook | None, *outcomes: RuleOutcome) -> tuple[dict[str, Issue], list[tuple[str, str]]]:
    issues, moved = merge(previous, list(outcomes), issue_ids=IDS, crawl_id="crawl_2", now=100.0, stored={})
    return {issue.rule_id: issue for issue in issues}, [(move.issue.rule_id, move.kind) for move in moved]


def test_a_first_finding_opens_an_issue() -> None:
    issues, moved = merged(None, outcome("a", "b"))
    assert moved == [(RULE, "opened")]
    issue = issues[RULE]
    assert (issue.id, issue.status, issue.affected_pages, issue.first_seen) == ("iss_1", "open", 2, 50.0), (
        "as early as its pages"
    )


def test_an_issue_found_again_keeps_its_first_day_and_its_status() -> None:
    issues, moved = merged(book("in_progress"), outcome("a"))
    assert moved == []
    issue = issues[RULE]
    assert (issue.status, issue.first_seen, issue.last_seen, issue.affected_pages) == ("in_progress", 10.0, 100.0, 1)
    assert issue.affected_crawl == "crawl_2"


@pytest.mark.parametrize("status", ["open", "reopened", "in_progress", "recheck_queued"])
def test_an_open_issue_that_is_not_found_is_resolved(status: IssueStatus) -> None:
    issues, moved = merged(book(status), outcome())
    assert moved == [(RULE, "resolved")]
    assert (issues[RULE].status, issues[RULE].resolved_at, issues[RULE].affected_pages) == ("resolved", 100.0, 0)


def test_the_event_of_a_resolved_issue_has_the_former_number_of_pages() -> None:
    _, moved = merge(book("open", pages=7), [outcome()], issue_ids=IDS, crawl_id="crawl_2", now=100.0, stored={})
    assert moved[0].pages == 7


def test_a_resolved_issue_that_is_found_again_is_reopened() -> None:
    issues, moved = merged(book("resolved", 0), outcome("a"))
    assert moved == [(RULE, "reopened")]
    assert (issues[RULE].status, issues[RULE].resolved_at, issues[RULE].first_seen) == ("reopened", None, 10.0)


def test_an_ignored_issue_that_is_found_again_stays_ignored() -> None:
    issues, moved = merged(book("ignored"), outcome("a"))
    assert moved == []
    assert issues[RULE].status == "ignored"


def test_an_ignored_issue_that_is_not_found_stays_ignored_and_lists_no_pages() -> None:
    issues, moved = merged(book("ignored"), outcome())
    assert moved == []
    assert (issues[RULE].status, issues[RULE].affected_pages) == ("ignored", 0)


@pytest.mark.parametrize("status", STATUSES)
def test_an_issue_of_an_unjudged_rule_does_not_change(status: IssueStatus) -> None:
    previous = book(status)
    issues, moved = merged(previous, outcome(judged=False))
    assert moved == [] and issues[RULE] == previous.issues[0]


def test_an_issue_of_a_removed_rule_is_kept() -> None:
    previous = book("open")
    issues, _ = merged(previous, outcome(rule="SEO-SEC-003", site=True))
    assert issues[RULE] == previous.issues[0]


def test_an_issue_about_the_whole_website_has_one_affected_page() -> None:
    issues, moved = merged(None, outcome("x", rule="SEO-SEC-003", site=True))
    assert moved == [("SEO-SEC-003", "opened")]
    assert issues["SEO-SEC-003"].affected_pages == 1 and issues["SEO-SEC-003"].evidence == {"message": "m"}


def test_the_last_seen_time_of_an_issue_is_that_of_its_most_recently_read_page() -> None:
    issues, _ = merge(
        None,
        [RuleOutcome(RULE, 10, [page("a", 60), page("b", 80)], "s")],
        issue_ids=IDS,
        crawl_id="crawl_2",
        now=100.0,
        stored={},
    )
    assert issues[0].last_seen == 80.0


def test_texts_are_shortened_if_the_issues_are_too_large_to_store() -> None:
    long = "letters " * 200
    cause = Cause("template", "product")
    told = replace(
        book("open").issues[0],
        summary=long,
        evidence={"message": long, "links": ["a", "b"]},
        explanation=long,
        explained_by="a model",
        cause=cause,
    )
    plain = replace(told, summary="short", evidence=None, explanation=None)
    cut, kept = shortened(IssueBook(3, "crawl_1", 20.0, "r", [told, plain], {}, [])).issues
    assert told.summary.startswith(cut.summary[:-1]) and cut.summary[-1] == "…" and len(cut.summary) == SHORT_SUMMARY
    message = (cut.evidence or {})["message"]
    assert cut.evidence == {"message": message} and message == cut.explanation == f"{long[: SHORT_TEXT - 1]}…"
    assert cut == replace(told, summary=cut.summary, evidence=cut.evidence, explanation=cut.explanation, cause=None)
    assert kept == replace(plain, cause=None)


@pytest.mark.parametrize(("rule_id", "task"), [("KW-001", True), ("SEO-ONP-001", False), ("KW", False)])
def test_keyword_tasks_are_recognised_by_their_rule_ids(rule_id: str, task: bool) -> None:
    assert is_keyword_task(rule_id) is task
