"""The published properties of score 3."""

import math
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.score import (
    AEO_EXPONENTS,
    EXPONENTS,
    HEALTH_WEIGHTS,
    SHARES,
    RuleShare,
    ScoredRule,
    Standing,
    confidence,
    coverage,
    importance,
    page_score,
    tenths,
)

CATEGORIES = [*HEALTH_WEIGHTS, *AEO_EXPONENTS]
MEASURED = frozenset(CATEGORIES)
WEIGHTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 30, 35, 60)
GATES = (0.6, 0.75, 0.85, 0.9)


@st.composite
def rule_shares(draw: st.DrawFn) -> list[RuleShare]:
    """A rule set as websites have it: weights and confidences of the catalogue, some of the rules gates."""
    shares = []
    for number in range(draw(st.integers(1, 25))):
        gate = draw(st.sampled_from(GATES)) if number < 5 and draw(st.booleans()) else None
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


def rule(
    rule_id: str = "R", category: str = "ONP", weight: float = 20, kappa: float = 1.0, gate: float | None = None
) -> ScoredRule:
    return ScoredRule(rule_id, category, weight, kappa, gate)


def changed(shares: list[RuleShare], number: int, affected: int) -> list[RuleShare]:
    return [share._replace(affected=affected) if at == number else share for at, share in enumerate(shares)]


def site(shares: list[RuleShare], measured: object = MEASURED) -> int:
    return Standing(shares, measured).score().site_tenths  # type: ignore[arg-type]


# -- properties --------------------------------------------------------------------------------------------


@given(rule_shares(), measured_categories, st.data())
def test_one_more_affected_page_never_raises_the_score(
    shares: list[RuleShare], measured: set[str], data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(shares) - 1))
    share = shares[number]
    assume(share.affected < share.applicable)
    fewer, more = Standing(shares, measured), Standing(changed(shares, number, share.affected + 1), measured)
    before, after = fewer.score(), more.score()
    assert after.site_tenths <= before.site_tenths
    assert after.health_tenths <= before.health_tenths
    assert (after.aeo_tenths is None) == (before.aeo_tenths is None)
    assert (after.aeo_tenths or 0) <= (before.aeo_tenths or 0)
    assert all(new.tenths <= old.tenths for new, old in zip(after.categories, before.categories, strict=True))
    assert more.site_points <= fewer.site_points


@given(
    st.sampled_from(CATEGORIES),
    st.sampled_from(WEIGHTS[1:]),
    st.sampled_from([1.0, 0.8, 0.5]),
    st.sampled_from([None, *GATES]),
    st.integers(1, 10_000),
    st.data(),
)
def test_another_affected_page_always_raises_the_unrounded_loss(
    category: str, weight: float, kappa: float, gate: float | None, applicable: int, data: st.DataObject
) -> None:
    affected = data.draw(st.integers(0, applicable - 1))
    share = RuleShare(rule("R", category, weight, kappa, gate), applicable, affected)
    assert share._replace(affected=affected + 1).loss > share.loss >= 0


@given(rule_shares(), measured_categories)
def test_every_score_is_between_0_and_100(shares: list[RuleShare], measured: set[str]) -> None:
    found = Standing(shares, measured).score()
    values = [found.site_tenths, found.health_tenths, found.aeo_tenths or 0]
    values += [category.tenths for category in found.categories]
    assert all(0 <= value <= 1_000 for value in values)


@given(rule_shares(), measured_categories, st.integers())
def test_the_order_of_the_rules_does_not_change_the_score(
    shares: list[RuleShare], measured: set[str], seed: int
) -> None:
    shuffled = list(shares)
    random.Random(seed).shuffle(shuffled)
    one, other = Standing(shares, measured), Standing(shuffled, measured)
    assert one.score() == other.score()
    assert list(one.points_lost().items()) == list(other.points_lost().items())
    for share in shares:
        assert one.gain(share.rule.id) == other.gain(share.rule.id)


@given(
    rule_shares(),
    measured_categories,
    st.sampled_from(CATEGORIES),
    st.sampled_from(WEIGHTS),
    st.sampled_from([None, 0.9]),
    st.integers(0, 100),
)
def test_rules_that_pass_or_do_not_apply_do_not_change_the_score(
    shares: list[RuleShare], measured: set[str], category: str, weight: float, gate: float | None, applicable: int
) -> None:
    added = RuleShare(rule("R-000a", category, weight, 1.0, gate), applicable, 0)
    one, other = Standing(shares, measured), Standing([*shares, added], measured)
    assert one.score() == other.score()
    assert one.points_lost() == other.points_lost()
    assert other.gain("R-000a") == 0


