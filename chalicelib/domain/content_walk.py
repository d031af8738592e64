"""A walk through everything that a CMS holds, page by page: how far it has come, and what the CMS did not tell of.

The CMS tells items while others push theirs. So an item goes only when the whole walk came by without it and it is
still what it was when the walk began: what was pushed meanwhile is not the walk's to judge. A walk has to outlast its
worker, so eight bytes of each item are kept.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from chalicelib.domain.content import DELETED, ContentItem

MARK_BYTES: Final = 8


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a walk has come, as its job keeps it.

    ``began``: milliseconds since 1970, which is also the walk's name. ``after``: what the next page is asked behind;
    None: the first. ``pages`` that were taken over; ``left_out``: items of them that are no part of the website.
    ``tries`` of the next page that came to nothing.
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
    """Marks of the items as they were ``before`` the walk, and of those that it was ``told`` of so far."""

    before: frozenset[bytes]
    told: frozenset[bytes] = frozenset()

    @classmethod
    def through(cls, known: Iterable[ContentItem]) -> "Walk":
        """The walk at its beginning."""
        return cls(frozenset(_as_it_is(item) for item in known))

    def further(self, marks: Iterable[bytes]) -> "Walk":
        """The walk after one page more, of these ``marks``."""
        return msgspec.structs.replace(self, told=self.told | frozenset(marks))

    def kept(self, known: Mapping[str, ContentItem]) -> dict[str, ContentItem]:
        """What stays of the items when the whole walk is done. Deletions are remembered as long as they are."""
        return {
            cms_id: item
            for cms_id, item in known.items()
            if item.status == DELETED or mark_of(cms_id) in self.told or _as_it_is(item) not in self.before
        }


def mark_of(text: str) -> bytes:
    """What is kept of an item's id, or of the address of one that was left out."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:MARK_BYTES]


def _as_it_is(item: ContentItem) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(item)).digest()[:MARK_BYTES]
