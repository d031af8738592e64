"""A walk through all content of a CMS, page by page: its progress, and the items that the CMS no longer has.

The CMS may push items during the walk. So an item is removed only if the whole walk did not meet it and the item did
not change since the walk began. A walk has to outlast its worker, so eight bytes of each item are stored.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from chalicelib.domain.content import DELETED, ContentItem

MARK_BYTES: Final = 8


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a walk, as its job stores it.

    ``began``: milliseconds since 1970, which is also the walk's name. ``after``: the cursor of the next page; None: the
    first. ``pages``: how many were taken over; ``left_out``: how many of their items are not part of the website.
    ``tries``: failed tries of the next page.
    """

    began: int
    after: str | None = None
    pages: int = 0
    left_out: int = 0
    tries: int = 0

    @property
    def began_at(self) -> float:
        """Epoch seconds."""
        return self.began / 1000


class Walk(msgspec.Struct, frozen=True):
    """Marks of the items from ``before`` the walk, and of those that the CMS has sent so far (``told``)."""

    before: frozenset[bytes]
    told: frozenset[bytes] = frozenset()

    @classmethod
    def through(cls, known: Iterable[ContentItem]) -> "Walk":
        """The walk at its beginning."""
        return cls(frozenset(_as_it_is(item) for item in known))

    def further(self, marks: Iterable[bytes]) -> "Walk":
        """The walk after one more page, with these ``marks``."""
        return msgspec.structs.replace(self, told=self.told | frozenset(marks))

    def kept(self, known: Mapping[str, ContentItem]) -> dict[str, ContentItem]:
        """The items to keep when the whole walk is done. Deletions are kept for their usual time."""
        return {
            cms_id: item
            for cms_id, item in known.items()
            if item.status == DELETED or mark_of(cms_id) in self.told or _as_it_is(item) not in self.before
        }


def mark_of(text: str) -> bytes:
    """The stored mark of an item's id, or of the address of an item that was left out."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:MARK_BYTES]


def _as_it_is(item: ContentItem) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(item)).digest()[:MARK_BYTES]
