"""The totals of the last days. They are stored in a website's record, so that lists of websites need no further
read."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.totals import DayTotals

KEPT_DAYS: Final = 60  # two periods of 28 days, plus the days until the last one is final
_NONE: Final = Figures()


class Brought(NamedTuple):
    """The search figures of several days, added up."""

    clicks: int
    impressions: int


class RecentDays(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of web search by day, oldest first, up to the day ``final_day``. Lists of websites show them.

    They are stored in columns, because a portfolio sums up hundreds of websites. ``unknown``: the positions of the days
    whose figures are unknown and are stored as zeros.
    """

    final_day: date
    clicks: tuple[int, ...]
    impressions: tuple[int, ...]
    unknown: tuple[int, ...]

    @classmethod
    def of(cls, totals: Iterable[DayTotals], final_day: date) -> "RecentDays":
        """Make the record of the 60 days up to ``final_day`` from the totals of days."""
        known = {day.day: day.web.total for day in totals}
        first = final_day - timedelta(KEPT_DAYS - 1)
        days = (first + timedelta(number) for number in range(KEPT_DAYS))
        return cls.of_figures([known.get(day.isoformat()) for day in days], final_day)

    @classmethod
    def of_figures(cls, days: Sequence[Figures | None], final_day: date) -> "RecentDays":
        """Make the record from the figures of consecutive days up to ``final_day``. A figure is None if unknown."""
        figures = [_NONE if day is None else day for day in days]
        return cls(
            final_day=final_day,
            clicks=tuple([day.clicks for day in figures]),
            impressions=tuple([day.impressions for day in figures]),
            unknown=tuple([place for place, day in enumerate(days) if day is None]),
        )

    def within(self, period: Period) -> Brought | None:
        """Return the sum of a period; None if the figures of one of its days are unknown."""
        last = len(self.clicks) - (self.final_day - period.last).days
        first = last - period.length
        if first < 0 or last > len(self.clicks) or any(first <= place < last for place in self.unknown):
            return None
        return Brought(sum(self.clicks[first:last]), sum(self.impressions[first:last]))

    @property
    def ends_at(self) -> float:
        """The end of the last day (epoch seconds, UTC), which is the date of the data."""
        return datetime.combine(self.final_day + timedelta(1), time.min, UTC).timestamp()