@given(rule_shares(), measured_categories)
def test_the_gain_of_fixing_a_rule_equals_the_resulting_rise_of_the_score(
    shares: list[RuleShare], measured: set[str]
) -> None:
    now = Standing(shares, measured)
    for number, share in enumerate(shares):
        moved = site(changed(shares, number, 0), measured) - now.score().site_tenths
        assert now.gain(share.rule.id) == moved >= 0


@given(rule_shares(), measured_categories)
def test_after_all_rules_are_fixed_one_by_one_the_score_is_full(shares: list[RuleShare], measured: set[str]) -> None:
    current = shares
    for number, share in enumerate(shares):
        promised = Standing(current, measured).gain(share.rule.id)
        before = site(current, measured)
        current = changed(current, number, 0)
        assert site(current, measured) == before + promised
    assert site(current, measured) == 1_000


@given(rule_shares(), measured_categories)
def test_the_points_lost_by_rule_add_up_to_the_total_loss(shares: list[RuleShare], measured: set[str]) -> None:
    standing = Standing(shares, measured)
    parts = standing.points_lost()
    assert sum(parts.values()) == 1_000 - standing.score().site_tenths
    assert all(part >= 0 for part in parts.values())
    assert list(parts.values()) == sorted(parts.values(), reverse=True)
    aeo_counts = not measured.isdisjoint(AEO_EXPONENTS)
    costing = {
        share.rule.id for share in shares if share.loss and (aeo_counts or share.rule.category in HEALTH_WEIGHTS)
    }
    assert parts.keys() == costing


@given(rule_shares(), measured_categories, st.data())
def test_the_weight_of_a_rule_does_not_depend_on_other_rules(
    shares: list[RuleShare], measured: set[str], data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(shares) - 1))
    others = [share for at, share in enumerate(shares) if at != number]
    mended = [share._replace(affected=0) for share in others]
    rule_id = shares[number].rule.id
    worth = Standing(shares, measured).relative_gain(rule_id)
    assert worth == Standing([shares[number]], measured).relative_gain(rule_id)
    assert worth == Standing([shares[number], *mended], measured).relative_gain(rule_id)


@given(st.integers(1, 10_000), st.data())
def test_the_first_affected_page_costs_the_most_points(applicable: int, data: st.DataObject) -> None:
    affected = data.draw(st.integers(0, applicable))
    left = [rule().left(count / applicable) for count in (0, 1, affected, applicable)]
    assert left[0] == 1.0
    assert left[1] >= left[3] == pytest.approx(0.8)
    assert (1.0 - left[1]) >= (1.0 - left[3]) / applicable


# -- the formula -------------------------------------------------------------------------------------------


def test_one_affected_page_of_100_costs_a_tenth_of_the_rule_weight() -> None:
    assert rule(weight=20).left(1 / 100) == pytest.approx(1 - 0.20 * 0.1)


def test_the_factor_of_a_rule_that_scales_the_health_score_is_linear() -> None:
    assert rule(gate=0.75, kappa=0.8).left(1 / 100) == pytest.approx(1 - 0.75 * 0.8 * 0.01)


def test_the_exponents_of_the_score_equal_the_published_ones() -> None:
    wanted = {"TEC": 0.8, "ONP": 0.72, "CON": 0.56, "PRF": 0.48, "LNK": 0.4, "IMG": 0.24, "SCH": 0.24}
    wanted |= {"SMP": 0.2, "SEC": 0.2, "HRE": 0.16, "AEO": 1.0, "AGT": 0.4}
    assert wanted == pytest.approx(EXPONENTS)


def test_the_shares_of_the_categories_add_up_to_100() -> None:
    assert sum(SHARES[category] for category in HEALTH_WEIGHTS) == 100.0
    assert sum(SHARES[category] for category in AEO_EXPONENTS) == pytest.approx(100.0)
    assert SHARES["AEO"] == pytest.approx(100 / 1.4)


