"""Page budgets and time limits of audits."""

from chalicelib.domain.crawl.budget import audit_budget, recent_starts, time_limit_minutes


def test_the_default_budget_is_500_pages_or_less_if_the_plan_allows_less() -> None:
    assert audit_budget(None, 200) == (200, 200, None, False)
    assert audit_budget(None, 10_000) == (500, 10_000, None, False)


def test_a_setting_above_the_plan_is_capped_and_marked_as_capped() -> None:
    assert audit_budget(5_000, 1_000) == (1_000, 1_000, 5_000, True)
    assert audit_budget(800, 1_000) == (800, 1_000, 800, False)


def test_a_larger_budget_gets_more_time_up_to_two_hours() -> None:
    assert time_limit_minutes(500, 500) == 30
    assert time_limit_minutes(100, 500) == 30
    assert time_limit_minutes(1_000, 500) == 60
    assert time_limit_minutes(10_000, 500) == 120


def test_audits_started_more_than_24_hours_ago_do_not_count_for_the_daily_limit() -> None:
    now = 1_000_000.0
    assert recent_starts([now - 86_401, now - 86_400, now - 10, now - 86_399], now) == [now - 86_399, now - 10]
