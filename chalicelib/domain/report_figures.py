"""The figures at the top of a report for clients: the last four weeks beside the four before.

Moments are either texts that order as times do, as the API has them, or epoch seconds, as they are stored.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

DAYS: Final = 28  # of a period
SECONDS: Final = DAYS * 86_400.0

Moment = TypeVar("Moment", str, float)


@dataclass(frozen=True, slots=True)
class Past:
    """The score four weeks ago; None: there was none. ``comparable`` False: scores were computed in another way."""

    site: float | None
    comparable: bool


class Figure(NamedTuple):
    """A figure, and what it was four weeks before; None: not known."""

    label: str
    now: float | None
    before: float | None


def past_score(known: Iterable[tuple[Moment, float, str]], since: Moment, version: str | None) -> Past:
    """The score at ``since``. ``known``: when each was computed, the score, and its version. ``version``: of the
    current one."""
    last = max((one for one in known if one[0] <= since), key=lambda one: one[0], default=None)
    if last is None:
        return Past(None, comparable=True)
    same = version == last[2]
    return Past(last[1] if same else None, comparable=same)


def counted(
    moments: Collection[Moment], scored: Iterable[Moment], before: Moment, since: Moment
) -> tuple[int, int | None]:
    """How many of the moments are in the period that began at ``since``, and in the one that began at ``before``; None
    if no score of ``scored`` is older than ``since``: no audit covers that period."""
    is_known = any(at < since for at in scored)
    return sum(at >= since for at in moments), sum(before <= at < since for at in moments) if is_known else None
