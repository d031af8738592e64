"""Checks an issue's written changes again, using the pages that its recheck has read.

It checks:

- the issue's last batch
- earlier batches, if a page did not show their value yet (the pages of one issue may be approved in several batches)
- undos of these batches, which cause no event; once the page shows an undo, the undone changes are no longer live

It does not check:

- unfinished batches, since their worker checks them
- fields that a later batch has written
- pages that did not answer
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.changes import redirecting
from chalicelib.domain.changes.batch import MOST_CHANGES, WRITTEN, Batch, Change, in_blocks, replaced
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.webhooks.events import Event
from chalicelib.settings.core import core_settings
from chalicelib.store import changes
from chalicelib.store.changes import Loaded
from chalicelib.store.transactions import Put, Write, commit
from chalicelib.store.websites import Website
from chalicelib.workers.writing.live import of_page


class Looked(NamedTuple):
    """The writes and events of the check. ``not_live``: whether the live page does not show a written value."""

    writes: list[Write]
    events: list[Event]
    not_live: bool


class Effect(NamedTuple):
    """The effect of a recheck on the website's score. ``gain``: in tenths of a point; ``resolved``: whether the recheck
    resolved the issue."""

    gain: int
    resolved: bool


MOST_BATCHES: Final = 5  # batches of one issue; together they have no more changes than one batch may have


def addresses(issue: Issue, site_id: str) -> list[str]:
    """Return the pages to which changes for the issue were written. Pages that the issue no longer lists are
    included."""
    found = [change.url for loaded in _written(issue, site_id) for change in loaded.changes if change.status in WRITTEN]
    return list(dict.fromkeys(found))


def look_again(website: Website, issue: Issue, fresh: Mapping[str, PageFacts], effect: Effect | None) -> Looked:
    """Check the issue's written changes. The effect on the score counts for the issue's last batch, or for the batch
    that was undone last. After the next full audit it counts for none, since other causes may have changed the score.

    - ``fresh``: the pages that the recheck has read, by address.
    - ``effect``: None without a score.

    Raises ``Conflict``.
    """
    if issue.change_batch is None:
        return Looked([], [], not_live=False)
    looked, read = [], []
    known = changes.list_all(website.id)
    counted = _counted(issue, known)
    audit = None if website.summary is None else website.summary.last_audit
    for loaded in _written(issue, website.id):
        later = changes.written_later(loaded.batch, known)
        seen = [_seen(change, fresh) for change in loaded.changes if change.target not in later]
        shown = [change for change in seen if change is not None]
        read.append(_Read(loaded, replaced(loaded.changes, shown)))
        if loaded.batch.kind != "undo":
            audited = audit is not None and audit.finished_at > (loaded.batch.ended_at or 0.0)
            counts = effect if loaded.batch.id == counted and not audited else None
            looked.append(_look_at(website, loaded.batch, shown, counts))
    # What the pages showed stays true if the recheck does not end, so blocks for which its transaction has no room are
    # written before.
    *before, last = changes.in_portions([write for one in _with_undone(website.id, read) for write in one.writes()])
    for portion in before:
        commit(portion)
    return Looked(
        [*last, *(write for one in looked for write in one.writes)],
        [event for one in looked for event in one.events],
        any(one.not_live for one in looked),
    )


def _counted(issue: Issue, known: Sequence[Batch]) -> str | None:
    """Return the batch to which the effect of a recheck belongs. ``known``: all batches of the website, in order."""
    done = [one for one in known if one.issue_id == issue.id and one.status == "done"]
    return done[-1].undoes if done and done[-1].kind == "undo" else issue.change_batch


class _Read(NamedTuple):
    """A batch whose pages were read. ``after``: its changes after that."""

    loaded: Loaded
    after: list[Change]

    def writes(self) -> list[Put]:
        """Return the writes of the blocks that changed."""
        batch, before, revisions = self.loaded
        both = zip(in_blocks(before), in_blocks(self.after), revisions, strict=True)
        return [
            changes.put_block(batch, number, new, revision)
            for number, (old, new, revision) in enumerate(both)
            if new != old
        ]


def _with_undone(site_id: str, read: Sequence[_Read]) -> list[_Read]:
    """Add the batches whose values are gone from the live page since it shows their undo.

    They come first: if the recheck ends between two portions, an undo that is not stored as seen is looked at again.
    """
    gone = {
        key: change.look
        for one in read
        for change in one.after
        if one.loaded.batch.undoes is not None and change.look is not None and change.look.live
        for key in ((one.loaded.batch.undoes, change.of), *change.through)
    }
    missing = {batch_id for batch_id, _ in gone} - {one.loaded.batch.id for one in read}
    others = changes.load_all(site_id, changes.get_many(site_id, sorted(missing))) if missing else []

    def after(batch_id: str, change: Change) -> Change:
        look = gone.get((batch_id, change.number))
        return change if look is None else change.undo_seen(look)

    return [
        one._replace(after=[after(one.loaded.batch.id, change) for change in one.after])
        for one in (*(_Read(loaded, loaded.changes) for loaded in others), *read)
    ]


def _look_at(website: Website, batch: Batch, seen: Sequence[Change], effect: Effect | None) -> Looked:
    """Return what follows for a batch. ``seen``: its changes whose pages were read."""
    writes: list[Write] = []
    looked, events = batch, []
    unseen = [change for change in seen if change.look is not None and not change.look.live]
    if unseen and not batch.not_live_told:
        events = [BatchEvents(batch, website.host, core_settings().app_root, clock.now()).not_live(unseen)]
        looked = msgspec.structs.replace(looked, not_live_told=True)
    if effect is not None:
        is_live = len(unseen) < len(seen)
        looked = looked.with_gain(effect.gain, is_effect=is_live and (effect.resolved or effect.gain > 0))
    if looked != batch:
        writes.append(changes.put_looked(looked, before=batch))
    return Looked(writes, events, bool(unseen))


def _written(issue: Issue, site_id: str) -> list[Loaded]:
    """Load the batches of the issue to check, the last one first."""
    if issue.change_batch is None:
        return []
    of_issue = [one for one in reversed(changes.list_all(site_id)) if one.issue_id == issue.id]
    done = [one for one in of_issue if one.status == "done"]
    approved = [one for one in done if one.kind == "fields"][:MOST_BATCHES]
    undos = [one for one in done if one.kind == "undo"][:MOST_BATCHES]
    found: list[Loaded] = []
    for loaded in changes.load_all(site_id, [*approved, *undos]):
        count = loaded.batch.count + sum(one.batch.count for one in found)
        is_last = loaded.batch.id == issue.change_batch
        if is_last or (count <= MOST_CHANGES and any(change.status == "not_live" for change in loaded.changes)):
            found.append(loaded)
    return found


def _seen(change: Change, fresh: Mapping[str, PageFacts]) -> Change | None:
    """Return the change after its page was read. Returns None if the page is inconclusive."""
    page = fresh.get(change.url)
    if page is None or not answered(page) or change.status not in WRITTEN or change.outcome is None:
        return None
    if change.field == "redirect":
        # The recheck reads a target again only if it did not work last time.
        target = fresh.get(change.value)
        status = 200 if target is None else target.status
        source = redirecting.Answered(status=page.status, leads_to=page.redirect_to)
        return change.seen(redirecting.seen(change, source, redirecting.Answered(status=status), clock.now()))
    return change.seen(of_page(page, change, change.outcome.caches))
