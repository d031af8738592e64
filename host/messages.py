"""Where a pump's messages come from: of any SQS, by long polls. Another source may know more of its queues."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from chalicelib.store import client

POLL_SECONDS = 1  # how long a poll waits, and so how long a stop takes at most

Message = dict[str, Any]  # as ``ReceiveMessage`` gives it


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue that is read, and how many messages a batch of it may have (SQS gives at most 10)."""

    name: str
    url: str
    arn: str
    batch_size: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that were taken, and the number under which they are counted as a job that runs."""

    job: int
    messages: list[Message]


class Source(Protocol):
    """Gives a pump the messages of its queues, to each of them in a thread of its own."""

    stopped: bool

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """Waits for messages, and gives the next batch; None when there was none, so that the pump asks again.

        ``begin`` counts a job and gives its number. It is called for a batch only, before the batch can be missed
        in the queue. Raises botocore's errors."""

    def stop(self) -> None:
        """From now on nothing is taken: ``stopped`` is true, and each ``take`` that waits ends soon."""


def receive(queue: Queue, wait_seconds: int) -> list[Message]:
    """One ``ReceiveMessage``: a batch, with all attributes of its messages; [] when none came in that time."""
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
        """No poll begins any more; one that waits ends within its second."""
        self.stopped = True