def test_the_worked_example_gives_the_published_score() -> None:
    shares = [
        RuleShare(rule("SEO-ONP-001", "ONP", 30), 100, 25),  # 1 - .30 * .5 = .85
        RuleShare(rule("SEO-ONP-005", "ONP", 8, 0.8), 100, 100),  # 1 - .08 * .8 = .936
        RuleShare(rule("SEO-LNK-001", "LNK", 35), 400, 4),  # 1 - .35 * .1 = .965
        RuleShare(rule("SEO-TEC-001", "TEC", 45, gate=0.85), 1, 0),
        RuleShare(rule("SEO-AEO-008", "AEO", 8), 1, 1),  # .92
    ]
    standing = Standing(shares, {"TEC", "ONP", "LNK", "AEO"})
    found = standing.score()
    health = 100 * (0.85 * 0.936) ** 0.72 * 0.965**0.4
    assert found.health_tenths == tenths(health) == 836
    assert found.aeo_tenths == 920
    assert found.site_tenths == tenths(health**0.75 * 92**0.25) == 856
    assert standing.site_points == pytest.approx(health**0.75 * 92**0.25, abs=1e-6)
    assert [(entry.category, entry.tenths, entry.weight) for entry in found.categories] == [
        ("TEC", 1_000, 20),
        ("ONP", 796, 18),
        ("LNK", 965, 10),
        ("AEO", 920, pytest.approx(71.43, abs=0.01)),
    ]


def test_losses_are_integers() -> None:
    share = RuleShare(rule("SEO-ONP-001", "ONP", 30), 100, 25)
    assert share.loss == round(-math.log(0.85) * 0.72 * 1e9) == 117_013_629


def test_a_rule_that_scales_the_health_score_changes_no_other_score() -> None:
    blocked = RuleShare(rule("SEO-TEC-001", "TEC", 45, gate=0.85), 1, 1)
    standing = Standing([blocked], {"TEC", "AEO"})
    found = standing.score()
    assert (found.health_tenths, found.aeo_tenths) == (150, 1_000)
    assert found.site_tenths == tenths(15**0.75 * 100**0.25)
    assert found.categories[0].tenths == 1_000
    assert standing.gain("SEO-TEC-001") == 1_000 - found.site_tenths


def test_the_factors_of_several_rules_that_scale_the_health_score_are_multiplied() -> None:
    gates = [
        RuleShare(rule("SEO-TEC-001", "TEC", gate=0.85), 1, 1),
        RuleShare(rule("SEO-TEC-002", "TEC", gate=0.6), 1, 1),
        RuleShare(rule("SEO-TEC-034", "TEC", gate=0.75), 100, 50),
    ]
    assert site(gates, {"TEC"}) == tenths(100 * 0.15 * 0.4 * (1 - 0.75 * 0.5)) == 38


def test_the_site_score_is_the_health_score_if_aeo_has_no_data() -> None:
    standing = Standing([RuleShare(rule("SEO-AEO-008", "AEO", 8), 1, 1)], {"ONP"})
    found = standing.score()
    assert (found.site_tenths, found.health_tenths, found.aeo_tenths) == (1_000, 1_000, None)
    assert standing.gain("SEO-AEO-008") == 0 and standing.points_lost() == {}


def test_the_exponent_of_agentic_browsing_weights_it_in_the_aeo_score() -> None:
    shares = [RuleShare(rule("SEO-AGT-001", "AGT", 12), 10, 10)]
    assert Standing(shares, {"ONP", "AEO", "AGT"}).score().aeo_tenths == tenths(100 * 0.88**0.4)


def test_a_category_without_faults_does_not_change_the_health_score() -> None:
    shares = [RuleShare(rule("SEO-ONP-001", "ONP", 30), 10, 10)]
    assert site(shares, {"ONP"}) == site(shares, {"ONP", "HRE", "CON"})


def test_a_website_without_measured_categories_has_no_score() -> None:
    standing = Standing([], {"AEO"})
    assert not standing.scored
    with pytest.raises(ValueError, match="measured"):
        standing.score()


def test_a_rule_listed_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        Standing([RuleShare(rule(), 1, 1), RuleShare(rule(), 1, 0)], {"ONP"})


def test_the_share_of_affected_pages_is_100_percent_at_most() -> None:
    assert RuleShare(rule(), 3, 5).fraction == 1.0
    assert RuleShare(rule(), 0, 0).fraction == 0.0


