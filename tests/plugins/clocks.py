"""Resets the clock for each test file, and makes tests independent of the day of the week.

A service that runs inside a test moves the clock of the whole process. If it stayed two hours ahead, the next
file would run on the next day when it starts after ten in the evening.

Weekly work of a website is planned for Sundays and Mondays. A test that moves the clock by some hours would start that
work only when it runs on a Saturday. So each test begins at the same point of the week: the audit of a new website is
three and a half days away, its speed tests some hours less, and its sampling a day more. Tests of the week itself, and
tests that set a date, use ``own_week``.

No test begins in the last seconds of an hour: the first request of an hour makes one call to the store more than the
others, and tests count calls.

``TEST_CLOCK=2026-11-29T01:30`` has the machine's clock begin there, in UTC, to try tests at another hour.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest

from bench.week import UNTIL_AUDIT, place_week

_VARIABLE: Final = "TEST_CLOCK"
_HOUR: Final = 3600
_LAST_SECONDS: Final = 10


def pytest_configure(config: pytest.Config) -> None:
    """With ``TEST_CLOCK``, moves the machine's clock as read by the tests and the tested code. Processes that tests
    start use the machine's own."""
    begins = os.environ.get(_VARIABLE)
    if begins:
        machine = time.time
        ahead = datetime.fromisoformat(begins).replace(tzinfo=UTC).timestamp() - machine()
        time.time = lambda: machine() + ahead


@pytest.fixture(autouse=True, scope="module")
def the_clock_is_put_back() -> Iterator[None]:
    """Puts the clock back after the last test of a file, and after what the file made has ended."""
    from chalicelib import clock

    yield
    clock.set_offset(0.0)


@pytest.fixture
def own_week() -> None:
    """For tests in which audits are due on Sundays and samplings on Mondays, as they are for customers."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Waits for the next hour where this one is nearly over, and places the week, before the first fixture is made."""
    from chalicelib import clock

    left = _HOUR - time.time() % _HOUR
    if left < _LAST_SECONDS:
        time.sleep(left)
    audits = None if "own_week" in getattr(item, "fixturenames", ()) else int(clock.now()) + UNTIL_AUDIT
    place_week(audits)
