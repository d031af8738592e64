"""The timeline of an issue. Its entries are kept for 400 days."""

from typing import Final, Literal

import msgspec

from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue, IssueBook

KEPT_SECONDS: Final = 400 * 86_400.0
MOST_REASON: Final = 500  # characters

EntryKind = Literal["found", "reopened", "resolved", "rechecked", "changed", "ignored", "unignored"]


class LogEntry(msgspec.Struct, array_like=True, frozen=True):
    """One entry of an issue's timeline. Fields that this kind of event does not use are None.

    - ``at``: when it happened (epoch seconds).
    - ``pages``: how many pages the issue lists now (events found, reopened and rechecked), how many it listed before
      (resolved), or how many changes were approved (changed).
    - ``crawl_id``: the audit or recheck that caused the event.
    - ``present``: how many of the ``checked`` pages still showed the issue.
    - ``by``: the id of the person who caused the event; None for the operator.
    - ``reason``: why the issue is ignored, or why a recheck could not judge it.
    - ``until``: when the ignoring ends (epoch seconds).
    """

    at: float
    issue_id: str
    kind: EntryKind
    pages: int | None = None
    crawl_id: str | None = None
    present: int | None = None
    checked: int | None = None
    batch_id: str | None = None
    by: str | None = None
    reason: str | None = None
    until: float | None = None


def moves(before: IssueBook | None, after: IssueBook, at: float, crawl_id: str | None) -> list[LogEntry]:
    """Return an entry for each issue that was found, resolved or found again between an earlier and a later version of
    the website's issues.

    ``crawl_id``: the audit or recheck that changed the issues; None if new data changed them.
    """
    old = {issue.id: issue for issue in before.issues} if before is not None else {}
    return [entry for issue in after.issues for entry in move(old.get(issue.id), issue, at, crawl_id)]


def move(old: Issue | None, new: Issue, at: float, crawl_id: str | None = None) -> list[LogEntry]:
    """Return the entry for an issue that was found, resolved or found again. Returns an empty list for any other
    change."""
    if new.status == "resolved" and old is not None and old.status != "resolved":
        return [LogEntry(at, new.id, "resolved", pages=old.affected_pages, crawl_id=crawl_id)]
    if new.status in OPEN_STATUSES and (old is None or old.status == "resolved"):
        kind: EntryKind = "found" if old is None else "reopened"
        return [LogEntry(at, new.id, kind, pages=new.affected_pages, crawl_id=crawl_id)]
    return []


def rechecked(old: Issue, new: Issue) -> list[LogEntry]:
    """Return the entries of a finished recheck: its result, and the issue's new state. ``old``: the issue before the
    recheck ended."""
    last = new.last_recheck
    assert last is not None
    note = None if last.note is None else last.note[:MOST_REASON]
    seen = LogEntry(
        last.at,
        new.id,
        "rechecked",
        pages=new.affected_pages,
        crawl_id=last.crawl_id,
        present=last.present,
        checked=last.checked,
        reason=note,
    )
    return [seen, *move(old, new, last.at, last.crawl_id)]
