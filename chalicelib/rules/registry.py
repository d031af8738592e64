"""All rules, in the order in which they are judged, listed and documented."""

import hashlib
from collections.abc import Mapping
from typing import Final, Protocol

from chalicelib.domain.audit.score import VERSION as SCORE_VERSION
from chalicelib.domain.audit.score import RuleShare, ScoredRule
from chalicelib.rules.model import Rule
from chalicelib.rules.onp import seo_onp_001_title_missing as onp_001

__all__ = ["BY_ID", "RULES", "RULESET", "SCORE_VERSION", "Rule", "ruleset_of", "scored", "shares"]

RULES: Final[tuple[Rule, ...]] = (
    onp_001.RULE,
)

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}


class Counts(Protocol):
    """How many pages a rule applied to and how many it affects."""

    @property
    def applicable(self) -> int: ...

    @property
    def affected(self) -> int: ...


def scored(rule: Rule) -> ScoredRule:
    """What the score knows of a rule."""
    return ScoredRule(rule.id, rule.category, rule.weight, rule.kappa, rule.gate)


def shares(counts: Mapping[str, Counts]) -> list[RuleShare]:
    """The score's input: counts by rule id. Rules that are no longer registered count for nothing."""
    return [
        RuleShare(scored(BY_ID[rule_id]), count.applicable, count.affected)
        for rule_id, count in counts.items()
        if rule_id in BY_ID
    ]


def ruleset_of(rules: tuple[Rule, ...]) -> str:
    """A short name of everything about these rules that moves the score, and of the score's own version."""
    digest = hashlib.sha256(f"score {SCORE_VERSION}".encode())
    for rule in sorted(rules, key=lambda rule: rule.id):
        parts = (
            rule.id,
            rule.category,
            rule.severity,
            rule.confidence,
            rule.scope,
            rule.population,
            rule.weight,
            rule.effort,
            rule.gate,
        )
        digest.update(repr(parts).encode())
    return digest.hexdigest()[:12]


RULESET: Final = ruleset_of(RULES)
