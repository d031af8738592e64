"""Approves the suggested values of one or several issues together, unchanged.

Only values that the person has seen are approved: the request contains a digest of the shown values, and the values,
computed again, must have the same digest. Each issue gets its own batch, one after the other. If the process crashes
between two batches, the earlier ones stay approved, and the same request is refused, because the values that remain
differ from those shown.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.changes import values
from chalicelib.domain.changes.batch import WAITING, WRITTEN, Batch
from chalicelib.domain.changes.proposal import Wish
from chalicelib.domain.changes.review import Review, Row, reviewed
from chalicelib.domain.changes.values import BadValue
from chalicelib.domain.changes.writability import writability
from chalicelib.domain.suggestion import WRITABLE_FIELDS, Suggestion, WritableField
from chalicelib.operations import changes
from chalicelib.operations.approvals import Approver
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.rules import keywords, registry
from chalicelib.store import issue_details, issues, pages
from chalicelib.store.issue_details import Detail
from chalicelib.store.websites import Website

MOST_ISSUES: Final = 10
MOST_SUGGESTIONS: Final = 2_000  # of one issue: more than are approved at once
_UNDECIDED: Final = ("open", "reopened")
_NO_VALUE: Final = "No value is suggested for the page."
_UNDER_WAY: Final = "The value was approved before."
_CLOSED: Final = "The issue is resolved or ignored."
_NO_FIELD: Final = "Nothing can be written for the issue."


class Approved(NamedTuple):
    """The result for one issue: its batch, or the refusal."""

    issue_id: str
    batch: Batch | None
    refusal: Refused | None


def review(website: Website, issue_ids: Sequence[str], template: str | None = None) -> Review:
    """Return those suggested values of the given issues that can be approved. ``template``: if given, only values for
    pages of this template. If two values are for the same page and field, the value of the earlier issue in
    ``issue_ids`` is used.

    Refused: ``too_many_issues``, ``not_found``. Reads the store once, once more per issue, and for the page list.
    """
    if len(issue_ids) > MOST_ISSUES:
        raise Refused("too_many_issues", f"At most {MOST_ISSUES} issues are reviewed together.")
    book = issues.load_state(website.id)
    rows: list[Row] = []
    left: Counter[str] = Counter()
    templates = _templates(website)
    for issue_id in dict.fromkeys(issue_ids):
        issue = None if book is None else book.by_id(issue_id)
        if issue is None:
            raise Refused("not_found", f"The website has no issue {issue_id}.")
        found, reasons = _of_issue(website, issue)
        rows += [row._replace(template=templates.get(row.page_id)) for row in found]
        left += reasons
    return reviewed(rows, left, template)


class Approvable(NamedTuple):
    """An open issue, and the addresses of the pages for which a suggested value can be approved now."""

    title: str
    field: WritableField
    urls: frozenset[str]


def approvable(website: Website) -> list[Approvable]:
    """List the open issues that have suggested values to approve. Issues with most pages come first. Reads the store
    once, and once more per open issue with a writable field; not at all if no connection can write."""
    writer = website.connections.writer
    if writer is None or not writer.writable:
        return []
    book, found = issues.load_state(website.id), []
    for issue in book.issues if book is not None else []:
        rule = registry.BY_ID.get(issue.rule_id) or keywords.BY_ID.get(issue.rule_id)
        if rule is None or rule.writable_field not in writer.status.fields or issue.status not in _UNDECIDED:
            continue
        rows, _ = _of_issue(website, issue)
        if rows:
            found.append(Approvable(rule.title, rows[0].field, frozenset(row.url for row in rows)))
    return sorted(found, key=lambda one: (-len(one.urls), one.title))


def approve(
    actor: Actor, site_id: str, issue_ids: Sequence[str], digest: str, template: str | None = None
) -> list[Approved]:
    """Approve the values of a review, in one batch per issue. ``digest``: the digest of that review.

    Refused: the codes of ``review``, ``not_allowed``, ``changed_since_shown``, ``no_changes``. If only one issue's
    values are refused, the refusal is in the issue's ``Approved``, with a code of ``operations.changes.apply``.
    """
    website = existing(actor, site_id, "work")
    found = review(website, issue_ids, template)
    if found.digest != digest:
        raise Refused(
            "changed_since_shown",
            "The suggestions have changed since they were shown. Nothing was approved. Look at them again.",
        )
    if not found.rows:
        raise Refused("no_changes", "None of these values can be written.")
    wishes: dict[str, list[Wish]] = {}
    for row in found.rows:
        wishes.setdefault(row.issue_id, []).append(Wish(row.url, row.value))
    return [_approved(actor, website, issue_id, wanted) for issue_id, wanted in wishes.items()]


def _approved(actor: Actor, website: Website, issue_id: str, wanted: Sequence[Wish]) -> Approved:
    book = issues.load_state(website.id)  # the previous batch has changed the issues
    if book is None:
        raise Refused("not_found", f"The website has no issue {issue_id}.")
    try:
        batch = changes.apply(website, issue_id, wanted, by=Approver(actor.person_id), book=book)
    except Refused as refused:
        return Approved(issue_id, None, refused)
    return Approved(issue_id, batch, None)


def _templates(website: Website) -> dict[str, str | None]:
    """Return the template of each page, by page id."""
    if website.summary is None:
        return {}
    return pages.templates(website.id, website.summary.generation.crawl_id)


def _of_issue(website: Website, issue: Issue) -> tuple[list[Row], Counter[str]]:
    """Return the issue's values that can be written. For the other values, return how often each reason against them
    applies."""
    rule = registry.BY_ID.get(issue.rule_id) or keywords.BY_ID.get(issue.rule_id)
    field = None if rule is None else rule.writable_field
    if field not in WRITABLE_FIELDS:
        return [], Counter({_NO_FIELD: 1})
    if issue.status in ("resolved", "ignored"):
        return [], Counter({_CLOSED: 1})
    detail = issue_details.load(website.id, issue, offset=0, limit=MOST_SUGGESTIONS)
    rows, left = [], Counter[str]()
    approved = _approved_before(detail)
    for one in detail.suggestions:
        reason = _why_not(website, field, one, detail, approved)
        if reason is not None:
            left[reason] += 1
        elif one.suggested is not None:
            rows.append(Row(issue.id, field, one.url, one.page_id, one.current, one.suggested))
    return rows, left


def _approved_before(detail: Detail) -> set[tuple[str, str]]:
    """Return address and value of each change that the issue's last batch has written, or will write."""
    found = [] if detail.approved is None else detail.approved.changes
    return {(change.url, change.value) for change in found if change.status in WAITING | WRITTEN}


def _why_not(
    website: Website, field: WritableField, one: Suggestion, detail: Detail, approved: set[tuple[str, str]]
) -> str | None:
    if one.suggested is None:
        return _NO_VALUE
    if (one.url, one.suggested) in approved:
        return _UNDER_WAY
    writer = website.connections.writer
    writable, reason = writability(one.url, field, detail.published_by(writer), writer)
    if not writable:
        return reason or _NO_FIELD
    try:
        values.checked(field, one.suggested, website.host)
    except BadValue as bad:
        return f"The suggested value cannot be written: {bad}."
    return None
