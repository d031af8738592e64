"""Checks that no log line or exception of the suite holds a key, webhook secret or signature.

Every log record of a test is formatted as a handler would (message, extra members, exception with its traceback) and
searched. So is every exception that a test ends with and every one that ``pytest.raises`` catches. A match fails the
test that it came from.
"""

import logging
import re
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

SECRETS = re.compile(
    r"wos_(?:ws|site)_[0-9A-Za-z]{38}"  # API keys
    r"|wos_wh_[0-9a-f]{64}"  # webhook secrets
    r"|sha256=[0-9a-f]{64}"  # signatures
    r"|Bearer\s+(?!…)[0-9A-Za-z_-]{20,}"  # Authorization
)


def found_in(text: str) -> list[str]:
    """The texts that look like secrets, each cut so that the report does not leak it again."""
    return [match[0][:14] + "…" for match in SECRETS.finditer(text)]


class Watch(logging.Handler):
    """Searches every record. Keeps the place of a match, never its text."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.finds: list[str] = []
        self._formatter = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        text = f"{self._formatter.format(record)}\n{vars(record)!r}"
        self.finds += [f"{what} in a log line of {record.name}:{record.lineno}" for what in found_in(text)]

    def look(self, error: BaseException) -> None:
        """Looks through an exception, its causes and its arguments."""
        text = "".join(traceback.format_exception_only(error)) + repr(error.args)
        self.finds += [f"{what} in {type(error).__name__}" for what in found_in(text)]


@pytest.fixture(autouse=True)
def no_secret_in_logs_or_exceptions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails the test when a log line or an exception of it holds a secret."""
    watch = Watch()
    root = logging.getLogger()
    root.addHandler(watch)
    raises_exit = _exit_of_raises()

    def looked_at(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        if error is not None:
            watch.look(error)
        return original(self, kind, error, trace)

    original = raises_exit.__exit__
    monkeypatch.setattr(raises_exit, "__exit__", looked_at)
    yield
    root.removeHandler(watch)
    report = request.node.stash.get(_ERROR, None)
    if report is not None:
        watch.look(report)
    assert watch.finds == [], "a secret came out"


def _exit_of_raises() -> Any:
    """The class behind ``pytest.raises``."""
    return type(pytest.raises(KeyError))


_ERROR: pytest.StashKey[BaseException] = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_exception_interact(node: Any, call: pytest.CallInfo[Any]) -> None:
    """Keeps the exception of a test for the fixture above."""
    if call.excinfo is not None and isinstance(node, pytest.Item):
        node.stash[_ERROR] = call.excinfo.value
