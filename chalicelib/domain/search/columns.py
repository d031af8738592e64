"""Rows of search data as columns: the stored form of days and archives.

A column is bytes. The first byte gives the number of bytes of an integer. The lowest bytes of all integers follow, then
the second-lowest bytes of all, and so on. Most figures are small, so only the lowest bytes differ much. Nearly all
other bytes are zero, and compress to almost nothing. A column is read with a few operations on whole arrays.

Keys (queries, page addresses) are sorted by their code points, which is also the order of their UTF-8 bytes. A row's
position is stored as the sum of the positions of all impressions. This is an integer, so the average of any number of
rows is exact.

``split`` halves a block that is too large to be stored; readers take the rows of all parts.
"""

import contextlib
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:  # loaded when rows are packed or read
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

MOST_SUM = 2**53  # sums are exact below it
_SURROGATES = range(0xD800, 0xE000)


def pack(values: "Sequence[int] | Integers") -> bytes:
    """Pack integers into a column. Raises ``ValueError`` for an integer below 0 or from 2**53 on."""
    import numpy as np

    integers = np.asarray(values, np.int64)
    largest = int(integers.max(initial=0))
    if int(integers.min(initial=0)) < 0 or largest >= MOST_SUM:
        raise ValueError("a column holds integers from 0 to 2**53 - 1")
    width = max((largest.bit_length() + 7) // 8, 1)
    planes = integers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width]
    return bytes([width]) + planes.T.tobytes()


def unpack(column: bytes) -> "Integers":
    """Unpack the integers of a column."""
    import numpy as np

    planes = np.frombuffer(column, np.uint8, offset=1).reshape(column[0], -1)
    integers: Integers = planes[0].astype(np.int64)
    for number, plane in enumerate(planes[1:], 1):
        integers |= plane.astype(np.int64) << (8 * number)
    return integers


