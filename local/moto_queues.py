"""moto 5.2.5's SQS on the service's clock, with long polls that wake at once.

Delays and visibility timeouts follow ``chalicelib.clock``, so that moving the clock affects the queues too. A long poll
releases ``locking.LOCK`` while it waits. It wakes when a message is sent, when a message becomes due, or when the clock
is moved.
"""

import copy
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from moto.sqs import models
from moto.sqs.models import Message, Queue, SQSBackend

from chalicelib import clock
from local.locking import CHANGED, LOCK

_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> Callable[[], None]:
    """Call ``listener()``, under the lock, whenever a message is sent. Returns a function that removes the listener."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def _now_seconds(_: Any = None) -> float:
    return clock.now()


def _now_milliseconds(_: Any = None) -> float:
    return clock.now() * 1000


def due_at(message: Message) -> float:
    """Return the time from which the message may be received (seconds by the service's clock)."""
    return max(message.visible_at, message.delayed_until) / 1000


def _add_message(inner: Any) -> Any:
    def add(self: Queue, message: Message) -> None:
        with LOCK:
            inner(self, message)
            for listener in _listeners:
                listener()
            CHANGED.notify_all()

    return add


def _receive_message(
    self: SQSBackend,
    queue_name: str,
    count: int,
    wait_seconds_timeout: int,
    visibility_timeout: int,
    message_attribute_names: list[str] | None = None,
) -> list[Message]:
    queue = self.get_queue(queue_name)
    until = time.monotonic() + wait_seconds_timeout
    while True:
        found = _take(queue, count, visibility_timeout)
        left = until - time.monotonic()
        if found or left <= 0:
            break
        times = [due_at(message) for message in queue._messages]
        next_due = min(times) - clock.now() if times else left
        CHANGED.wait(min(left, max(next_due, 0.001)))
    received = []
    for message in found:
        answer = copy.copy(message)
        models._filter_message_attributes(answer, message_attribute_names or [])
        received.append(answer)
    return received


def _take(queue: Queue, count: int, visibility_timeout: int) -> list[Message]:
    """Take up to ``count`` due messages and hide them.

    Moves messages that were received too often to the dead letters.
    """
    now = clock.now()
    oldest = (now - queue.message_retention_period) * 1000  # type: ignore[attr-defined]
    redrive: Any = queue.redrive_policy
    most = redrive["maxReceiveCount"] if queue.dead_letter_queue is not None else float("inf")
    taken: list[Message] = []
    leaving: list[Message] = []
    dead: list[Message] = []
    for message in queue._messages:
        if due_at(message) > now:
            continue
        if (message.sent_timestamp or 0) < oldest:
            leaving.append(message)
        elif message.approximate_receive_count >= most:
            leaving.append(message)
            dead.append(message)
        else:
            message.mark_received(visibility_timeout=visibility_timeout)
            queue.pending_messages.add(message)
            taken.append(message)
            if len(taken) == count:
                break
    for message in leaving:
        queue._messages.remove(message)
        queue.pending_messages.discard(message)
    for message in dead:
        message.visible_at = message.delayed_until = 0.0
        queue.dead_letter_queue.add_message(message)  # type: ignore[union-attr]
    return taken


def _change_visibility(inner: Any) -> Any:
    def change(self: SQSBackend, *args: Any, **kwargs: Any) -> None:
        inner(self, *args, **kwargs)
        CHANGED.notify_all()

    return change


_applied = False


def apply() -> None:
    """Patch moto's classes. Later calls in the same process do nothing."""
    global _applied
    if _applied:
        return
    _applied = True
    module: Any = models
    module.unix_time = _now_seconds
    module.unix_time_millis = _now_milliseconds
    # moto asks for the same few names with every message.
    module.camelcase_to_underscores = cache(module.camelcase_to_underscores)
    queue: Any = Queue
    queue.add_message = _add_message(Queue.add_message)
    backend: Any = SQSBackend
    backend.receive_message = _receive_message
    backend.change_message_visibility = _change_visibility(SQSBackend.change_message_visibility)
