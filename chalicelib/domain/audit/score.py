"""Version 3 of the score: computes what findings cost a website, on a scale from 0 to 100.

    f_r    = affected / applicable pages of rule r          (site rules: 0 or 1)
    f_r    = min(1, units / (100 * applicable))             of rules that count faulty links, see ``link_units``
    m_r    = 1 - (w_r / 100) * kappa_r * sqrt(f_r)          the factor of rule r; 1 leaves the score unchanged
    m_r    = 1 - g_r * kappa_r * f_r                        the factor of a gate rule, with g_r instead of w_r
    e_c    = 4 * W_c / 100 in the health categories, AEO 1, AGT 0.4; gate rules 1
    L_r    = round(-ln(m_r) * e_c * 1e9)                    the loss: an integer, so that sums are exact
    health = 100 * exp(-sum of L_r of health / 1e9)
    aeo    = 100 * exp(-sum of L_r of AEO and AGT / 1e9)
    site   = health^0.75 * aeo^0.25                         (health alone while the AEO side is not measured)
    S_c    = 100 * product of m_r of category c             only shown

The square root makes the first affected page and the last fix count most: one page in a hundred costs a tenth of the
rule's weight. Gate rules count the affected pages linearly, because a website often keeps a few pages out of search on
purpose. Scores are rounded once to tenths, and stored and compared as integer tenths (1000 = 100.0). Callers pass the
weight, confidence and gate of each rule. This module contains no list of rules.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from chalicelib.domain.audit.link_units import PAGE

VERSION: Final = "3"

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
AEO_EXPONENTS: Final[Mapping[str, float]] = {"AEO": 1.0, "AGT": 0.4}
# Fixed: when a category gets its first data, the costs of the others stay the same.
EXPONENTS: Final[Mapping[str, float]] = {
    **{category: 4 * weight / 100 for category, weight in HEALTH_WEIGHTS.items()},
    **AEO_EXPONENTS,
}
# Each category's share of the exponents of its side (health or AEO), in per cent.
SHARES: Final[Mapping[str, float]] = {
    **{category: float(weight) for category, weight in HEALTH_WEIGHTS.items()},
    **{category: 100 * exponent / sum(AEO_EXPONENTS.values()) for category, exponent in AEO_EXPONENTS.items()},
}
UNIT: Final = 10**9  # integer losses are in units of 1 / UNIT
HEALTH_QUARTERS, AEO_QUARTERS = 3, 1  # the exponents 0.75 and 0.25 of ``site``, in quarters
_QUARTERS: Final = (HEALTH_QUARTERS + AEO_QUARTERS) * UNIT

HIGH_COVERAGE, MEDIUM_COVERAGE = 90.0, 60.0  # per cent of the known pages that were read
REFUSED_SHARE = 0.05  # from this share on, refused fetches lower the confidence by one step

ScoreConfidence = Literal["high", "medium", "low"]
_STEPS: Final[tuple[ScoreConfidence, ...]] = ("high", "medium", "low")


class ScoredRule(NamedTuple):
    """The data about a rule that the score needs.

    - ``weight``: the rule's weight in its category, in per cent.
    - ``kappa``: the confidence in the rule, 0 to 1.
    - ``gate``: for gate rules, the factor that is used instead of the weight, 0 to 1.
    """

    id: str
    category: str
    weight: float
    kappa: float
    gate: float | None = None

    def left(self, fraction: float) -> float:
        """Return the factor m_r of a rule that affects this fraction of its pages. The factor is from 0 to 1. A factor
        of 1 does not change the score."""
        if self.gate is not None:
            return 1.0 - self.gate * self.kappa * fraction
        return 1.0 - (self.weight / 100.0) * self.kappa * math.sqrt(fraction)

    def loss(self, fraction: float) -> int:
        """Return the rule's loss L_r, in billionths."""
        exponent = 1.0 if self.gate is not None else EXPONENTS[self.category]
        return round(-math.log(self.left(fraction)) * exponent * UNIT)

    def category_loss(self, fraction: float) -> int:
        """Return the rule's loss within its category, in billionths. It is 0 for gate rules."""
        return 0 if self.gate is not None else round(-math.log(self.left(fraction)) * UNIT)


