"""What a person may do to an issue in the app: ignore it, and take that back."""

import msgspec

from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issues import TRANSITIONS, Issue, IssueBook
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.store import issues
from chalicelib.store.transactions import Conflict, commit

_TRIES = 5


def ignore(actor: Actor, site_id: str, issue_id: str) -> Issue:
    """Ignore an open or reopened issue: it leaves the lists, and stays ignored when it is found again.

    Refused: ``not_found``, ``not_allowed``, ``bad_status`` (its state does not allow it).
    """
    return _move(actor, site_id, issue_id, "ignore", "ignored")


def unignore(actor: Actor, site_id: str, issue_id: str) -> Issue:
    """Take an ignored issue back among the open ones. Refused as ``ignore``."""
    return _move(actor, site_id, issue_id, "unignore", "taken back")


def _move(actor: Actor, site_id: str, issue_id: str, what: str, in_words: str) -> Issue:
    existing(actor, site_id, "work")
    for _ in range(_TRIES):
        book = issues.load_state(site_id)
        issue = book.by_id(issue_id) if book is not None else None
        if book is None or issue is None:
            raise Refused("not_found", f"The website has no issue {issue_id}.")
        target = TRANSITIONS.get((issue.status, what))
        if target is None:
            raise Refused("bad_status", f"An issue that is {issue.status.replace('_', ' ')} cannot be {in_words}.")
        moved = msgspec.structs.replace(issue, status=target)
        try:
            commit([issues.put_state(site_id, replaced(book, moved), replaces=book.version)])
        except Conflict:
            continue
        return moved
    raise Refused("busy", "The website's issues keep changing; try again in a moment.")


def replaced(book: IssueBook, issue: Issue) -> IssueBook:
    """The next version of the book, with this issue in place of the one of the same id."""
    issues_now = [issue if old.id == issue.id else old for old in book.issues]
    return msgspec.structs.replace(book, version=book.version + 1, issues=issues_now)
