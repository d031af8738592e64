"""Helpers that read the embedded store (fixture ``store``)."""

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import botocore.client
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict
from botocore.exceptions import ReadTimeoutError
from botocore.retries.standard import ExponentialBackoff

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from chalicelib.store.marshalling import from_item
from local import embedded
from tests.plugins import aws_weather, strict_aws


def messages(queue: str) -> list[dict[str, Any]]:
    """The bodies of all messages that wait in a queue, also the delayed ones; they stay there."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
    return [json.loads(message.body) for message in waiting]


def delays(queue: str) -> list[int]:
    """In how many seconds each message of a queue may be received."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
    return [max(0, round(message.delayed_until / 1000 - clock.now())) for message in waiting]


def visible_at(queue: str) -> list[float]:
    """When each message of a queue may be received (epoch seconds)."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
    return [message.delayed_until / 1000 for message in waiting]


def next_message(queue: str) -> dict[str, Any] | None:
    """Take the first receivable message from a queue; None if there is none."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
    for place, message in enumerate(waiting):
        if message.delayed_until / 1000 <= clock.now():
            body: dict[str, Any] = json.loads(waiting.pop(place).body)
            return body
    return None


def take_all(queue: str) -> list[dict[str, Any]]:
    """Take all messages out of a queue, also the delayed ones. What is sent meanwhile is taken too or stays."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]
    taken, waiting._messages = waiting._messages, []
    waiting._pending_messages = set()
    return [json.loads(message.body) for message in taken]


def purge(queue: str) -> None:
    """Take all messages out of a queue, also the delayed ones."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]
    waiting._messages = []
    waiting._pending_messages = set()


def rows(table: str) -> list[tuple[str, str]]:
    """The keys (pk, sk) of all items of a table, sorted: for asserting what is left."""
    return sorted((item["pk"], item["sk"]) for item in stored(table))


def stored(table: str) -> list[dict[str, Any]]:
    """All items of a table with plain values. Only a test may read a whole table."""
    name = core_settings().table_prefix + table
    with strict_aws.scans_allowed():
        return [from_item(item) for item in client.dynamodb().scan(TableName=name)["Items"]]


@contextlib.contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Count the calls to AWS by operation name while the block runs. The block has no injected AWS faults."""
    calls: Counter[str] = Counter()
    inner = botocore.client.BaseClient._make_api_call

    def counting(self: botocore.client.BaseClient, operation: str, request: dict[str, Any]) -> Any:
        calls[operation] += 1
        return inner(self, operation, request)

    botocore.client.BaseClient._make_api_call = counting
    try:
        with aws_weather.calm():
            yield calls
    finally:
        botocore.client.BaseClient._make_api_call = inner


@contextlib.contextmanager
def refusing_queues() -> Iterator[None]:
    """Every queue refuses every message while the block runs; the tables answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUEUE_PREFIX", "no-such-")
        forget_settings()
        try:
            yield
        finally:
            patch.undo()
            forget_settings()


@contextlib.contextmanager
def lost_answers(*operations: str, times: int = 1, after: int = 0) -> Iterator[list[dict[str, Any]]]:
    """The tables do what they are asked, but so many answers to these operations do not arrive, ``after`` some that do:
    a read time-out, on which botocore itself sends the same request again. Gives every request of these operations, as
    it was sent. There is no other bad weather of AWS in the block."""
    sent: list[dict[str, Any]] = []

    def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        target = request.headers["X-Amz-Target"]
        target = target.decode() if isinstance(target, bytes) else target
        body = request.body.encode() if isinstance(request.body, str) else bytes(request.body or b"")
        status, headers, content = embedded.dispatch(target, body, request.url)
        if target.rpartition(".")[2] in operations:
            sent.append(json.loads(body))
            if after < len(sent) <= after + times:
                raise ReadTimeoutError(endpoint_url=request.url)
        response = AWSResponse(request.url, status, HeadersDict(headers), None)  # type: ignore[arg-type]
        response._content = content
        return response

    with aws_weather.calm(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://tables.test")
        patch.setattr(ExponentialBackoff, "delay_amount", lambda *_: 0.0)
        client.reset()
        client.dynamodb().meta.events.register("before-send.dynamodb", answer)
        try:
            yield sent
        finally:
            patch.undo()
            client.reset()
