"""Actions: issues in the order in which they are worth doing."""

from dataclasses import dataclass

from chalicelib.api.paging import following
from chalicelib.api.refusals import refusal
from chalicelib.api.shaped import shaped, shaped_or_none
from chalicelib.api.shapes.actions import Action, ActionCause, ActionList, ApplyChanges, ChangesApproved
from chalicelib.api.shapes.values import from_tenths_or_none, site_link
from chalicelib.domain.audit import actions
from chalicelib.domain.audit.actions import Work
from chalicelib.domain.audit.issues import IssueBook
from chalicelib.domain.audit.score import Standing
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import NoParameters, integer
from chalicelib.http.parts import listed
from chalicelib.operations.errors import Refused
from chalicelib.rules import keywords
from chalicelib.store import issues

group = Group("actions", "Issues as actions, ordered by what they are worth.")


@dataclass(frozen=True, slots=True)
class ListParameters:
    limit: int = integer("How many actions, highest priority first.", default=25, minimum=1, maximum=100)
    offset: int = integer("Where the actions begin.", default=0, minimum=0)


@group.get(
    "/sites/{siteId}/actions",
    scope="issues:read",
    parameters=ListParameters,
    answer=ActionList,
    summary="List a website's actions",
    parts=(listed("actions"),),
)
def list_actions(call: Call[ListParameters]) -> ActionList:
    """Open issues by priority, each with the exact number of points that the score rises by once it is resolved.

    Keyword tasks (`KW-…`) stand among them: they follow from search data, and their `estimatedScoreGain` is null.
    """
    # The registry imports every rule: only requests that show findings pay for it.
    from chalicelib.rules import registry

    sent, book = call.parameters, issues.load_state(call.website.id)
    if book is None:
        return ActionList(waiting=0, total=0, offset=sent.offset, next_offset=None, truncated=False, actions=[])
    work = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    tasks = {task.id: Work(task.severity, task.effort_divisor) for task in keywords.TASKS}
    standing = Standing(registry.shares(book.counts), book.measured)
    ranked = actions.ranked(book.issues, standing, work, tasks)
    shown = []
    for rank, action in enumerate(ranked[sent.offset :][: sent.limit], start=sent.offset + 1):
        issue = action.issue
        rule = registry.BY_ID.get(issue.rule_id) or keywords.BY_ID[issue.rule_id]
        age = actions.age_days(issue, call.now)
        shown.append(
            shaped(
                Action,
                issue,
                rank=rank,
                issue_id=issue.id,
                title=rule.title,
                severity=rule.severity,
                effort=rule.effort,
                priority=round(action.priority, 2),
                estimated_score_gain=from_tenths_or_none(action.gain),
                age_days=age,
                waiting_weeks=age // 7,
                writable_field=rule.writable_field,
                cause=shaped_or_none(ActionCause, action.cause),
                link=site_link(call.website.id, "issues", issue.id),
            )
        )
    return ActionList(
        waiting=actions.waiting(ranked, call.now),
        total=len(ranked),
        offset=sent.offset,
        next_offset=following(sent.offset, len(shown), len(ranked)),
        truncated=False,
        actions=shown,
    )


def _find(call: Call[NoParameters]) -> IssueBook:
    """The website's issues, with the one that the path names among them."""
    book = issues.load_state(call.website.id)
    if book is None or book.by_id(call.path["issueId"]) is None:
        raise not_found("issue")
    return book


@group.post(
    "/sites/{siteId}/actions/{issueId}/apply",
    scope="actions:apply",
    body=ApplyChanges,
    answer=ChangesApproved,
    find=_find,
    errors=(
        *("too_many_changes", "cms_not_connected", "cms_not_writable", "field_not_supported", "not_a_cms_post"),
        *("not_applied", "no_changes", "too_many_waiting", "busy"),
    ),
    summary="Approve new values and have them written",
)
def apply_changes(call: Call[NoParameters]) -> ChangesApproved:
    """Approve new values of the issue's field (SEO title, meta description, canonical address or noindex), for at most
    500 pages. They are written through the website's CMS and looked for on the live pages; then the issue is rechecked.

    Either all are approved or none. Left out are values that pages have already, and those that an earlier batch is to
    write; when nothing else is left, the answer names that batch. So a request may be sent again.

    What becomes of each change stands in `lastChange` of the issue, and in the events `write.applied` and
    `write.failed`. The person whom the key acts as is recorded as the approver; changes can be undone in the app for 30
    days.
    """
    # Writing imports every rule, and what speaks to a CMS: only requests that write pay for it.
    from chalicelib.domain.changes.proposal import Wish
    from chalicelib.operations import changes
    from chalicelib.operations.approvals import Approver

    body: ApplyChanges = call.body
    wanted = [Wish(change.url, change.value) for change in body.changes]
    by = Approver(call.auth.person_id, call.auth.key_id)
    try:
        batch = changes.apply(call.website, call.path["issueId"], wanted, by=by, book=call.found)
    except Refused as refused:
        raise (not_found("issue") if refused.code == "not_found" else refusal(refused)) from refused
    # An equal batch that waits may have been approved for another issue: it is followed there.
    issue_id = batch.issue_id or call.path["issueId"]
    return ChangesApproved(
        approved=batch.count,
        batch_id=batch.id,
        poll=call.url(f"/sites/{call.website.id}/issues/{issue_id}"),
        note="They are written one batch after the other, and the issue is rechecked after that.",
        link=site_link(call.website.id, "issues", issue_id),
    )
