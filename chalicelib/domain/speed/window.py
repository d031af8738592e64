"""Decides whether the result of a page's last speed test is still valid for findings and the score.

Only days on which at least one page of the website was measured are counted. If nothing can be measured (the engine is
down, its quota is used up, it has no key), no day is counted. All results therefore stay valid, and the score does not
change.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

DAY_SECONDS: Final = 86_400.0
COUNTED_DAYS: Final = 28  # a page's last test counts until there were this many later days with measurements


def day_of(now: float) -> int:
    """Return the number of the UTC day since 1970."""
    return int(now // DAY_SECONDS)


class MeasuredDays(NamedTuple):
    """The last days on which at least one page of a website was measured, oldest first. Each is the number of the day
    since 1970."""

    days: Sequence[int] = ()

    def holds(self, tested_at: float) -> bool:
        """Whether the result of a page's last test still counts.

        ``tested_at``: when the test was made (epoch seconds).
        """
        tested = day_of(tested_at)
        return sum(day > tested for day in self.days) < COUNTED_DAYS

    def measured(self, at: float) -> "MeasuredDays":
        """Return the days after one more measurement of a page. Only as many days are kept as are needed."""
        return MeasuredDays(tuple(sorted({*self.days, day_of(at)})[-COUNTED_DAYS:]))
