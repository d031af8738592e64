"""The facts of an audit's pages as its worker goes over them: for targets, for the pages to render, twice for rules.

Packed, a page takes a few kilobytes; so the facts of some thousands of pages are kept while they are committed, or from
the first time on that they are read, and going over them costs no reading of the store. Those of a larger audit are
read every time.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.store import crawls

MOST_KEPT_BYTES: Final = 16_000_000  # packed


class CommittedFacts:
    """What a crawl has committed so far of its pages.

    The worker that holds the crawl's lease is the only one who writes it, and says so here.
    """

    def __init__(self, crawl_id: str) -> None:
        self._crawl_id = crawl_id
        self._kept: list[tuple[int, bytes]] | None = None  # all packed blocks there are; None: the store knows
        self._room = 0

    def begin(self) -> None:
        """Nothing is committed yet: what is added from now on is all there is."""
        self._kept, self._room = [], MOST_KEPT_BYTES

    def add(self, blocks: Iterable[tuple[int, bytes]]) -> None:
        """These packed blocks were committed, after all others: (block number, data)."""
        for number, data in blocks:
            self._room -= len(data)
            if self._kept is not None and self._room >= 0:
                self._kept.append((number, data))
            else:
                self._kept = None

    def forget(self) -> None:
        """A block was written anew: the store knows."""
        self._kept = None

    def blocks(self) -> Iterator[tuple[int, list[PageFacts]]]:
        """Block by block in order of reading: (block number, pages)."""
        for number, data in self._packed() if self._kept is None else self._kept:
            yield number, crawls.unpack_facts(data)

    def _packed(self) -> Iterator[tuple[int, bytes]]:
        read = CommittedFacts(self._crawl_id)
        read.begin()
        for block in crawls.load_packed_facts(self._crawl_id):
            read.add([block])
            yield block
        self._kept, self._room = read._kept, read._room
