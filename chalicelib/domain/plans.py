"""Plans and prices, loaded from the project's data file."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from chalicelib import typed

_FILE = Path(__file__).resolve().parent.parent / "data" / "plans.json"


class Plan(msgspec.Struct, frozen=True, rename="camel"):
    """The prices and limits of a plan."""

    id: Annotated[str, msgspec.Meta(description="The plan's id.")]
    name: Annotated[str, msgspec.Meta(description="Its name.")]
    price_monthly: Annotated[float, msgspec.Meta(description="Price of a month, in the catalogue's currency.")]
    price_yearly: Annotated[float, msgspec.Meta(description="Price of a year, paid in advance.")]
    websites: Annotated[int | None, msgspec.Meta(description="Most websites; null: without limit.")]
    pages_per_audit: Annotated[int, msgspec.Meta(description="Most pages per audit.")]
    people: Annotated[int | None, msgspec.Meta(description="Most people; null: without limit.")]
    api_requests_per_hour: Annotated[int, msgspec.Meta(description="Requests of an API key in an hour.")]
    speed_tests_per_day: Annotated[int, msgspec.Meta(description="Speed tests of a website in a day.")]
    features: Annotated[tuple[str, ...], msgspec.Meta(description="What it offers, in words.")]


class Catalogue(msgspec.Struct, frozen=True, rename="camel"):
    """All plans, cheapest first."""

    trial_days: Annotated[
        int,
        msgspec.Meta(
            description="The length of the trial in the price list, in days. The service itself charges nothing and "
            "ends no trial."
        ),
    ]
    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code of the prices.")]
    updated_at: Annotated[str, msgspec.Meta(description="When the prices last changed (ISO 8601).")]
    plans: Annotated[tuple[Plan, ...], msgspec.Meta(description="The plans.")]


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """Return the published plans. The file is read once."""
    return typed.from_json(_FILE.read_bytes(), Catalogue)


def find(plan_id: str) -> Plan | None:
    """Return the plan with this id, or None."""
    return next((plan for plan in catalogue().plans if plan.id == plan_id), None)


def plan(plan_id: str) -> Plan:
    """Return the plan with a stored id. Raises ``KeyError`` if the data file no longer has it."""
    found = find(plan_id)
    if found is None:
        raise KeyError(plan_id)
    return found


def plan_ids() -> tuple[str, ...]:
    """Return the ids of all plans, cheapest first."""
    return tuple(plan.id for plan in catalogue().plans)
