"""Every test has a name of its own: where processes share the suite, of tests with one name only the first runs, and
nothing tells of the others."""

from collections import Counter
from typing import Any

import pytest
from schemathesis.pytest.plugin import SchemathesisFunction


def pytest_itemcollected(item: pytest.Item) -> None:
    """pytest names a test by its function and parameters. The operation that schemathesis tries is neither."""
    if isinstance(item, SchemathesisFunction):
        module: Any = item.parent
        item._id = module.id.child(item.name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ends a run in which tests share a name."""
    shared = [name for name, tests in Counter(item.nodeid for item in items).items() if tests > 1]
    if shared:
        raise pytest.UsageError(f"tests share a name, and not all of them would run: {', '.join(shared)}")
