"""The order to work in: open issues by what they are worth, and by how much work they are."""

from collections.abc import Mapping
from typing import NamedTuple

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.publish import open_issues
from chalicelib.domain.audit.score import RuleShare

DAY_SECONDS = 86_400
WAITING_DAYS = 14


class Action(NamedTuple):
    """An open issue as something to do. ``gain`` in integer tenths, exactly what the score moves by."""

    issue: Issue
    gain: int
    priority: float


def ranked(
    issues: list[Issue], shares: list[RuleShare], measured: list[str], divisors: Mapping[str, int]
) -> list[Action]:
    """The open issues, highest priority first. ``divisors``: the effort of each rule (1, 2 or 4)."""
    standing = [issue for issue in open_issues(issues) if issue.rule_id in divisors]
    if not standing:
        return []
    by_rule = {share.rule.id: share for share in shares}
    counted = [issue.rule_id for issue in standing if issue.rule_id in by_rule]
    gains = scoring.gains(shares, measured, only=counted) if counted else {}
    actions = []
    for issue in standing:
        gain = gains.get(issue.rule_id, 0)
        kappa = by_rule[issue.rule_id].rule.kappa if issue.rule_id in by_rule else 0.0
        worth = scoring.priority(gain, impressions=0, kappa=kappa, effort=divisors[issue.rule_id])
        actions.append(Action(issue, gain, worth))
    return sorted(actions, key=lambda action: (-action.priority, -action.gain, action.issue.rule_id))


def age_days(issue: Issue, now: float) -> int:
    """Full days since the issue was first seen."""
    return max(0, int((now - issue.first_seen) // DAY_SECONDS))


def waiting(actions: list[Action], now: float) -> int:
    """How many have been open 14 days or more."""
    return sum(age_days(action.issue, now) >= WAITING_DAYS for action in actions)
