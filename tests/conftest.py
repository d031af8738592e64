"""Fixtures that all tests share."""

from collections.abc import Iterator
from typing import Any

import pytest

import tests.lengths  # noqa: F401 - names the profiles before one is chosen

QUICK_MS = 100

# `make test-web` runs these by themselves, in an environment that has a browser's driver and nothing of the service.
collect_ignore = ["browser"]

pytest_plugins = [
    "tests.plugins.clocks",
    "tests.plugins.collecting",
    "tests.plugins.leaks",
    "tests.plugins.names",
    "tests.plugins.paths",
    "tests.plugins.portions",
    "tests.plugins.private_keys",
    "tests.plugins.network",
    "tests.plugins.rights",
    "tests.plugins.stack",
    "tests.plugins.strict_aws",
    "tests.plugins.aws_weather",
    "tests.plugins.costs",
    "tests.plugins.commands",
    "tests.plugins.endpoints",
    "tests.plugins.requests",
]


@pytest.fixture(scope="session")
def embedded_aws() -> Iterator[None]:
    """Tables and queues of the deployment template, in this process, once for the session."""
    from local import embedded

    with embedded.running():
        yield


@pytest.fixture
def slow_answers() -> None:
    """For tests in which it counts how long a website took to answer. In all others every answer of the web counts as
    quick: on a busy machine the tests' own websites are slow at times, and nothing may come of that."""


@pytest.fixture
def store(embedded_aws: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Empty tables and queues, and a clock that runs as the machine's."""
    from chalicelib import clock
    from chalicelib.connectors import ses
    from local import embedded

    if "slow_answers" not in request.fixturenames:
        _answers_are_quick(monkeypatch)
    embedded.clear()
    clock.set_offset(0.0)
    ses._asked_at.clear()
    yield
    clock.set_offset(0.0)


def _answers_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.net.fetch import Answer, Fetcher

    get = Fetcher.get

    async def quick(self: Fetcher, url: str, **options: Any) -> Answer:
        answer = await get(self, url, **options)
        if answer.ttfb_ms is not None:
            answer.ttfb_ms = min(answer.ttfb_ms, QUICK_MS)
        return answer

    monkeypatch.setattr(Fetcher, "get", quick)
