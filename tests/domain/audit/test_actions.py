"""The order of actions, and what they share."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.actions import (
    Action,
    Work,
    age_days,
    keyword_priority,
    ranked,
    waiting,
)
from chalicelib.domain.audit.causes import Cause, Shared
from chalicelib.domain.audit.issues import Issue, IssueStatus
from chalicelib.domain.audit.score import EXPONENTS, RuleShare, ScoredRule, Standing
from chalicelib.domain.severity import SEVERITIES

DAY = 86_400.0
MEASURED = frozenset(EXPONENTS)


def issue(rule_id: str, status: IssueStatus = "open", **changes: object) -> Issue:
    values: dict[str, object] = {"affected_pages": 1, "applicable_pages": 10, "first_seen": 0.0, "last_seen": 0.0}
    return Issue(f"iss_{rule_id}", rule_id, status, summary="s", **{**values, **changes})  # type: ignore[arg-type]


def share(rule_id: str, category: str = "ONP", weight: float = 20, affected: int = 100) -> RuleShare:
    return RuleShare(ScoredRule(rule_id, category, weight, 1.0), 100, affected)


def order(actions: list[Action]) -> list[str]:
    return [action.issue.rule_id for action in actions]


def of(shares: list[RuleShare], issues: list[Issue], **works: Work) -> list[Action]:
    rules = {one.rule.id: Work("medium", 1.0) for one in shares}
    return ranked(issues, Standing(shares, MEASURED), {**rules, **works})


@st.composite
def websites(draw: st.DrawFn) -> tuple[list[RuleShare], list[Issue], dict[str, Work]]:
    shares, issues, works = [], [], {}
    for number in range(draw(st.integers(2, 12))):
        rule_id = f"R-{number:02}"
        category, weight = draw(st.sampled_from(sorted(EXPONENTS))), draw(st.sampled_from([0, 1, 3, 8, 20, 45]))
        shares.append(share(rule_id, category, weight, draw(st.integers(1, 100))))
        importance, seen = draw(st.sampled_from([0.0, 0.5, 1.0])), draw(st.sampled_from([0, 10, 5_000]))
        issues.append(issue(rule_id, importance=importance, impressions=seen))
        works[rule_id] = Work(draw(st.sampled_from(SEVERITIES)), draw(st.sampled_from([1.0, 1.5, 2.0])))
    return shares, issues, works


@given(websites(), st.data())
def test_a_third_action_does_not_change_the_order_of_two_actions(
    website: tuple[list[RuleShare], list[Issue], dict[str, Work]], data: st.DataObject
) -> None:
    shares, issues, works = website
    everything = order(ranked(issues, Standing(shares, MEASURED), works))
    third = data.draw(st.sampled_from(shares)).rule.id
    mended = [one._replace(affected=0) if one.rule.id == third else one for one in shares]
    left = [one for one in issues if one.rule_id != third]
    assert order(ranked(left, Standing(mended, MEASURED), works)) == [one for one in everything if one != third]


@given(websites(), st.integers())
def test_the_ranking_does_not_depend_on_the_order_in_which_issues_are_stored(
    website: tuple[list[RuleShare], list[Issue], dict[str, Work]], seed: int
) -> None:
    shares, issues, works = website
    shuffled = list(issues)
    random.Random(seed).shuffle(shuffled)
    standing = Standing(shares, MEASURED)
    assert ranked(shuffled, standing, works) == ranked(issues, standing, works)


@given(websites())
def test_actions_are_sorted_by_their_displayed_priority(
    website: tuple[list[RuleShare], list[Issue], dict[str, Work]],
) -> None:
    shares, issues, works = website
    shown = [action.priority for action in ranked(issues, Standing(shares, MEASURED), works)]
    assert shown == sorted(shown, reverse=True)


def test_priority_follows_the_published_formula() -> None:
    shares = [share("R", weight=20), share("S", weight=30)]
    standing = Standing(shares, MEASURED)
    gain = 100 * (math.exp(-0.75 * 0.72 * -math.log(0.7)) - math.exp(-0.75 * 0.72 * -math.log(0.7 * 0.8)))
    (action,) = ranked([issue("R", impressions=9_999)], standing, {"R": Work("high", 1.5)})
    assert action.priority == pytest.approx(gain * 4 / 1.5 * (1 + 4 / 5))
    assert action.gain == standing.gain("R") == round(gain * 10)


@pytest.mark.parametrize(("severity", "factor"), [("critical", 8), ("high", 4), ("medium", 1), ("low", 0.25)])
def test_severity_multiplies_the_priority_by_its_factor(severity: str, factor: float) -> None:
    (action,) = of([share("R")], [issue("R")], R=Work(severity, 1.0))  # type: ignore[arg-type]
    (plain,) = of([share("R")], [issue("R")])
    assert action.priority == pytest.approx(plain.priority * factor)


def test_equal_priorities_are_sorted_by_severity_importance_and_rule() -> None:
    shares = [share(name, weight=0) for name in "ABCD"]
    issues = [issue("A"), issue("B", importance=0.5), issue("C"), issue("D")]
    assert order(of(shares, issues, D=Work("high", 1.0))) == ["D", "B", "A", "C"]


def test_only_open_issues_with_a_known_rule_become_actions() -> None:
    shares = [share(name) for name in "ABCD"]
    issues = [issue("A", "ignored"), issue("B", "resolved"), issue("C", "recheck_queued"), issue("Z")]
    assert order(of(shares, issues)) == ["C"]


def test_without_a_score_an_action_has_no_estimated_score_gain() -> None:
    standing = Standing([share("R", "AEO")], {"AEO"})
    (action,) = ranked([issue("R")], standing, {"R": Work("low", 1.0)})
    assert action.gain is None


def test_the_open_issues_of_a_cause_are_listed_by_priority() -> None:
    product = Cause("template", "product")
    issues = [
        issue("A", cause=product),
        issue("B", cause=Cause("template", "article")),
        issue("C", cause=product),
        issue("D"),
        issue("E", "ignored", cause=product),
        issue("F", cause=Cause("layout", "product")),
    ]
    shares = [share(name, weight=20 + number) for number, name in enumerate("ABCDEF")]
    actions = of(shares, issues)
    assert order(actions) == ["F", "D", "C", "B", "A"]
    shared = Shared("template", "product", ["iss_C", "iss_A"], Standing(shares, MEASURED).gain("A", "C"))
    assert [action.cause for action in actions] == [None, None, shared, None, shared]


@given(websites(), st.data())
def test_the_gain_of_a_cause_is_the_rise_of_the_score_after_all_its_issues_are_fixed(
    website: tuple[list[RuleShare], list[Issue], dict[str, Work]], data: st.DataObject
) -> None:
    shares, issues, works = website
    keys = [data.draw(st.sampled_from([None, "product", "article"])) for _ in issues]
    for one, key in zip(issues, keys, strict=True):
        one.cause = None if key is None else Cause("template", key)
    now = Standing(shares, MEASURED)
    for action in ranked(issues, now, works):
        if action.cause is None:
            continue
        mended = {one.rule_id for one in issues if one.cause == action.issue.cause}
        after = Standing([one._replace(affected=0) if one.rule.id in mended else one for one in shares], MEASURED)
        assert action.cause.gain == after.score().site_tenths - now.score().site_tenths
        assert action.gain is not None and action.cause.gain >= action.gain


def test_without_a_score_a_cause_has_no_estimated_score_gain() -> None:
    product = Cause("template", "product")
    standing = Standing([share(name, "AEO") for name in "AB"], {"AEO"})
    works = {name: Work("low", 1.0) for name in "AB"}
    actions = ranked([issue("A", cause=product), issue("B", cause=product)], standing, works)  # type: ignore[arg-type]
    assert [action.cause and action.cause.gain for action in actions] == [None, None]


def test_keyword_tasks_are_sorted_by_the_clicks_they_can_gain() -> None:
    assert keyword_priority(99, kappa=0.8, effort=2) == pytest.approx(0.8)
    assert keyword_priority(-5, kappa=1.0, effort=1) == 0


def test_an_action_counts_as_waiting_after_two_weeks() -> None:
    actions = of([share("A"), share("B")], [issue("A", first_seen=DAY), issue("B", first_seen=0.5 * DAY)])
    assert waiting(actions, 14.9 * DAY) == 1
    assert age_days(issue("A", first_seen=DAY), 3.5 * DAY) == 2
