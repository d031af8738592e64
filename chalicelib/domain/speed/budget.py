"""The daily budget of a website's speed tests, and the re-runs that wait to be made.

Days are UTC days. A test counts when it is requested, whatever its result.
"""

from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.window import COUNTED_DAYS, DAY_SECONDS, MeasuredDays, day_of

MOST_WAITING: Final = 3  # re-runs that were requested and have not ended

Reason = Literal["already_queued", "too_many_runs", "budget_used"]


class WaitingRun(msgspec.Struct, frozen=True):
    """A re-run that was requested and has not ended. ``at``: when it was requested (epoch seconds)."""

    job_id: str
    url: str
    strategy: Strategy
    at: float


class Budget(NamedTuple):
    """How many speed tests a website may still make today.

    ``next_free_at``: when more tests become available (epoch seconds); None if some are left.
    """

    per_day: int
    used_today: int
    left: int
    next_free_at: float | None


class SpeedState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a website's test budget.

    - ``day``: the UTC day (as a number since 1970) for which ``used`` counts tests.
    - ``waiting``: the re-runs that wait, oldest first.
    - ``tested_at``: when the last test result arrived (epoch seconds).
    - ``days``: the last days on which a test result arrived.
    - ``version``: the version of the row that holds this state; 0 if there is no row yet.
    """

    day: int = 0
    used: int = 0
    waiting: tuple[WaitingRun, ...] = ()
    tested_at: float | None = None
    days: tuple[int, ...] = ()
    version: int = 0

    def used_on(self, now: float) -> int:
        """Return how many tests were requested on the day of ``now``."""
        return self.used if self.day == day_of(now) else 0

    def budget(self, per_day: int, now: float) -> Budget:
        used = self.used_on(now)
        left = max(0, per_day - used)
        return Budget(per_day, used, left, None if left else (day_of(now) + 1) * DAY_SECONDS)

    def reason_against(self, url: str, strategy: Strategy, per_day: int, now: float) -> Reason | None:
        """Return why a re-run of this address cannot be queued; None if it can."""
        if any((run.url, run.strategy) == (url, strategy) for run in self.waiting):
            return "already_queued"
        if len(self.waiting) >= MOST_WAITING:
            return "too_many_runs"
        return None if self.budget(per_day, now).left else "budget_used"

    def taken(self, tests: int, now: float) -> "SpeedState":
        """Return the state after this number of further tests was requested."""
        return msgspec.structs.replace(self, day=day_of(now), used=self.used_on(now) + tests)

    def given_back(self, tests: int, taken_at: float) -> "SpeedState":
        """Return the state after this number of requested tests was not made. They no longer count as used.

        Nothing changes if the day of the request is over.
        """
        if self.day != day_of(taken_at):
            return self
        return msgspec.structs.replace(self, used=max(0, self.used - tests))

    def with_run(self, run: WaitingRun) -> "SpeedState":
        """Return the state with one more waiting re-run. The re-run uses one test of the budget."""
        return msgspec.structs.replace(self.taken(1, run.at), waiting=(*self.waiting, run))

    def without_run(self, job_id: str) -> "SpeedState":
        """Return the state after a re-run ended. The test of the re-run still counts as used."""
        return msgspec.structs.replace(self, waiting=tuple(run for run in self.waiting if run.job_id != job_id))

    def tested(self, at: float) -> "SpeedState":
        """Return the state after a test result arrived."""
        return msgspec.structs.replace(self, tested_at=at, days=tuple(self.measured.measured(at).days))

    @property
    def measured(self) -> MeasuredDays:
        """The days on which pages were measured.

        Rows of earlier releases do not have this list. For these rows, every day up to the day of the last result
        counts as measured.
        """
        if self.days or self.tested_at is None:
            return MeasuredDays(self.days)
        last = day_of(self.tested_at)
        return MeasuredDays(tuple(range(last - COUNTED_DAYS + 1, last + 1)))
