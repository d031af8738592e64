"""ISO 8601 weeks, and the weekly time of samplings: Mondays, 03:00 UTC."""

from datetime import UTC, datetime, timedelta
from typing import Final

_DAY: Final = 86_400
_WEEK: Final = 7 * _DAY
# The epoch began on a Thursday: the first Monday, 03:00 UTC, was four days and three hours later.
_FIRST_SAMPLING: Final = 4 * _DAY + 3 * 3_600


def week_of(seconds: float) -> str:
    """Return the ISO week of a time (epoch seconds), for example ``2026-W47``. A week begins on Monday, 00:00 UTC."""
    year, week, _ = datetime.fromtimestamp(seconds, UTC).isocalendar()
    return f"{year:04d}-W{week:02d}"


def weeks_back(now: float, count: int) -> list[str]:
    """Return ``count`` weeks, newest first: the week of ``now`` and the weeks before it."""
    today = datetime.fromtimestamp(now, UTC)
    return [week_of((today - timedelta(weeks=number)).timestamp()) for number in range(count)]


def next_sampling(now: float) -> float:
    """Return the first Monday, 03:00 UTC, after ``now`` (both epoch seconds)."""
    return _FIRST_SAMPLING + ((now - _FIRST_SAMPLING) // _WEEK + 1) * _WEEK
