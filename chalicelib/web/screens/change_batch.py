"""One batch of approved changes: what became of each page, and why."""

from typing import Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply
from chalicelib.web.screens.changes import FIELDS, STATES

MOST: Final = 50


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
    )
