"""Which tests a recheck waits for, when its rule judges by what speed tests found."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.records import SpeedResult

TESTED: Final = frozenset({"speed", "agentic"})  # inputs that come from speed tests
MOST_TESTS: Final = 40  # of one recheck: more than two at once make in ten minutes


def needs_tests(needs: Collection[str]) -> bool:
    """Whether a rule with these needs judges by speed tests."""
    return not TESTED.isdisjoint(needs)


def runs_needed(needs: Collection[str]) -> int:
    """How many tests of a page the rule judges by: a value of the lab is a median."""
    return LEAST_RUNS if "speed" in needs else 1


def to_test(listed: Iterable[AffectedPage]) -> list[str]:
    """The pages that have to be tested again: not those that were found slow by their own visitors, whose data comes
    from elsewhere."""
    return [page.url for page in listed if page.evidence.get("source") != "field_page"]


def retests_of(urls: Sequence[str], runs: int, left: int) -> list[Test]:
    """The tests of as many of the pages, in order, as the day's budget has tests ``left`` for: each page once, and then
    each again, since a provider may answer the same when it is asked twice at once."""
    pages = urls[: min(left, MOST_TESTS) // runs]
    return [(url, "mobile") for _ in range(runs) for url in pages]


def was_tested_since(result: SpeedResult | None, runs: int, since: float) -> bool:
    """Whether the page was tested so often since then."""
    return result is not None and sum(run.at >= since for run in result.runs) >= runs
