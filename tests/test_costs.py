"""The costs in the summary of a run."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.plugins import costs
from tests.plugins.costs import CPU_BUDGET, Cost

BURN = "import time\nwhile time.process_time() < 0.1: pass\nprint(time.process_time())"


def test_the_processor_time_of_ended_processes_is_counted() -> None:
    before = costs.so_far()
    used = float(subprocess.run([sys.executable, "-c", BURN], capture_output=True, text=True, check=True).stdout)
    after = costs.so_far()
    assert after.cpu - before.cpu >= used
    assert after.wall > before.wall


def test_the_slowest_tests_are_listed_first_with_their_processor_time() -> None:
    tests = {"tests/a.py::test_waits": Cost(9.0, 0.5), "tests/a.py::test_works": Cost(4.0, 4.0)}
    tests |= {"tests/b.py::test_long[x]": Cost(12.0, 11.0), "tests/b.py::test_short": Cost(0.9, 0.9)}
    assert list(costs.lines(300.4, tests, whole=False)) == [
        "processor seconds: 300",
        "tests that took longest: seconds, processor seconds",
        "    12.0     11.0  tests/b.py::test_long[x]",
        "     9.0      0.5  tests/a.py::test_waits",
        "     4.0      4.0  tests/a.py::test_works",
        "files that took longest: seconds, processor seconds",
        "    13.0      4.5  tests/a.py",
        "    12.9     11.9  tests/b.py",
    ]


def test_only_a_limited_number_of_slow_tests_is_listed() -> None:
    many = {f"tests/{number}.py::test": Cost(2.0 + number, 1.0) for number in range(30)}
    told = list(costs.lines(1, many, whole=False))
    assert len(told) == 1 + 1 + costs.SLOWEST + 1 + costs.LONGEST_FILES
    assert list(costs.lines(1, {"tests/a.py::test": Cost(0.5, 0.5)}, whole=False)) == ["processor seconds: 1"]


@pytest.mark.parametrize(
    ("cpu", "expected"),
    [
        (CPU_BUDGET, [f"processor seconds: {CPU_BUDGET} of {CPU_BUDGET}"]),
        (
            CPU_BUDGET + 21.0,
            [
                f"processor seconds: {CPU_BUDGET + 21} of {CPU_BUDGET}",
                "OVER THE BUDGET by 21 processor seconds",
            ],
        ),
    ],
)
def test_a_full_run_is_compared_with_the_processor_time_budget(cpu: float, expected: list[str]) -> None:
    assert list(costs.lines(cpu, {}, whole=True)) == expected


def test_repeated_runs_of_a_test_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_tests", {"tests/a.py::test": Cost(3.0, 2.0)})
    test: Any = SimpleNamespace(nodeid="tests/a.py::test")
    for _ in costs.pytest_runtest_protocol(test):
        assert costs._tests == {"tests/a.py::test": Cost(3.0, 2.0)}
    (counted,) = costs._tests.values()
    assert counted.wall > 3.0 and counted.cpu >= 2.0


def test_processes_of_a_parallel_run_report_their_times(monkeypatch: pytest.MonkeyPatch) -> None:
    part: Any = SimpleNamespace(config=SimpleNamespace(workeroutput={}))
    monkeypatch.setattr(costs, "_tests", {"tests/a.py::test": Cost(3.0, 2.0)})
    costs.pytest_sessionfinish(part)
    monkeypatch.setattr(costs, "_tests", {})
    monkeypatch.setattr(costs, "_elsewhere", [])
    costs.pytest_testnodedown(part.config)
    costs.pytest_testnodedown(SimpleNamespace())  # one that died
    assert costs._tests == {"tests/a.py::test": Cost(3.0, 2.0)}
    took, nothing = costs._elsewhere
    assert took > 0 and nothing == 0.0
