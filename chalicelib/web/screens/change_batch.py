"""One batch of approved changes: the result for each page, with the reason."""

from datetime import datetime
from typing import Any, Final

from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Reply
from chalicelib.web.screens.changes import FIELDS, STATES, batch_may_be_undone

MOST: Final = 50
# The recheck after a batch reads the pages again that did not show their value. That takes some minutes at most.
_FOLLOWED_SECONDS: Final = 600.0
_DONE: Final = {
    "approved": "Approved. The values are written one after the other. Then the live pages are checked.",
    "undone": "The undo is queued. The earlier values are written again. Then the live pages are checked.",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_batch", page.sent("offset")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    end = found.offset + min(MOST, len(found.changes))
    return page.view(
        "change_batch.html",
        f"{'Undo: ' if found.kind == 'undo' else ''}{FIELDS[found.field]}",
        found=found,
        changes=found.changes[:MOST],
        end=end,
        after=end if end < found.total and found.changes else None,
        before=max(0, found.offset - MOST) if found.offset else None,
        states=STATES,
        steps=_steps(found),
        live=found.status != "done" or (bool(found.counts.not_live) and _ended_lately(page, found)),
        may_undo=batch_may_be_undone(page, found),
        done=_DONE.get(page.query.get(DONE, "")),
    )


def _steps(found: Any) -> list[tuple[str, str]]:
    """Return the progress of the batch: each step with ``done``, ``now`` or "". The progress stops if nothing was
    written."""
    counts = found.counts
    written = found.status == "done"
    done = [True, written, written and not counts.not_live]
    if written and not (counts.applied or counts.not_live or counts.reverted):
        return [("Approved", "done"), ("Written", ""), ("Live", "")]
    now = done.index(False) if False in done else len(done)
    names = ("Approved", "Written", "Live")
    return [(name, "done" if place < now else "now" if place == now else "") for place, name in enumerate(names)]


def _ended_lately(page: Page, found: Any) -> bool:
    return page.now - datetime.fromisoformat(found.ended_at).timestamp() < _FOLLOWED_SECONDS
