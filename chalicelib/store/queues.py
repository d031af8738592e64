"""Messages to the service's queues. A stored row says what is to be done. A message only triggers the work; if it is
lost, the sweeper (a schedule that finds overdue work) sends another.

If a message cannot be sent after a commit, the request still succeeds: ``hint`` and ``hint_many`` log the failure and
return. ``send`` and ``send_many`` are for callers that need the error.
"""

import json
import logging
import math
from collections.abc import Sequence
from typing import Any, Literal

from chalicelib.settings.core import core_settings
from chalicelib.store import client
from chalicelib.store.context import request_id

Queue = Literal[
    "crawl",
    "crawl-slow",
    "recheck",
    "recheck-slow",
    "writes",
    "writes-slow",
    "imports",
    "imports-slow",
    "sampling",
    "sampling-slow",
    "agentic",
    "agentic-slow",
    "exports",
    "outbox",
    "deliveries",
    "deliveries-failing",
]

LONGEST_DELAY_SECONDS = 900  # the limit of SQS; a worker sends a message that arrives early again

_BATCH = 10  # messages per call

_log = logging.getLogger(__name__)

_urls: dict[tuple[int, str], str] = {}


def url_of(queue: str) -> str:
    """Return the address of a queue of this deployment, looked up once per process."""
    name = core_settings().queue_prefix + queue
    sqs = client.sqs()
    known = _urls.get((id(sqs), name))
    if known is None:
        known = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        _urls[id(sqs), name] = known
    return known


def attributes_of(queue: str) -> dict[str, str]:
    """Return all attributes that SQS reports for a queue of this deployment. Raises botocore's errors."""
    answer = client.sqs().get_queue_attributes(QueueUrl=url_of(queue), AttributeNames=["All"])
    return {str(name): value for name, value in answer["Attributes"].items()}


def send(queue: Queue, body: dict[str, Any], delay_seconds: float = 0) -> None:
    """Send ``body`` as JSON, to be received after ``delay_seconds`` (at most 900). Fractions of a second are rounded
    up, since workers ignore a message that arrives before its work is due.

    The request id of the current context is added as ``requestId``, unless ``body`` has one. Raises botocore's errors.
    """
    current = request_id.get()
    message = body if current is None else {"requestId": current, **body}
    client.sqs().send_message(
        QueueUrl=url_of(queue),
        MessageBody=json.dumps(message, separators=(",", ":")),
        DelaySeconds=math.ceil(min(max(delay_seconds, 0), LONGEST_DELAY_SECONDS)),
    )


def send_many(queue: Queue, bodies: Sequence[dict[str, Any]]) -> None:
    """Send many messages as ``send`` does, ten per call. Messages that the queue rejects are lost."""
    url = url_of(queue)
    current = request_id.get()
    for start in range(0, len(bodies), _BATCH):
        entries = []
        for number, body in enumerate(bodies[start : start + _BATCH]):
            message = body if current is None else {"requestId": current, **body}
            entries.append({"Id": str(number), "MessageBody": json.dumps(message, separators=(",", ":"))})
        client.sqs().send_message_batch(QueueUrl=url, Entries=entries)  # type: ignore[arg-type]


def hint(queue: Queue, body: dict[str, Any], delay_seconds: float = 0) -> None:
    """Send a message as ``send`` does, but never raise. If the message cannot be sent, the failure is logged, and the
    sweeper (a schedule that finds overdue work) sends a new message."""
    try:
        send(queue, body, delay_seconds)
    except Exception as error:
        _not_sent(queue, body, 1, error)


def hint_many(queue: Queue, bodies: Sequence[dict[str, Any]]) -> None:
    """Send messages as ``send_many`` does, but never raise. A failure is logged, and the sweeper (a schedule that finds
    overdue work) sends new messages."""
    if not bodies:
        return
    try:
        send_many(queue, bodies)
    except Exception as error:
        _not_sent(queue, bodies[0], len(bodies), error)


def _not_sent(queue: Queue, first: dict[str, Any], messages: int, error: Exception) -> None:
    _log.warning(
        "a queue message was not sent; the sweeper will find the work: %s: %s",
        type(error).__name__,
        error,
        extra={"queue": queue, "hint": first, "messages": messages},
    )
