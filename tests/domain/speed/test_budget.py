"""How many tests a website may make on a day, and which re-runs wait."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.speed.budget import DAY_SECONDS, Budget, SpeedState, WaitingRun

NOON = 20_000 * DAY_SECONDS + DAY_SECONDS / 2
MIDNIGHT = 20_001 * DAY_SECONDS


def run(number: int, at: float = NOON) -> WaitingRun:
    return WaitingRun(f"job_{number}", f"https://shop.example/{number}", "mobile", at)


def test_the_daily_budget_resets_at_midnight_utc() -> None:
    state = SpeedState().taken(10, NOON)
    assert state.budget(10, NOON) == Budget(10, 10, 0, MIDNIGHT)
    assert state.budget(10, MIDNIGHT - 1).left == 0
    assert state.budget(10, MIDNIGHT) == Budget(10, 0, 10, None)
    assert state.taken(1, MIDNIGHT).budget(10, MIDNIGHT).used_today == 1


def test_the_remaining_budget_is_not_negative_after_a_change_to_a_smaller_plan() -> None:
    assert SpeedState().taken(20, NOON).budget(10, NOON) == Budget(10, 20, 0, MIDNIGHT)


def test_a_second_test_of_the_same_address_and_device_is_refused() -> None:
    state = SpeedState().with_run(run(1))
    assert state.reason_against(run(1).url, "mobile", 10, NOON) == "already_queued"
    assert state.reason_against(run(1).url, "desktop", 10, NOON) is None
    assert state.without_run("job_1").reason_against(run(1).url, "mobile", 10, NOON) is None


def test_at_most_three_tests_can_wait() -> None:
    state = SpeedState().with_run(run(1)).with_run(run(2)).with_run(run(3))
    assert state.reason_against(run(4).url, "mobile", 10, NOON) == "too_many_runs"
    assert state.reason_against(run(1).url, "mobile", 10, NOON) == "already_queued"
    ended = state.without_run("job_2")
    assert ended.reason_against(run(4).url, "mobile", 10, NOON) is None
    assert ended.reason_against(run(4).url, "mobile", 3, NOON) == "budget_used"
    assert ended.used_on(NOON) == 3


def test_unused_tests_return_to_the_budget_only_on_the_day_they_were_taken() -> None:
    state = SpeedState().taken(8, NOON)
    assert state.given_back(3, NOON).used_on(NOON) == 5
    next_day = state.taken(2, MIDNIGHT)
    assert next_day.given_back(3, NOON).used_on(MIDNIGHT) == 2


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3 * 86_400)), max_size=30), st.integers(1, 60))
def test_the_used_budget_counts_only_tests_of_the_same_day(taken: list[tuple[int, int]], per_day: int) -> None:
    state, now = SpeedState(), NOON
    by_day: dict[int, int] = {}
    for tests, later in taken:
        now += later
        state = state.taken(tests, now)
        by_day[int(now // DAY_SECONDS)] = by_day.get(int(now // DAY_SECONDS), 0) + tests
    used = by_day.get(int(now // DAY_SECONDS), 0)
    budget = state.budget(per_day, now)
    assert (budget.used_today, budget.left) == (used, max(0, per_day - used))
    assert (budget.next_free_at is None) == (budget.left > 0)
