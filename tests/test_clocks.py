"""No file of tests finds the service's clock moved by the file before, and no test the day of the week."""

from pathlib import Path

import pytest

from bench.week import place_week
from chalicelib import clock

pytest_plugins = ["pytester"]

MOVES = """
from chalicelib import clock

def test_moves():
    clock.set_offset(7_200.0)

def test_still_moved():
    assert clock.offset() == 7_200.0, "within a file it is the file's matter"
"""
FINDS = """
from chalicelib import clock

def test_finds():
    assert clock.offset() == 0.0
"""
# What is due each week, by the names under which other modules have it.
DUE = """
import pytest

from chalicelib import clock
from chalicelib.domain.speed.times import next_tests
from chalicelib.domain.crawl.weekly import weekly_run_of_day
from chalicelib.operations.prompts import next_sampling
from chalicelib.operations.websites import next_weekly_run

DAY = 86_400

def first():
    now = clock.now()
    return min(next_sampling(now), next_weekly_run(now), *(next_tests(f"site_{n}", now) for n in range(100))) - now

@pytest.fixture(scope="module")
def of_the_file():
    return first()

def test_the_first_test_is_days_away_from_all_of_it(of_the_file):
    assert of_the_file > 3 * DAY and first() > 3 * DAY
    clock.set_offset(3 * DAY)

def test_the_next_test_has_its_own_clock_after_a_file_moved_it():
    assert first() > 3 * DAY
    run = next_weekly_run(clock.now())
    assert weekly_run_of_day(run) == run and next_weekly_run(run) == run + 7 * DAY

def test_a_test_that_asks_has_its_own_week(own_week):
    clock.set_offset(0.0)
    now = clock.utc(clock.now())
    assert f"{now:%a %H:%M}" == "WANTED"
    run = clock.utc(next_weekly_run(clock.now()))
    assert f"{run:%a %H:%M:%S}" == "Sun 02:00:00" and (run - now).total_seconds() < 7 * DAY
    assert f"{clock.utc(next_sampling(clock.now())):%a %H:%M:%S}" == "Mon 03:00:00"
"""
PROBED = ("-p", "tests.plugins.clocks", "-p", "no:xdist")


@pytest.fixture(autouse=True)
def project_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parent.parent
    monkeypatch.syspath_prepend(root)
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.delenv("TEST_CLOCK", raising=False)


def test_a_test_file_that_moves_the_clock_does_not_affect_the_next_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_1_moves=MOVES, test_2_finds=FINDS)
    before = clock.offset()
    found = pytester.runpytest_inprocess(*PROBED)
    found.assert_outcomes(passed=3)
    assert clock.offset() == 0.0 == before
    without = pytester.runpytest_inprocess("-p", "no:xdist")
    clock.set_offset(0.0)
    without.assert_outcomes(passed=2, failed=1)


@pytest.mark.parametrize(
    ("begins", "day"),
    [
        ("2026-11-28T23:30", "Sat 23:30"),
        ("2026-11-29T01:59", "Sun 01:59"),
        ("2026-11-30T02:30", "Mon 02:30"),
    ],
)
def test_every_test_starts_days_before_weekly_work_is_due(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, begins: str, day: str
) -> None:
    monkeypatch.setenv("TEST_CLOCK", begins)
    pytester.makepyfile(DUE.replace("WANTED", day))
    pytester.runpytest_subprocess(*PROBED).assert_outcomes(passed=3)


def test_tests_without_the_plugin_see_the_real_day_of_the_week(pytester: pytest.Pytester) -> None:
    place_week(None)
    pytester.makepyfile(DUE)
    at = clock.now()
    clock.set_offset(1_795_910_340.0 - at)  # 2026-11-28, 23:59 UTC
    pytester.runpytest_inprocess("-p", "no:xdist", "-k", "first_test").assert_outcomes(failed=1, deselected=2)
