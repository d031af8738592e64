"""Summarises all tested pages of a website, check by check."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from chalicelib.domain.agentic import Check, ToldState, counts
from chalicelib.domain.speed.records import SpeedResult

_ORDER: Final[tuple[ToldState, ...]] = (
    "fail",
    "pass",
    "info",
    "na",
)  # the first of these states that a page has is the state over all pages


class SummaryCheck(msgspec.Struct, frozen=True):
    """One check over all pages: how many pages passed and failed.

    ``example``: the check on the page that was tested last among those with this ``state``.
    """

    id: str
    title: str
    state: ToldState
    passed: int
    failed: int
    example: Check


class AgenticSummary(msgspec.Struct, frozen=True):
    """All tested pages on one kind of device. ``passed`` and ``applicable``: numbers of checks, added up over the
    pages."""

    pages: int
    passed: int
    applicable: int
    checks: tuple[SummaryCheck, ...]


def summary_of(results: Iterable[SpeedResult]) -> AgenticSummary | None:
    """Summarise the results of one kind of device. Results without checks are left out. Returns None if none are left.

    Checks are in the order of the newest report, followed by the checks that are only in older reports.
    """
    newest_first = [one for one in sorted(results, key=lambda one: (-one.tested_at, one.url)) if one.agentic.checks]
    if not newest_first:
        return None
    made: dict[str, list[Check]] = {}
    for result in newest_first:
        for check_id, check in result.agentic.checks.items():
            made.setdefault(check_id, []).append(check)
    totals = [counts(result.agentic.checks.values()) for result in newest_first]
    return AgenticSummary(
        pages=len(newest_first),
        passed=sum(total.passed for total in totals),
        applicable=sum(total.applicable for total in totals),
        checks=tuple(_check(check_id, checks) for check_id, checks in made.items()),
    )


def _check(check_id: str, checks: Sequence[Check]) -> SummaryCheck:
    """Summarise one check. ``checks``: its result on each page, newest first."""
    states = [check.told for check in checks]
    state = next(one for one in _ORDER if one in states)
    example = next(check for check in checks if check.told == state)
    return SummaryCheck(check_id, example.title, state, states.count("pass"), states.count("fail"), example)
