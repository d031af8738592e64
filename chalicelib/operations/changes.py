"""Changes that a person approves: written through the website's CMS, and taken back on demand.

Approval is one transaction (``operations.approvals``) with the issue. Files are approved in ``operations.files``, and
taken back here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issues import Issue, IssueBook, Mover, next_status
from chalicelib.domain.changes import values
from chalicelib.domain.changes.batch import MOST_CHANGES, WRITTEN, Batch, Change, undo_of
from chalicelib.domain.connections import Writer, WriterKind
from chalicelib.domain.content import ContentItem, by_address, held_by
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.suggestions.model import WRITABLE_FIELDS, WritableField
from chalicelib.domain.suggestions.writing import writability
from chalicelib.operations import files
from chalicelib.operations.approvals import Approval, approve
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.rules import registry
from chalicelib.rules.keywords import BY_ID as KEYWORD_TASKS
from chalicelib.store import changes, content, issues
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website

_QUOTED: Final = 200  # characters of an address in a message


class Wish(NamedTuple):
    """A value that somebody wants to be written to a page."""

    url: str
    value: str


def apply(website: Website, issue_id: str, wanted: Sequence[Wish], *, person_id: str, book: IssueBook) -> Batch:
    """Approve values for the field of an issue, each for a page. Those that the page has already are left out.

    Refused, in this order: ``too_many_changes``; ``cms_not_connected``, ``cms_not_writable``; ``field_not_supported``;
    ``not_a_cms_post``; ``not_applied`` with the reason; ``no_changes``. And ``not_found``, ``busy``. Asked for the same
    again before it is done, it gives the batch that was approved. ``book``: the issues as the caller has just read
    them. Two or three reads, one transaction, one message.
    """
    if len(wanted) > MOST_CHANGES:
        raise Refused("too_many_changes", f"{len(wanted)} changes were sent; at most {MOST_CHANGES} at once.")
    writer = _checked(website.connections.writer)
    issue = _issue(book, issue_id)
    field = _field(issue, writer)
    held = by_address(held_by(writer.kind, content.load(website.id).items.values()))
    pages = _pages(wanted, held)
    checked = _values(issue, field, pages, website.host)
    approved = _changed(website.id, issue, field, checked)
    waiting = _waiting(website.id, issue, approved)
    if waiting is not None:
        return waiting
    return _approve(website, Approval("fields", field, writer.kind, person_id, issue_id), approved, book)


def undo(actor: Actor, site_id: str, batch_id: str) -> Batch:
    """Take a batch back: what each page's field, or the file, held before is written again, where no later batch has
    written it.

    Refused: ``not_found``, ``not_allowed``, ``wrong_state`` (it is being written, or is an undo itself), ``too_late``,
    ``cms_not_connected``, ``cms_not_writable``, ``nothing_to_undo``, ``busy``.
    """
    website = existing(actor, site_id, "work")
    loaded = changes.load(site_id, batch_id)
    if loaded is None:
        raise Refused("not_found", f"The website has no batch {batch_id}.")
    batch = loaded.batch
    if batch.kind == "undo" or batch.status != "done":
        raise Refused("wrong_state", "Only a batch that was written can be undone, and an undo cannot.")
    if not batch.may_be_undone(clock.now()):
        raise Refused("too_late", "Changes can be undone for 30 days.")
    if batch.issue_id is None:
        writer = files.writer_of(website, batch.field)  # type: ignore[arg-type]  # of a file
    else:  # what wrote it takes it back, whatever was connected since
        writer = _checked(website.connections.of(batch.source), batch.source)
    later, tokens = changes.written_later(site_id, batch), changes.load_tokens(site_id, batch_id)
    back = undo_of(loaded.changes, lambda change: change.target not in later and change.number in tokens)
    if not back:
        raise Refused("nothing_to_undo", _why_nothing(loaded.changes, later))
    approval = Approval("undo", batch.field, writer.kind, actor.person_id, batch.issue_id, batch_id)
    if batch.issue_id is None:
        # Its file's last write says what becomes of it when it was done.
        return approve(website, approval, back, lambda *_: [])
    book = issues.load_state(site_id)
    if book is None:
        raise Refused("not_found", "The website has no issues.")
    return _approve(website, approval, back, book)


def list_all(actor: Actor, site_id: str) -> list[tuple[Batch, list[Change]]]:
    """The batches of a website with their changes, newest first. Refused: ``not_found``, ``not_allowed``."""
    existing(actor, site_id, "read")
    found = [changes.load(site_id, batch.id) for batch in reversed(changes.list_all(site_id))]
    return [(loaded.batch, loaded.changes) for loaded in found if loaded is not None]


# -- checks, in their order ------------------------------------------------------------------------------


def _checked(writer: Writer | None, kind: WriterKind = "cms") -> Writer:
    """The connection, where something can be written through it. ``kind``: of the one that is asked for."""
    if writer is None:
        named = "CMS" if kind == "cms" else "shop"
        raise Refused(
            "cms_not_connected", f"The website is connected to no {named}: connect it to write values from here."
        )
    if not writer.writable:
        raise Refused("cms_not_writable", writer.reason or "Nothing can be written through the CMS now.")
    return writer


def _issue(book: IssueBook, issue_id: str) -> Issue:
    issue = book.by_id(issue_id)
    if issue is None:
        raise Refused("not_found", "The website has no such issue.")
    return issue


def _field(issue: Issue, writer: Writer) -> WritableField:
    rule = registry.BY_ID.get(issue.rule_id) or KEYWORD_TASKS.get(issue.rule_id)
    field = rule.writable_field if rule is not None else None
    if field not in WRITABLE_FIELDS:
        what = "image alt texts are applied in the app" if field == "alt" else "no field of the CMS would mend it"
        raise Refused("field_not_supported", f"Nothing can be written for this issue: {what}.")
    if field not in writer.status.fields:
        raise Refused("field_not_supported", writability("", field, None, writer)[1] or "It cannot be written.")
    return field


def _pages(wanted: Iterable[Wish], published: Mapping[str, ContentItem]) -> list[tuple[ContentItem, str]]:
    found = []
    for wish in wanted:
        item = published.get(normalise(wish.url) or "")
        if item is None:
            raise Refused(
                "not_a_cms_post",
                f"{wish.url[:_QUOTED]!r} is no published content item that the CMS has sent to the service.",
            )
        found.append((item, wish.value))
    return found


def _values(
    issue: Issue, field: WritableField, pages: Iterable[tuple[ContentItem, str]], host: str
) -> list[tuple[ContentItem, str]]:
    if issue.status in ("resolved", "ignored"):
        raise Refused("not_applied", f"The issue is {issue.status}: nothing is written for it.")
    found: dict[str, tuple[ContentItem, str]] = {}
    for item, value in pages:
        if item.cms_id in found:
            raise Refused("not_applied", f"{item.url[:_QUOTED]} stands there twice.")
        try:
            found[item.cms_id] = (item, values.checked(field, value, host))
        except values.BadValue as reason:
            raise Refused("not_applied", f"The value for {item.url[:_QUOTED]} cannot be written: {reason}.") from None
    return list(found.values())


def _changed(
    site_id: str, issue: Issue, field: WritableField, wanted: Sequence[tuple[ContentItem, str]]
) -> list[Change]:
    """The changes that change something: by what the CMS holds, or, where it holds nothing of its own, by what the page
    showed at the last audit."""
    current: dict[str, str | None] = {}
    if any(_own(item, field) is None for item, _ in wanted):
        current = {one.url: one.current for one in issues.load_suggested(site_id, issue)}
    real = []
    for item, value in wanted:
        own = _own(item, field)
        present = (current.get(item.url) if value else "") if own is None else own
        if present != value:
            real.append((item, value))
    if not real:
        raise Refused("no_changes", "Every page has the value already that was sent for it.")
    return [
        Change(number=number, url=item.url, cms_id=item.cms_id, field=field, value=value)
        for number, (item, value) in enumerate(real)
    ]


def _waiting(site_id: str, issue: Issue, approved: Sequence[Change]) -> Batch | None:
    """The issue's last batch, where it is not done and approved these very changes: who got no answer asks again."""
    loaded = None if issue.change_batch is None else changes.load(site_id, issue.change_batch)
    if loaded is None or loaded.batch.status == "done":
        return None
    same = [(one.target, one.value) for one in loaded.changes] == [(one.target, one.value) for one in approved]
    return loaded.batch if same else None


