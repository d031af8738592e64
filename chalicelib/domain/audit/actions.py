"""The order in which to work on open issues: by the gain of a fix (the points by which the score rises) and the effort
that the fix needs.

    priority = gain * severity / effort * (1 + log10(1 + impressions) / 5)

The gain is unrounded and includes the confidence in the rule. To compare rules, the gain is divided by the score. The
quotient does not depend on the points that other rules cost, so a third issue never changes the order of two issues.
"""

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib.domain.audit.causes import Shared, shared
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.publish import open_actions
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.severity import SEVERITIES, Severity

DAY_SECONDS = 86_400
WAITING_DAYS = 14
SEVERITY_FACTOR: Final[Mapping[Severity, float]] = {"critical": 8.0, "high": 4.0, "medium": 1.0, "low": 0.25}


TASK_KAPPA: Final = 0.8  # confidence in keyword tasks, the same as in "likely" rules


class Work(NamedTuple):
    """The data that the ranking needs about a rule or a keyword task. ``effort``: the divisor of the priority (1, 1.5
    or 2)."""

    severity: Severity
    effort: float


NO_TASKS: Final[Mapping[str, Work]] = {}


class Action(NamedTuple):
    """An entry in the list of what to do next: an open issue or a keyword task.

    - ``gain``: by how much a fix raises the score, in tenths of a point. It is None if the website has no score, and
      for keyword tasks, which are not part of the score.
    - ``cause``: the cause that the issue shares with other issues of the list; None if it shares none.
    """

    issue: Issue
    gain: int | None
    priority: float
    cause: Shared | None = None


def ranked(
    issues: list[Issue], standing: Standing, rules: Mapping[str, Work], tasks: Mapping[str, Work] = NO_TASKS
) -> list[Action]:
    """Rank the open ``issues`` whose rule is in ``rules`` or ``tasks``, highest priority first. Equal priorities are
    sorted by ``relative_priority``, then by severity, then by importance."""
    found = [issue for issue in open_actions(issues) if issue.rule_id in rules or issue.rule_id in tasks]
    worth = {
        issue.id: relative_priority(issue, standing, rules[issue.rule_id]) for issue in found if issue.rule_id in rules
    }
    points = standing.site_points
    priority = {
        issue.id: points * worth[issue.id]
        if issue.id in worth
        else keyword_priority(issue.clicks_to_win or 0.0, kappa=TASK_KAPPA, effort=tasks[issue.rule_id].effort)
        for issue in found
    }

    def place(issue: Issue) -> tuple[float, float, int, float, str]:
        severity = SEVERITIES.index((rules.get(issue.rule_id) or tasks[issue.rule_id]).severity)
        return -priority[issue.id], -worth.get(issue.id, 0.0), severity, -issue.importance, issue.rule_id

    ordered = sorted(found, key=place)
    causes = _with_gains(shared((issue.id, issue.cause) for issue in ordered), ordered, standing)
    return [
        Action(
            issue,
            standing.gain(issue.rule_id) if standing.scored and issue.id in worth else None,
            priority[issue.id],
            causes.get(issue.id),
        )
        for issue in ordered
    ]


def _with_gains(causes: Mapping[str, Shared], issues: list[Issue], standing: Standing) -> dict[str, Shared]:
    """Add to each cause the score's rise once all of its issues are fixed."""
    if not standing.scored:
        return dict(causes)
    rules = {issue.id: issue.rule_id for issue in issues}
    gains: dict[tuple[str, str], int] = {}
    for cause in causes.values():
        if cause[:2] not in gains:
            gains[cause.kind, cause.key] = standing.gain(*(rules[issue_id] for issue_id in cause.issue_ids))
    return {issue_id: cause._replace(gain=gains[cause.kind, cause.key]) for issue_id, cause in causes.items()}


def relative_priority(issue: Issue, standing: Standing, work: Work) -> float:
    """Return the issue's priority, divided by the website's score."""
    seen = 1.0 + math.log10(1.0 + issue.impressions) / 5.0
    return standing.relative_gain(issue.rule_id) * SEVERITY_FACTOR[work.severity] / work.effort * seen


def keyword_priority(clicks_to_win: float, *, kappa: float, effort: float) -> float:
    """Return the priority of a keyword task: kappa * log10(1 + clicks) / effort. Keyword tasks do not affect the score.

    ``kappa``: the confidence in the task, from 0 to 1. ``clicks_to_win``: how many clicks the task may win in 28 days.
    """
    return kappa * math.log10(1.0 + max(0.0, clicks_to_win)) / effort


def age_days(issue: Issue, now: float) -> int:
    """Return the number of full days since the issue was first seen."""
    return max(0, int((now - issue.first_seen) // DAY_SECONDS))


def waiting(actions: list[Action], now: float) -> int:
    """Count the actions that have been open for 14 days or more."""
    return sum(age_days(action.issue, now) >= WAITING_DAYS for action in actions)
