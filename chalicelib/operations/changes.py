"""Approves changes, which the website's CMS then writes, and undoes them on request.

Approval is one transaction (``operations.approvals``), which also updates the issue. Files are approved in
``operations.files`` and undone here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issue_log import LogEntry
from chalicelib.domain.audit.issues import Issue, IssueBook, Mover, next_status
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.changes.batch import MOST_CHANGES, UNDO_SECONDS, WAITING, WRITTEN, Batch, Change
from chalicelib.domain.changes.proposal import Proposal, Wish, own_value
from chalicelib.domain.changes.undoing import NOT_KEPT, Returning, Undoing, numbered
from chalicelib.domain.changes.writability import writability
from chalicelib.domain.connections import Writer, WriterKind
from chalicelib.domain.content import by_address, held_by
from chalicelib.domain.suggestion import WRITABLE_FIELDS, WritableField
from chalicelib.operations import files
from chalicelib.operations.approvals import Approval, Approver, Decided, approve, current_place
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.rules import registry
from chalicelib.rules.keywords import BY_ID as KEYWORD_TASKS
from chalicelib.store import changes, content, issues, items
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website


def apply(website: Website, issue_id: str, wanted: Sequence[Wish], *, by: Approver, book: IssueBook) -> Batch:
    """Approve values for the field of an issue, one for each page. ``book``: the issues as the caller has just read
    them. A change is left out if the page already has the value, or if an earlier batch will write it. If none is left,
    return the earlier batch.

    Refused, in this order: ``too_many_changes``; ``cms_not_connected``, ``cms_not_writable``; ``field_not_supported``;
    ``not_a_cms_post``; ``not_applied`` with the reason; ``no_changes``; ``too_many_waiting``. Also refused:
    ``not_found``, ``busy``. Costs two reads, one transaction and one message.
    """
    if len(wanted) > MOST_CHANGES:
        raise Refused("too_many_changes", f"{len(wanted)} changes were sent; at most {MOST_CHANGES} at once.")
    writer = usable(website.connections.writer)

    def decide(number: int) -> Decided:
        found = issues.load_state(website.id) if number else book
        issue = issue_of(found, issue_id)
        field = _field(issue, writer)
        if not wanted:
            raise Refused("no_changes", "`changes` is empty; send at least one page with its value.")
        place = current_place(website.id)  # loaded first, so that everything read later is at least as new
        rows = items.batch_get(
            [
                *content.content_keys(website.id),
                *issues.pages_keys(website.id, issue),
                *changes.prints_keys(website.id, place),
                *_last_keys(website.id, issue, wanted),
            ]
        )
        held = by_address(held_by(writer.kind, content.content_of(rows, website.id).items.values()))
        pages = issues.pages_of(rows, website.id, issue)
        checked = (
            Proposal.of_pages(field, wanted, held)
            .for_issue(issue.status, _listed(website, issue, pages))
            .checked(website.host)
        )
        shown = {one.url: one.current for one in pages.suggestions}
        removed = _removed(website, rows, _last_keys(website.id, issue, wanted))

        def present(change: Change) -> str | None:
            """Return the field's current value: the CMS's or, if the CMS does not report the field, the last audit's.
            Returns "" if the service has removed the value since then."""
            own = own_value(held[change.url], field)
            if own is not None:
                return own
            if change.target in removed or (change.url in shown and not shown[change.url]):
                return ""
            return shown.get(change.url)

        in_flight = changes.in_flight_of(rows, website.id, place, checked.changes)
        new = checked.without_equal(in_flight, present)
        if not new.changes and new.older is None:
            raise Refused("no_changes", "All pages already have these values.")
        approval = Approval("fields", field, writer.kind, by, issue_id, gain=gain_of(found, issue))
        return Decided(place, approval, new, lambda batch: put_approved(website.id, found, issue, batch, "key"))

    return approve(website, decide)


class Foreseen(NamedTuple):
    """The effect that an undo of a batch would have. ``refusal``: why the undo is impossible; None if it is possible.
    ``changes``: for each change, the value that the undo would restore. ``until``: until when the batch can be undone
    (epoch seconds)."""

    changes: list[Returning]
    refusal: Refused | None
    until: float


def foresee(website: Website, batch_id: str) -> Foreseen:
    """Preview an undo of the batch. Refused: ``not_found``. At most five reads, plus one per 100 blocks of later
    batches."""
    batch, listed = _listed_batch(website, batch_id)
    until = batch.approved_at + UNDO_SECONDS
    try:
        plan = _plan(website, batch, listed)
    except Refused as refused:
        return Foreseen([], refused, until)
    return Foreseen(plan.undoing.foreseen(plan.back), None, until)


def undo(actor: Actor, site_id: str, batch_id: str, only: frozenset[int] | None = None) -> Batch:
    """Undo a batch: restore the earlier value of each page's field, or of the file. A field that a later batch has
    written as well stays as it is. If earlier batches wrote the same value, the value from before the first of these
    batches is restored.

    ``only``: the numbers of the changes to undo; None for all. If another undo of the same changes is waiting or being
    written, return that undo.
    Refused: ``not_found``, ``not_allowed``, ``wrong_state`` (the batch is being written, or is an undo itself),
    ``too_late``, ``cms_not_connected``, ``cms_not_writable``, ``nothing_to_undo``, ``too_many_waiting``, ``busy``.
    """
    website = existing(actor, site_id, "work")

    def decide(_: int) -> Decided:
        place = changes.place(site_id)
        batch, listed = _listed_batch(website, batch_id)
        plan = _plan(website, batch, listed, only)
        approval = Approval("undo", batch.field, plan.writer.kind, Approver(actor.person_id), batch.issue_id, batch_id)
        proposal = Proposal(numbered(plan.back))
        if not plan.back and plan.undoing.under_way and plan.waiting is not None:
            proposal = proposal._replace(older=plan.waiting)
        elif not plan.back:
            raise Refused("nothing_to_undo", NOT_KEPT if plan.undoing.candidates() else plan.undoing.why_nothing())
        # An undo does not change the issue. The record of a file's last write is updated when the undo is done.
        return Decided(place, approval, proposal, lambda _: [])

    return approve(website, decide)


class _Plan(NamedTuple):
    """The plan of an undo. ``back``: the changes that the undo writes; ``waiting``: the batch's newest unfinished
    undo."""

    writer: Writer
    undoing: Undoing
    back: list[Change]
    waiting: str | None


def _listed_batch(website: Website, batch_id: str) -> tuple[Batch, list[Batch]]:
    """Return the batch and all stored batches of the website. Refused: ``not_found``."""
    listed = changes.list_all(website.id)
    batch = next((one for one in listed if one.id == batch_id), None)
    if batch is None:
        raise Refused("not_found", f"The website has no batch {batch_id}.")
    return batch, listed


def _plan(website: Website, batch: Batch, listed: Sequence[Batch], only: frozenset[int] | None = None) -> _Plan:
    if batch.kind == "undo":
        raise Refused("wrong_state", "An undo cannot be undone: approve the values that you want instead.")
    if batch.status != "done":
        raise Refused("wrong_state", "The batch is still being written. It can be undone once it is done.")
    if not batch.may_be_undone(clock.now()):
        raise Refused("too_late", "Changes can be undone for 30 days.")
    if batch.is_file:
        writer = files.writer_of(website, batch.field)  # type: ignore[arg-type]  # of a file
    else:  # the undo uses the kind of connection that wrote the batch, whatever was connected since
        writer = usable(website.connections.of(batch.source), batch.source)
    waiting = [one for one in listed if one.undoes == batch.id and one.status != "done"]
    loaded = {one.batch.id: one.changes for one in changes.load_all(website.id, [batch, *waiting])}
    if batch.id not in loaded:
        raise Refused("not_found", f"The website has no batch {batch.id}.")
    wanted = loaded.pop(batch.id)
    if only is not None and not only <= {change.number for change in wanted}:
        raise Refused("not_found", f"The batch {batch.id} has no such change.")
    pending = {change.target for found in loaded.values() for change in found if change.status in WAITING | WRITTEN}
    undoing = Undoing(wanted, changes.written_later(batch, listed), pending=pending)
    if only is not None:
        undoing = undoing.only(only)
    if undoing.needs_earlier:
        earlier = changes.written_earlier(batch, listed)
        undoing = undoing._replace(earlier=[(one.batch.id, one.changes) for one in earlier])
    candidates = undoing.candidates()
    tokens = changes.tokens_of(website.id, batch.id, candidates)
    back = [change for change in candidates if change.number in tokens]
    return _Plan(writer, undoing, back, waiting[-1].id if waiting else None)


def list_all(actor: Actor, site_id: str) -> list[tuple[Batch, list[Change]]]:
    """List the batches of a website with their changes, newest first. Refused: ``not_found``, ``not_allowed``."""
    existing(actor, site_id, "read")
    newest_first = list(reversed(changes.list_all(site_id)))
    return [(loaded.batch, loaded.changes) for loaded in changes.load_all(site_id, newest_first)]


# -- checks, in their order ------------------------------------------------------------------------------


def usable(writer: Writer | None, kind: WriterKind = "cms") -> Writer:
    """Return the website's connection if it can write values now. ``kind``: the kind of connection that the change
    needs.
    """
    if writer is None:
        named = "CMS" if kind == "cms" else "shop"
        raise Refused(
            "cms_not_connected", f"The website is connected to no {named}: connect it to write values from here."
        )
    if not writer.writable:
        raise Refused("cms_not_writable", writer.reason or "Nothing can be written through the CMS now.")
    return writer


def issue_of(book: IssueBook | None, issue_id: str) -> Issue:
    issue = None if book is None else book.by_id(issue_id)
    if issue is None:
        raise Refused("not_found", "The website has no such issue.")
    return issue


def gain_of(book: IssueBook | None, issue: Issue) -> int | None:
    """Return by how many tenths the score rises once the issue is fixed, as the list of actions shows it. Returns None
    without a score, and for keyword tasks."""
    if book is None or issue.rule_id not in registry.BY_ID:
        return None
    standing = Standing(registry.shares(book.counts, book.aside()), book.measured)
    return standing.gain(issue.rule_id) if standing.scored else None


def _field(issue: Issue, writer: Writer) -> WritableField:
    rule = registry.BY_ID.get(issue.rule_id) or KEYWORD_TASKS.get(issue.rule_id)
    field = rule.writable_field if rule is not None else None
    if field not in WRITABLE_FIELDS:
        what = "image alt texts are approved in the app" if field == "alt" else "no field of the CMS would fix it"
        raise Refused("field_not_supported", f"Nothing can be written for this issue: {what}.")
    if field not in writer.status.fields:
        raise Refused(
            "field_not_supported", writability("", field, None, writer)[1] or "The CMS cannot write this field."
        )
    return field


def _last_keys(site_id: str, issue: Issue, wanted: Sequence[Wish]) -> list[items.Key]:
    """Return the keys of the stored items of the issue's last batch. Returns none if every wanted value is a text,
    since only removals need that batch."""
    if issue.change_batch is None or all(wish.value for wish in wanted):
        return []
    return changes.keys_of(site_id, issue.change_batch, issue.change_blocks)


def _removed(
    website: Website, rows: Mapping[items.Key, Mapping[str, Any]], last_keys: Sequence[items.Key]
) -> set[tuple[str, ...]]:
    """Return the values that the issue's last batch has removed since the last audit.
    No page shows the removal yet, and the CMS may not report it."""
    last = changes.loaded_of(rows, last_keys) if last_keys else None
    audit = website.summary.last_audit if website.summary is not None else None
    since = audit.finished_at if audit is not None else 0.0
    found = last.changes if last is not None else []
    return {
        change.target
        for change in found
        if not change.value and change.status in WRITTEN and (change.written_at or 0.0) >= since
    }


def _listed(website: Website, issue: Issue, pages: issues.Pages) -> set[str]:
    """Return the addresses of the pages of the issue's action.
    They are the pages that the issue affects, and those that a recheck has removed from the list since the last audit.
    For an issue of the whole website, the home page is added."""
    listed = {page.url for page in pages.affected} | {one.url for one in pages.suggestions}
    rule = registry.BY_ID.get(issue.rule_id)
    if rule is not None and rule.scope == "site":
        home = website.summary.home_url if website.summary is not None else None
        listed.add(home or website.url)
    return listed


def put_approved(site_id: str, book: IssueBook | None, issue: Issue, batch: Batch, by: Mover) -> Sequence[Write]:
    """Return the write that stores in the issue which batch was approved for it."""
    assert book is not None  # the issue was found in it
    status = next_status(issue.status, "change_approved", by) or issue.status
    moved = msgspec.structs.replace(issue, status=status, change_batch=batch.id, change_blocks=batch.blocks)
    entry = LogEntry(batch.approved_at, issue.id, "changed", pages=batch.count, batch_id=batch.id, by=batch.approved_by)
    return [issues.put_state(site_id, book.with_issue(moved), replaces=book.version, log=[entry])]
