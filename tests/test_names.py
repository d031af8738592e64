"""Names of tests: unique, so that no test is lost, and short enough for one line of a report."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.plugins import names

ROOT = Path(__file__).resolve().parent
MOST_CHARACTERS = 80
_TESTS = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)


def test_duplicate_test_names_stop_the_run() -> None:
    tests: list[Any] = [SimpleNamespace(nodeid=name) for name in ("a.py::test[x]", "a.py::test[y]", "b.py::test")]
    names.pytest_collection_modifyitems(tests)
    with pytest.raises(pytest.UsageError, match=r"would run: b\.py::test$"):
        names.pytest_collection_modifyitems([*tests, SimpleNamespace(nodeid="b.py::test")])


def test_no_test_name_is_longer_than_the_limit() -> None:
    found = {name: path for path in ROOT.rglob("*.py") for name in _TESTS.findall(path.read_text("utf-8"))}
    assert len(found) > 4_000
    assert [f"{path.name}: {name}" for name, path in found.items() if len(name) > MOST_CHARACTERS] == []
