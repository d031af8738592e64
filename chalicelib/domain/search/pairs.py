"""Pairs of query and page. The pairs with most clicks in the 28 days before an import are stored, with the figures of
each day."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.domain.search.columns import DayRows, MonthRows, Texts, all_clean, clean, clean_rows, unpack

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from chalicelib.domain.search.columns import Integers

WINDOW_DAYS: Final = 28
MOST: Final = 5_000
_BETWEEN: Final = "\0"  # in no query or address, and sorted before every other character: pairs sort by query first


class PairSet(NamedTuple):
    """The pairs for the days from ``first`` to ``last``. They are stored like an archive of these days."""

    first: date
    last: date
    keys: Sequence[Texts]
    rows: Sequence[MonthRows]


def key(query: str, page: str) -> str:
    """Return the key of a pair."""
    return clean(query) + _BETWEEN + clean(page)


def day_rows(
    day: date,
    queries: Sequence[str],
    pages: Sequence[str],
    clicks: Sequence[float],
    impressions: Sequence[float],
    positions: Sequence[float],
) -> DayRows:
    """Make a day's rows by query and page (see ``columns.day_rows``)."""
    keys = list(map(_BETWEEN.join, zip(all_clean(queries), all_clean(pages), strict=True)))
    return clean_rows(day, keys, clicks, impressions, positions)


def parts(pair: str) -> tuple[str, str]:
    """Split a pair's key into query and page."""
    query, _, page = pair.partition(_BETWEEN)
    return query, page


def top(days: Iterable[DayRows], first: date, last: date) -> PairSet:
    """Return the pairs with most clicks in these days, with the rows of each day. Pairs with equally many clicks are
    sorted by impressions, then by key."""
    import numpy as np

    from chalicelib.domain.search import archive
    from chalicelib.domain.search.rows import Stored, sums

    whole = archive.extended(archive.EMPTY, (day for day in days if day.day <= last.isoformat()), first)
    months = [part for parts in whole.months.values() for part in parts]
    keys, (clicks, impressions, _) = sums(Stored(whole.keys, months), first, last)
    best = np.sort(np.lexsort((np.arange(len(clicks)), -impressions, -clicks))[:MOST])
    kept = np.zeros(len(clicks), np.bool_)
    kept[best] = True
    number = np.cumsum(kept) - 1
    return PairSet(
        first, last, [Texts.of(keys.of(best))] if len(best) else [], [_of_kept(part, kept, number) for part in months]
    )


def _of_kept(part: MonthRows, kept: "npt.NDArray[np.bool_]", number: "Integers") -> MonthRows:
    """Return the rows of the pairs to keep, with their new numbers. ``kept``: which old numbers to keep. ``number``:
    the new number for each old one."""
    import numpy as np

    numbers = part.key_numbers()
    rows = kept[numbers]
    day_numbers = np.repeat(np.arange(len(part.days)), part.counts)[rows]
    counts = np.bincount(day_numbers, minlength=len(part.days)).tolist()
    days = [(day, count) for day, count in zip(part.days, counts, strict=True) if count]
    columns = (unpack(column)[rows] for column in (part.clicks, part.impressions, part.positions))
    return MonthRows.of(days, number[numbers[rows]], *columns)
