"""The limits of an audit: how many pages it may read, and how long it may take."""

from typing import NamedTuple

DEFAULT_PAGE_BUDGET = 500
TIME_LIMIT_MINUTES = 30
LONGEST_TIME_LIMIT_MINUTES = 120
API_STARTS_PER_DAY = 3
API_START_WINDOW_SECONDS = 24 * 3600


class AuditBudget(NamedTuple):
    """The page budget of a website's audits. ``default``: the budget of an audit that requests no other budget."""

    default: int
    plan_limit: int
    website_setting: int | None
    capped_by_plan: bool


def audit_budget(website_setting: int | None, plan_limit: int) -> AuditBudget:
    """Compute the website's page budget. It is at most the plan's number of pages per audit."""
    own = website_setting if website_setting is not None else min(DEFAULT_PAGE_BUDGET, plan_limit)
    return AuditBudget(min(own, plan_limit), plan_limit, website_setting, own > plan_limit)


def time_limit_minutes(page_budget: int, own_budget: int) -> int:
    """Return how many minutes an audit may take. If the audit's page budget is larger than the website's own, the audit
    gets proportionally more time, at most 120 minutes."""
    if page_budget <= own_budget:
        return TIME_LIMIT_MINUTES
    return min(LONGEST_TIME_LIMIT_MINUTES, -(-TIME_LIMIT_MINUTES * page_budget // own_budget))


def recent_starts(starts: list[float], now: float) -> list[float]:
    """Return the times of audit starts that still count towards the API's limit of starts, oldest first."""
    return sorted(start for start in starts if start > now - API_START_WINDOW_SECONDS)
