"""Whether an approved value can be written to a page, and why not."""

from collections.abc import Mapping
from typing import NamedTuple

from chalicelib.domain.content import ContentItem

_NAMES = {"title": "titles", "meta_description": "meta descriptions", "canonical": "canonical addresses"}


class CmsWriting(NamedTuple):
    """What can be written through the website's CMS connection. ``reason``: why it cannot write at all, in words."""

    writable: bool
    fields: frozenset[str] = frozenset()
    reason: str | None = None


def writability(
    url: str, field: str, items: Mapping[str, ContentItem] | None, cms: CmsWriting | None
) -> tuple[bool, str | None]:
    """Whether ``field`` of the page can be written, and the reason where it cannot.

    ``items``: synced content by normalised address, None where nothing was ever synced; ``cms``: None without a
    connection.
    """
    if cms is None:
        return False, "No CMS connection: connect the website's CMS to write values from here."
    if not cms.writable:
        return False, cms.reason or "The CMS connection can read but not write."
    if field not in cms.fields:
        return False, f"The CMS connection cannot write {_NAMES.get(field, field)} on this website."
    item = items.get(url) if items is not None else None
    if item is None:
        return False, "This address is not a content item of the CMS, for example a list that the theme makes."
    if not item.published:
        return False, f"The {item.type} behind this address is not published."
    return True, None
