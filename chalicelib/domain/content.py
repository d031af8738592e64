"""Content items: a CMS's data about the pages of a website, synced to the service."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from chalicelib.domain.connections import WriterKind

PUBLISHED: Final = "published"
DELETED: Final = "deleted"
SHOP_IDS: Final = "gid://shopify/"  # the prefix of item ids in a shop
# A deletion is remembered this long. Otherwise an older state that arrives late would bring the item back.
REMEMBERED_SECONDS: Final = 7 * 86_400.0
# A time further ahead of our clock than this comes from a wrong clock. It would block every later state.
MOST_AHEAD_SECONDS: Final = 300.0
_DIGEST_BYTES: Final = 8


class ContentFields(msgspec.Struct, frozen=True):
    """The values of the writable fields; None if the CMS did not report the field."""

    title: str | None = None
    meta_description: str | None = None
    canonical: str | None = None
    noindex: bool | None = None


class ContentItem(msgspec.Struct, frozen=True, kw_only=True):
    """A content item as the CMS reported it.

    - ``cms_id`` and ``type`` (post, page, product, …): as the CMS names them.
    - ``url``: the normalised address.
    - ``status``: ``published``, or the reason why the public cannot see the item.
    - ``modified_at``: epoch seconds; None if not reported.
    - ``deleted_at``: when the service learned of a deletion that has no reported time.
    """

    cms_id: str
    url: str
    type: str
    status: str
    title: str
    modified_at: float | None = None
    fields: ContentFields = ContentFields()
    deleted_at: float | None = None

    @property
    def published(self) -> bool:
        """Whether the public can see the item."""
        return self.status == PUBLISHED

    def older_than(self, other: "ContentItem") -> bool:
        """Whether this version of an item is older than ``other``, by the times that the CMS reports."""
        return self.modified_at is not None and other.modified_at is not None and self.modified_at < other.modified_at


def by_address(items: Iterable[ContentItem]) -> dict[str, ContentItem]:
    """Return the public items by address. If several items have the same address, only the item with the highest id is
    returned."""
    return {item.url: item for item in sorted(items, key=lambda item: item.cms_id) if item.published}


def held_by(kind: WriterKind, items: Iterable[ContentItem]) -> list[ContentItem]:
    """Return the items that a connection can write. The connection to a shop can write items with Shopify ids; the
    connection to a CMS can write all other items."""
    return [item for item in items if item.cms_id.startswith(SHOP_IDS) == (kind == "shop")]


class Merged(msgspec.Struct, frozen=True):
    """The items after a sync. ``taken``: how many of the sent items were stored, because they were not older than the
    stored version."""

    items: dict[str, ContentItem]
    taken: int


def merged(known: Mapping[str, ContentItem], sent: Iterable[ContentItem], now: float) -> Merged:
    """Merge the ``sent`` items into the known ones, by ``cms_id``.

    The later of two versions of an item is kept, also if it arrives first. If the CMS reports no time, the version
    that arrives last is kept. A time in the future counts as not reported. Records of old deletions are
    removed. A deletion without a time gets the time at which the service learned of it.
    """
    items, taken = dict(known), 0
    for item in (_timed(one, now) for one in sent):
        before = items.get(item.cms_id)
        if before is None or not item.older_than(_timed(before, now)):
            # If a deletion is sent again, its first time counts.
            items[item.cms_id] = item if before is None else replace(item, deleted_at=before.deleted_at)
            taken += 1
    remembered = (_remembered(item, now) for item in items.values())
    return Merged({item.cms_id: item for item in remembered if item is not None}, taken)


def _remembered(item: ContentItem, now: float) -> ContentItem | None:
    """Return the item to store; None for an old deletion. A deletion from an earlier release has no ``deleted_at``; its
    time starts now."""
    if item.status != DELETED:
        return item if item.deleted_at is None else replace(item, deleted_at=None)
    said = _timed(item, now).modified_at
    learned = now if item.deleted_at is None else item.deleted_at
    if (learned if said is None else said) <= now - REMEMBERED_SECONDS:
        return None
    return replace(item, deleted_at=learned if said is None else None)


def _timed(item: ContentItem, now: float) -> ContentItem:
    """Return the item; a time that lies in the future is removed."""
    if item.modified_at is None or item.modified_at <= now + MOST_AHEAD_SECONDS:
        return item
    return replace(item, modified_at=None)


class PublishedAddresses:
    """The addresses of published items, stored as hashes of eight bytes each. This is enough to test whether an address
    is among them.

    With 20,000 addresses per website, one collision is expected in 90 billion websites.
    """

    def __init__(self, packed: bytes = b"") -> None:
        self.packed = packed

    @classmethod
    def of(cls, items: Iterable[ContentItem]) -> "PublishedAddresses":
        return cls(b"".join(sorted({_digest(item.url) for item in items if item.published})))

    def __len__(self) -> int:
        return len(self.packed) // _DIGEST_BYTES

    def __contains__(self, url: object) -> bool:
        wanted = _digest(str(url))
        place = bisect_left(range(len(self)), wanted, key=self._at)
        return self._at(place) == wanted

    def _at(self, place: int) -> bytes:
        return self.packed[place * _DIGEST_BYTES : (place + 1) * _DIGEST_BYTES]


def _digest(url: str) -> bytes:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]
