"""The queue of a website's unfinished batches, and the values that they will write."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.changes.batch import Change

MOST_WAITING: Final = 100  # batches of one website
PRINT_BYTES: Final = 16
_HALF: Final = PRINT_BYTES // 2
_RESTORED: Final = bytes(_HALF)  # in place of the hash of an undo's value, which only the CMS knows


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The queue of a website's unfinished batches. They are written one after the other.

    - ``sequence``: the sequence of the last approved batch.
    - ``running``: the batch that is being written.
    - ``waiting``: the unfinished batches after it, in order.
    - ``cancelled``: batches that a person stopped, with the reason. A cancelled batch is removed from ``waiting`` and
      stays in ``cancelled`` until its worker has ended it. The running batch may be among them.
    """

    version: int = 0
    sequence: int = 0
    running: str | None = None
    waiting: tuple[str, ...] = ()
    cancelled: dict[str, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether the queue accepts no further batch."""
        return len({*self.waiting, *self.cancelled}) >= MOST_WAITING

    @property
    def is_overfull(self) -> bool:
        """Whether more batches wait than the limit allows. An earlier release, which had no limit, may have queued
        them."""
        return len({*self.waiting, *self.cancelled}) > MOST_WAITING

    def with_batch(self, batch_id: str, now: float) -> "Place":
        """Return the queue after one more batch was approved at ``now``. If no batch is running, this batch runs at
        once. Otherwise it waits.

        The new sequence is at least the time in seconds. So if a website is removed and added again, its new sequences
        are still higher than those that its CMS has stored.
        """
        sequence = max(self.sequence + 1, int(now))
        running, waiting = (batch_id, ()) if self.running is None else (self.running, (*self.waiting, batch_id))
        return self._next(sequence=sequence, running=running, waiting=waiting)

    def without(self, batch_id: str) -> "Place":
        """Return the queue after a batch is done. If it was the running batch, the next one runs."""
        cancelled = {one: why for one, why in self.cancelled.items() if one != batch_id}
        if batch_id != self.running:
            return self._next(cancelled=cancelled)
        running = self.waiting[0] if self.waiting else None
        return self._next(running=running, waiting=self.waiting[1:], cancelled=cancelled)

    def with_cancelled(self, batch_ids: Iterable[str], reason: str) -> "Place":
        """Return the queue after these batches were cancelled."""
        new = {batch_id: reason for batch_id in batch_ids if batch_id not in self.cancelled}
        waiting = tuple(one for one in self.waiting if one not in new)
        return self._next(waiting=waiting, cancelled={**self.cancelled, **new})

    def may_go_on(self, batch_id: str) -> bool:
        """Whether the batch's worker has work to do: no earlier batch is unfinished, or this batch was cancelled."""
        return batch_id == self.running or batch_id in self.cancelled

    @property
    def will_write(self) -> list[str]:
        """The batches that may still write their values, in order."""
        first = [] if self.running is None else [self.running]
        return [*first, *self.waiting]

    def _next(self, **members: object) -> "Place":
        return msgspec.structs.replace(self, version=self.version + 1, **members)


class Pending(NamedTuple):
    """A value that an unfinished batch will write, stored as the batch's id and the value's hash."""

    batch_id: str
    value: bytes


class InFlight(NamedTuple):
    """The approved changes that are not done yet. ``last``: for each target (item, field and key), by its hash, the
    change that will be written last."""

    place: Place
    last: Mapping[bytes, Pending]

    def writes(self, change: Change) -> bool:
        """Whether an unfinished batch writes the target of this change."""
        return _target(change) in self.last

    def equal(self, change: Change) -> str | None:
        """Return the last batch that will write to the change's target, if that batch writes the change's value; else
        None."""
        found = self.last.get(_target(change))
        return found.batch_id if found is not None and found.value == _value(change) else None


def prints(changes: Iterable[Change]) -> bytes:
    """Hash the target (item, field and key) and the value of each change, 16 bytes per change. With these hashes,
    changes that write the same value are found without reading batches."""
    return b"".join(_target(change) + _value(change) for change in changes)


def in_flight(place: Place, prints_of: Mapping[str, bytes]) -> InFlight:
    """Return the values that the batches in the queue will write. ``prints_of``: the hashes of each batch, by
    batch id."""
    last = {
        target: Pending(batch_id, value)
        for batch_id in place.will_write
        for target, value in _pairs(prints_of.get(batch_id, b""))
    }
    return InFlight(place, last)


def shares_targets(packed: bytes, changes: Iterable[Change]) -> bool:
    """Whether one of the changes writes the same target (item, field and key) as a change in ``packed`` (made by
    ``prints``)."""
    targets = {target for target, _ in _pairs(packed)}
    return any(_target(change) in targets for change in changes)


def _pairs(packed: bytes) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(packed), PRINT_BYTES):
        yield packed[start : start + _HALF], packed[start + _HALF : start + PRINT_BYTES]


def _target(change: Change) -> bytes:
    return _digest("\0".join(change.target))


def _value(change: Change) -> bytes:
    return _RESTORED if change.of is not None else _digest(change.value)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_HALF]
