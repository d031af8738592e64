"""The archive of finished months: one sorted list of keys, and each month's rows, which refer to keys by number.

A key's number is its position in the list. So numbers sort like keys, and the texts of keys are needed only for rows
that are shown. New keys shift the numbers after them, so adding days rewrites the whole archive.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.domain.search.columns import DayRows, MonthRows, Texts, unpack

if TYPE_CHECKING:
    from chalicelib.domain.search.columns import Integers


class Archive(NamedTuple):
    """An archive as it is stored.

    - ``keys``: one sorted list of keys, in parts.
    - ``months``: the rows of each month (``2026-10``), in parts.
    """

    keys: Sequence[Texts]
    months: Mapping[str, Sequence[MonthRows]]


EMPTY: Final = Archive([], {})


class _Rows(NamedTuple):
    """The rows of one day."""

    day: str
    numbers: "Integers"
    figures: "tuple[Integers, Integers, Integers]"


def extended(archive: Archive, days: Iterable[DayRows], first: date) -> Archive:
    """Add rows of days to an archive. Days that are already in it are replaced; one day may be spread over several
    ``DayRows``.

    Days before ``first`` are dropped. Keys that no remaining day uses are dropped too. The result has one part of keys
    and one part per month.
    """
    import numpy as np

    oldest = first.isoformat()
    added = [day for day in days if day.day >= oldest]
    replaced = {day.day for day in added}
    before = Texts.joined(archive.keys)
    kept = [
        rows
        for parts in archive.months.values()
        for part in parts
        for rows in _by_day(part)
        if rows.day >= oldest and rows.day not in replaced
    ]
    named = np.zeros(len(before), np.bool_)
    for rows in kept:
        named[rows.numbers] = True
    staying = np.flatnonzero(named)
    old = before.strings(staying)
    keys = sorted({*old, *(key for day in added for key in day.keys.strings())})
    number = {key: place for place, key in enumerate(keys)}
    renumbered = np.zeros(len(before), np.int64)
    renumbered[staying] = [number[key] for key in old]
    every = [rows._replace(numbers=renumbered[rows.numbers]) for rows in kept]
    for day in added:
        if not len(day.keys):
            continue
        numbers = np.array([number[key] for key in day.keys.strings()], np.int64)
        every.append(_Rows(day.day, numbers, (unpack(day.clicks), unpack(day.impressions), unpack(day.positions))))
    months = {
        month: _month(list(of_month)) for month, of_month in groupby(_whole_days(every), lambda rows: rows.day[:7])
    }
    return Archive([Texts.of(keys)] if keys else [], {month: [rows] for month, rows in months.items()})


def _by_day(part: MonthRows) -> Iterable[_Rows]:
    numbers = part.key_numbers()
    columns = unpack(part.clicks), unpack(part.impressions), unpack(part.positions)
    start = 0
    for day, count in zip(part.days, part.counts, strict=True):
        rows = slice(start, start + count)
        yield _Rows(day, numbers[rows], (columns[0][rows], columns[1][rows], columns[2][rows]))
        start += count


def _whole_days(parts: Iterable[_Rows]) -> Iterable[_Rows]:
    """Yield the days in order, each in one piece, with its rows sorted by key number."""
    import numpy as np

    for day, of_day in groupby(sorted(parts, key=lambda rows: rows.day), lambda rows: rows.day):
        pieces = list(of_day)
        numbers = np.concatenate([piece.numbers for piece in pieces])
        order = np.argsort(numbers, kind="stable")
        clicks, impressions, positions = (
            np.concatenate([piece.figures[column] for piece in pieces])[order] for column in range(3)
        )
        yield _Rows(day, numbers[order], (clicks, impressions, positions))


def _month(days: Sequence[_Rows]) -> MonthRows:
    import numpy as np

    return MonthRows.of(
        [(rows.day, len(rows.numbers)) for rows in days],
        np.concatenate([rows.numbers for rows in days]),
        *(np.concatenate([rows.figures[column] for rows in days]) for column in range(3)),
    )
