"""Chooses the speed tests to repeat before a recheck of an issue whose rule uses speed tests."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.records import SpeedResult

TESTED: Final = frozenset({"speed", "agentic"})  # inputs that come from speed tests
MOST_TESTS: Final = 40  # of one recheck; with two tests at a time, this takes more than ten minutes


def needs_tests(needs: Collection[str]) -> bool:
    """Whether a rule uses speed tests. ``needs``: the inputs that the rule needs."""
    return not TESTED.isdisjoint(needs)


def runs_needed(needs: Collection[str]) -> int:
    """Return how many tests of each page the rule needs. A rule that uses lab values needs several, because lab values
    are medians. Any other rule needs one."""
    return LEAST_RUNS if "speed" in needs else 1


def to_test(listed: Iterable[AffectedPage]) -> list[str]:
    """Return the pages to test again.

    A page is left out if visitors' measurements (field data) show that it is slow, since a test does not change these.
    """
    return [page.url for page in listed if page.evidence.get("source") != "field_page"]


def retests_of(urls: Sequence[str], runs: int, left: int) -> list[Test]:
    """Return the tests of the pages, in order. ``left``: how many tests the day's budget still allows.

    Every page is tested once before any page is tested again. If a provider gets two requests for a page in quick
    succession, it may send the same answer twice.
    """
    pages = urls[: min(left, MOST_TESTS) // runs]
    return [(url, "mobile") for _ in range(runs) for url in pages]


def was_tested_since(result: SpeedResult | None, runs: int, since: float) -> bool:
    """Whether the page was tested ``runs`` times or more after the time ``since``."""
    return result is not None and sum(run.at >= since for run in result.runs) >= runs
