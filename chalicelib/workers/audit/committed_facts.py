"""Provides the facts of an audit's pages for repeated passes: one for targets, one for the pages to render, and two for
rules.

A packed page takes a few kilobytes. So the facts of some thousands of pages stay in memory after the commit or the
first read, and passes need no reads of the store. The facts of a larger audit are read from the store in each pass.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.store import crawls

MOST_KEPT_BYTES: Final = 16_000_000  # limit on the packed facts in memory


class CommittedFacts:
    """The committed facts of a crawl's pages.

    Only the worker with the crawl's lease writes these facts. It reports each write here.
    """

    def __init__(self, crawl_id: str) -> None:
        self._crawl_id = crawl_id
        self._kept: list[tuple[int, bytes]] | None = None  # all packed blocks; None: read them from the store
        self._room = 0

    def begin(self) -> None:
        """Start with an empty list. Nothing is committed yet."""
        self._kept, self._room = [], MOST_KEPT_BYTES

    def add(self, blocks: Iterable[tuple[int, bytes]]) -> None:
        """Add packed blocks that were just committed, in order: (block number, data)."""
        for number, data in blocks:
            self._room -= len(data)
            if self._kept is not None and self._room >= 0:
                self._kept.append((number, data))
            else:
                self._kept = None

    def forget(self) -> None:
        """Forget the facts in memory, because a block was rewritten. From now on, facts are read from the store."""
        self._kept = None

    def blocks(self) -> Iterator[tuple[int, list[PageFacts]]]:
        """Yield the blocks in the order of reading: (block number, pages)."""
        for number, data in self._packed() if self._kept is None else self._kept:
            yield number, crawls.unpack_facts(data)

    def _packed(self) -> Iterator[tuple[int, bytes]]:
        read = CommittedFacts(self._crawl_id)
        read.begin()
        for block in crawls.load_packed_facts(self._crawl_id):
            read.add([block])
            yield block
        self._kept, self._room = read._kept, read._room
