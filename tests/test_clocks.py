"""No file of tests finds the service's clock moved by the file before."""

from pathlib import Path

import pytest

from chalicelib import clock

pytest_plugins = ["pytester"]

MOVES = """
from chalicelib import clock

def test_moves():
    clock.set_offset(7_200.0)

def test_still_moved():
    assert clock.offset() == 7_200.0, "within a file it is the file's matter"
"""
FINDS = """
from chalicelib import clock

def test_finds():
    assert clock.offset() == 0.0
"""


def test_a_file_that_moves_the_clock_leaves_the_machines_to_the_next(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).resolve().parent.parent)
    pytester.makepyfile(test_1_moves=MOVES, test_2_finds=FINDS)
    before = clock.offset()
    found = pytester.runpytest_inprocess("-p", "tests.plugins.clocks", "-p", "no:xdist")
    found.assert_outcomes(passed=3)
    assert clock.offset() == 0.0 == before
    without = pytester.runpytest_inprocess("-p", "no:xdist")
    clock.set_offset(0.0)
    without.assert_outcomes(passed=2, failed=1)
