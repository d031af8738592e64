"""Chooses the tests that a recheck waits for, if its rule judges by speed tests."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.records import SpeedResult

TESTED: Final = frozenset({"speed", "agentic"})  # inputs that come from speed tests
MOST_TESTS: Final = 40  # of one recheck; with two tests at a time, this takes more than ten minutes


def needs_tests(needs: Collection[str]) -> bool:
    """Whether a rule with these needs judges by speed tests."""
    return not TESTED.isdisjoint(needs)


def runs_needed(needs: Collection[str]) -> int:
    """How many tests of each page the rule needs: a lab value is a median."""
    return LEAST_RUNS if "speed" in needs else 1


def to_test(listed: Iterable[AffectedPage]) -> list[str]:
    """The pages to test again. Pages found slow by field data are left out, since a test does not change that data."""
    return [page.url for page in listed if page.evidence.get("source") != "field_page"]


def retests_of(urls: Sequence[str], runs: int, left: int) -> list[Test]:
    """The tests of the pages, in order, as far as the day's budget has tests ``left``. Each page is tested once before
    any is tested again, since a provider may repeat its answer to two requests at once."""
    pages = urls[: min(left, MOST_TESTS) // runs]
    return [(url, "mobile") for _ in range(runs) for url in pages]


def was_tested_since(result: SpeedResult | None, runs: int, since: float) -> bool:
    """Whether the page was tested at least ``runs`` times since then."""
    return result is not None and sum(run.at >= since for run in result.runs) >= runs