class Texts(msgspec.Struct, array_like=True, frozen=True):
    """Texts, stored one after another. ``lengths``: a column with the length of each text in bytes of UTF-8."""

    lengths: bytes
    blob: bytes

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Store these texts. Raises ``UnicodeEncodeError`` for a text that UTF-8 cannot encode. ``clean`` turns any
        text into one that UTF-8 can encode."""
        text = "".join(texts)
        if text.isascii():
            return cls(pack(list(map(len, texts))), text.encode())
        encoded = [text.encode() for text in texts]
        return cls(pack(list(map(len, encoded))), b"".join(encoded))

    @classmethod
    def joined(cls, parts: "Sequence[Texts]") -> "Texts":
        """Join the texts of all parts, in order."""
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([unpack(part.lengths) for part in parts]) if parts else np.zeros(0, np.int64)
        return cls(pack(lengths), b"".join(part.blob for part in parts))

    def __len__(self) -> int:
        return (len(self.lengths) - 1) // self.lengths[0]

    def strings(self, numbers: "Integers | None" = None) -> list[str]:
        """Return all texts. With ``numbers``, return only the texts at these positions, in the order of ``numbers``."""
        import numpy as np

        text = self.blob.decode()
        ends = np.cumsum(unpack(self.lengths))
        if len(text) != len(self.blob):  # convert places in the bytes to places in the text
            characters = np.cumsum((np.frombuffer(self.blob, np.uint8) & 0xC0) != 0x80)
            ends = np.concatenate((np.zeros(1, np.int64), characters))[ends]
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1])) if len(ends) else ends
        if numbers is not None:
            starts, ends = starts[numbers], ends[numbers]
        return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def split(self) -> "tuple[Texts, Texts]":
        lengths = unpack(self.lengths)
        middle = len(lengths) // 2
        at = int(lengths[:middle].sum())
        return (
            Texts(pack(lengths[:middle]), self.blob[:at]),
            Texts(pack(lengths[middle:]), self.blob[at:]),
        )


class DayRows(msgspec.Struct, array_like=True, frozen=True):
    """The rows of one day, sorted by key. The day has its own list of keys, without repetitions."""

    day: str
    keys: Texts
    clicks: bytes
    impressions: bytes
    positions: bytes

    def split(self) -> "tuple[DayRows, DayRows]":
        first, second = self.keys.split()
        columns = [_halved(column, len(first)) for column in (self.clicks, self.impressions, self.positions)]
        return (
            DayRows(self.day, first, *(halves[0] for halves in columns)),
            DayRows(self.day, second, *(halves[1] for halves in columns)),
        )


class MonthRows(msgspec.Struct, array_like=True, frozen=True):
    """Rows of some days of an archive, sorted by day and then by key number.

    - ``counts``: how many rows each of ``days`` has.
    - ``numbers``: the positions of the keys in the archive's list. Each is stored as the difference to the previous
      one, modulo 2**32.
    """

    days: tuple[str, ...]
    counts: tuple[int, ...]
    numbers: bytes
    clicks: bytes
    impressions: bytes
    positions: bytes

    @classmethod
    def of(
        cls,
        days: Sequence[tuple[str, int]],
        numbers: "Integers",
        clicks: "Integers",
        impressions: "Integers",
        positions: "Integers",
    ) -> "MonthRows":
        """Store these rows. ``days``: each day and its number of rows."""
        import numpy as np

        steps = np.diff(numbers, prepend=0).astype(np.uint32)  # modulo 2**32: a step back becomes one far ahead
        return cls(
            tuple(day for day, _ in days),
            tuple(count for _, count in days),
            *map(pack, (steps.astype(np.int64), clicks, impressions, positions)),
        )

    def key_numbers(self) -> "Integers":
        import numpy as np

        return np.cumsum(unpack(self.numbers).astype(np.uint32), dtype=np.uint32).astype(np.int64)

    def part(self, start: int, stop: int) -> "MonthRows":
        """Return the rows from ``start`` up to but not including ``stop``. Both may be in the middle of a day."""
        days, at = [], 0
        for day, count in zip(self.days, self.counts, strict=True):
            inside = min(at + count, stop) - max(at, start)
            if inside > 0:
                days.append((day, inside))
            at += count
        columns = (self.key_numbers(), *map(unpack, (self.clicks, self.impressions, self.positions)))
        return MonthRows.of(days, *(column[start:stop] for column in columns))

    def split(self) -> "tuple[MonthRows, MonthRows]":
        rows = sum(self.counts)
        return self.part(0, rows // 2), self.part(rows // 2, rows)


def _halved(column: bytes, middle: int) -> tuple[bytes, bytes]:
    integers = unpack(column)
    return pack(integers[:middle]), pack(integers[middle:])


def clean(key: str) -> str:
    """Return a key as it is stored: without lone surrogates, which UTF-8 cannot encode, and without the character 0."""
    if "\0" not in key:
        if key.isascii():
            return key
        with contextlib.suppress(UnicodeEncodeError):
            key.encode()
            return key
    return "".join("�" if ord(character) in _SURROGATES else character for character in key if character != "\0")


def all_clean(keys: Sequence[str]) -> Sequence[str]:
    """Apply ``clean`` to each of these keys."""
    together = "".join(keys)
    if "\0" not in together:
        with contextlib.suppress(UnicodeEncodeError):
            together.encode()
            return keys
    return list(map(clean, keys))


def day_rows(
    day: date,
    keys: Sequence[str],
    clicks: Sequence[float],
    impressions: Sequence[float],
    positions: Sequence[float],
) -> DayRows:
    """Make a day's rows from the rows that the search service sent, which may be in any order. ``positions``: the
    average position of each row.

    A repeated key counts once. The search service does not fix the order of rows with equal clicks, so it may send one
    row at the end of one answer and again at the beginning of the next. Raises ``ValueError`` for negative figures, and
    if the given columns differ in length.
    """
    return clean_rows(day, all_clean(keys), clicks, impressions, positions)


def clean_rows(
    day: date,
    keys: Sequence[str],
    clicks: Sequence[float],
    impressions: Sequence[float],
    positions: Sequence[float],
) -> DayRows:
    """Make a day's rows (see ``day_rows``) from keys that are already clean."""
    import numpy as np

    if not len(keys) == len(clicks) == len(impressions) == len(positions):
        raise ValueError("every row has a key, clicks, impressions and a position")
    places: Sequence[int] = range(len(keys))
    if len(set(keys)) < len(keys):  # the first of equal keys stays
        places = list(dict(zip(reversed(keys), reversed(places), strict=True)).values())
    chosen = np.array(sorted(places, key=keys.__getitem__), np.int64)
    ordered = [keys[place] for place in chosen.tolist()]
    shown = np.asarray(impressions, np.float64)[chosen]
    figures = (np.asarray(clicks, np.float64)[chosen], shown, np.asarray(positions, np.float64)[chosen] * shown)
    if not all(np.isfinite(column).all() and column.max(initial=0) < MOST_SUM for column in figures):
        raise ValueError("every figure is a number below 2**53")
    return DayRows(day.isoformat(), Texts.of(ordered), *(pack(np.rint(column).astype(np.int64)) for column in figures))
