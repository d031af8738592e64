"""Computes the times at which a sweep can find work. A sweep is a schedule that looks for due rows every minute.

When the clock is moved forward, runs that cannot find work are skipped. After a run that found nothing, the next run
finds work only if a row or message was written since, or if a row has become due.

The store's indexes sort rows by the time at which each is due. A sweep waits some seconds after this time, because the
row's message may still arrive. So for ``GRACE_SECONDS`` after each change and after each due time, a sweep may find
work.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from types import TracebackType
from typing import Self

from chalicelib import clock
from local import embedded, moto_queues, moto_tables
from local.locking import LOCK
from local.moto_items import items_of

GRACE_SECONDS = 300.0  # at least a minute more than any sweep waits before it considers a message lost


class Work:
    """A context manager that tracks when a sweep of the embedded store can find work."""

    def __init__(self) -> None:
        self._changed_at = clock.now()  # rows written before may not have been swept yet
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
        """Return the first time from ``at`` on at which a run can find work (seconds by the service's clock).

        Returns None if no run can find work until a row is written or a message is sent.
        """
        since = at - GRACE_SECONDS
        with LOCK:
            times = list(_first_times(since))
            if self._changed_at >= since:
                times.append(self._changed_at)
        return max(at, min(times)) if times else None

    def _note(self, *_: object) -> None:
        self._changed_at = clock.now()


def _first_times(since: float) -> Iterator[float]:
    """Yield the first time from ``since`` on in each partition of each index that is sorted by a number."""
    for table in embedded.tables().tables.values():
        for partitions in items_of(table).indexes.values():
            for ordered in partitions.values():
                if isinstance(ordered.keys[0][0], Decimal):
                    low, high = ordered.bounds(">=", [Decimal(since)])
                    if low < high:
                        yield float(ordered.keys[low][0])
