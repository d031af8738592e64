"""Finds near-duplicate pages: a sketch of each page's main text, and the pairs of similar sketches.

A text is represented by the set of its runs of three words, ignoring letter case and white space. Two texts are
near-duplicates if they share at least nine tenths of all their runs (Jaccard index).

**What is stored of a page.** Each run is hashed to 24 bits, and the smallest 1,024 hashes are stored: three bytes each,
three kilobytes at most. For a text of up to 1,026 words these are all of its hashes, so its index is exact. (The chance
that two different runs share a hash is 1 in 16.8 million.) For a longer text they are a sample: the standard error of
the index at 0.9 is 0.3 / sqrt(1,024), that is 0.009. Storing the texts, or all hashes of long ones, would cost several
times the rest of the facts, for a difference that no reader of a report could see.

**How pairs are found.** A MinHash signature of 128 permutations is made from the stored hashes while judging; it is not
stored. It has 16 bands of 8 values. Two pages are compared only if all values of one band are equal. At an index of
0.9, more than 99.9% of the pairs share a band. If many pages share a band, each is compared with only a few others. So
the work grows with the number of pages, never with its square.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chalicelib.domain.page.text import HASHES_KEPT, LEAST_SHARED, MIN_WORDS_TO_COMPARE

BANDS: Final = 16
PLACES_PER_BAND: Final = 8
_PLACES: Final = BANDS * PLACES_PER_BAND
_COMPARED: Final = 4  # pages that one page is compared with in one band, at most
_MOST_BYTES: Final = 1 << 19  # of a text; what follows is left out
_HASH_BITS: Final = 24
_HASH_BYTES: Final = 3

Hashes = npt.NDArray[np.uint32]

# Han and kana are written without spaces: each character is a word there.
_UNSPACED: Final = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_FIRST_UNSPACED: Final = 0xE3  # in UTF-8, all characters from U+3000 on begin with this byte or a higher one
_SPACE: Final = 32  # this and all control characters below it separate words


def _inverse(odd: int) -> int:
    return pow(odd, -1, 1 << 32)


_BASE: Final = 0x2C1B3C6D
_WEIGHTS: Final = (np.uint32(0x9E3779B1), np.uint32(0x85EBCA77))
_MIX: Final = (np.uint32(0x21F0AAAD), np.uint32(0x735A2D97))
_HALF: Final = np.uint32(15)
_DROPPED: Final = np.uint32(32 - _HASH_BITS)


class _Powers:
    """Powers of the base and of its inverse, modulo 2**32, computed up to the longest text so far. Threads may share an
    instance, because both series are replaced together."""

    def __init__(self) -> None:
        self._made: tuple[Hashes, Hashes] = (np.ones(0, np.uint32), np.ones(0, np.uint32))

    def up_to(self, count: int) -> tuple[Hashes, Hashes]:
        made = self._made
        if count > len(made[0]):
            size = max(1 << 14, 1 << count.bit_length())
            made = self._made = _series(_BASE, size), _series(_inverse(_BASE), size)
        return made


def _series(base: int, size: int) -> Hashes:
    factors = np.full(size, base, np.uint32)
    factors[0] = 1
    return np.multiply.accumulate(factors, dtype=np.uint32)


_POWERS: Final = _Powers()


class Words(NamedTuple):
    """The words of a text, in order.

    - ``hashes``: the hash of each word.
    - ``starts``: the position in ``letters`` at which each word begins.
    - ``letters``: the text's bytes in lower case.
    """

    hashes: Hashes
    starts: npt.NDArray[np.int64]
    letters: npt.NDArray[np.uint8]


def words_of(text: str) -> Words:
    """Split a text into words at white space and control characters. If a text is very long, only its beginning is
    used."""
    return _words_in(b" %b " % _bytes_of(text))


def words_of_both(text: str, other: str, end: str) -> tuple[Words, int]:
    """Split two texts into words, with ``end`` (a control character) between them.

    Also returns the word count of the first text. Two texts are split in one call, because a call for a short text
    costs nearly as much as a call for a long one.
    """
    data = _bytes_of(text)
    words = _words_in(b" %b%b%b " % (data, end.encode(), _bytes_of(other)))
    return words, int(words.starts.searchsorted(len(data)))


def _bytes_of(text: str) -> bytes:
    text = text[:_MOST_BYTES].replace("\xa0", " ")
    data = text.encode("utf-8", "replace")
    if not text.isascii() and (np.frombuffer(data, np.uint8) >= _FIRST_UNSPACED).any():
        data = _UNSPACED.sub(r" \g<0> ", text).encode("utf-8", "replace")
    return data[:_MOST_BYTES]


def _words_in(data: bytes) -> Words:
    letters = np.frombuffer(data.lower(), np.uint8)
    inside = letters > _SPACE
    edges = (inside[1:] != inside[:-1]).nonzero()[0]  # before the first and at the last letter of each word
    # A word's hash is a polynomial in its letters modulo 2**32: the difference of two prefix sums, shifted to the
    # word's place.
    powers, inverses = _POWERS.up_to(len(letters))
    sums = (letters * powers[: len(letters)]).cumsum(dtype=np.uint32)[edges]
    starts = edges[::2]
    return Words((sums[1::2] - sums[::2]) * inverses[starts], starts, letters)


def sketch(text: str) -> bytes:
    """Make the stored sketch of a main text, for comparisons. It is empty if the text has fewer than 50 words."""
    return sketch_of(words_of(text).hashes)


def sketch_of(words: Hashes) -> bytes:
    """Make the sketch of the text with these words."""
    if len(words) < MIN_WORDS_TO_COMPARE:
        return b""
    return packed(distinct(_runs(words))[:HASHES_KEPT])


def packed(hashes: Hashes) -> bytes:
    """Pack hashes of 24 bits into three bytes each."""
    whole = hashes.astype("<u4").tobytes()
    three = bytearray(len(whole) // 4 * 3)
    three[0::3], three[1::3], three[2::3] = whole[0::4], whole[1::4], whole[2::4]
    return bytes(three)


def distinct(hashes: Hashes) -> Hashes:
    """Return each hash once, in ascending order. This is much faster than ``np.unique``."""
    ordered: Hashes = np.sort(hashes)
    first = np.empty(len(ordered), np.bool_)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _runs(words: Hashes) -> Hashes:
    """Return a hash of each run of three words, in order."""
    runs: Hashes = words[:-2] * _WEIGHTS[0]
    runs += words[1:-1] * _WEIGHTS[1]
    runs += words[2:]
    return mixed(runs)


def mixed(numbers: Hashes) -> Hashes:
    """Replace each number in the array by a hash of 24 bits. Similar numbers get very different hashes."""
    numbers ^= numbers >> _HALF
    numbers *= _MIX[0]
    numbers ^= numbers >> _HALF
    numbers *= _MIX[1]
    numbers >>= _DROPPED
    return numbers


def hashes_of(kept: bytes) -> Hashes:
    """Unpack the hashes of a sketch. They are distinct and in ascending order."""
    four = bytearray(len(kept) // 3 * 4)
    four[0::4], four[1::4], four[2::4] = kept[0::3], kept[1::3], kept[2::3]
    return np.frombuffer(four, "<u4")


class Sample(NamedTuple):
    """The hashes of a text's three-word runs up to ``limit``, without duplicates and in ascending order.

    If the sketch holds the whole text, ``limit`` is above the largest hash.
    """

    hashes: Hashes
    limit: np.uint32


def sample_of(sketch: bytes) -> Sample:
    """Decode a sketch."""
    return Sample(hashes_of(sketch), limit_of(sketch))


def limit_of(sketch: bytes) -> np.uint32:
    """Return ``Sample.limit`` of a sketch."""
    return hashes_of(sketch[-_HASH_BYTES:])[0] if len(sketch) >= _HASH_BYTES * HASHES_KEPT else ALL


def shared(one: Sample, other: Sample) -> float:
    """Return the Jaccard index of two texts: of all three-word runs in the texts, the share that both texts have. It is
    exact if both sketches hold the whole text."""
    first, second = one.hashes, other.hashes
    limit = min(one.limit, other.limit)
    if limit < ALL:  # both samples are complete up to the limit
        first, second = first[first <= limit], second[second <= limit]
    both = len(np.intersect1d(first, second, assume_unique=True))
    together = len(first) + len(second) - both
    return both / together if together else 0.0


ALL: Final = np.uint32(1 << _HASH_BITS)


def pairs(samples: Sequence[Sample]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of texts with an index of at least 0.9. A pair has two positions in ``samples``, the smaller first,
    and the index.

    Each pair occurs once. If many texts are all alike, each is paired with at least one other, not with all.
    """
    bands = _bands(samples)
    compared: set[int] = set()
    for band in range(BANDS):
        for group in _groups(bands[:, band]):
            leaders: list[int] = []
            for member in group:
                for leader in leaders[-_COMPARED:]:
                    pair = leader * len(samples) + member
                    if pair in compared:
                        continue
                    compared.add(pair)
                    index = shared(samples[leader], samples[member])
                    if index >= LEAST_SHARED:
                        yield leader, member, index
                        break
                else:
                    leaders.append(member)


