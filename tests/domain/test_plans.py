"""The plan data file."""

import re

import pytest

from chalicelib.domain import plans


def test_the_plans_have_the_specified_pages_and_limits() -> None:
    found = {
        plan.name: (plan.pages_per_audit, plan.websites, plan.speed_tests_per_day) for plan in plans.catalogue().plans
    }
    assert found == {
        "Free": (200, 1, 10),
        "Starter": (500, 3, 25),
        "Agency": (1000, 25, 50),
        "Enterprise": (10000, None, 200),
    }


def test_every_plan_has_an_hourly_limit_and_prices_rise_with_the_plan() -> None:
    catalogue = plans.catalogue()
    assert (catalogue.trial_days, catalogue.currency) == (14, "EUR")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", catalogue.updated_at)
    assert {plan.api_requests_per_hour for plan in catalogue.plans} == {1200}
    prices = [plan.price_monthly for plan in catalogue.plans]
    assert prices == sorted(prices) and prices[0] == 0
    assert all(plan.price_yearly <= 12 * plan.price_monthly for plan in catalogue.plans)
    assert all(plan.features for plan in catalogue.plans)


def test_a_plan_is_found_by_its_id() -> None:
    assert plans.plan_ids() == ("free", "starter", "agency", "enterprise")
    assert plans.plan("agency").name == "Agency"
    assert plans.find("gold") is None
    with pytest.raises(KeyError):
        plans.plan("gold")
