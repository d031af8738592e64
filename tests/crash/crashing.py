"""Killing a worker at any of its writes: before it reaches AWS, or right after.

In bad weather (``tests/plugins/aws_weather.py``) nothing is killed before a write: it and all writes after it are
throttled, until the worker has given up. What it does about that must not be worse than dying.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from chalicelib import clock
from tests.plugins import aws_weather

WRITES = frozenset(
    {
        "PutObject",
        "DeleteObject",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "BatchWriteItem",
        "TransactWriteItems",
        "SendMessage",
        "SendMessageBatch",
    }
)
LONGEST_OUTAGE = 600.0  # seconds, then the process dies in it


class Point(NamedTuple):
    """Where a worker is killed: before or after its ``number``-th write (from 0)."""

    number: int
    when: Literal["before", "after"]


# Quick runs kill at every fifth point, in turns before a write and after one; deep runs at all of them. A test that
# takes ``step`` is run both ways.
each_step = pytest.mark.parametrize(
    "step", [pytest.param(5, id="some"), pytest.param(1, id="all", marks=pytest.mark.deep)]
)


def points(writes: int, step: int) -> list[Point]:
    """The points of so many writes, every ``step``-th of them and the last."""
    found = [Point(number, when) for number in range(writes) for when in ("before", "after")]
    return [*found[:-1:step], found[-1]]


class Killed(BaseException):
    """The process is gone. Not an Exception, so that nothing in the service catches it."""


class Throttled(ClientError, Killed):
    """AWS has no room for this write nor for any that follows: for the service an error like others of AWS."""


class WriteCounter:
    """Counts the writes of the code that runs under it, and kills it at one of them."""

    def __init__(
        self, at: int | None, when: Literal["before", "after"], instead: Callable[[], None] | None = None
    ) -> None:
        self.at = at
        self.when = when
        self.instead = instead
        self.count = 0
        self.operations: list[str] = []
        self.outage: str | None = None
        self.outage_began = 0.0

    def call(self, original: Any, client: BaseClient, operation: str, arguments: dict[str, Any]) -> Any:
        if operation not in WRITES:
            return original(client, operation, arguments)
        number = self.count
        self.count += 1
        self.operations.append(operation)
        if self.outage is not None:
            self._throttle(operation)
        if number == self.at and self.when == "before":
            self._strike(operation)
        answer = original(client, operation, arguments)
        if number == self.at and self.when == "after":
            self._strike(operation)
        return answer

    def _strike(self, operation: str) -> None:
        if self.instead is not None:
            self.instead()
            return
        if self.when == "before" and aws_weather.bad():
            self.outage, self.outage_began = operation, clock.now()
            self._throttle(operation)
        raise Killed(operation)

    def _throttle(self, operation: str) -> None:
        if clock.now() - self.outage_began > LONGEST_OUTAGE:
            raise Killed(operation)  # an audit has hours, and then ends as it is
        error = aws_weather.refusal("ThrottlingException", operation)
        raise Throttled(error.response, operation)


@contextmanager
def killed_at(
    number: int | None, when: Literal["before", "after"] = "before", *, instead: Callable[[], None] | None = None
) -> Iterator[WriteCounter]:
    """Within the block, the ``number``-th write (from 0) kills; with None the writes are only counted.

    With ``instead`` nothing is killed: the worker stands still at that write while ``instead`` runs. A worker that
    takes no notice of an outage ends with ``Killed`` too, and so does a test that waits in vain while it lasts.
    """
    original = BaseClient._make_api_call
    counter = WriteCounter(number, when, instead)
    BaseClient._make_api_call = lambda self, name, kwargs: counter.call(original, self, name, kwargs)
    try:
        yield counter
        if counter.outage is not None:
            raise Killed(counter.outage)
    except AssertionError:
        if counter.outage is None:
            raise
        raise Killed(counter.outage) from None
    finally:
        BaseClient._make_api_call = original


@contextmanager
def dies_at(number: int, when: Literal["before", "after"] = "before") -> Iterator[None]:
    """The block is killed at its ``number``-th write (from 0), which it comes to. In bad weather, where no two runs are
    the same, it may have fewer writes and come to its end."""
    try:
        with killed_at(number, when):
            yield
    except Killed:
        return
    assert aws_weather.bad(), f"there is no write {number}"


@contextmanager
def before_each_write(look: Callable[[], None]) -> Iterator[None]:
    """Within the block, ``look`` is called before each write; it only reads."""
    original = BaseClient._make_api_call

    def call(self: BaseClient, operation: str, arguments: dict[str, Any]) -> Any:
        if operation in WRITES:
            look()
        return original(self, operation, arguments)

    BaseClient._make_api_call = call
    try:
        yield
    finally:
        BaseClient._make_api_call = original
