"""What the weights of the rules guarantee about the order of actions, over every pair of rules."""

from itertools import product

import pytest

from chalicelib.domain.audit.actions import Work, relative_priority
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.score import RuleShare, Standing
from chalicelib.rules import registry
from chalicelib.rules.model import Rule
from chalicelib.rules.registry import RULES

PAGES = 1_000
SEVERE = [rule for rule in RULES if rule.severity in ("critical", "high")]
SMALL = [rule for rule in RULES if rule.severity in ("medium", "low") and rule.scope == "site"]
GATES = {"SEO-TEC-001": 0.85, "SEO-TEC-002": 0.60, "SEO-TEC-008": 0.90, "SEO-TEC-020": 0.90, "SEO-TEC-034": 0.75}


def worth(rule: Rule, measured: set[str]) -> float:
    """The priority of a fault on 5% of the pages, or of the website, as a part of its score."""
    applicable, affected = (1, 1) if rule.scope == "site" else (PAGES, PAGES // 20)
    standing = Standing([RuleShare(registry.scored(rule), applicable, affected)], measured)
    issue = Issue("iss_1", rule.id, "open", affected, applicable, 0.0, 0.0, "")
    return relative_priority(issue, standing, Work(rule.severity, rule.effort_divisor))


@pytest.mark.parametrize("measured", [{"ONP", "AEO"}, {"ONP"}], ids=["with AEO", "health alone"])
def test_a_severe_fault_on_5_percent_of_pages_outranks_small_website_faults(
    measured: set[str],
) -> None:
    counting = [rule for rule in SEVERE if "AEO" in measured or rule.category not in ("AEO", "AGT")]
    worths = {rule.id: worth(rule, measured) for rule in (*counting, *SMALL)}
    behind = [
        (severe.id, small.id) for severe, small in product(counting, SMALL) if worths[severe.id] <= worths[small.id]
    ]
    assert behind == []
    assert len(counting) > 25 and len(SMALL) > 15


def test_the_rules_that_scale_the_health_score_are_the_published_ones() -> None:
    assert {rule.id: rule.gate for rule in RULES if rule.gate is not None} == GATES


def test_only_technical_rules_can_scale_the_health_score() -> None:
    assert {rule.category for rule in RULES if rule.gate is not None} == {"TEC"}
