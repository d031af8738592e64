"""Stores the content that a website's CMS sends: its items, and the values of their fields."""

from collections.abc import Mapping, Sequence

import msgspec

from chalicelib import clock
from chalicelib.domain.content import ContentItem, merged
from chalicelib.domain.suggestion import WRITABLE_FIELDS
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.store import connections, content, websites
from chalicelib.store.blocks import TooLargeToPack
from chalicelib.store.transactions import Write, committed
from chalicelib.store.websites import Website

MOST_ITEMS = 20_000  # of one website


def put(website: Website, sent: Sequence[ContentItem], *, now: float) -> int:
    """Store the items that the CMS sent. An item that is older than its stored version is ignored. A repeated call
    changes nothing. Returns how many items were accepted: those that were new, or at least as new as their stored
    versions.

    Refused: ``not_found``, ``too_many_items``, ``busy``. One read and one transaction.
    """
    for attempt in tries():
        if attempt:
            website = _read_again(website)
        known = content.load(website.id)
        after = merged(known.items, sent, now)
        imported = _imported(website, len(sent), now)
        if known.version and after.items == known.items:
            if committed(imported):
                return after.taken
            continue
        if len(after.items) > MOST_ITEMS:
            raise _too_many(f"{len(after.items)} items")
        try:
            writes = content.writes(website.id, known, after.items, now)
        except TooLargeToPack:
            raise _too_many("more text in its items than can be stored") from None
        if committed([*writes, *imported]):
            return after.taken
    raise Refused("busy", "The website's content keeps changing; try again in a moment.")


def written(site_id: str, values: Mapping[tuple[str, str], str | None]) -> None:
    """Update the stored content with values that the service has written into the CMS, since the CMS does not report
    them. ``values``: each value by the item's id and the field. None means that the item no longer has a value of its
    own. A repeated call changes nothing. One read and one transaction.

    Refused: ``busy``.
    """
    for _ in tries():
        known = content.load(site_id)
        after = {cms_id: _with_values(item, values) for cms_id, item in known.items.items()}
        if after == known.items:
            return
        try:
            writes = content.writes(site_id, known, after, known.synced_at or clock.now())
        except TooLargeToPack:  # the stored items stay unchanged until the CMS sends them again
            return
        if committed(writes):
            return
    raise Refused("busy", "The website's content keeps changing; try again in a moment.")


def _with_values(item: ContentItem, values: Mapping[tuple[str, str], str | None]) -> ContentItem:
    new: dict[str, str | bool | None] = {}
    for name in WRITABLE_FIELDS:
        if (item.cms_id, name) in values:
            value = values[item.cms_id, name]
            new[name] = value == "true" if name == "noindex" and value is not None else value
    return msgspec.structs.replace(item, fields=msgspec.structs.replace(item.fields, **new)) if new else item


def _read_again(website: Website) -> Website:
    found = websites.get(website.workspace_id, website.id)
    if found is None:
        raise Refused("not_found", "There is no such website.")
    return found


def _imported(website: Website, sent: int, now: float) -> list[Write]:
    if website.connections.writer is None:
        return []
    return [connections.shown(website, website.connections.after_import(sent, now))]


def _too_many(found: str) -> Refused:
    return Refused(
        "too_many_items",
        f"With these items, the website would have {found}; at most {MOST_ITEMS:,} items are stored. Send only "
        'published items, and remove the others with "deleted": true.',
    )