def _own(item: ContentItem, field: WritableField) -> str | None:
    value = getattr(item.fields, field)
    return ("true" if value else "false") if isinstance(value, bool) else value


def _why_nothing(found: Iterable[Change], later: set[tuple[str, str]]) -> str:
    if any(change.status in WRITTEN and change.target in later for change in found):
        return "A later batch has written the same fields: undo that one first."
    return "Nothing of this batch is written now."


# -- approval --------------------------------------------------------------------------------------------


def _approve(website: Website, approval: Approval, approved: Sequence[Change], book: IssueBook) -> Batch:
    """Approve changes of an issue. Refused: ``not_found``, ``busy``."""

    def beside(batch: Batch, again: bool) -> Sequence[Write]:
        found = (issues.load_state(website.id) if again else None) or book
        issue = _issue(found, approval.issue_id or "")
        moved = _issue_after(issue, batch, "key" if batch.kind == "fields" else "app")
        if moved == issue:
            return []
        return [issues.put_state(website.id, found.with_issue(moved), replaces=found.version)]

    return approve(website, approval, approved, beside)


def _issue_after(issue: Issue, batch: Batch, by: Mover) -> Issue:
    """The issue once the batch was approved. What was approved for it last is what it shows; an undo shows there."""
    if batch.kind == "undo":
        return issue
    status = next_status(issue.status, "change_approved", by) or issue.status
    return msgspec.structs.replace(issue, status=status, change_batch=batch.id, change_blocks=batch.blocks)
