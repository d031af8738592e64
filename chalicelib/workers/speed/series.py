"""Makes a series of tests for one job, two at a time. Each result is committed separately.

One transaction chooses the series and charges all of it to the day's budget. At the end, tests that were not made are
given back to the budget.
"""

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from chalicelib import clock, typed
from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import NoAccess, NotConnected, Quota, Unavailable
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.budget import SpeedState
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import speed
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.speed.testing import Ending, Tested, make, store

AT_ONCE: Final = 2
LAST_START_SECONDS: Final = 50.0  # no test starts later in a slice: two Lighthouse tests take up to 240 s more
MOST_FAILURES: Final = 3  # unanswered tests in a row: then the provider counts as down
STALLED: Final = "The service was interrupted during a test several times."
MOST_REFUSALS: Final = 12  # tests without quota: two at a time, this takes about an hour
QUOTA_SECONDS: Final = 600.0  # until a provider without quota is asked again
_STOPPING: Final = (NoAccess, NotConnected)  # with these, the next test would fail too
_TRIES: Final = 10

_log = logging.getLogger(__name__)


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """A series of tests.

    - ``left``: the remaining tests.
    - ``taken_at``: when the tests were charged to the budget (epoch seconds).
    - ``failures``: how many tests in a row got no answer.
    - ``refusals``: how many tests were refused because the quota is used up.
    - ``problem``: why the last failed test failed.
    - ``waits``: whether the next test is made later.
    - ``over``: whether the series has ended early. The remaining tests are then not made.
    """

    left: tuple[tuple[str, Strategy], ...]
    taken_at: float
    failures: int = 0
    refusals: int = 0
    problem: str | None = None
    waits: bool = False
    over: bool = False

    def after(self, tested: Tested) -> "Series":
        """Return the series after a test. If the provider refused a test because the quota is used up, the test still
        has to be made."""
        error = tested.error
        quota = isinstance(error, Quota)
        failures = self.failures + 1 if isinstance(error, Unavailable) else 0
        refusals = self.refusals + quota
        return msgspec.structs.replace(
            self,
            left=self.left if quota else _without(self.left, tested.test),
            failures=failures,
            refusals=refusals,
            problem=self.problem if error is None else error.message,
            waits=self.waits or quota,
            over=self.over or isinstance(error, _STOPPING) or failures >= MOST_FAILURES or refusals >= MOST_REFUSALS,
        )


def _without(tests: Sequence[Test], made: Test) -> tuple[Test, ...]:
    """Return the tests without ``made``. Of equal tests, only one is removed."""
    at = tests.index(made)
    return (*tests[:at], *tests[at + 1 :])


def of(job: Job) -> Series | None:
    """Return the job's series. Returns None if no series was chosen for the job yet."""
    stored = job.payload.get("series")
    return None if stored is None else typed.convert(stored, Series)


def begin(lease: JobLease, state: SpeedState, tests: Sequence[Test], problem: str | None = None) -> None:
    """Charge the tests to the budget, and store them in the job. ``problem``: why there are fewer tests than wanted.

    Raises ``FenceLost``, and ``Conflict`` if somebody requested tests at the same moment.
    """
    now = clock.now()
    chosen = Series(left=tuple(tests), taken_at=now, problem=problem)
    write = speed.put_state(lease.job.site_id, state.taken(len(tests), now))
    lease.checkpoint([write], series=msgspec.to_builtins(chosen))


def work(lease: JobLease, website: Website, *, until: float | None = None) -> Series | None:
    """Make the job's tests, as far as this worker's time allows. Raises ``FenceLost``.

    Returns the series if no more tests will be made. Returns None if another worker continues with the series.
    ``until``: no test starts after this time (epoch seconds).
    """
    begun, first = clock.monotonic(), True
    while True:
        series = of(lease.job)
        assert series is not None
        if not series.left or series.over or (until is not None and clock.now() >= until):
            return series
        if series.waits:
            if until is not None and clock.now() + QUOTA_SECONDS >= until:
                return series
            _hand_over(lease, msgspec.structs.replace(series, waits=False), QUOTA_SECONDS)
            return None
        if not first and clock.monotonic() - begun > LAST_START_SECONDS:
            _hand_over(lease, series)
            return None
        first = False
        lease.wait()
        for tested in _pair(series.left[:AT_ONCE]):
            if tested.error is not None:
                said = {"siteId": website.id, "url": tested.test[0], "error": tested.error.message}
                _log.warning("a page was not tested", extra=said)
            store(lease, website, tested, lambda _, tested=tested: _further(lease, tested))  # type: ignore[misc]


def _hand_over(lease: JobLease, series: Series, delay: float = 0.0) -> None:
    lease.hand_over(delay, series=msgspec.to_builtins(series))


def _pair(tests: Sequence[Test]) -> list[Tested]:
    try:
        return make(speed_tests.connected(), tests)
    except NotConnected as error:
        return [Tested(test, None, error) for test in tests]


def _further(lease: JobLease, tested: Tested) -> Ending:
    series = of(lease.job)
    assert series is not None
    job = lease.job.advanced(lease.until(), series=msgspec.to_builtins(series.after(tested)))
    return Ending(job)


def skip(lease: JobLease) -> None:
    """Skip the tests in progress, because workers died repeatedly during these tests. Another worker makes the other
    tests. Raises ``FenceLost``."""
    series = of(lease.job) or Series(left=(), taken_at=clock.now())
    _hand_over(lease, msgspec.structs.replace(series, left=series.left[AT_ONCE:], problem=STALLED))


def end(lease: JobLease, series: Series, job: Job, writes: Sequence[Write] = (), events: Sequence[Event] = ()) -> None:
    """Commit the end of the series, and give tests that were not made back to the budget. ``job``: the job's next
    state.

    Raises ``FenceLost``, and ``Conflict`` if one of the other writes failed.
    """
    for attempt in range(_TRIES):
        given_back: list[Write] = []
        if series.left:
            state = speed.load_state(job.site_id)
            given_back = [speed.put_state(job.site_id, state.given_back(len(series.left), series.taken_at))]
        try:
            lease.commit(job, [*given_back, *writes], events)
            return
        except Conflict as conflict:
            if attempt == _TRIES - 1 or speed.STATE not in conflict.failed:
                raise
