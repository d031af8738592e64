"""The published properties of score v1."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.score import (
    AEO_WEIGHTS,
    HEALTH_WEIGHTS,
    RuleShare,
    ScoredRule,
    confidence,
    coverage,
    gain,
    gains,
    importance,
    keyword_priority,
    loss_shares,
    page_score,
    priority,
    score,
    tenths,
)

CATEGORIES = [*HEALTH_WEIGHTS, *AEO_WEIGHTS]
MEASURED = frozenset(CATEGORIES)
WEIGHTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 45)


@st.composite
def rule_shares(draw: st.DrawFn) -> list[RuleShare]:
    """A rule set as websites have it: weights and confidences of the catalogue, two gates at most."""
    shares = []
    for number in range(draw(st.integers(1, 25))):
        gate = draw(st.sampled_from([0.7, 0.6])) if number < 2 and draw(st.booleans()) else None
        rule = ScoredRule(
            id=f"R-{number:03}",
            category="TEC" if gate else draw(st.sampled_from(CATEGORIES)),
            weight=draw(st.sampled_from(WEIGHTS)),
            kappa=draw(st.sampled_from([1.0, 0.8, 0.5])),
            gate=gate,
        )
        applicable = draw(st.integers(0, 10_000))
        shares.append(RuleShare(rule, applicable, draw(st.integers(0, applicable))))
    return shares


measured_categories = st.sets(st.sampled_from(CATEGORIES)).map(lambda some: some | {"TEC"})


def rule(rule_id: str = "R", category: str = "ONP", weight: float = 20, kappa: float = 1.0) -> ScoredRule:
    return ScoredRule(rule_id, category, weight, kappa)


def changed(shares: list[RuleShare], number: int, affected: int) -> list[RuleShare]:
    return [share._replace(affected=affected) if at == number else share for at, share in enumerate(shares)]


# -- properties --------------------------------------------------------------------------------------------


@given(rule_shares(), measured_categories, st.data())
def test_one_more_affected_page_never_raises_any_score(
    shares: list[RuleShare], measured: set[str], data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(shares) - 1))
    share = shares[number]
    if share.affected == share.applicable:
        return
    before, after = score(shares, measured), score(changed(shares, number, share.affected + 1), measured)
    assert after.site_tenths <= before.site_tenths
    assert after.health_tenths <= before.health_tenths
    assert (after.aeo_tenths is None) == (before.aeo_tenths is None)
    assert (after.aeo_tenths or 0) <= (before.aeo_tenths or 0)
    assert all(new.tenths <= old.tenths for new, old in zip(after.categories, before.categories, strict=True))


@given(rule_shares(), measured_categories)
def test_every_score_lies_between_0_and_100(shares: list[RuleShare], measured: set[str]) -> None:
    found = score(shares, measured)
    values = [found.site_tenths, found.health_tenths, found.aeo_tenths or 0]
    values += [category.tenths for category in found.categories]
    assert all(0 <= value <= 1_000 for value in values)


@given(rule_shares(), measured_categories, st.integers())
def test_the_order_of_the_rules_changes_nothing(shares: list[RuleShare], measured: set[str], seed: int) -> None:
    shuffled = list(shares)
    random.Random(seed).shuffle(shuffled)
    assert score(shuffled, measured) == score(shares, measured)
    assert gains(shuffled, measured) == gains(shares, measured)


@given(rule_shares(), measured_categories, st.sampled_from(WEIGHTS), st.integers(0, 100))
def test_a_new_passing_or_not_applicable_rule_changes_nothing(
    shares: list[RuleShare], measured: set[str], weight: float, applicable: int
) -> None:
    category = sorted(measured)[0]
    added = RuleShare(ScoredRule("R-000a", category, weight, 1.0), applicable, 0)
    assert score([*shares, added], measured) == score(shares, measured)
    assert gains([*shares, added], measured) == gains(shares, measured)


@given(rule_shares(), measured_categories)
def test_the_gain_is_exactly_what_the_score_moves_by(shares: list[RuleShare], measured: set[str]) -> None:
    now = score(shares, measured).site_tenths
    promised = gains(shares, measured)
    assert set(promised) == {share.rule.id for share in shares if share.affected}
    for number, share in enumerate(shares):
        moved = score(changed(shares, number, 0), measured).site_tenths - now
        assert gain(shares, share.rule.id, measured) == moved >= 0
        assert promised.get(share.rule.id, 0) == moved


@given(rule_shares(), measured_categories)
def test_mending_everything_one_by_one_gives_the_full_score(shares: list[RuleShare], measured: set[str]) -> None:
    current = shares
    for number, share in enumerate(shares):
        promised = gain(current, share.rule.id, measured)
        before = score(current, measured).site_tenths
        current = changed(current, number, 0)
        assert score(current, measured).site_tenths == before + promised
    assert score(current, measured).site_tenths == 1_000


@given(rule_shares(), st.sampled_from(CATEGORIES))
def test_the_shares_of_a_loss_add_up_exactly(shares: list[RuleShare], category: str) -> None:
    parts = loss_shares(shares, category)
    found = {entry.category: entry.tenths for entry in score(shares, MEASURED).categories}
    assert sum(parts.values()) == 1_000 - found[category]
    assert all(part >= 0 for part in parts.values())
    assert set(parts) == {share.rule.id for share in shares if share.rule.category == category and share.factor < 1.0}


@given(st.integers(1, 10_000), st.data())
def test_the_first_page_costs_most_and_the_last_fix_pays_most(applicable: int, data: st.DataObject) -> None:
    affected = data.draw(st.integers(0, applicable))
    factors = [RuleShare(rule(), applicable, count).factor for count in (0, 1, affected, applicable)]
    assert factors[0] == 1.0
    assert factors[1] >= factors[3] == pytest.approx(0.8)
    assert (1.0 - factors[1]) >= (1.0 - factors[3]) / applicable


# -- the formula -------------------------------------------------------------------------------------------


def test_one_page_in_a_hundred_takes_a_tenth_of_the_weight() -> None:
    assert RuleShare(rule(weight=20), 100, 1).factor == pytest.approx(1 - 0.20 * 0.1)


def test_the_example_worked_out_by_hand() -> None:
    shares = [
        RuleShare(rule("SEO-ONP-001", "ONP", 20), 100, 25),  # 1 - .20 * .5 = .90
        RuleShare(rule("SEO-ONP-005", "ONP", 8, 0.8), 100, 100),  # 1 - .08 * .8 = .936
        RuleShare(rule("SEO-LNK-001", "LNK", 20), 400, 4),  # 1 - .20 * .1 = .98
        RuleShare(ScoredRule("SEO-TEC-001", "TEC", 45, 1.0, gate=0.7), 1, 0),
        RuleShare(rule("SEO-AEO-008", "AEO", 10), 1, 1),  # .90
    ]
    found = score(shares, {"TEC", "ONP", "LNK", "AEO"})
    health = (20 * 100 + 18 * 84.24 + 10 * 98) / 48
    assert found.health_tenths == tenths(health)
    assert found.aeo_tenths == 900
    assert found.site_tenths == tenths(0.75 * health + 0.25 * 90)
    assert [(entry.category, entry.tenths, entry.weight) for entry in found.categories] == [
        ("TEC", 1_000, 20),
        ("ONP", 842, 18),
        ("LNK", 980, 10),
        ("AEO", 900, 70),
    ]


def test_a_gate_takes_from_health_alone_and_nothing_from_its_category() -> None:
    blocked = RuleShare(ScoredRule("SEO-TEC-001", "TEC", 45, 1.0, gate=0.7), 1, 1)
    found = score([blocked], {"TEC", "AEO"})
    assert (found.health_tenths, found.aeo_tenths) == (300, 1_000)
    assert found.site_tenths == tenths(0.75 * 30 + 0.25 * 100)
    assert found.categories[0].tenths == 1_000
    assert gain([blocked], "SEO-TEC-001", {"TEC", "AEO"}) == 1_000 - found.site_tenths


def test_both_gates_multiply() -> None:
    gates = [
        RuleShare(ScoredRule("SEO-TEC-001", "TEC", 45, 1.0, gate=0.7), 1, 1),
        RuleShare(ScoredRule("SEO-TEC-002", "TEC", 45, 1.0, gate=0.6), 1, 1),
    ]
    assert score(gates, {"TEC"}).site_tenths == 120


def test_the_site_score_is_health_alone_while_the_aeo_side_is_not_measured() -> None:
    shares = [RuleShare(rule("SEO-AEO-008", "AEO", 10), 1, 1)]
    found = score(shares, {"ONP"})
    assert (found.site_tenths, found.health_tenths, found.aeo_tenths) == (1_000, 1_000, None)
    assert gains(shares, {"ONP"}) == {"SEO-AEO-008": 0}


def test_agentic_browsing_counts_three_tenths_of_the_aeo_side_once_measured() -> None:
    shares = [RuleShare(rule("SEO-AGT-001", "AGT", 12), 10, 10)]
    assert score(shares, {"ONP", "AEO", "AGT"}).aeo_tenths == tenths((70 * 100 + 30 * 88) / 100)


def test_a_category_that_was_never_measured_has_no_weight() -> None:
    shares = [RuleShare(rule("SEO-HRE-003", "HRE", 12), 10, 10)]
    assert score(shares, {"ONP"}).site_tenths == 1_000
    assert score(shares, {"ONP", "HRE"}).site_tenths == tenths((18 * 100 + 4 * 88) / 22)


def test_a_website_of_which_nothing_is_measured_has_no_score() -> None:
    with pytest.raises(ValueError, match="measured"):
        score([], {"AEO"})


def test_a_rule_counts_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        score([RuleShare(rule(), 1, 1), RuleShare(rule(), 1, 0)], {"ONP"})


def test_affected_pages_beyond_the_population_count_as_all_of_it() -> None:
    assert RuleShare(rule(), 3, 5).fraction == 1.0
    assert RuleShare(rule(), 0, 0).fraction == 0.0


@pytest.mark.parametrize(("value", "expected"), [(93.25, 933), (93.24, 932), (0.0, 0), (100.0, 1_000), (0.05, 1)])
def test_scores_are_rounded_once_to_tenths(value: float, expected: int) -> None:
    assert tenths(value) == expected


# -- pages -------------------------------------------------------------------------------------------------


def test_a_page_score_is_the_same_product_with_every_share_at_its_full() -> None:
    rules = [rule("SEO-ONP-001", "ONP", 20), rule("SEO-ONP-010", "ONP", 8), rule("SEO-LNK-001", "LNK", 20)]
    found = page_score(rules, {"SEO-ONP-001", "SEO-ONP-010"})
    assert found.categories == {"LNK": 1_000, "ONP": 736}
    assert found.page_tenths == tenths((18 * 73.6 + 10 * 100) / 28)
    assert found.aeo_tenths is None


def test_a_page_to_which_only_aeo_rules_apply_has_only_that_score() -> None:
    found = page_score([rule("SEO-AEO-015", "AEO", 8)], {"SEO-AEO-015"})
    assert (found.page_tenths, found.aeo_tenths) == (None, 920)


def test_a_page_without_rules_has_no_score() -> None:
    assert page_score([], ()) == (None, None, {})


def test_gates_are_about_the_website_and_not_about_a_page() -> None:
    assert page_score([ScoredRule("SEO-TEC-002", "TEC", 45, 1.0, gate=0.6)], {"SEO-TEC-002"}).page_tenths is None


# -- actions -----------------------------------------------------------------------------------------------


def test_priority_follows_the_published_formula() -> None:
    assert priority(31, impressions=0, kappa=0.8, effort=2) == pytest.approx(3.1 * 0.8 / 2)
    assert priority(31, impressions=99_999, kappa=1.0, effort=1) == pytest.approx(3.1 * 2)
    assert priority(0, impressions=99_999, kappa=1.0, effort=1) == 0


def test_keyword_tasks_are_ordered_by_the_clicks_they_can_win() -> None:
    assert keyword_priority(99, kappa=0.8, effort=2) == pytest.approx(0.8)
    assert keyword_priority(-5, kappa=1.0, effort=1) == 0


def test_importance_is_a_share() -> None:
    assert importance(25, 100) == 0.25
    assert importance(5, 0) == 0.0
    assert importance(120, 100) == 1.0


# -- how far the score can be trusted ----------------------------------------------------------------------


def test_coverage_is_the_share_of_known_addresses_that_were_read() -> None:
    assert coverage({"a", "b", "elsewhere"}, ["a", "b", "c", "d"]) == 50.0
    assert coverage([], []) == 100.0


@pytest.mark.parametrize(
    ("percent", "expected"), [(100, "high"), (90, "high"), (89.9, "medium"), (60, "medium"), (59, "low")]
)
def test_coverage_gives_the_confidence(percent: float, expected: str) -> None:
    assert confidence(percent) == expected


@pytest.mark.parametrize(
    "doubt",
    [{"refused_share": 0.05}, {"stale_inputs": ["search"]}, {"partial": True}, {"refused_share": 0.5, "partial": True}],
)
def test_refusals_old_data_and_partial_audits_take_one_step_together(doubt: dict[str, object]) -> None:
    assert confidence(95, **doubt) == "medium"  # type: ignore[arg-type]
    assert confidence(70, **doubt) == "low"  # type: ignore[arg-type]
    assert confidence(10, **doubt) == "low"  # type: ignore[arg-type]


def test_few_refusals_take_nothing() -> None:
    assert confidence(95, refused_share=0.049) == "high"


def test_the_version_is_the_published_one() -> None:
    assert scoring.VERSION == "1"
    assert math.isclose(scoring.HEALTH_SHARE + scoring.AEO_SHARE, 1.0)
