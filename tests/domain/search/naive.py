"""Search performance in the tests: rows as they are told, drawn by Hypothesis, and what they add up to, worked out in
the plainest way."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from hypothesis import strategies

from chalicelib.domain.search.archive import EMPTY, Archive, extended
from chalicelib.domain.search.columns import DayRows, day_rows
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.rows import Row, Stored

FIRST = date(2026, 8, 25)  # so that the days drawn lie in up to four months
DAYS = 75


class Told(NamedTuple):
    """A row as the service tells it."""

    key: str
    clicks: int
    impressions: int
    position: float

    @property
    def figures(self) -> Figures:
        return Figures(self.clicks, self.impressions, round(self.position * self.impressions))


Raw = Mapping[date, list[Told]]  # rows by day; no key stands twice in a day

# Few keys, so that they meet; some of them are one another's beginning, some need two or four bytes a character.
KEYS = ("", "a", "ab", "abc", "b", "Ä", "ä", "é", "ż", "日", "日本", "\uffff", "😀", "https://example.org/", "x" * 300)
keys = strategies.sampled_from(KEYS)


def _told(key: str, impressions: int, clicks: int, average: int) -> Told:
    return Told(key, min(clicks, impressions), impressions, (impressions * average + 1) / impressions)


told = strategies.builds(
    _told, keys, strategies.sampled_from([1, 2, 3, 10, 2**31]), strategies.integers(0, 3), strategies.integers(1, 99)
)
of_day = strategies.lists(told, max_size=6, unique_by=lambda row: row.key)
dates = strategies.integers(0, DAYS - 1).map(lambda number: FIRST + timedelta(number))
raw = strategies.dictionaries(dates, of_day, max_size=6)
ranges = strategies.tuples(dates, dates).map(sorted).map(tuple)


def packed(day: date, rows: Iterable[Told]) -> DayRows:
    """A day's rows as they are stored."""
    rows = list(rows)
    return day_rows(
        day,
        [row.key for row in rows],
        [row.clicks for row in rows],
        [row.impressions for row in rows],
        [row.position for row in rows],
    )


def stored(archive: Archive = EMPTY, days: Iterable[DayRows] = ()) -> Stored:
    return Stored(archive.keys, [part for parts in archive.months.values() for part in parts], list(days))


def archived(rows: Raw) -> Archive:
    """All days in one archive."""
    return extended(EMPTY, [packed(day, of_day) for day, of_day in rows.items()], date.min)


def ranked(rows: Raw, first: date, last: date, matching: Callable[[str], bool] = lambda _: True) -> list[Row]:
    """What each key brought, ranked."""
    found: dict[str, Figures] = defaultdict(Figures)
    for day, of_day in rows.items():
        if first <= day <= last:
            for row in of_day:
                if matching(row.key):
                    found[row.key] += row.figures
    every = [Row(key, *_members(figures)) for key, figures in found.items() if figures.impressions]
    return sorted(every, key=lambda row: (-row.clicks, row.key))


def by_day(rows: Raw, first: date, last: date, matching: Callable[[str], bool]) -> dict[date, Figures]:
    """What each day brought."""
    found = {
        day: sum((row.figures for row in of_day if matching(row.key)), Figures())
        for day, of_day in sorted(rows.items())
        if first <= day <= last
    }
    return {day: figures for day, figures in found.items() if figures.impressions}


def _members(figures: Figures) -> tuple[int, int, int]:
    return figures.clicks, figures.impressions, figures.positions
