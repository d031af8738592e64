"""The batches of approved changes of a website, newest first."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from chalicelib.domain import ids
from chalicelib.domain.changes.batch import UNDO_SECONDS, WAITING, WRITTEN
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Reply

FIELDS: Final = {
    "title": "Titles",
    "meta_description": "Meta descriptions",
    "canonical": "Canonical addresses",
    "noindex": "Noindex",
    "alt": "Text alternatives",
    "redirect": "Redirects",
    "llms_txt": "llms.txt",
    "ai_crawlers": "AI crawler rules",
}
STATES: Final = {
    "applied": "live",
    "not_live": "written, not live",
    "failed": "failed",
    "refused": "refused",
    "reverted": "taken back",
    "applying": "being written",
    "approved": "waiting",
}

_DONE: Final = {
    "approved": "Approved. Each issue has one batch of changes. The batches are written one after the other."
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_changes", page.sent("limit", "cursor")


def show(page: Page) -> Reply:
    found = page.ask(*data(page))
    return page.view(
        "changes.html",
        "Changes",
        found=found,
        fields=FIELDS,
        states=STATES,
        titles=_titles(page.path["siteId"], {one.issue_id for one in found.batches if one.issue_id}),
        done=_DONE.get(page.query.get(DONE, "")),
        may_undo={one.batch_id for one in found.batches if batch_may_be_undone(page, one)},
    )


def _titles(site_id: str, issue_ids: Collection[str]) -> dict[str, str]:
    """Return the titles of issues by id. An issue whose rule this release no longer has is left out."""
    if not issue_ids:
        return {}
    # Importing rules is slow, so only lists with an issue do so.
    from chalicelib.rules import keywords, registry

    known = {ids.issue_id(site_id, rule.id): rule.title for rule in registry.RULES}
    known |= {ids.issue_id(site_id, task.id): task.title for task in keywords.BY_ID.values()}
    return {one: known[one] for one in issue_ids if one in known}


def batch_may_be_undone(page: Page, batch: Any) -> bool:
    """Whether the screen offers to undo a batch. The batch is given as the API returns it."""
    states = [state for state in STATES if getattr(batch.counts, state)]
    return batch.kind != "undo" and may_undo(page, batch.approved_at, states)


def may_undo(page: Page, approved_at: str, states: Collection[str]) -> bool:
    """Whether the screen offers to undo a batch, given its approval time and the states of its changes."""
    age = page.now - datetime.fromisoformat(approved_at).timestamp()
    return page.works and age <= UNDO_SECONDS and bool(WRITTEN & set(states)) and not WAITING & set(states)
