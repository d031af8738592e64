"""How long a page counts after its last speed test.

Days on which no page of the website was measured do not count. So while nothing can be measured (the engine is down,
its quota is used up, it has no key) all pages keep counting, and the score stays.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

DAY_SECONDS: Final = 86_400.0
COUNTED_DAYS: Final = 28  # days with measurements after a page's last one, until it no longer counts


def day_of(now: float) -> int:
    """The number of the UTC day since 1970."""
    return int(now // DAY_SECONDS)


class MeasuredDays(NamedTuple):
    """The last days on which any page of a website was measured, oldest first, as numbers since 1970."""

    days: Sequence[int] = ()

    def holds(self, tested_at: float) -> bool:
        """Whether a page last tested at this time (epoch seconds) still counts."""
        tested = day_of(tested_at)
        return sum(day > tested for day in self.days) < COUNTED_DAYS

    def measured(self, at: float) -> "MeasuredDays":
        """The days after a page was measured, as many as the window needs."""
        return MeasuredDays(tuple(sorted({*self.days, day_of(at)})[-COUNTED_DAYS:]))
