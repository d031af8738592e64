"""Asks for confirmation of an undo. The screen shows the value to restore on each page. It also shows the changes that
cannot be undone, each with the reason."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from chalicelib.operations import changes
from chalicelib.operations.errors import Refused
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply
from chalicelib.web.screens.changes import FIELDS

MOST: Final = 50
NOTHING_TICKED: Final = "Nothing is ticked. Tick at least one change, then undo."


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_batch", {}


def show(page: Page, wrong: str | None = None, ticked: frozenset[int] | None = None, status: int = 200) -> Reply:
    found = page.ask(*data(page))
    foreseen = changes.foresee(page.website, found.batch_id)
    start = _start(page, len(foreseen.changes))
    shown = foreseen.changes[start : start + MOST]
    back = [one for one in foreseen.changes if one.value is not None]
    own = _number(page.query.get("change", ""))
    if ticked is None:
        ticked = frozenset(one.change.number for one in back) if own is None else frozenset({own})
    chosen = {one.change.number for one in shown if one.value is not None} & ticked
    return page.view(
        "change_undo.html",
        f"Undo: {FIELDS[found.field]}",
        status=status,
        found=found,
        refusal=None if foreseen.refusal is None else foreseen.refusal.message,
        shown=shown,
        ticked=chosen,
        coming_back=len(back),
        total=len(foreseen.changes),
        staying=Counter(one.reason for one in foreseen.changes if one.value is None).most_common(),
        until=datetime.fromtimestamp(foreseen.until, UTC).isoformat(),
        start=start,
        end=start + len(shown),
        per=MOST,
        wrong=wrong,
    )


def act(page: Page, form: Form) -> Reply:
    only = None
    if form.text("which") != "all":
        only = frozenset(number for sent in form.all("tick") if (number := _number(sent)) is not None)
        if not only:
            return show(page, NOTHING_TICKED, frozenset(), 422)
    try:
        batch = changes.undo(page.who.actor, page.path["siteId"], page.path["batchId"], only)
    except Refused as refused:
        if refused.code in ("not_found", "not_allowed"):
            raise
        return show(page, refused.message, only, 409)
    return Redirect(page.site_url("changes", batch.id, **{DONE: "undone"}))


def _start(page: Page, total: int) -> int:
    """Return the offset of the shown changes: the requested offset, or that of the one requested change."""
    wanted = _number(page.query.get("offset", page.query.get("change", ""))) or 0
    return 0 if wanted >= total else wanted // MOST * MOST


def _number(sent: str) -> int | None:
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 5 else None