def _groups(keys: npt.NDArray[np.uint64]) -> Iterator[list[int]]:
    """Yield the positions with equal keys, in groups of at least two, in order."""
    order = np.argsort(keys, kind="stable")
    bounds = np.concatenate(([0], np.flatnonzero(np.diff(keys[order])) + 1, [len(order)]))
    for at in np.flatnonzero(np.diff(bounds) > 1).tolist():  # nearly all keys occur once
        yield order[bounds[at] : bounds[at + 1]].tolist()


def _bands(samples: Sequence[Sample]) -> npt.NDArray[np.uint64]:
    """Return one key for each band of each text. Two keys are equal if all places of the band are equal."""
    places = np.empty((len(samples), _PLACES), np.uint32)
    room = np.empty(_PLACES * HASHES_KEPT, np.uint32)
    for row, sample in enumerate(samples):
        places[row] = _signature(sample.hashes, room)
    mixed = places.astype(np.uint64).reshape(len(samples), BANDS, PLACES_PER_BAND)
    keys: npt.NDArray[np.uint64] = np.zeros((len(samples), BANDS), np.uint64)
    for place in range(PLACES_PER_BAND):
        keys = (keys ^ mixed[:, :, place]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _signature(numbers: Hashes, room: Hashes) -> Hashes:
    """Compute the MinHash signature: the smallest hash under each of 128 permutations of all hashes.

    ``room``: a buffer of half a megabyte for the permuted hashes, which is cheaper to reuse than to allocate.
    """
    permuted = room[: _PLACES * len(numbers)].reshape(_PLACES, -1)  # without gaps between the rows
    np.multiply(numbers, _FACTORS[:, None], out=permuted)
    permuted += _SUMMANDS[:, None]
    smallest: Hashes = permuted.min(axis=1)
    return smallest


def _scrambled(first: int) -> Hashes:
    """Return pseudo-random numbers that are the same in every process."""
    numbers = np.arange(first, first + _PLACES, dtype=np.uint32) * _WEIGHTS[0]
    numbers ^= numbers >> np.uint32(16)
    numbers *= _MIX[0]
    numbers ^= numbers >> np.uint32(15)
    numbers *= _MIX[1]
    return numbers ^ (numbers >> np.uint32(15))


_FACTORS: Final = _scrambled(1) | np.uint32(1)  # odd ones: each permutes the 32-bit numbers
_SUMMANDS: Final = _scrambled(1 + _PLACES)
