"""What the report makes of answers: which score stood when the period began, what a run brought, what is not known."""

from typing import Any

import pytest

from chalicelib.api.shapes.changes import Batch, BatchList, ChangeCounts
from chalicelib.api.shapes.issues import Issue
from chalicelib.api.shapes.values import instant
from chalicelib.api.shapes.websites import ExplainedScore, ScoreHistory, ScoreOfCrawl, ScoreOfWeek
from chalicelib.operations.reviews import Approvable
from chalicelib.web import reporting
from chalicelib.web.reporting import Past, Periods, Run, Written

NOW = 1_800_000_000.0
DAY = 86_400.0
PERIODS = Periods.until(NOW)


def day(ago: float) -> str:
    return instant(NOW - ago * DAY)


def run(ago: float, site: float, version: str = "1") -> ScoreOfCrawl:
    return ScoreOfCrawl(
        crawl_id=f"crawl_{ago}", kind="audit", site=site, health=site, aeo=None, version=version, computed_at=day(ago)
    )


def week(ago: float, site: float, version: str = "1") -> ScoreOfWeek:
    monday = reporting.day_of(NOW - ago * DAY)
    return ScoreOfWeek(
        week=f"{monday:%Y-%m-%d}",
        site=site,
        health=site,
        aeo=None,
        version=version,
        audit_id=None,
        computed_at=day(ago),
    )


def scores(*runs: ScoreOfCrawl, history: tuple[ScoreOfWeek, ...] = (), version: str = "1") -> ScoreHistory:
    current = ExplainedScore(
        site=80.0,
        health=80.0,
        aeo=None,
        coverage=100.0,
        confidence="high",
        version=version,
        computed_at=day(0),
        categories=[],
        losses=None,
    )
    return ScoreHistory(current=current, history=list(history), audits=list(runs))


def issue(number: int, **members: Any) -> Issue:
    values: dict[str, Any] = {
        "id": f"iss_{number}",
        "rule_id": f"SEO-ONP-{number:03d}",
        "title": f"Issue {number}",
        "category": "ONP",
        "severity": "high",
        "confidence": "high",
        "status": "resolved",
        "affected_pages": 0,
        "template": None,
        "summary": "",
        "first_seen": day(100),
        "last_seen": day(3),
        "last_recheck": None,
        "resolved_at": day(3),
        "ignored": None,
        "link": "/app",
    }
    return Issue(**(values | members))


def batch(ago: float | None, **members: Any) -> Batch:
    counts = dict.fromkeys(ChangeCounts.__struct_fields__, 0) | members.pop("counts", {"applied": 1})
    values: dict[str, Any] = {
        "batch_id": "batch_1",
        "kind": "fields",
        "status": "done",
        "field": "title",
        "source": "cms",
        "issue_id": None,
        "approved_by": None,
        "approved_at": day(0 if ago is None else ago),
        "ended_at": None if ago is None else day(ago),
        "undoes": None,
        "total": 1,
        "counts": ChangeCounts(**counts),
        "link": "/app",
    }
    return Batch(**(values | members))


def test_the_score_to_compare_with_is_the_last_score_before_the_period() -> None:
    found = scores(run(1, 80.0), run(29, 70.0), run(40, 60.0), history=(week(35, 65.0),))
    assert reporting.past_score(found, PERIODS) == Past(70.0, comparable=True)
    only_weeks = scores(run(1, 80.0), history=(week(35, 65.0), week(42, 64.0)))
    assert reporting.past_score(only_weeks, PERIODS) == Past(65.0, comparable=True)


def test_a_missing_or_incomparable_past_score_is_unknown() -> None:
    assert reporting.past_score(scores(run(1, 80.0)), PERIODS) == Past(None, comparable=True)
    other = scores(run(1, 80.0), run(29, 70.0, version="0"))
    assert reporting.past_score(other, PERIODS) == Past(None, comparable=False)


def test_weeks_without_a_score_are_gaps_and_other_versions_are_left_out() -> None:
    history = (week(35, 50.0, version="0"), week(28, 60.0), week(14, 62.0))
    assert [one.value for one in reporting.weeks(scores(history=history))] == [60.0, None, 62.0]
    assert reporting.weeks(scores()) == []


