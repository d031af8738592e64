"""When speed is looked at by itself."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.speed.times import next_collection, next_tests

pytestmark = pytest.mark.usefixtures("own_week")

SITES = st.integers(0, 10_000).map(lambda number: f"site_{number}")
TIMES = st.floats(1.7e9, 2.0e9)


@given(SITES, TIMES)
def test_weekly_speed_tests_start_on_saturday_evening_before_the_audits(site: str, now: float) -> None:
    at = next_tests(site, now)
    moment = datetime.fromtimestamp(at, UTC)
    assert now < at <= now + 7 * 86_400
    minutes = (moment.isoweekday() % 7) * 1_440 + moment.hour * 60 + moment.minute  # since Sunday 00:00
    assert minutes >= 6 * 1_440 + 22 * 60 or minutes <= 61
    assert next_tests(site, at) == at + 7 * 86_400


@given(SITES, TIMES)
def test_each_website_fetches_field_data_daily_at_its_own_time(site: str, now: float) -> None:
    at = next_collection(site, now)
    assert now < at <= now + 86_400
    assert abs(next_collection(site, at + 1) - (at + 86_400)) < 1e-3


def test_websites_are_spread_over_the_evening() -> None:
    starts = {int(next_tests(f"site_{number}", 1.8e9) // 600) for number in range(400)}
    assert len(starts) == 18
