"""Periods of days, such as the last 28 days with data or the period before another one."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

LAG_DAYS: Final = 3  # the search service needs about so many days until a day's figures are final
MOST_MONTHS: Final = 16  # of data that is kept, and the most that one question covers


class Period(NamedTuple):
    """Days from the first to the last, both included."""

    first: date
    last: date

    @property
    def length(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def before(self) -> "Period":
        """Return the period of the same length just before this one.

        Callers ask only about days with data, so the result never begins before the year 1.
        """
        return ending(self.first - timedelta(1), self.length)

    def __contains__(self, day: object) -> bool:
        return isinstance(day, date) and self.first <= day <= self.last

    def days(self) -> Iterator[date]:
        return (self.first + timedelta(number) for number in range(self.length))


def ending(last: date, days: int) -> Period:
    """Return the period of the given number of days that ends on ``last``. It is shorter if it would begin before the
    year 1."""
    return Period(date.fromordinal(max(last.toordinal() - days + 1, 1)), last)


def recent(days: int, today: date, final: date | None) -> Period:
    """Return the last ``days`` days for which complete data may exist.

    They end three days ago, or on ``final`` if that is earlier. ``final``: the latest day whose figures no longer
    change; None if unknown.
    """
    last = today - timedelta(LAG_DAYS)
    return ending(last if final is None else min(last, final), days)


def longer_than(period: Period, months: int) -> bool:
    """Whether the period is longer than ``months`` months.

    Months are counted from the first day to the same day of a later month. For example, 10 January to 11 March is
    longer than two months.
    """
    first, last = period
    apart = (last.year - first.year) * 12 + last.month - first.month
    return (apart, last.day) > (months, first.day)


def months_before(day: date, months: int) -> date:
    """Return the day with the same number ``months`` months earlier. If that month has no such day, return the last day
    of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(day.day - 1), following - timedelta(1))