def test_issues_fixed_in_one_run_are_grouped_with_their_gain() -> None:
    first, second, third = issue(1), issue(2), issue(3, resolved_at=day(9))
    found = scores(run(1, 80.0), run(3, 78.5), run(9, 71.2), run(20, 71.0))
    fixed = reporting.fixed([first, third, second], found, PERIODS)
    assert fixed.runs == [Run(day(3), [first, second], 78.5, 7.3), Run(day(9), [third], 71.2, 0.2)]
    assert (fixed.count, fixed.before) == (3, None)


def test_the_gain_of_an_audit_is_unknown_if_its_scores_cannot_be_compared() -> None:
    alone = reporting.fixed([issue(1)], scores(run(3, 78.5)), PERIODS)
    assert alone.runs[0].score == 78.5 and alone.runs[0].gain is None
    other_way = reporting.fixed([issue(1)], scores(run(3, 78.5), run(9, 71.0, version="0")), PERIODS)
    assert other_way.runs[0].gain is None
    not_kept = reporting.fixed([issue(1)], scores(run(1, 80.0)), PERIODS)
    assert (not_kept.runs[0].score, not_kept.runs[0].gain) == (None, None)


def test_only_issues_resolved_within_the_period_are_counted() -> None:
    listed = [
        issue(1, resolved_at=day(27.9)),
        issue(2, resolved_at=day(28.1)),
        issue(3, resolved_at=day(55.9)),
        issue(4, resolved_at=day(56.1)),
        issue(5, resolved_at=None),
        issue(6, status="reopened"),
    ]
    fixed = reporting.fixed(listed, scores(run(28.1, 70.0)), PERIODS)
    assert (fixed.count, fixed.before) == (1, 2)
    many = reporting.fixed([issue(number) for number in range(30)], scores(), PERIODS)
    assert many.count == 30 and sum(len(one.issues) for one in many.runs) == reporting.MOST_FIXED


def test_new_issues_are_open_issues_first_seen_in_the_period() -> None:
    listed = [
        issue(1, status="open", first_seen=day(3)),
        issue(2, status="open", first_seen=day(29)),
        issue(3, status="resolved", first_seen=day(3)),
        issue(4, status="in_progress", first_seen=day(4)),
    ]
    assert reporting.found(listed, PERIODS) == 2


def test_counts_of_changes_by_field_omit_undone_and_waiting_changes() -> None:
    listed = BatchList(
        batches=[
            batch(None, counts={"approved": 4}),
            batch(1, counts={"applied": 3, "not_live": 1, "failed": 1, "refused": 1}),
            batch(2, kind="undo", counts={"applied": 9}),
            batch(3, field="canonical", counts={"applied": 2, "reverted": 5}),
            batch(4, counts={"applied": 1}),
            batch(30, counts={"applied": 7}),
            batch(60, counts={"applied": 8}),
        ],
        next_cursor=None,
    )
    found = reporting.changes(listed, PERIODS)
    assert found.fields == [Written("title", 4, 1, 2), Written("canonical", 2, 0, 0)]
    assert (found.live_before, found.whole) == (7, True)


@pytest.mark.parametrize(("oldest", "whole", "before"), [(1, False, None), (30, True, None), (57, True, 0)])
def test_a_truncated_list_of_batches_is_reported(oldest: float, whole: bool, before: int | None) -> None:
    found = reporting.changes(BatchList(batches=[batch(oldest)], next_cursor="more"), PERIODS)
    assert (found.whole, found.live_before) == (whole, before if before is None else 0)


def test_values_waiting_for_approval_are_grouped_by_field_and_count_pages_once() -> None:
    listed = [
        Approvable("Action 1", "title", frozenset("ab")),
        Approvable("Action 2", "noindex", frozenset("a")),
        Approvable("Action 3", "title", frozenset("bc")),
    ]
    assert reporting.undecided(listed) == {
        "title": (["Action 1", "Action 3"], frozenset("abc")),
        "noindex": (["Action 2"], frozenset("a")),
    }
