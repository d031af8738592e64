"""Checks that test names are unique: if processes share the suite, only the first of several tests with one name runs,
without a warning."""

from collections import Counter
from typing import Any

import pytest
from schemathesis.pytest.plugin import SchemathesisFunction


def pytest_itemcollected(item: pytest.Item) -> None:
    """Adds schemathesis's operation to a test's name: pytest uses only the function and the parameters."""
    if isinstance(item, SchemathesisFunction):
        module: Any = item.parent
        item._id = module.id.child(item.name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ends a run in which tests share a name."""
    shared = [name for name, tests in Counter(item.nodeid for item in items).items() if tests > 1]
    if shared:
        raise pytest.UsageError(f"tests share a name, and not all of them would run: {', '.join(shared)}")
