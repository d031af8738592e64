"""Actions: the list of open issues by priority, and approved changes of titles, descriptions and other fields."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from chalicelib.api import files
from chalicelib.api.paging import following
from chalicelib.api.refusals import refusal
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.actions import Action, ActionCause, ActionList, ApplyChanges, ChangesApproved
from chalicelib.api.shapes.changes import ApprovedChange, Batch, BatchDetail, BatchList, ChangeCounts
from chalicelib.api.shapes.values import from_tenths_or_none, instant_or_none, site_link
from chalicelib.domain import ids
from chalicelib.domain.audit import actions
from chalicelib.domain.audit.actions import Work
from chalicelib.domain.audit.issues import IssueBook
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.changes.batch import STATUSES, Change
from chalicelib.domain.changes.batch import Batch as StoredBatch
from chalicelib.http import cursors
from chalicelib.http.answers import Answer
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import not_found
from chalicelib.http.parameters import NoParameters, integer, text
from chalicelib.http.parts import listed, with_cursor
from chalicelib.operations.errors import Refused
from chalicelib.rules import keywords
from chalicelib.store import changes, issues
from chalicelib.store.changes import Loaded

group = Group("actions", "Issues as actions, ordered by priority, and approved changes.")


@dataclass(frozen=True, slots=True)
class ListParameters:
    limit: int = integer("Number of actions to list, highest priority first.", default=25, minimum=1, maximum=100)
    offset: int = integer("First item to list.", default=0, minimum=0)
    format: str = files.file_format()


@group.get(
    "/sites/{siteId}/actions",
    scope="issues:read",
    parameters=ListParameters,
    answer=ActionList,
    files=(files.CSV,),
    errors=(files.TOO_LARGE,),
    summary="List a website's actions",
    parts=(listed("actions"),),
)
def list_actions(call: Call[ListParameters]) -> ActionList | Answer:
    """Open issues by priority. Each has the exact number of points by which the score rises once the issue is resolved.

    Keyword tasks (`KW-…`) are listed too. They are found in search data; their `estimatedScoreGain` is null.
    """
    # The registry imports every rule, so only requests that show findings load it.
    from chalicelib.rules import registry

    sent, book = call.parameters, issues.load_state(call.website.id)
    if book is None and sent.format == "csv":
        return files.of_shapes("actions", call.website.host, Action, ())
    if book is None:
        return ActionList(waiting=0, total=0, offset=sent.offset, next_offset=None, truncated=False, actions=[])
    work = {rule.id: Work(rule.severity, rule.effort_divisor) for rule in registry.RULES}
    tasks = {task.id: Work(task.severity, task.effort_divisor) for task in keywords.TASKS}
    standing = Standing(registry.shares(book.counts, book.aside()), book.measured)
    ranked = actions.ranked(book.issues, standing, work, tasks)
    shown = []
    count = None if sent.format == "csv" else sent.limit
    for rank, action in enumerate(ranked[sent.offset :][:count], start=sent.offset + 1):
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
                cause=None
                if action.cause is None
                else shaped(ActionCause, action.cause, gain=from_tenths_or_none(action.cause.gain)),
                link=site_link(call.website.id, "issues", issue.id),
            )
        )
    if sent.format == "csv":
        return files.of_shapes("actions", call.website.host, Action, shown)
    return ActionList(
        waiting=actions.waiting(ranked, call.now),
        total=len(ranked),
        offset=sent.offset,
        next_offset=following(sent.offset, len(shown), len(ranked)),
        truncated=False,
        actions=shown,
    )


@dataclass(frozen=True, slots=True)
class BatchesParameters:
    limit: int = integer("Number of batches to list, newest first.", default=20, minimum=1, maximum=25)
    cursor: str | None = text("The `nextCursor` of the previous answer.", maximum=cursors.LONGEST)


@group.get(
    "/sites/{siteId}/changes",
    scope="issues:read",
    parameters=BatchesParameters,
    answer=BatchList,
    errors=("bad_cursor",),
    summary="List the batches of approved changes",
    parts=(with_cursor("batches"),),
)
def list_changes(call: Call[BatchesParameters]) -> BatchList:
    """Approved changes of the last 90 days, newest first, with the number of changes in each state.

    Send `nextCursor` as `cursor` until it is null.
    """
    sent, binding = call.parameters, [call.website.id, "changes"]
    older_than = None
    if sent.cursor is not None:
        older_than, limit = cursors.read(sent.cursor, binding)
        if limit != sent.limit:
            raise cursors.refused()
    found, more = changes.newest(call.website.id, sent.limit, older_than)
    loaded = {one.batch.id: one for one in changes.load_all(call.website.id, found)}
    shown = [loaded[batch.id] for batch in found if batch.id in loaded]
    call.cursor_after = lambda count: cursors.make([shown[count - 1].batch.id, sent.limit], binding)
    last = None if not more or not found else cursors.make([found[-1].id, sent.limit], binding)
    return BatchList(batches=[shaped(Batch, one.batch, **_of_batch(one)) for one in shown], next_cursor=last)


@dataclass(frozen=True, slots=True)
class BatchParameters:
    offset: int = integer("First item to list.", default=0, minimum=0)


def _find_batch(call: Call[BatchParameters]) -> Loaded:
    batch_id = call.path["batchId"]
    found = changes.load(call.website.id, batch_id) if is_id(batch_id) else None
    if found is None:
        raise not_found("batch")
    return found


@group.get(
    "/sites/{siteId}/changes/{batchId}",
    scope="issues:read",
    parameters=BatchParameters,
    answer=BatchDetail,
    find=_find_batch,
    summary="Read one batch of approved changes",
    parts=(listed("changes"),),
)
def read_batch(call: Call[BatchParameters]) -> BatchDetail:
    """The changes of a batch, each with page, field, result, old and new value."""
    found, offset = call.found, call.parameters.offset
    return shaped(
        BatchDetail,
        found.batch,
        **_of_batch(found),
        offset=offset,
        next_offset=None,
        truncated=False,
        changes=[_change(call.website.id, found.batch, change) for change in found.changes[offset:]],
    )


def _of_batch(found: Loaded) -> dict[str, Any]:
    """Return the members of a shown batch that the stored batch lacks, or has in another form."""
    states = Counter(change.status for change in found.changes)
    return {
        "batch_id": found.batch.id,
        "ended_at": instant_or_none(found.batch.ended_at),
        "total": len(found.changes),
        "counts": ChangeCounts(**{str(status): states[status] for status in STATUSES}),
        "link": site_link(found.batch.site_id, "changes", found.batch.id),
    }


def _change(site_id: str, batch: StoredBatch, change: Change) -> ApprovedChange:
    look = change.look
    return shaped(
        ApprovedChange,
        change,
        page_id=None if batch.is_file else ids.page_id(site_id, change.url),
        before=None if change.outcome is None else change.outcome.before,
        after=change.value,
        state=change.status,
        reason=change.error or (None if look is None else look.reason),
        live=None if look is None else look.live,
    )


def _find(call: Call[NoParameters]) -> IssueBook:
    """Return the website's issues, which must include the one named in the path."""
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
    500 pages. They are written through the website's CMS and verified on the live pages; then the issue is rechecked.

    Either all changes are approved or none. A change is left out if the page already has the value, or an earlier batch
    will write it. If no change is left, the answer names the earlier batch. So a request can be repeated safely.

    The result of each change is in `lastChange` of the issue, and in the events `write.applied` and `write.failed`. The
    key acts as a person, who is recorded as the approver. Changes can be undone in the app for 30 days.
    """
    # Writing imports every rule and the CMS clients, so only requests that write load them.
    from chalicelib.domain.changes.proposal import Wish
    from chalicelib.operations import changes as operations
    from chalicelib.operations.approvals import Approver

    body: ApplyChanges = call.body
    wanted = [Wish(change.url, change.value) for change in body.changes]
    by = Approver(call.auth.person_id, call.auth.used_key)
    try:
        batch = operations.apply(call.website, call.path["issueId"], wanted, by=by, book=call.found)
    except Refused as refused:
        raise (not_found("issue") if refused.code == "not_found" else refusal(refused)) from refused
    # An equal batch that waits may belong to another issue; its result is shown there.
    issue_id = batch.issue_id or call.path["issueId"]
    return ChangesApproved(
        approved=batch.count,
        batch_id=batch.id,
        poll=call.url(f"/sites/{call.website.id}/issues/{issue_id}"),
        note="Batches are written one after the other. After this batch, the issue is rechecked.",
        link=site_link(call.website.id, "issues", issue_id),
    )
