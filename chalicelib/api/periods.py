"""What the parameters ``start`` and ``end`` must be, and which days they ask about."""

from datetime import date
from typing import Final, Protocol

from chalicelib.domain.search.periods import MOST_MONTHS, Period, ending, longer_than, recent
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import Check


class HasPeriod(Protocol):
    """Parameters of a call with a first and a last day; ``end`` may be given alone."""

    @property
    def start(self) -> date | None: ...
    @property
    def end(self) -> date | None: ...


def _in_order(sent: HasPeriod) -> bool:
    return sent.start is None or sent.end is None or sent.start <= sent.end


def _short_enough(sent: HasPeriod) -> bool:
    return sent.start is None or sent.end is None or not longer_than(Period(sent.start, sent.end), MOST_MONTHS)


PERIOD_CHECKS: Final = (
    Check("bad_period", lambda sent: sent.end or not sent.start, "`start` needs `end` beside it.", "end"),
    Check("bad_period", _in_order, "`end` must not lie before `start`.", "end"),
    Check("period_too_long", _short_enough, f"From `start` to `end` there may be {MOST_MONTHS} months at most."),
)


def refuse_future(sent: HasPeriod, today: date) -> None:
    """Raises ``bad_period`` where the last day has not begun."""
    if sent.end is not None and sent.end > today:
        raise ApiError("bad_period", "`end` lies in the future.", param="end")


def asked_for(sent: HasPeriod, days: int, today: date, final: date | None = None) -> Period:
    """The days that are asked about: from ``start`` to ``end``; so many up to ``end``, where it is alone; without
    either the last that may be known, as ``recent`` tells."""
    if sent.end is None:
        return recent(days, today, final)
    return ending(sent.end, days) if sent.start is None else Period(sent.start, sent.end)
