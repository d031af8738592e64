"""How long a worker of the fast lane waits for a website, before it gives the work to the slow lane."""

from chalicelib import clock
from chalicelib.store.lanes import Lane


class OutOfPatience(Exception):
    """The website did not answer in time: its work goes on in the slow lane."""


class Watch:
    """Counts the answers that one worker got since its claim."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self._began = clock.monotonic()
        self._answers = 0

    def answered(self) -> None:
        """Count an answer."""
        self._answers += 1

    @property
    def gives_up_at(self) -> float | None:
        """When the worker gives the work to the slow lane, if no further answer comes (monotonic seconds). None: it is
        in the slow lane."""
        if self.lane.is_slow:
            return None
        return self._began + max(1.0, self._answers / self.lane.answers) * self.lane.patience

    def is_slow(self) -> bool:
        """Whether the website has brought too few answers for the time that it took."""
        return self.lane.too_slow(clock.monotonic() - self._began, self._answers)

    def counts_as_slow(self, before: bool) -> bool:
        """Whether the website is slow at this kind of work from now on. ``before``: whether it was until now.

        Only an answer in time ends it. Work that asked nobody says nothing about the website.
        """
        return self.is_slow() or (before and not self._answers)

    def check(self) -> None:
        """Raise ``OutOfPatience`` where a worker of the fast lane has waited too long."""
        if not self.lane.is_slow and self.is_slow():
            raise OutOfPatience
