"""The text blocks of a page. They are stored to tell a page's own text from blocks that many pages share.

A block is the text of one text node: a paragraph, a menu entry, a word between two links. Five bytes are stored for
each block with words: its hash (24 bits), its word count, and whether it is the text of a link. For a page with more
than 1,000 blocks, only the first and the last 500 are stored, since menus, sidebars and footers are there.

Blocks that 12% of a template's pages have are not the page's own text (``Repeated``). A single short block ("and",
"int", "Returns") may be shared by chance. It counts as shared only as part of a run of shared blocks that together have
at least four words.

Many pages are counted in one call, because one call for each page would cost several times as much.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from chalicelib.domain.page.shingles import (
    Hashes,
    Sample,
    Words,
    distinct,
    hashes_of,
    limit_of,
    mixed,
    packed,
    sample_of,
)
from chalicelib.domain.page.text import REPEATED_PAGES, REPEATED_SHARE

END: Final = "\x1e"  # separates the text nodes of a text that is split
MOST_BLOCKS: Final = 1_000
MAJORITY: Final = 0.5
LEAST_RUN: Final = 4  # words
_LINKED: Final = 0x8000
_MOST_WORDS: Final = 0x7FFF
_BYTES: Final = 5
_HASH_BYTES: Final = 3
_END_BYTE: Final = ord(END)
_PAGES_AT_ONCE: Final = 256  # pages processed together: their numbers fit beside a hash
_PAGE_BITS: Final = np.uint32(8)

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def kept(words: Words, own: int) -> bytes:
    """Encode the blocks of a main text.

    - ``words``: the words of the main text, followed by the words of the page's link texts. ``END`` must mark where one
      block ends and the next begins.
    - ``own``: how many of the words are in the main text.
    """
    if not own:
        return b""
    first = _beginnings(words)
    hashes = mixed(np.add.reduceat(mixed(words.hashes.copy()), first, dtype=np.uint32))
    count = int(first.searchsorted(own))
    of_links = hashes[count:].copy()
    of_links.sort()
    hashes = hashes[:count]
    counts = np.minimum(_lengths(first[:count], own), _MOST_WORDS).astype("<u2")
    counts[_are(hashes, of_links)] |= _LINKED
    if len(hashes) > MOST_BLOCKS:
        half = MOST_BLOCKS // 2
        hashes = np.concatenate((hashes[:half], hashes[-half:]))
        counts = np.concatenate((counts[:half], counts[-half:]))
    return packed(hashes) + counts.tobytes()


def _beginnings(words: Words) -> Numbers:
    """Return the index of the first word of each block that has words."""
    # The first word after each end of a block; a word begins after the white space at its start.
    bounds = words.starts.searchsorted((words.letters == _END_BYTE).nonzero()[0])
    first = np.empty(len(bounds) + 2, np.int64)
    first[0], first[1:-1], first[-1] = 0, bounds, len(words.hashes)
    with_words: Numbers = first[:-1][first[1:] != first[:-1]]
    return with_words


def _lengths(starts: Numbers, end: int) -> Numbers:
    """Return the lengths of consecutive stretches that begin at ``starts``. The last one ends before ``end``."""
    lengths = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = end - starts[-1:]
    return lengths


class Table(NamedTuple):
    """The blocks of several pages, one page after another. ``starts``: the position at which each page begins."""

    starts: Numbers
    hashes: Hashes
    words: Numbers
    linked: Flags


def tables(pages: Sequence[bytes]) -> Iterator[Table]:
    """Decode the stored blocks of several pages, in order. Each page must have one block or more."""
    for first in range(0, len(pages), _PAGES_AT_ONCE):
        some = pages[first : first + _PAGES_AT_ONCE]
        sizes = [len(data) // _BYTES for data in some]
        hashes = b"".join(data[: _HASH_BYTES * size] for data, size in zip(some, sizes, strict=True))
        counts = b"".join(data[_HASH_BYTES * size :] for data, size in zip(some, sizes, strict=True))
        numbers = np.frombuffer(counts, "<u2")
        starts = np.zeros(len(some), np.int64)
        np.cumsum(sizes[:-1], out=starts[1:])
        yield Table(starts, hashes_of(hashes), (numbers & _MOST_WORDS).astype(np.int64), numbers >= _LINKED)


class Repeated(NamedTuple):
    """Hashes of blocks that many pages share, in ascending order.

    ``some``: hashes that at least 12% of the pages have. ``most``: hashes that at least half of the pages have.
    """

    some: Hashes
    most: Hashes


NONE_REPEATED: Final = Repeated(np.zeros(0, np.uint32), np.zeros(0, np.uint32))


def repeated_blocks(pages: Sequence[bytes]) -> Repeated:
    """Return the blocks that many of these pages have."""
    if len(pages) < REPEATED_PAGES:
        return NONE_REPEATED
    known = np.full(_BUCKETS, len(pages))
    # Decoding twice takes less than keeping the tables of all pages.
    often = _often((table.hashes for table in tables(pages)), known)
    hashes, times = _counted([_each_once(table, often) for table in tables(pages)])
    return _repeated(hashes, times, known)


def repeated_runs(sketches: Sequence[bytes]) -> Repeated:
    """Return the hashes of the three-word runs that many of the texts with these sketches have. Of a long text, only a
    sample of its runs is known."""
    if len(sketches) < REPEATED_PAGES:
        return NONE_REPEATED
    limits = np.sort(np.array(list(map(limit_of, sketches)), np.uint32))
    ends = np.arange(1, _BUCKETS + 1, dtype=np.uint32) << _BUCKET_BITS
    known = len(sketches) - np.searchsorted(limits, ends)
    often = _often(_runs_of(sketches), known)
    hashes, times = _counted([part[often[part >> _BUCKET_BITS]] for part in _runs_of(sketches)])
    return _repeated(hashes, times, known)


def _runs_of(sketches: Sequence[bytes]) -> Iterator[Hashes]:
    """Yield the hashes of all sketches, those of a few hundred at a time."""
    for first in range(0, len(sketches), _PAGES_AT_ONCE):
        yield hashes_of(b"".join(sketches[first : first + _PAGES_AT_ONCE]))


# Hashes are first counted by their upper bits, which excludes rare ones before anything is sorted.
_BUCKETS: Final = 1 << 16
_BUCKET_BITS: Final = np.uint32(8)


def _often(parts: Iterable[Hashes], known: Numbers) -> Flags:
    """Return the buckets that may hold a hash that enough pages have. ``known``: for each bucket, how many pages could
    have one of its hashes."""
    times = np.zeros(_BUCKETS, np.int64)
    for part in parts:
        times += np.bincount(part >> _BUCKET_BITS, minlength=_BUCKETS)
    often: Flags = times >= np.maximum(REPEATED_PAGES, REPEATED_SHARE * known)
    return often


def _each_once(table: Table, often: Flags) -> Hashes:
    """Return the hashes of a table in these buckets, once for each page that has them."""
    wanted = often[table.hashes >> _BUCKET_BITS]
    pages = np.repeat(np.arange(len(table.starts), dtype=np.uint32), _lengths(table.starts, len(table.hashes)))
    return distinct(table.hashes[wanted] << _PAGE_BITS | pages[wanted]) >> _PAGE_BITS


def _counted(parts: Sequence[Hashes]) -> tuple[Hashes, Numbers]:
    """Return each hash in ``parts``, in ascending order, and how often it occurs."""
    ordered = np.concatenate(parts)
    ordered.sort()
    first = np.flatnonzero(np.concatenate((np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1])))
    return ordered[first], _lengths(first, len(ordered))


def _repeated(hashes: Hashes, times: Numbers, known: Numbers) -> Repeated:
    pages = known[hashes >> _BUCKET_BITS]
    return Repeated(
        hashes[times >= np.maximum(REPEATED_PAGES, REPEATED_SHARE * pages)],
        hashes[times >= np.maximum(REPEATED_PAGES, MAJORITY * pages)],
    )


class Own(NamedTuple):
    """The counts of several pages, with one entry for each page.

    - ``words``: the words of all blocks.
    - ``repeated``: the words of the blocks that are not the page's own, because many pages share them.
    - ``links``: how many of the page's own blocks are texts of links.
    - ``linked``: the words of these link texts.
    """

    words: Numbers
    repeated: Numbers
    links: Numbers
    linked: Numbers


def own(table: Table, shared: Hashes, links: Hashes | None = None) -> Own:
    """Separate each page's own blocks from the blocks that many pages share. ``shared``: the hashes of those blocks.
    ``links``: hashes of further blocks, which count as shared only if they are texts of links."""
    found = among(table.hashes, shared)
    if links is not None:
        found |= table.linked & among(table.hashes, links)
    others = _in_runs(table, found)
    mine = table.linked & ~others
    return Own(
        np.add.reduceat(table.words, table.starts),
        np.add.reduceat(table.words * others, table.starts),
        np.add.reduceat(mine.astype(np.int64), table.starts),
        np.add.reduceat(table.words * mine, table.starts),
    )


def among(hashes: Hashes, shared: Hashes) -> Flags:
    """Return for each hash whether it is in ``shared``, which must be sorted."""
    found = np.zeros(len(hashes), np.bool_)
    if len(shared):
        buckets = np.zeros(_BUCKETS, np.bool_)
        buckets[shared >> _BUCKET_BITS] = True
        near = np.flatnonzero(buckets[hashes >> _BUCKET_BITS])  # most are in a bucket without shared hashes
        found[near] = _are(hashes[near], shared)
    return found


def _are(hashes: Hashes, shared: Hashes) -> Flags:
    """Do the same as ``among``, for the hashes of one page, which are too few to be worth a table of buckets."""
    if not len(shared):
        return np.zeros(len(hashes), np.bool_)
    same: Flags = shared.take(shared.searchsorted(hashes), mode="clip") == hashes
    return same


def _in_runs(table: Table, found: Flags) -> Flags:
    """Return the ``found`` blocks that are in runs of at least ``LEAST_RUN`` words together."""
    begins = np.empty(len(found), np.bool_)
    np.not_equal(found[1:], found[:-1], out=begins[1:])
    begins[table.starts] = True
    first = np.flatnonzero(begins)
    long = np.add.reduceat(table.words, first) >= LEAST_RUN
    return found & np.repeat(long, _lengths(first, len(found)))


class OwnSamples(Sequence[Sample]):
    """Samples of texts, without runs that other texts share.

    Each sample is decoded when it is needed, because all of them together take much memory. The last few hundred are
    kept.
    """

    def __init__(self, texts: Sequence[tuple[bytes, Hashes | None]]) -> None:
        """``texts``: the sketch of each text, and the shared hashes as ``Repeated`` has them, or None."""
        self._texts = texts

        @lru_cache(maxsize=_PAGES_AT_ONCE)
        def known(position: int) -> Sample:
            return _own_sample(*texts[position])

        self._known = known

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, position: int) -> Sample: ...

    @overload
    def __getitem__(self, position: slice) -> "OwnSamples": ...

    def __getitem__(self, position: int | slice) -> "Sample | OwnSamples":
        return OwnSamples(self._texts[position]) if isinstance(position, slice) else self._known(position)

    def __iter__(self) -> Iterator[Sample]:
        for text in self._texts:
            yield _own_sample(*text)

    def at(self, positions: Iterable[int]) -> "OwnSamples":
        """Return the samples at these positions."""
        return OwnSamples([self._texts[position] for position in positions])


def _own_sample(sketch: bytes, shared: Hashes | None) -> Sample:
    sample = sample_of(sketch)
    return sample if shared is None else sample._replace(hashes=sample.hashes[~among(sample.hashes, shared)])
