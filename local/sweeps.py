"""When a sweep can find something: a schedule that only looks, every minute, for rows whose time has come.

A run finds what the run before it found, unless something was written or sent since then, or a row's time passed. So
after a run that found nothing, and therefore wrote and sent nothing, the next that can find anything is the first one
after such a change or such a time. Those in between do nothing, and can be left out when the clock is stepped.

A row tells its time by the number that an index of the store is ordered by. A sweep takes a message for lost only
some seconds after its time, so each change and each time counts for ``GRACE_SECONDS``.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from types import TracebackType
from typing import Self

from chalicelib import clock
from local import embedded, moto_queues, moto_tables
from local.locking import LOCK
from local.moto_items import items_of

GRACE_SECONDS = 300.0  # at least a minute more than any sweep waits for a message


class Work:
    """The times at which a sweep of the embedded store can find something, told while the block lasts."""

    def __init__(self) -> None:
        self._changed_at = clock.now()  # what was stored before may not have been looked at yet
        self._unlisten: list[Callable[[], None]] = []

    def __enter__(self) -> Self:
        with LOCK:
            self._unlisten = [moto_tables.listen(self._note), moto_queues.listen(self._note)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with LOCK:
            for end in self._unlisten:
                end()

    def next(self, at: float) -> float | None:
        """The first time from ``at`` on (seconds, service's clock) at which a run can find something. None: there is
        none, unless something is written or sent."""
        since = at - GRACE_SECONDS
        with LOCK:
            times = list(_first_times(since))
            if self._changed_at >= since:
                times.append(self._changed_at)
        return max(at, min(times)) if times else None

    def _note(self, *_: object) -> None:
        self._changed_at = clock.now()


def _first_times(since: float) -> Iterator[float]:
    """The first time from ``since`` on in each partition of each index that is ordered by a number."""
    for table in embedded.tables().tables.values():
        for partitions in items_of(table).indexes.values():
            for ordered in partitions.values():
                if isinstance(ordered.keys[0][0], Decimal):
                    low, high = ordered.bounds(">=", [Decimal(since)])
                    if low < high:
                        yield float(ordered.keys[low][0])
