"""Score v1: what a website's findings cost it, in points from 0 to 100.

    f_r    = affected / applicable pages of rule r         (site rules: 0 or 1)
    m_r    = 1 - (w_r / 100) * kappa_r * sqrt(f_r)
    S_c    = 100 * product of m_r over the rules of category c
    health = gate * sum(W_c * S_c) / sum(W_c)              over the measured categories of the health side
    gate   = product over the gate rules of (1 - g * sqrt(f)); gate rules count here only
    aeo    = (70 * S_AEO + 30 * S_AGT) / (measured weights)
    site   = 0.75 * health + 0.25 * aeo                    (health alone while the AEO side is not measured)

The square root makes the first affected page and the last fix count most: one page in a hundred takes a tenth of
the rule's weight. Everything is computed once in floating point, in the order of rule ids, rounded once to tenths
and kept and compared as integer tenths (1000 = 100.0). Rules are handed in as numbers: this module knows none.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

VERSION: Final = "1"

HEALTH_WEIGHTS: Final[Mapping[str, int]] = {
    "TEC": 20,
    "ONP": 18,
    "CON": 14,
    "PRF": 12,
    "LNK": 10,
    "IMG": 6,
    "SCH": 6,
    "SMP": 5,
    "SEC": 5,
    "HRE": 4,
}
AEO_WEIGHTS: Final[Mapping[str, int]] = {"AEO": 70, "AGT": 30}
HEALTH_SHARE: Final = 0.75
AEO_SHARE: Final = 0.25

HIGH_COVERAGE, MEDIUM_COVERAGE = 90.0, 60.0  # per cent of the known pages that were read
REFUSED_SHARE = 0.05  # from here on refused fetches take one step of confidence

ScoreConfidence = Literal["high", "medium", "low"]
_STEPS: Final[tuple[ScoreConfidence, ...]] = ("high", "medium", "low")


class ScoredRule(NamedTuple):
    """What the score knows of a rule. ``weight`` in per cent of its category, ``kappa`` 0 to 1, ``gate`` 0 to 1."""

    id: str
    category: str
    weight: float
    kappa: float
    gate: float | None = None


class RuleShare(NamedTuple):
    """A rule and how many pages it applies to and affects (site rules: 0 or 1 each)."""

    rule: ScoredRule
    applicable: int
    affected: int

    @property
    def fraction(self) -> float:
        """f_r, 0 to 1; 0 where the rule applies to nothing."""
        if self.applicable <= 0 or self.affected <= 0:
            return 0.0
        return min(1.0, self.affected / self.applicable)

    @property
    def factor(self) -> float:
        """m_r, what the rule leaves of its category (1: everything). A gate rule takes nothing here."""
        if self.rule.gate is not None:
            return 1.0
        return 1.0 - (self.rule.weight / 100.0) * self.rule.kappa * math.sqrt(self.fraction)

    @property
    def gate_factor(self) -> float:
        """What a gate rule leaves of the health side (1: everything)."""
        return 1.0 if self.rule.gate is None else 1.0 - self.rule.gate * math.sqrt(self.fraction)


class CategoryResult(NamedTuple):
    """A measured category: ``tenths`` 0 to 1000, ``weight`` within its side of the score."""

    category: str
    tenths: int
    weight: float


class Score(NamedTuple):
    """The score in integer tenths; ``aeo_tenths`` is None while the AEO side is not measured."""

    site_tenths: int
    health_tenths: int
    aeo_tenths: int | None
    categories: list[CategoryResult]


class PageScore(NamedTuple):
    """A page's scores in integer tenths: the same products with f = 1. None where no rule of that side applies."""

    page_tenths: int | None
    aeo_tenths: int | None
    categories: dict[str, int]


def tenths(value: float) -> int:
    """The one rounding of the score: to the nearest tenth, halves up."""
    return math.floor(value * 10.0 + 0.5)


