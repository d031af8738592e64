"""Decides how long a worker of the fast queue waits for a website before it moves the work to the slow queue."""

from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib import clock
from chalicelib.store.lanes import Lane


class OutOfPatience(Exception):
    """Raised if the website did not answer in time. The work on the website continues in the slow queue."""


class Watch:
    """Counts the answers that one worker got since its claim, and the seconds that the worker waited for them.

    Until the first use of ``asking``, all time counts. From then on, only the time with a request in progress counts.
    """

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self._began = clock.monotonic()
        self._answers = 0
        self._under_way = 0
        self._idle = 0.0  # seconds without a request in progress
        self._idle_since: float | None = None

    def answered(self) -> None:
        """Count an answer."""
        self._answers += 1

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Count the time of the block as waiting for an answer. Use this in one thread only."""
        if self._idle_since is not None:
            self._idle += clock.monotonic() - self._idle_since
            self._idle_since = None
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle_since = clock.monotonic()

    def _seconds(self) -> float:
        now = clock.monotonic()
        idle = 0.0 if self._idle_since is None else now - self._idle_since
        return now - self._began - self._idle - idle

    @property
    def gives_up_at(self) -> float | None:
        """The time (monotonic seconds) at which the worker moves the work to the slow queue, unless an answer comes
        before.

        None for a worker of the slow queue.
        """
        if self.lane.is_slow:
            return None
        return self._began + max(1.0, self._answers / self.lane.answers) * self.lane.patience

    def is_slow(self) -> bool:
        """Whether the website gave too few answers in the time for which the worker has waited."""
        return self.lane.too_slow(self._seconds(), self._answers)

    def counts_as_slow(self, before: bool) -> bool:
        """Whether this kind of work for the website is put into the slow queue from now on. ``before``: whether it was
        until now.

        Once the website answers in time, its work returns to the fast queue. Work that makes no requests changes
        nothing.
        """
        return self.is_slow() or (before and not self._answers)

    def check(self) -> None:
        """Raise ``OutOfPatience`` if a worker of the fast queue has waited too long."""
        if not self.lane.is_slow and self.is_slow():
            raise OutOfPatience
