"""Evaluates any range of days from stored columns: the ranked figures of each key, or the figures of each day.

Rows are added up by key number, one block at a time, so memory grows with the number of keys, not of days. Sums stay
below 2**53 and are exact. The result therefore does not depend on how rows are split into blocks.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from chalicelib.domain.search.columns import DayRows, MonthRows, Texts, pack, unpack
from chalicelib.domain.search.figures import Figures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from chalicelib.domain.search.columns import Integers

    Sums = npt.NDArray[np.float64]


class Stored(NamedTuple):
    """The stored data that answers a ``Question``: an archive's keys, blocks of its months, and days that are not
    archived yet.

    The data may cover more days than the question needs. No day is in both ``months`` and ``days``.
    """

    keys: Sequence[Texts] = ()
    months: Sequence[MonthRows] = ()
    days: Sequence[DayRows] = ()


class Row(NamedTuple):
    """The figures of a key. ``positions``: the sum of the positions of all impressions."""

    key: str
    clicks: int
    impressions: int
    positions: int


class RankedRows(msgspec.Struct, array_like=True, frozen=True):
    """Some rows of a ranked answer, in their order."""

    keys: Texts
    clicks: bytes
    impressions: bytes
    positions: bytes

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self) -> list[Row]:
        columns = (unpack(column).tolist() for column in (self.clicks, self.impressions, self.positions))
        return list(map(Row, self.keys.strings(), *columns))

    def split(self) -> "tuple[RankedRows, RankedRows]":
        rows = self.rows()
        return of_rows(rows[: len(rows) // 2]), of_rows(rows[len(rows) // 2 :])


def of_rows(rows: Sequence[Row]) -> RankedRows:
    """Convert rows to ``RankedRows``."""
    return RankedRows(
        Texts.of([row.key for row in rows]),
        pack([row.clicks for row in rows]),
        pack([row.impressions for row in rows]),
        pack([row.positions for row in rows]),
    )


def ranked(stored: Stored, first: date, last: date, matching: Callable[[str], bool] | None = None) -> list[Row]:
    """Return the figures of each key from ``first`` to ``last``, most clicks first. Keys with equally many clicks are
    sorted by code point.

    Keys without impressions in these days are left out, and so are keys that the filters of the ``Question`` exclude.
    """
    import numpy as np

    keys, summed = sums(stored, first, last)
    clicks, impressions, positions = (column.astype(np.int64) for column in summed)
    shown = np.flatnonzero(impressions)
    texts = keys.of(shown)
    if matching is not None:
        matches = np.fromiter(map(matching, texts), np.bool_, len(texts))
        shown, texts = shown[matches], [text for text, match in zip(texts, matches.tolist(), strict=True) if match]
    # Archived keys are in order already, so only the texts of newer keys are compared.
    rank = np.arange(len(shown))
    if keys.new:
        rank = np.empty(len(shown), np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(shown))
    order = np.lexsort((rank, -clicks[shown]))
    chosen = shown[order]
    columns = (column[chosen].tolist() for column in (clicks, impressions, positions))
    return list(map(Row, [texts[place] for place in order.tolist()], *columns))


class Keys(NamedTuple):
    """The keys to which the sums belong: the archive's keys, followed by keys that only later days have."""

    archived: Texts
    new: Sequence[str]

    def of(self, numbers: "Integers") -> list[str]:
        """Return the keys with these numbers, which must be ascending."""
        archived = len(self.archived)
        inside = numbers[numbers < archived]
        behind = (numbers[numbers >= archived] - archived).tolist()
        return self.archived.strings(inside) + [self.new[number] for number in behind]


def sums(stored: Stored, first: date, last: date) -> "tuple[Keys, tuple[Sums, Sums, Sums]]":
    """Add up clicks, impressions and positions of each key in these days."""
    import numpy as np

    days = [day for day in stored.days if first.isoformat() <= day.day <= last.isoformat()]
    archived = Texts.joined(stored.keys)
    count = len(archived)
    number = {key: place for place, key in enumerate(archived.strings())} if days else {}
    numbers = [[number.setdefault(key, len(number)) for key in day.keys.strings()] for day in days]
    found = tuple(np.zeros(max(count, len(number)), np.float64) for _ in range(3))
    for part in stored.months:
        rows = _inside(part, first, last)
        if rows.start < rows.stop:
            _add(found, part.key_numbers()[rows], part, rows)
    for of_day, day in zip(numbers, days, strict=True):
        _add(found, np.array(of_day, np.int64), day, slice(None))
    return Keys(archived, list(number)[count:]), (found[0], found[1], found[2])


def _add(found: "tuple[Sums, ...]", numbers: "Integers", block: MonthRows | DayRows, rows: slice) -> None:
    import numpy as np

    for column, packed in zip(found, (block.clicks, block.impressions, block.positions), strict=True):
        column += np.bincount(numbers, unpack(packed)[rows], len(column))


def _inside(part: MonthRows, first: date, last: date) -> slice:
    """Return the rows of a month within a range of days. Days are sorted, so the rows are contiguous."""
    before = sum(count for day, count in zip(part.days, part.counts, strict=True) if day < first.isoformat())
    until = sum(count for day, count in zip(part.days, part.counts, strict=True) if day <= last.isoformat())
    return slice(before, until)


def by_day(stored: Stored, first: date, last: date, matching: Callable[[str], bool]) -> dict[date, Figures]:
    """Return the figures of the matching keys for each of these days, in order. Days without impressions are left
    out."""
    import numpy as np

    archived = Texts.joined(stored.keys)
    wanted = np.fromiter(map(matching, archived.strings()), np.bool_, len(archived))
    found: dict[str, Figures] = {}
    for part in stored.months:
        chosen = np.flatnonzero(wanted[part.key_numbers()])
        _add_days(found, part.days, np.repeat(np.arange(len(part.days)), part.counts), part, chosen)
    for one in stored.days:
        keys = one.keys.strings()
        matches = [place for place, key in enumerate(keys) if matching(key)]
        _add_days(found, (one.day,), np.zeros(len(keys), np.int64), one, np.array(matches, np.int64))
    inside = ((date.fromisoformat(day), found[day]) for day in sorted(found) if found[day].impressions)
    return {day: figures for day, figures in inside if first <= day <= last}


def _add_days(
    found: dict[str, Figures],
    days: Sequence[str],
    day_numbers: "Integers",
    block: MonthRows | DayRows,
    rows: "Integers",
) -> None:
    import numpy as np

    columns = (
        np.bincount(day_numbers[rows], unpack(column)[rows], len(days)).astype(np.int64).tolist()
        for column in (block.clicks, block.impressions, block.positions)
    )
    for day, *figures in zip(days, *columns, strict=True):
        found[day] = found.get(day, Figures()) + Figures(*figures)
