"""Fixtures that all tests share."""

from collections.abc import Iterator

import pytest

import tests.lengths  # noqa: F401 - names the profiles before one is chosen

pytest_plugins = ["tests.plugins.leaks", "tests.plugins.network"]


@pytest.fixture(scope="session")
def embedded_aws() -> Iterator[None]:
    """Tables and queues of the deployment template, in this process, once for the session."""
    from local import embedded

    with embedded.running():
        yield


@pytest.fixture
def store(embedded_aws: None) -> Iterator[None]:
    """Empty tables and queues, and a clock that runs as the machine's."""
    from chalicelib import clock
    from local import embedded

    embedded.clear()
    clock.set_offset(0.0)
    yield
    clock.set_offset(0.0)
