"""The time of a website's weekly audit: the chosen weekday and hour; by default Sundays at 02:00 UTC.

An hour of the week counts from Monday, 00:00 UTC: 0 to 167. None means Sundays, 02:00.
"""

from typing import Final

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HOURS: Final = len(DAYS) * 24
DEFAULT_HOUR: Final = 6 * 24 + 2
_HOUR = 3_600
_DAY = 24 * _HOUR
_WEEK = 7 * _DAY
# The epoch began on a Thursday. The first Monday was 4 days later; the first Sunday, 02:00 UTC, 3 days and 2 hours.
_FIRST_MONDAY = 4 * _DAY
_HOUR_OF_RUN = 2 * _HOUR
_FIRST_RUN = 3 * _DAY + _HOUR_OF_RUN


def next_weekly_run(now: float, hour: int | None = None) -> float:
    """Return the first weekly run after ``now`` (both epoch seconds). ``hour``: the hour of the week; None for the
    default."""
    first = _FIRST_RUN if hour is None else _FIRST_MONDAY + hour * _HOUR
    weeks = (now - first) // _WEEK + 1
    return first + weeks * _WEEK


def weekly_run_of_day(at: float, hour: int | None = None) -> float:
    """Return the scheduled time of the weekly audit on the day of ``at``. The result is the same even if the schedule
    runs late or twice, so it identifies the audit of that day."""
    return at - at % _DAY + (_HOUR_OF_RUN if hour is None else hour % 24 * _HOUR)


def hour_of(text: str) -> int | None:
    """Return the hour of the week that a text such as ``mon-14`` names; None if it names none."""
    day, _, of_day = text.strip().lower().partition("-")
    days = [one[:3].lower() for one in DAYS]
    if day not in days or not (of_day.isascii() and of_day.isdigit() and len(of_day) <= 2 and int(of_day) < 24):
        return None
    return days.index(day) * 24 + int(of_day)


def in_words(hour: int | None) -> str:
    """Describe an hour of the week in words."""
    day, of_day = divmod(DEFAULT_HOUR if hour is None else hour, 24)
    return f"{DAYS[day]}s, {of_day:02}:00 UTC"