def score(shares: Iterable[RuleShare], measured: Collection[str]) -> Score:
    """The website's score.

    ``measured`` names the categories that have had data once; rules of other categories count for nothing. Gate
    rules count whatever is measured. Raises ``ValueError`` when no category of the health side is measured.
    """
    return _Standing(shares, measured).score()


def gain(shares: Iterable[RuleShare], rule_id: str, measured: Collection[str]) -> int:
    """Tenths by which the website's score rises once nothing is affected by the rule any more. Never negative."""
    return gains(shares, measured, only=(rule_id,))[rule_id]


def gains(
    shares: Iterable[RuleShare], measured: Collection[str], *, only: Collection[str] | None = None
) -> dict[str, int]:
    """The gain of each rule that affects something (of those in ``only``: 0 where it affects nothing).

    Each is exactly the difference of two scores: the one with f_r = 0, and the one now.
    """
    standing = _Standing(shares, measured)
    now = standing.score().site_tenths
    wanted = [share.rule.id for share in standing.shares if share.affected] if only is None else list(only)
    return {rule_id: standing.site_tenths_without(rule_id) - now for rule_id in wanted}


class _Standing:
    """All products of a score, kept so that one rule can be taken out without computing the rest again."""

    def __init__(self, shares: Iterable[RuleShare], measured: Collection[str]) -> None:
        self.shares = sorted(shares, key=lambda share: share.rule.id)
        self.by_id = {share.rule.id: share for share in self.shares}
        if len(self.by_id) != len(self.shares):
            raise ValueError("a rule counts twice")
        self.by_category: dict[str, list[RuleShare]] = {}
        for share in self.shares:
            self.by_category.setdefault(share.rule.category, []).append(share)
        self.health = [category for category in HEALTH_WEIGHTS if category in measured]
        self.aeo = [category for category in AEO_WEIGHTS if category in measured]
        if not self.health:
            raise ValueError("no category of the health side is measured")
        self.values = {category: self._category(category) for category in (*self.health, *self.aeo)}
        self.gate = self._gate()

    def _category(self, category: str, without: str | None = None) -> float:
        product = 1.0
        for share in self.by_category.get(category, ()):
            if share.rule.id != without:
                product *= share.factor
        return 100.0 * product

    def _gate(self, without: str | None = None) -> float:
        product = 1.0
        for share in self.shares:
            if share.rule.gate is not None and share.rule.id != without:
                product *= share.gate_factor
        return product

    def _sides(self, values: Mapping[str, float], gate: float) -> tuple[float, float, float | None]:
        health = gate * _mean(values, self.health, HEALTH_WEIGHTS)
        if not self.aeo:
            return health, health, None
        aeo = _mean(values, self.aeo, AEO_WEIGHTS)
        return HEALTH_SHARE * health + AEO_SHARE * aeo, health, aeo

    def score(self) -> Score:
        site, health, aeo = self._sides(self.values, self.gate)
        categories = [
            CategoryResult(category, tenths(self.values[category]), weights[category])
            for weights, categories in ((HEALTH_WEIGHTS, self.health), (AEO_WEIGHTS, self.aeo))
            for category in categories
        ]
        return Score(tenths(site), tenths(health), None if aeo is None else tenths(aeo), categories)

    def site_tenths_without(self, rule_id: str) -> int:
        share = self.by_id[rule_id]
        values, gate = self.values, self.gate
        if share.rule.gate is not None:
            gate = self._gate(without=rule_id)
        elif share.rule.category in values:
            values = {**values, share.rule.category: self._category(share.rule.category, without=rule_id)}
        return tenths(self._sides(values, gate)[0])


def _mean(values: Mapping[str, float], categories: Sequence[str], weights: Mapping[str, int]) -> float:
    total = sum(weights[category] * values[category] for category in categories)
    mean = total / sum(weights[category] for category in categories)
    # Rounding may leave the mean of equal values an ulp above them: a mean is never above its largest value.
    return min(mean, max(values[category] for category in categories))