class RuleShare(NamedTuple):
    """The pages of a rule: how many it applies to and how many it affects. For site rules, both are 0 or 1.

    - ``units``: for rules that count faulty links, the weight of the affected pages in hundredths of a page; None for
      other rules.
    - ``ignored`` and ``ignored_units``: the part of the affected pages and of ``units`` that people ignore. Fixing the
      other pages does not win back the points that the ignored pages cost.
    """

    rule: ScoredRule
    applicable: int
    affected: int
    units: int | None = None
    ignored: int = 0
    ignored_units: int | None = None

    @property
    def fraction(self) -> float:
        """Return f_r, 0 to 1. It is 0 if the rule applies to no page."""
        return _fraction(self.applicable, self.affected, self.units)

    @property
    def loss(self) -> int:
        """The loss L_r of this rule, in billionths."""
        return self.rule.loss(self.fraction)

    @property
    def lasting(self) -> int:
        """The loss L_r that would remain if only the ignored pages were affected, in billionths."""
        return self.rule.loss(_fraction(self.applicable, self.ignored, self.ignored_units))


def _fraction(applicable: int, affected: int, units: int | None) -> float:
    if applicable <= 0 or affected <= 0:
        return 0.0
    return min(1.0, affected / applicable if units is None else units / (PAGE * applicable))


class CategoryResult(NamedTuple):
    """The score of a category that was measured. ``tenths``: the score, 0 to 1000. ``weight``: the category's share of
    its side of the score (health or AEO), in per cent."""

    category: str
    tenths: int
    weight: float


class Score(NamedTuple):
    """The score in tenths of a point. ``aeo_tenths``: None if no category of the AEO side (AEO and AGT) was
    measured."""

    site_tenths: int
    health_tenths: int
    aeo_tenths: int | None
    categories: list[CategoryResult]


class PageScore(NamedTuple):
    """A page's scores in tenths of a point. They are computed like the scores of a website, with f = 1 for each rule
    that fires on the page.

    The score of a side (health or AEO) is None if no rule of this side applies to the page.
    """

    page_tenths: int | None
    aeo_tenths: int | None
    categories: dict[str, int]


def tenths(value: float) -> int:
    """Round a score to the nearest tenth, halves up. All scores are rounded here, once."""
    return math.floor(value * 10.0 + 0.5)


def _after(loss: int, unit: int = UNIT) -> float:
    """Return what is left of 100 points after a loss. ``unit``: how many units of ``loss`` make a loss of 1."""
    return 100.0 * math.exp(-loss / unit)


class Standing:
    """The cost of each rule for a website (its loss L_r). The website's score and all derived figures are computed from
    these losses. Raises ``ValueError`` if a rule occurs twice.

    - ``measured``: the categories that have ever had data.
    - ``scored``: whether there is a score. There is one if a category of the health side was measured.
    """

    def __init__(self, shares: Iterable[RuleShare], measured: Collection[str]) -> None:
        self._shares = list(shares)
        self._measured = frozenset(measured)
        self.scored = not self._measured.isdisjoint(HEALTH_WEIGHTS)
        self._with_aeo = not self._measured.isdisjoint(AEO_EXPONENTS)
        # Losses of the website's score, by rule id, in quarters of 1e-9. Rules that cost nothing are left out.
        self._losses: dict[str, int] = {}
        self._mendable: dict[str, int] = {}  # the part of each loss that ignored pages do not cause
        self._health = self._aeo = 0
        for share in self._shares:
            self._count(share)
        if len({share.rule.id for share in self._shares}) != len(self._shares):
            raise ValueError("a rule counts twice")
        self._site = sum(self._losses.values())

    def _count(self, share: RuleShare) -> None:
        loss = share.loss
        if share.rule.category in AEO_EXPONENTS:
            self._aeo += loss
            quarters = AEO_QUARTERS if self._with_aeo else 0
        else:
            self._health += loss
            quarters = HEALTH_QUARTERS if self._with_aeo else HEALTH_QUARTERS + AEO_QUARTERS
        if loss * quarters:
            self._losses[share.rule.id] = loss * quarters
            self._mendable[share.rule.id] = (loss - share.lasting if share.ignored else loss) * quarters

    def score(self) -> Score:
        """Return the website's score with its measured categories. Raises ``ValueError`` if the website has no
        score."""
        if not self.scored:
            raise ValueError("no category of the health score is measured")
        losses = dict.fromkeys(EXPONENTS, 0)
        for share in self._shares:
            losses[share.rule.category] += share.rule.category_loss(share.fraction)
        return Score(
            tenths(self._site_without(0)),
            tenths(_after(self._health)),
            tenths(_after(self._aeo)) if self._with_aeo else None,
            [
                CategoryResult(category, tenths(_after(loss)), SHARES[category])
                for category, loss in losses.items()
                if category in self._measured
            ],
        )

    def gain(self, *rule_ids: str) -> int:
        """Return by how many tenths the score rises once these rules are fixed on all pages except ignored ones.

        The result is the exact difference between the two scores, and is never negative.
        """
        mended = sum(self._mendable.get(rule_id, 0) for rule_id in set(rule_ids))
        return tenths(self._site_without(mended)) - tenths(self._site_without(0))

    def relative_gain(self, rule_id: str) -> float:
        """Return by what fraction the score rises once this rule is fixed on all pages except ignored ones: 0.05 for
        5%. The result is unrounded, and does not depend on the losses of other rules."""
        return math.expm1(self._mendable.get(rule_id, 0) / _QUARTERS)

    @property
    def site_points(self) -> float:
        """Return the website's score, unrounded."""
        return self._site_without(0)

    def points_lost(self) -> dict[str, int]:
        """Return the cost of each rule in tenths, highest first. The costs add up exactly to 1000 minus the website's
        score.

        Each rule gets its proportional share of the missing tenths, rounded down. The tenths that remain go to the
        largest remainders (ties by rule id). Rules that cost nothing are left out.
        """
        missing = 1_000 - tenths(self._site_without(0))
        whole = {rule_id: divmod(missing * loss, self._site) for rule_id, loss in self._losses.items()}
        left_over = missing - sum(points for points, _ in whole.values())
        by_remainder = sorted(whole, key=lambda rule_id: (-whole[rule_id][1], rule_id))
        one_more = set(by_remainder[:left_over])
        dearest = sorted(self._losses, key=lambda rule_id: (-self._losses[rule_id], rule_id))
        return {rule_id: whole[rule_id][0] + (rule_id in one_more) for rule_id in dearest}

    def _site_without(self, loss: int) -> float:
        return _after(self._site - loss, _QUARTERS)


