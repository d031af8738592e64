"""Fixtures that the tests against real parts share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.real.told import TOLD
from tests.real.wordpress import WordPress, started
from tests.workers.audit.conftest import audits_of_loopback as audits_of_loopback


@pytest.fixture(scope="session")
def wordpress() -> Iterator[WordPress]:
    """A WordPress with 12 more published items than it comes with, once for the session: whoever changes it changes it
    back."""
    with started() as site:
        site.seed(12)
        yield site


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends the texts of a process that ran a part of the tests."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["told"] = session.config.stash.get(TOLD, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receives these texts."""
    node.config.stash.setdefault(TOLD, []).extend(getattr(node, "workeroutput", {}).get("told", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Prints the texts."""
    for text in config.stash.get(TOLD, []):
        terminalreporter.write_line(f"\n{text}")
