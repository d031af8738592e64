"""The cost of a run of the suite: the processor seconds of all its processes, and the slowest tests and files.

A run of the whole suite says whether it stayed within its budget, but never fails for it, since machines differ in
speed.
"""

import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest

from tests.plugins.rights import is_whole

CPU_BUDGET: Final = 1_500  # seconds of the whole suite, which are about 13 minutes on two cores
SLOWEST: Final = 20
LONGEST_FILES: Final = 10
WORTH_TELLING: Final = 1.0  # seconds


class Cost(NamedTuple):
    """Seconds that something took, and its processor seconds, including processes that it started."""

    wall: float
    cpu: float


def so_far() -> Cost:
    """The clock, and the processor seconds of this process and of its ended child processes."""
    return Cost(time.monotonic(), _used(resource.RUSAGE_SELF) + _used(resource.RUSAGE_CHILDREN))


def _used(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def of_files(tests: dict[str, Cost]) -> dict[str, Cost]:
    """The total cost of each file's tests, with their shared fixtures."""
    files: dict[str, Cost] = defaultdict(lambda: Cost(0, 0))
    for name, cost in tests.items():
        file = name.partition("::")[0]
        files[file] = Cost(files[file].wall + cost.wall, files[file].cpu + cost.cpu)
    return dict(files)


def lines(cpu: float, tests: dict[str, Cost], whole: bool) -> Iterator[str]:
    """The summary lines of a run that took ``cpu`` seconds in total, including collection."""
    yield f"processor seconds: {cpu:.0f}" + (f" of {CPU_BUDGET}" if whole else "")
    if whole and cpu > CPU_BUDGET:
        yield f"OVER THE BUDGET by {cpu - CPU_BUDGET:.0f} processor seconds"
    for title, costs, most in (("tests", tests, SLOWEST), ("files", of_files(tests), LONGEST_FILES)):
        long = [(cost, name) for name, cost in costs.items() if cost.wall >= WORTH_TELLING]
        if long:
            yield f"{title} that took longest: seconds, processor seconds"
            yield from (f"{cost.wall:8.1f} {cost.cpu:8.1f}  {name}" for cost, name in sorted(long, reverse=True)[:most])


# -- counting ------------------------------------------------------------------------------------------

_tests: dict[str, Cost] = {}
_elsewhere: list[float] = []  # the processor seconds of each process that ran a part of the suite


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Counts a test with the fixtures that are made for it and those that end after it."""
    before = so_far()
    try:
        return (yield)
    finally:
        after, earlier = so_far(), _tests.get(item.nodeid, Cost(0, 0))  # the operations of an API share one name
        _tests[item.nodeid] = Cost(earlier.wall + after.wall - before.wall, earlier.cpu + after.cpu - before.cpu)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receives the counts of a process that ran a part of the suite."""
    cpu, tests = getattr(node, "workeroutput", {}).get("costs", (0.0, {}))
    _elsewhere.append(cpu)
    _tests.update((name, Cost(*cost)) for name, cost in tests.items())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends the counts of this process."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = (so_far().cpu, {name: tuple(cost) for name, cost in _tests.items()})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Prints the summary. Worker processes report their own cost, so they are not counted again as child processes."""
    if not _tests:
        return
    cpu = sum(_elsewhere) + _used(resource.RUSAGE_SELF) if _elsewhere else so_far().cpu
    terminalreporter.section("costs")
    for line in lines(cpu, _tests, is_whole(config)):
        terminalreporter.line(line)
