"""The pump of the embedded queues. It takes each message at the moment at which the message is due, and knows when no
work is left."""

from collections.abc import Callable

from chalice.app import Chalice

from chalicelib import clock
from host.jobs import Jobs
from host.messages import Batch, Queue, receive
from host.pump import Pump
from local import embedded
from local.locking import CHANGED, LOCK


class EmbeddedMessages:
    """The source of messages for a pump whose queues are in this process."""

    def __init__(self) -> None:
        self.stopped = False

    def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        """Wait until messages are due, and take them. Returns None if the source was stopped."""
        # Messages are taken and their job counted under one lock, so idle() never sees taken messages without a job.
        with CHANGED:
            while not self.stopped:
                at = embedded.next_due(queue.name)
                wait = None if at is None else at - clock.now()
                if wait is not None and wait <= 0:
                    messages = receive(queue, 0)
                    if messages:
                        return Batch(begin(), messages)
                else:
                    CHANGED.wait(wait)
        return None

    def stop(self) -> None:
        """Take no more messages."""
        with CHANGED:
            self.stopped = True
            CHANGED.notify_all()


class EmbeddedPump(Pump):
    """A pump that reads the embedded queues of this process."""

    def __init__(self, app: Chalice) -> None:
        """Raises ``LookupError`` if app.py names a queue that the service does not have."""
        self._messages = EmbeddedMessages()
        super().__init__(app, self._messages, Jobs(CHANGED))

    def next_due(self) -> float | None:
        """Return the time at which the next message becomes due (seconds by the service's clock); None if there is no
        message."""
        times = [embedded.next_due(queue.name) for queue in self.queues]
        return min((at for at in times if at is not None), default=None)

    def idle(self) -> bool:
        """Whether no job is running and no message is due."""
        with LOCK:
            if self.jobs.running():
                return False
            at = None if self._messages.stopped else self.next_due()
            return at is None or at > clock.now()

    def wait_idle(self, seconds: float) -> bool:
        """Wait until ``idle`` is true. Returns False if that takes longer than ``seconds``."""
        with CHANGED:
            return CHANGED.wait_for(self.idle, seconds)
