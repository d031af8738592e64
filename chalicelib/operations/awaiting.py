"""Finds suggested values that wait for a decision, for notices after an audit."""

from typing import Final

from chalicelib.domain.suggestion import WRITABLE_FIELDS
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.notices import Notice, values_wait
from chalicelib.rules import registry
from chalicelib.settings.core import APP_PATH
from chalicelib.store import issues, websites
from chalicelib.store.websites import Website

_UNDECIDED: Final = ("open", "reopened")


def notice_after(event: Event) -> Notice | None:
    """Return a notice that suggested values wait for a person's decision. ``event``: the event of a finished audit.

    Returns None for any other event, or if no suggested value waits. Two round trips."""
    if event.kind != "audit.finished" or event.fields.get("status") != "done" or event.site_id is None:
        return None
    website = websites.get(event.workspace_id, event.site_id)
    waiting = 0 if website is None else _waiting(website)
    return values_wait(event, waiting, f"{APP_PATH}/sites/{event.site_id}/actions") if waiting else None


def _waiting(website: Website) -> int:
    """Count the issues with suggested values that can be written once they are approved."""
    writer = website.connections.writer
    book = issues.load_state(website.id) if writer is not None and writer.writable else None
    if book is None or writer is None:
        return 0
    fields = {rule_id: rule.writable_field for rule_id, rule in registry.BY_ID.items()}
    return sum(
        one.status in _UNDECIDED
        and one.suggestions is not None
        and any(one.suggestions.counts)
        and fields.get(one.rule_id) in WRITABLE_FIELDS
        and fields.get(one.rule_id) in writer.status.fields
        for one in book.issues
    )
