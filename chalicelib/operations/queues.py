"""Shows queues and their failed messages, and sends these messages again, for the operator."""

from typing import Final, get_args

from chalicelib.operations.errors import Refused
from chalicelib.store import dead_letters
from chalicelib.store.dead_letters import DeadMessage, Depth
from chalicelib.store.queues import Queue

NAMES: Final[tuple[Queue, ...]] = get_args(Queue)
MOST_MOVED: Final = 1_000  # messages sent again in one go


def depths() -> list[tuple[Queue, Depth]]:
    """Return how many messages each queue has."""
    return [(queue, dead_letters.depth(queue)) for queue in NAMES]


def given_up(name: str, limit: int) -> list[DeadMessage]:
    """Return some of the messages that the workers of a queue gave up on. Raises ``Refused`` for an unknown queue."""
    return dead_letters.look(_queue(name), limit)


def send_again(name: str) -> int:
    """Send messages that the workers gave up on back to their queue, at most 1,000. Returns how many were sent. Raises
    ``Refused`` for an unknown queue."""
    queue = _queue(name)
    return dead_letters.send_again(queue, min(dead_letters.depth(queue).dead, MOST_MOVED))


def _queue(name: str) -> Queue:
    for queue in NAMES:
        if queue == name:
            return queue
    raise Refused("not_found", f"There is no queue {name!r}; the queues are {', '.join(NAMES)}.")