def page_score(applicable: Iterable[ScoredRule], affected: Collection[str]) -> PageScore:
    """A page's scores: the products over the page rules that apply to it, f = 1 for those that fire.

    A side is measured where at least one of its rules applies to the page. Gate rules are about the website.
    """
    factors: dict[str, float] = {}
    for rule in sorted(applicable, key=lambda rule: rule.id):
        if rule.gate is not None:
            continue
        factor = 1.0 - (rule.weight / 100.0) * rule.kappa if rule.id in affected else 1.0
        factors[rule.category] = factors.get(rule.category, 1.0) * factor
    values = {category: 100.0 * product for category, product in factors.items()}
    health = [category for category in HEALTH_WEIGHTS if category in values]
    aeo = [category for category in AEO_WEIGHTS if category in values]
    return PageScore(
        tenths(_mean(values, health, HEALTH_WEIGHTS)) if health else None,
        tenths(_mean(values, aeo, AEO_WEIGHTS)) if aeo else None,
        {category: tenths(values[category]) for category in sorted(values)},
    )


def loss_shares(shares: Iterable[RuleShare], category: str) -> dict[str, int]:
    """How a category's loss splits among its rules, in tenths that add up exactly to 1000 minus its score.

    Each rule takes its part of the sum of ln(m_r); the tenths left over by rounding down go to the largest
    remainders (ties by rule id). Rules that cost nothing are left out.
    """
    costing = sorted(
        (share for share in shares if share.rule.category == category and share.factor < 1.0),
        key=lambda share: share.rule.id,
    )
    product = 1.0
    for share in costing:
        product *= share.factor
    loss = 1000 - tenths(100.0 * product)
    logs = {share.rule.id: -math.log(share.factor) for share in costing}
    total = math.fsum(logs.values())
    if not total:
        return {}
    parts = {rule_id: loss * value / total for rule_id, value in logs.items()}
    result = {rule_id: math.floor(part) for rule_id, part in parts.items()}
    missing = loss - sum(result.values())
    by_remainder = sorted(parts, key=lambda rule_id: (result[rule_id] - parts[rule_id], rule_id))
    for rule_id in by_remainder[:missing]:
        result[rule_id] += 1
    return result


def priority(gain_tenths: int, *, impressions: int, kappa: float, effort: int) -> float:
    """The order of the action list: gain * (1 + log10(1 + impressions) / 5) * kappa / effort.

    ``impressions`` are those of the affected pages in 28 days (0 without search data), ``effort`` 1, 2 or 4.
    """
    return (gain_tenths / 10.0) * (1.0 + math.log10(1.0 + impressions) / 5.0) * kappa / effort


def keyword_priority(clicks_to_win: float, *, kappa: float, effort: int) -> float:
    """The same list's order for keyword tasks, which carry no score: kappa * log10(1 + clicks) / effort."""
    return kappa * math.log10(1.0 + max(0.0, clicks_to_win)) / effort


def importance(affected: float, total: float) -> float:
    """The share of the website's clicks of 28 days (of in-links, without search data) on the affected pages, 0 to 1."""
    return min(1.0, max(0.0, affected / total)) if total > 0 else 0.0


def coverage(crawled: Collection[str], known: Collection[str]) -> float:
    """Per cent of the known addresses that were read. Nothing known: 100."""
    wanted = known if isinstance(known, (set, frozenset)) else set(known)
    if not wanted:
        return 100.0
    return 100.0 * len(wanted.intersection(crawled)) / len(wanted)


def confidence(
    coverage_percent: float, *, refused_share: float = 0.0, stale_inputs: Collection[str] = (), partial: bool = False
) -> ScoreConfidence:
    """How far the score can be trusted.

    Coverage gives the step (90, 60); one step down when 5% of the fetches were refused, when speed or search data
    is older than 14 days (``stale_inputs`` names it), or when the audit ended before it had read everything.
    """
    step = 0 if coverage_percent >= HIGH_COVERAGE else 1 if coverage_percent >= MEDIUM_COVERAGE else 2
    if refused_share >= REFUSED_SHARE or stale_inputs or partial:
        step += 1
    return _STEPS[min(step, len(_STEPS) - 1)]