@lru_cache(maxsize=1024)
def _full_losses(rule: ScoredRule) -> tuple[int, int]:
    return rule.loss(1.0), rule.category_loss(1.0)


def page_score(applicable: Sequence[ScoredRule], affected: Collection[str]) -> PageScore:
    """Compute a page's scores from the page rules that apply to it. For rules that fire, f = 1.

    A side (health or AEO) is measured if at least one of its rules applies to the page. Gate rules are left out, since
    they concern the website.
    """
    lost = {rule.category: 0 for rule in applicable if rule.gate is None}
    health = aeo = 0
    for rule in applicable if affected else ():
        if rule.id in affected and rule.gate is None:
            loss, category_loss = _full_losses(rule)
            lost[rule.category] += category_loss
            if rule.category in AEO_EXPONENTS:
                aeo += loss
            else:
                health += loss
    return PageScore(
        None if lost.keys().isdisjoint(HEALTH_WEIGHTS) else tenths(_after(health)),
        None if lost.keys().isdisjoint(AEO_EXPONENTS) else tenths(_after(aeo)),
        {category: tenths(_after(lost[category])) for category in sorted(lost)},
    )


def importance(affected: float, total: float) -> float:
    """Return the affected pages' share of the website's clicks in 28 days, from 0 to 1.

    Without search data it is their share of in-links.
    """
    return min(1.0, max(0.0, affected / total)) if total > 0 else 0.0


def coverage(crawled: Collection[str], known: Collection[str]) -> float:
    """Return how many per cent of the known addresses were read; 100 if no address is known."""
    wanted = known if isinstance(known, (set, frozenset)) else set(known)
    if not wanted:
        return 100.0
    return 100.0 * len(wanted.intersection(crawled)) / len(wanted)


def confidence(
    coverage_percent: float,
    *,
    refused_share: float = 0.0,
    stale_inputs: Collection[str] = (),
    partial: bool = False,
    little: bool = False,
) -> ScoreConfidence:
    """Return how far the score can be trusted.

    The level is high if at least 90% of the known addresses were read, medium from 60% on, and low below. It is one
    level lower if at least one of these is true:

    - 5% of the fetches or more were refused.
    - Speed or search data is older than 14 days (``stale_inputs`` names it).
    - The audit ended before it had read everything.

    If ``little`` of the website was understood, the result is always low.
    """
    if little:
        return "low"
    step = 0 if coverage_percent >= HIGH_COVERAGE else 1 if coverage_percent >= MEDIUM_COVERAGE else 2
    if refused_share >= REFUSED_SHARE or stale_inputs or partial:
        step += 1
    return _STEPS[min(step, len(_STEPS) - 1)]
