"""When the weekly audit runs: Sundays, 02:00 UTC."""

_DAY = 86_400
_WEEK = 7 * _DAY
# The epoch began on a Thursday: the first Sunday, 02:00 UTC, was three days and two hours later.
_FIRST_RUN = 3 * _DAY + 2 * 3600


def next_weekly_run(now: float) -> float:
    """The first Sunday 02:00 UTC after ``now`` (both epoch seconds)."""
    weeks = (now - _FIRST_RUN) // _WEEK + 1
    return _FIRST_RUN + weeks * _WEEK
