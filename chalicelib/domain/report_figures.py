"""The figures at the top of a report for clients: the last four weeks compared with the four weeks before.

Times are either texts that can be sorted (as in the API) or epoch seconds (as stored).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

DAYS: Final = 28  # of a period
SECONDS: Final = DAYS * 86_400.0

Moment = TypeVar("Moment", str, float)


@dataclass(frozen=True, slots=True)
class Past:
    """The score four weeks ago; None if there was none. ``comparable``: False if the score was computed in another way
    then."""

    site: float | None
    comparable: bool


class Figure(NamedTuple):
    """A figure now and four weeks before; None if unknown."""

    label: str
    now: float | None
    before: float | None


def past_score(known: Iterable[tuple[Moment, float, str]], since: Moment, version: str | None) -> Past:
    """Return the last score that was computed up to ``since``.

    - ``known``: (time, score, version) of each computed score.
    - ``version``: the version of the current score.
    """
    last = max((one for one in known if one[0] <= since), key=lambda one: one[0], default=None)
    if last is None:
        return Past(None, comparable=True)
    same = version == last[2]
    return Past(last[1] if same else None, comparable=same)


def counted(
    moments: Collection[Moment], scored: Iterable[Moment], before: Moment, since: Moment
) -> tuple[int, int | None]:
    """Count the times in two periods: the period that began at ``since``, and the period from ``before`` to ``since``.

    The second count is None if no score is older than ``since``, because then no audit covers the earlier period.
    ``scored``: the times at which scores were computed.
    """
    is_known = any(at < since for at in scored)
    return sum(at >= since for at in moments), sum(before <= at < since for at in moments) if is_known else None
