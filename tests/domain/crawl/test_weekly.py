"""The weekly run: Sundays, 02:00 UTC."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.crawl.weekly import next_weekly_run, weekly_run_of_day

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
def test_the_next_run_is_the_first_sunday_two_oclock_after_now(now: str, run: str) -> None:
    assert next_weekly_run(seconds(now)) == seconds(run)


@given(st.floats(min_value=0, max_value=4e9))
def test_every_run_is_a_sunday_two_oclock_within_a_week(now: float) -> None:
    run = datetime.fromtimestamp(next_weekly_run(now), UTC)
    assert (run.weekday(), run.hour, run.minute, run.second) == (6, 2, 0, 0)
    assert 0 < run.timestamp() - now <= timedelta(days=7).total_seconds()


@pytest.mark.parametrize("at", ["2026-11-22T00:00:00", "2026-11-22T02:00:00", "2026-11-22T23:59:59"])
def test_a_run_of_a_day_is_named_after_its_two_oclock_whenever_it_fires(at: str) -> None:
    assert weekly_run_of_day(seconds(at)) == seconds("2026-11-22T02:00:00")
