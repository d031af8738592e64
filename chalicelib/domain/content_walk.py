"""Reads all content of a CMS page by page (a walk), stores the progress, and finds items that the CMS no longer has.

The CMS may also send items on its own during the walk. So an item is removed only if the walk did not find it, and the
CMS has not sent it since the walk began. A walk may take longer than one worker may run, so its state is stored: eight
bytes for each item.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from chalicelib.domain.content import DELETED, ContentItem

MARK_BYTES: Final = 8


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a walk, stored in its job.

    - ``began``: when the walk began, in milliseconds since 1970. It also identifies the walk.
    - ``after``: the cursor of the next page; None for the first.
    - ``pages``: how many pages were imported.
    - ``left_out``: how many items were skipped, because they do not belong to the website.
    - ``tries``: how many times reading the next page has failed.
    """

    began: int
    after: str | None = None
    pages: int = 0
    left_out: int = 0
    tries: int = 0

    @property
    def began_at(self) -> float:
        """When the walk began, in epoch seconds."""
        return self.began / 1000


class Walk(msgspec.Struct, frozen=True):
    """The state of a walk (reading all items of a CMS page by page).

    - ``before``: a hash of each item that the service had before the walk.
    - ``told``: a hash of each item that the walk has read so far.
    """

    before: frozenset[bytes]
    told: frozenset[bytes] = frozenset()

    @classmethod
    def through(cls, known: Iterable[ContentItem]) -> "Walk":
        """Start to read all items of the CMS. ``known``: the items that the service already has."""
        return cls(frozenset(_as_it_is(item) for item in known))

    def further(self, marks: Iterable[bytes]) -> "Walk":
        """Return the state of the walk after one more page of items was read. ``marks``: the hashes of the page's
        items."""
        return msgspec.structs.replace(self, told=self.told | frozenset(marks))

    def kept(self, known: Mapping[str, ContentItem]) -> dict[str, ContentItem]:
        """Return the items to keep after all items of the CMS were read. All records of deleted items are kept."""
        return {
            cms_id: item
            for cms_id, item in known.items()
            if item.status == DELETED or mark_of(cms_id) in self.told or _as_it_is(item) not in self.before
        }


def mark_of(text: str) -> bytes:
    """Return a hash that identifies an item. The hash is made from the item's id. For an item that was left out because
    it does not belong to the website, it is made from the address."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:MARK_BYTES]


def _as_it_is(item: ContentItem) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(item)).digest()[:MARK_BYTES]
