"""The blocks of a page's main text, kept so that blocks which many pages share can be told from the page's own text.

A block is what stands in one text node: a paragraph, an entry of a menu, a word between two links. Of each block with
words its hash (24 bits), how many words it has, and whether it is the text of a link are kept: five bytes. Of a page
with more than 1,000 blocks the first and the last 500 are, where menus, sidebars and footers stand.

Blocks that 12% of a template's pages have are no text of the page (``Repeated``). A single short block ("and", "int",
"Returns") is shared by chance: only where neighbouring blocks that are shared have four words together they count.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chalicelib.domain.page.shingles import ALL, Hashes, Sample, Words, hashes_of, mixed, packed, words_of
from chalicelib.domain.page.text import REPEATED_PAGES, REPEATED_SHARE

END: Final = "\x1e"  # stands between the text nodes of a text that is taken apart
MOST_BLOCKS: Final = 1_000
MAJORITY: Final = 0.5
LEAST_RUN: Final = 4  # words
_LINKED: Final = 0x8000
_MOST_WORDS: Final = 0x7FFF
_BYTES: Final = 5

_END_BYTE: Final = ord(END)

Counts = npt.NDArray[np.uint16]


class Blocks(NamedTuple):
    """The blocks of one page, in order."""

    hashes: Hashes
    words: Counts
    linked: npt.NDArray[np.bool_]


def kept(words: Words, links: Iterable[str]) -> bytes:
    """What is kept of the blocks of a main text that was taken apart at ``END``. ``links``: the texts of the page's
    links."""
    hashes, counts = _blocks(words)
    of_links, _ = _blocks(words_of(END.join(links)))
    counts = np.minimum(counts, _MOST_WORDS).astype(np.uint16)
    counts[np.isin(hashes, of_links, kind="sort")] |= _LINKED
    if len(hashes) > MOST_BLOCKS:
        half = MOST_BLOCKS // 2
        hashes = np.concatenate((hashes[:half], hashes[-half:]))
        counts = np.concatenate((counts[:half], counts[-half:]))
    return packed(hashes) + counts.astype("<u2").tobytes()


def blocks_of(data: bytes) -> Blocks:
    """What ``kept`` kept."""
    size = len(data) // _BYTES
    counts = np.frombuffer(data, "<u2", size, 3 * size)
    return Blocks(hashes_of(data[: 3 * size]), counts & np.uint16(_MOST_WORDS), counts >= _LINKED)


def _blocks(words: Words) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """The hash of each block that has words, whatever their order in it, and how many."""
    if not len(words.hashes):
        return words.hashes, np.zeros(0, np.int64)
    ends = np.flatnonzero(words.letters == _END_BYTE)
    block = np.searchsorted(ends, words.starts, side="right")  # a word begins after the white space at its start
    first = np.flatnonzero(np.diff(block, prepend=-1))
    hashes = np.add.reduceat(mixed(words.hashes.copy()), first, dtype=np.uint32)
    return mixed(hashes), np.diff(first, append=len(block))


class Repeated(NamedTuple):
    """Hashes that many of some pages have: at least 12% of them, and among these those that half of them have; smallest
    first."""

    some: Hashes
    most: Hashes


NONE_REPEATED: Final = Repeated(np.zeros(0, np.uint32), np.zeros(0, np.uint32))


def repeated(pages: Sequence[Sample]) -> Repeated:
    """What many of ``pages`` have. A page whose hashes are known up to a limit counts among those below it only."""
    if len(pages) < REPEATED_PAGES:
        return NONE_REPEATED
    found, times = _counted([page.hashes for page in pages])
    limits = np.sort(np.array([page.limit for page in pages], np.uint32))
    known = len(pages) - np.searchsorted(limits, found)
    return Repeated(
        found[times >= np.maximum(REPEATED_PAGES, REPEATED_SHARE * known)],
        found[times >= np.maximum(REPEATED_PAGES, MAJORITY * known)],
    )


def _counted(pages: Sequence[Hashes]) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """Each hash that enough pages have, smallest first, and how many have it.

    One range of hashes after the other, so that ten thousand long pages take a few megabytes.
    """
    size = sum(map(len, pages))
    ranges = size // _AT_ONCE + 1
    borders = np.linspace(0, int(ALL), ranges + 1).astype(np.uint32)
    positions = [np.searchsorted(page, borders) for page in pages]
    found: list[Hashes] = []
    times: list[npt.NDArray[np.int64]] = []
    for number in range(ranges):
        parts = [page[at[number] : at[number + 1]] for page, at in zip(pages, positions, strict=True)]
        ordered = np.concatenate(parts)
        ordered.sort()
        first = np.flatnonzero(np.diff(ordered, prepend=ALL))
        count = np.diff(first, append=len(ordered))
        often = count >= REPEATED_PAGES
        found.append(ordered[first[often]])
        times.append(count[often])
    return np.concatenate(found), np.concatenate(times)


_AT_ONCE: Final = 2_000_000  # hashes that are counted together


class Own(NamedTuple):
    """What of a page's blocks is its own. ``words``: of all its blocks; ``repeated``: of those that are not its own;
    ``links``: own blocks that are texts of links, which have ``linked`` words."""

    words: int
    repeated: int
    links: int
    linked: int


def own(blocks: Blocks, shared: Hashes, links: Hashes | None = None) -> Own:
    """Tell the own blocks of a page from those that are ``shared``, and from texts of links among ``links``."""
    found = among(blocks.hashes, shared)
    if links is not None:
        found |= blocks.linked & among(blocks.hashes, links)
    others = _in_runs(blocks, found)
    mine = blocks.linked & ~others
    counts = blocks.words
    return Own(
        int(counts.sum(dtype=np.int64)),
        int(counts[others].sum(dtype=np.int64)),
        int(np.count_nonzero(mine)),
        int(counts[mine].sum(dtype=np.int64)),
    )


def among(hashes: Hashes, shared: Hashes) -> npt.NDArray[np.bool_]:
    """Which of the hashes are ``shared`` (sorted)."""
    if not len(shared):
        return np.zeros(len(hashes), np.bool_)
    at = np.searchsorted(shared, hashes)
    at[at == len(shared)] = 0
    found: npt.NDArray[np.bool_] = shared[at] == hashes
    return found


def _in_runs(blocks: Blocks, found: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Those of the ``found`` blocks that stand beside others, with at least ``LEAST_RUN`` words together."""
    if not found.any():
        return found
    first = np.flatnonzero(np.diff(found, prepend=~found[:1]))
    words = np.add.reduceat(blocks.words, first, dtype=np.int64)
    long = np.repeat(words >= LEAST_RUN, np.diff(first, append=len(found)))
    return found & long
