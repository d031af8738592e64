"""When the weekly audit runs: Sundays, 02:00 UTC."""

_DAY = 86_400
_HOUR_OF_RUN = 2 * 3600
_WEEK = 7 * _DAY
# The epoch began on a Thursday: the first Sunday, 02:00 UTC, was three days and two hours later.
_FIRST_RUN = 3 * _DAY + _HOUR_OF_RUN


def next_weekly_run(now: float) -> float:
    """The first Sunday 02:00 UTC after ``now`` (both epoch seconds)."""
    weeks = (now - _FIRST_RUN) // _WEEK + 1
    return _FIRST_RUN + weeks * _WEEK


def weekly_run_of_day(at: float) -> float:
    """02:00 UTC of the day of ``at``: what a weekly audit of that day is named after, whenever it is fired."""
    return at - at % _DAY + _HOUR_OF_RUN