@pytest.mark.parametrize(("value", "expected"), [(93.25, 933), (93.24, 932), (0.0, 0), (100.0, 1_000), (0.05, 1)])
def test_scores_are_rounded_once_to_one_decimal(value: float, expected: int) -> None:
    assert tenths(value) == expected


def test_lost_tenths_left_over_by_rounding_go_to_the_largest_remainders() -> None:
    shares = [RuleShare(rule(f"R{number}", "ONP", 10), 1, 1) for number in range(3)]
    standing = Standing(shares, MEASURED)  # 15.7 lost by three equal ones
    assert standing.score().site_tenths == 843
    assert standing.points_lost() == {"R0": 53, "R1": 52, "R2": 52}


# -- pages -------------------------------------------------------------------------------------------------


def test_in_a_page_score_each_failed_rule_costs_its_full_weight() -> None:
    rules = [rule("SEO-ONP-001", "ONP", 30), rule("SEO-ONP-010", "ONP", 10), rule("SEO-LNK-001", "LNK", 35)]
    found = page_score(rules, {"SEO-ONP-001", "SEO-ONP-010"})
    assert found.categories == {"LNK": 1_000, "ONP": 630}
    assert found.page_tenths == tenths(100 * 0.63**0.72)
    assert found.aeo_tenths is None


@given(rule_shares(), st.data())
def test_a_page_score_equals_the_score_of_a_website_with_one_page(shares: list[RuleShare], data: st.DataObject) -> None:
    rules = [share.rule for share in shares]
    fired = data.draw(st.sets(st.sampled_from([one.id for one in rules])))
    counting = [RuleShare(one, 1, one.id in fired) for one in rules if one.gate is None]
    assume(any(share.rule.category in HEALTH_WEIGHTS for share in counting))
    whole = Standing(counting, {share.rule.category for share in counting}).score()
    found = page_score(rules, fired)
    assert (found.page_tenths, found.aeo_tenths) == (whole.health_tenths, whole.aeo_tenths)
    assert found.categories == {entry.category: entry.tenths for entry in whole.categories}


def test_a_page_to_which_only_aeo_rules_apply_has_only_an_aeo_score() -> None:
    found = page_score([rule("SEO-AEO-015", "AEO", 8)], {"SEO-AEO-015"})
    assert (found.page_tenths, found.aeo_tenths) == (None, 920)


def test_a_page_without_rules_has_no_score() -> None:
    assert page_score([], ()) == (None, None, {})


def test_rules_that_scale_the_health_score_do_not_affect_page_scores() -> None:
    assert page_score([rule("SEO-TEC-034", "TEC", gate=0.75)], {"SEO-TEC-034"}).page_tenths is None


def test_importance_is_a_share_between_0_and_1() -> None:
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
def test_coverage_determines_the_confidence(percent: float, expected: str) -> None:
    assert confidence(percent) == expected


@pytest.mark.parametrize(
    "doubt",
    [{"refused_share": 0.05}, {"stale_inputs": ["search"]}, {"partial": True}, {"refused_share": 0.5, "partial": True}],
)
def test_the_confidence_falls_by_only_one_step_for_any_number_of_doubts(doubt: dict[str, object]) -> None:
    assert confidence(95, **doubt) == "medium"  # type: ignore[arg-type]
    assert confidence(70, **doubt) == "low"  # type: ignore[arg-type]
    assert confidence(10, **doubt) == "low"  # type: ignore[arg-type]


def test_few_refused_requests_do_not_lower_the_confidence() -> None:
    assert confidence(95, refused_share=0.049) == "high"


def test_the_score_version_equals_the_published_one() -> None:
    assert scoring.VERSION == "3"


def test_faulty_links_are_counted_in_hundredths_of_an_affected_page() -> None:
    share = RuleShare(rule("R", "LNK", 35), 10, 4, 250)
    assert share.fraction == 0.25
    assert share._replace(units=1_000).fraction == share._replace(units=5_000).fraction == 1.0
    assert share._replace(affected=0, units=0).fraction == 0.0


def test_a_rule_that_applies_to_no_page_costs_nothing() -> None:
    share = RuleShare(rule("R", "ONP", 5.0, 1.0, None), 0, 3)
    assert (share.fraction, share.loss) == (0.0, 0)
