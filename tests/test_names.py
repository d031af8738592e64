"""That no test is lost for its name."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.plugins import names


def test_tests_that_share_a_name_end_the_run() -> None:
    tests: list[Any] = [SimpleNamespace(nodeid=name) for name in ("a.py::test[x]", "a.py::test[y]", "b.py::test")]
    names.pytest_collection_modifyitems(tests)
    with pytest.raises(pytest.UsageError, match=r"would run: b\.py::test$"):
        names.pytest_collection_modifyitems([*tests, SimpleNamespace(nodeid="b.py::test")])
