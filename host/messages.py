"""Reads messages for a pump by long polls of SQS queues. The local service has its own source for embedded queues."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from chalicelib.store import client

POLL_SECONDS = 1  # how long a poll waits; a stop takes no longer

Message = dict[str, Any]  # as ``ReceiveMessage`` gives it


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue to read. ``batch_size``: the maximum number of messages in a batch (SQS gives at most 10)."""

    name: str
    url: str
    arn: str
    batch_size: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Received messages, and the number of the job that handles them (see ``Jobs.begin``)."""

    job: int
    messages: list[Message]


class Source(Protocol):
    """Gives a pump the messages of its queues. The pump reads each queue in a separate thread."""

    stopped: bool

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """Wait for messages and return the next batch. Returns None if no message came; the pump then calls this method
        again.

        ``begin`` is a function that counts a job and returns its number. It is called only if there is a batch, and
        before other threads can see that the queue is empty. Raises botocore's errors.
        """

    def stop(self) -> None:
        """Take no more messages. Sets ``stopped``, and makes each waiting ``take`` end soon."""


def receive(queue: Queue, wait_seconds: int) -> list[Message]:
    """Call ``ReceiveMessage`` once and return the messages with all their attributes.

    The list is empty if no message came in ``wait_seconds``.
    """
    answer = client.sqs().receive_message(
        QueueUrl=queue.url,
        MaxNumberOfMessages=queue.batch_size,
        WaitTimeSeconds=wait_seconds,
        MessageSystemAttributeNames=["All"],
        MessageAttributeNames=["All"],
    )
    found: list[Message] = answer.get("Messages", [])  # type: ignore[assignment]
    return found


class Polling:
    """A source that polls each queue, one long poll after the other."""

    def __init__(self) -> None:
        self.stopped = False

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """Poll the queue once."""
        messages = [] if self.stopped else receive(queue, POLL_SECONDS)
        return Batch(begin(), messages) if messages else None

    def stop(self) -> None:
        """Start no more polls. A waiting poll ends within ``POLL_SECONDS``."""
        self.stopped = True
