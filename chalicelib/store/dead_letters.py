"""Messages that workers gave up on: reading, counting and re-sending them.

A message that failed five times stays in its queue's dead-letter queue for 14 days. The stored rows say what is to be
done; messages only trigger the work. So a message that is sent twice or lost does no harm, but a dead message shows
that something went wrong.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.store import client
from chalicelib.store.queues import Queue, attributes_of, url_of

DEAD: Final = "-dead"
HIDDEN_SECONDS: Final = 60  # how long messages that are being moved stay invisible to others
SHOWN_SECONDS: Final = 5  # how long messages that are only read stay invisible to others
_BATCH: Final = 10  # messages per call


@dataclass(frozen=True, slots=True)
class Depth:
    """How many messages of a queue are ready, at a worker, not yet due, or dead (after failing too often). SQS gives
    approximate counts."""

    waiting: int
    in_flight: int
    delayed: int
    dead: int


@dataclass(frozen=True, slots=True)
class DeadMessage:
    """A dead message. ``sent_at``: epoch seconds. ``body``: its content; None when it is not JSON."""

    id: str
    sent_at: float
    received: int
    body: dict[str, Any] | None


def depth(queue: Queue) -> Depth:
    """Count the messages of a queue and of its dead-letter queue."""
    names = (
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed",
    )
    found, dead = attributes_of(queue), attributes_of(queue + DEAD)
    waiting, in_flight, delayed = (int(found[name]) for name in names)
    return Depth(waiting, in_flight, delayed, int(dead[names[0]]) + int(dead[names[1]]))


def look(queue: Queue, limit: int) -> list[DeadMessage]:
    """Read some of the dead messages, oldest first, without removing them."""
    found: dict[str, DeadMessage] = {}
    while len(found) < limit:
        received = _receive(queue, min(_BATCH, limit - len(found)), SHOWN_SECONDS)
        new = [message for message in received if message["MessageId"] not in found]
        if not new:
            break
        found |= {message["MessageId"]: _read(message) for message in new}
    return sorted(found.values(), key=lambda message: (message.sent_at, message.id))


def send_again(queue: Queue, limit: int) -> int:
    """Send up to ``limit`` dead messages back to their queue, and return how many were sent. Each message is removed
    only after it was sent. After a crash in between, a message may be in both queues; its worker ignores the copy."""
    sqs, dead, sent = client.sqs(), url_of(queue + DEAD), 0
    while sent < limit:
        received = _receive(queue, min(_BATCH, limit - sent), HIDDEN_SECONDS)
        if not received:
            break
        entries = [{"Id": str(number), "MessageBody": one["Body"]} for number, one in enumerate(received)]
        done = sqs.send_message_batch(QueueUrl=url_of(queue), Entries=entries)  # type: ignore[arg-type]
        taken = [int(one["Id"]) for one in done.get("Successful", [])]
        if not taken:
            break
        gone = [{"Id": str(number), "ReceiptHandle": received[number]["ReceiptHandle"]} for number in taken]
        sqs.delete_message_batch(QueueUrl=dead, Entries=gone)  # type: ignore[arg-type]
        sent += len(taken)
    return sent


def _receive(queue: Queue, limit: int, hidden_seconds: int) -> list[dict[str, Any]]:
    answer = client.sqs().receive_message(
        QueueUrl=url_of(queue + DEAD),
        MaxNumberOfMessages=limit,
        VisibilityTimeout=hidden_seconds,
        AttributeNames=["SentTimestamp", "ApproximateReceiveCount"],
    )
    return [dict(message) for message in answer.get("Messages", [])]


def _read(message: dict[str, Any]) -> DeadMessage:
    try:
        body = json.loads(message["Body"])
    except ValueError:
        body = None
    attributes = message["Attributes"]
    return DeadMessage(
        message["MessageId"],
        int(attributes["SentTimestamp"]) / 1000,
        int(attributes["ApproximateReceiveCount"]),
        body if isinstance(body, dict) else None,
    )
