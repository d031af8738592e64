"""Checks the parameters ``start`` and ``end``, and computes the days that they select."""

from datetime import date
from typing import Any, Final, Protocol

from chalicelib.domain.search.periods import MOST_MONTHS, Period, ending, longer_than, recent
from chalicelib.http.endpoints import Call
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import Check


class HasPeriod(Protocol):
    """Parameters with a first and a last day; ``end`` may be sent without ``start``."""

    @property
    def start(self) -> date | None: ...
    @property
    def end(self) -> date | None: ...


def _in_order(sent: HasPeriod) -> bool:
    return sent.start is None or sent.end is None or sent.start <= sent.end


def _short_enough(sent: HasPeriod) -> bool:
    return sent.start is None or sent.end is None or not longer_than(Period(sent.start, sent.end), MOST_MONTHS)


PERIOD_CHECKS: Final = (
    Check("bad_period", lambda sent: sent.end or not sent.start, "{start} needs {end} beside it.", "end"),
    Check("bad_period", _in_order, "{end} must not lie before {start}.", "end"),
    Check("period_too_long", _short_enough, f"{{end}} must lie at most {MOST_MONTHS} months after {{start}}."),
)


def refuse_future(call: Call[Any], today: date) -> None:
    """Raise ``ApiError`` ``bad_period`` if the last requested day has not begun yet."""
    sent: HasPeriod = call.parameters
    if sent.end is not None and sent.end > today:
        end = call.spelled["end"]
        raise ApiError("bad_period", f"{end.shown} lies in the future: today is {today} (UTC).", param=end.name)


def asked_for(sent: HasPeriod, days: int, today: date, final: date | None = None) -> Period:
    """Return the requested days:

    - ``start`` and ``end`` were sent: all days from ``start`` to ``end``, including both.
    - Only ``end`` was sent: the last ``days`` days up to ``end``.
    - Neither was sent: the latest ``days`` days that can have complete data (see ``recent``).
    """
    if sent.end is None:
        return recent(days, today, final)
    return ending(sent.end, days) if sent.start is None else Period(sent.start, sent.end)
