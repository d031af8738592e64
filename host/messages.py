"""The source of a pump's messages: long polls of any SQS. The local service has another, for its embedded queues."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from chalicelib.store import client

POLL_SECONDS = 1  # how long a poll waits; a stop takes no longer

Message = dict[str, Any]  # as ``ReceiveMessage`` gives it


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue to read, and the most messages of a batch (SQS gives at most 10)."""

    name: str
    url: str
    arn: str
    batch_size: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Received messages, and the number of the running job that handles them."""

    job: int
    messages: list[Message]


class Source(Protocol):
    """Gives a pump the messages of its queues. The pump reads each queue in its own thread."""

    stopped: bool

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """Waits for messages and returns the next batch; None if none came, so that the pump asks again.

        ``begin`` counts a job and returns its number. It is called for a batch only, before the queue looks empty
        to others. Raises botocore's errors."""

    def stop(self) -> None:
        """Takes no more messages: ``stopped`` becomes true, and each waiting ``take`` ends soon."""


def receive(queue: Queue, wait_seconds: int) -> list[Message]:
    """Calls ``ReceiveMessage`` once: a batch, with all attributes of its messages; [] if none came in that time."""
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
    """Polls each queue, one long poll after the other."""

    def __init__(self) -> None:
        self.stopped = False

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """One poll."""
        messages = [] if self.stopped else receive(queue, POLL_SECONDS)
        return Batch(begin(), messages) if messages else None

    def stop(self) -> None:
        """Starts no more polls. A waiting poll ends within its second."""
        self.stopped = True
