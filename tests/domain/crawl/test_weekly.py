"""The weekly run: Sundays, 02:00 UTC."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.crawl.weekly import DEFAULT_HOUR, HOURS, hour_of, in_words, next_weekly_run, weekly_run_of_day

pytestmark = pytest.mark.usefixtures("own_week")


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("now", "run"),
    [
        ("2026-11-21T12:00:00", "2026-11-22T02:00:00"),
        ("2026-11-22T01:59:59", "2026-11-22T02:00:00"),
        ("2026-11-22T02:00:00", "2026-11-29T02:00:00"),
        ("2026-11-22T02:00:01", "2026-11-29T02:00:00"),
        ("2026-12-28T00:00:00", "2027-01-03T02:00:00"),
    ],
)
def test_the_next_run_is_the_next_sunday_at_two_o_clock(now: str, run: str) -> None:
    assert next_weekly_run(seconds(now)) == seconds(run)


@given(st.floats(min_value=0, max_value=4e9))
def test_the_next_run_is_within_seven_days_and_on_a_sunday_at_two_o_clock(now: float) -> None:
    run = datetime.fromtimestamp(next_weekly_run(now), UTC)
    assert (run.weekday(), run.hour, run.minute, run.second) == (6, 2, 0, 0)
    assert 0 < run.timestamp() - now <= timedelta(days=7).total_seconds()


@pytest.mark.parametrize("at", ["2026-11-22T00:00:00", "2026-11-22T02:00:00", "2026-11-22T23:59:59"])
def test_every_time_of_a_day_maps_to_the_weekly_run_at_two_o_clock_of_that_day(at: str) -> None:
    assert weekly_run_of_day(seconds(at)) == seconds("2026-11-22T02:00:00")


@given(st.floats(min_value=0, max_value=4e9), st.integers(0, HOURS - 1))
def test_a_website_with_its_own_hour_runs_once_a_week_at_that_hour(now: float, hour: int) -> None:
    run = datetime.fromtimestamp(next_weekly_run(now, hour), UTC)
    assert (run.weekday() * 24 + run.hour, run.minute, run.second) == (hour, 0, 0)
    assert 0 < run.timestamp() - now <= timedelta(days=7).total_seconds()
    assert weekly_run_of_day(run.timestamp() + 59, hour) == run.timestamp()
    assert in_words(hour) == f"{run:%A}s, {run:%H}:00 UTC"


def test_without_its_own_hour_a_website_runs_at_the_default_time() -> None:
    now = seconds("2026-11-21T12:00:00")
    assert next_weekly_run(now) == next_weekly_run(now, DEFAULT_HOUR)
    assert in_words(None) == "Sundays, 02:00 UTC"


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("mon-00", 0),
        ("Sun-02", DEFAULT_HOUR),
        (" tue-5 ", 29),
        ("mon-24", None),
        ("mon", None),
        ("x-1", None),
        ("mon--1", None),
        ("mon-٤", None),
        ("mon-001", None),
        ("", None),
    ],
)
def test_an_hour_of_the_week_is_shown_as_day_and_time(text: str, hour: int | None) -> None:
    assert hour_of(text) == hour
