"""The last days' totals, which stand on a website's record: what lists show of its search data is read with it."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import msgspec

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.totals import DayTotals, total

KEPT_DAYS: Final = 60  # two periods of 28 days, and the days until their last one is three days old


class RecentDays(msgspec.Struct, frozen=True, kw_only=True):
    """Web search by day, oldest first, the last of them ``final_day``; None: not known."""

    final_day: date
    days: tuple[Figures | None, ...]

    @classmethod
    def of(cls, totals: Iterable[DayTotals], final_day: date) -> "RecentDays":
        """The last of these days, up to the final one."""
        known = {day.day: day.web.total for day in totals}
        first = final_day - timedelta(KEPT_DAYS - 1)
        days = (first + timedelta(number) for number in range(KEPT_DAYS))
        return cls(final_day=final_day, days=tuple(known.get(day.isoformat()) for day in days))

    def within(self, period: Period) -> Figures | None:
        """The sum of a period; None where one of its days is not known."""
        last = len(self.days) - (self.final_day - period.last).days
        first = last - period.length
        if first < 0 or last > len(self.days):
            return None
        known = [figures for figures in self.days[first:last] if figures is not None]
        return total(known) if len(known) == period.length else None

    @property
    def ends_at(self) -> float:
        """When the last day was over (epoch seconds, UTC): as old is the data."""
        return datetime.combine(self.final_day + timedelta(1), time.min, UTC).timestamp()
