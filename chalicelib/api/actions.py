"""Actions: issues in the order in which they are worth doing."""

from dataclasses import dataclass

from chalicelib.api.shapes.actions import Action, ActionCause, ActionList
from chalicelib.api.shapes.values import from_tenths_or_none, instant, site_link
from chalicelib.domain.audit import actions
from chalicelib.domain.audit.actions import Work
from chalicelib.domain.audit.causes import Shared
from chalicelib.domain.audit.score import Standing
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import integer
from chalicelib.store import issues

group = Group("actions", "Issues as actions, ordered by what they are worth.")


@dataclass(frozen=True, slots=True)
class ListParameters:
    limit: int = integer("How many actions, highest priority first.", default=25, minimum=1, maximum=100)


@group.get(
    "/sites/{siteId}/actions",
    scope="issues:read",
    parameters=ListParameters,
    answer=ActionList,
    summary="List a website's actions",
)
def list_actions(call: Call[ListParameters]) -> ActionList:
    """Open issues by priority, each with the exact number of points that the score rises by once it is resolved."""
    # The registry imports every rule: only requests that show findings pay for it.
    from chalicelib.rules import registry

    book = issues.load_state(call.website.id)
    if book is None:
        return ActionList(waiting=0, actions=[])
    work = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    ranked = actions.ranked(book.issues, Standing(registry.shares(book.counts), book.measured), work)
    shown = []
    for rank, action in enumerate(ranked[: call.parameters.limit], start=1):
        issue, rule = action.issue, registry.BY_ID[action.issue.rule_id]
        age = actions.age_days(issue, call.now)
        shown.append(
            Action(
                rank=rank,
                issue_id=issue.id,
                title=rule.title,
                severity=rule.severity,
                effort=rule.effort,
                priority=round(action.priority, 2),
                estimated_score_gain=from_tenths_or_none(action.gain),
                importance=issue.importance,
                status=issue.status,
                first_seen=instant(issue.first_seen),
                age_days=age,
                waiting_weeks=age // 7,
                writable_field=rule.writable_field,
                cause=_cause(action.cause),
                link=site_link(call.website.id, "issues", issue.id),
            )
        )
    return ActionList(waiting=actions.waiting(ranked, call.now), actions=shown)


def _cause(cause: Shared | None) -> ActionCause | None:
    return None if cause is None else ActionCause(kind=cause.kind, key=cause.key, issue_ids=cause.issue_ids)
