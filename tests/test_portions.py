"""Portions of the suite."""

import pytest

from tests.plugins import portions
from tests.plugins.portions import Portion, read


def test_the_portions_together_hold_each_test_once() -> None:
    names = [f"tests/test_a.py::test_b[{number}]" for number in range(400)]
    quarters = [Portion(number, 4) for number in range(1, 5)]
    assert all(sum(quarter.holds(name) for quarter in quarters) == 1 for name in names)
    assert all(70 < sum(map(quarter.holds, names)) < 130 for quarter in quarters)
    assert all(read("1/1").holds(name) for name in names)


@pytest.mark.parametrize("written", ["0/4", "5/4", "2", "2/4/1", "a/b", "-1/4", ""])
def test_an_invalid_portion_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(ValueError, match="such as 2/4"):
        read(written)


def test_a_run_takes_only_the_tests_of_its_portion(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    every = list(request.session.items)
    taken = []
    for part in ("1/2", "2/2", ""):
        monkeypatch.setenv("PART", part)
        items = list(every)
        portions.pytest_collection_modifyitems(request.config, items)
        taken.append([item.nodeid for item in items])
    assert taken[2] == [item.nodeid for item in every]
    assert sorted(taken[0] + taken[1]) == sorted(taken[2]) and all(taken[:2])
    monkeypatch.setenv("PART", "3/2")
    with pytest.raises(pytest.UsageError, match="such as 2/4"):
        portions.pytest_configure()
