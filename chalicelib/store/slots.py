"""Concurrency slots: a limit on the number of leases that one owner holds at once.

An owner is a webhook endpoint (table webhooks), or a workspace in one queue (the table of the queue's jobs or crawls).

Access pattern: Get by the owner's key: one item, with one attribute for each taken slot. The attribute's value is the
time until which the slot is taken. The transaction that claims a piece of work (a row) also takes a slot. The commit
that ends the lease frees the slot. If the worker dies, its slot is free again after that time. If work finds no free
slot, it is postponed until a time that is stored in the attribute ``awaited``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from chalicelib.store import items, keys
from chalicelib.store.transactions import Conflict, Update, Write, commit, committed

SLOT = "slot"  # in a ``Conflict``, the name of the write that takes a slot
ENDPOINT_SLOTS = 5  # concurrent deliveries of one endpoint
LEASE_SECONDS = 60.0  # longer than a delivery function may run: after that the lease's worker is dead
_KEPT_SECONDS = 86_400
_TRIES = 3  # tries of a claim, since another worker may take the same slot first


class NoSlot(Exception):
    """Raised when all concurrency slots of the owner (an endpoint, or a workspace in a queue) are taken. ``awaited``:
    until when earlier work without a slot was postponed; 0 if the claim did not read that."""

    def __init__(self, holder: str, awaited: float = 0.0) -> None:
        super().__init__(holder)
        self.awaited = awaited


class Slots(NamedTuple):
    """The concurrency slots of one owner (an endpoint, or a workspace in a queue): where they are stored, how many
    there are, and the longest duration of a lease."""

    table: str
    key: keys.Key
    most: int
    lease_seconds: float


def of_endpoint(endpoint_id: str) -> Slots:
    """Return the concurrency slots of a webhook endpoint: how many deliveries may be sent to it at once."""
    return Slots("webhooks", keys.endpoint_slots(endpoint_id), ENDPOINT_SLOTS, LEASE_SECONDS)


def taken(row: Mapping[str, Any] | None) -> dict[int, float]:
    """Return the time until which each concurrency slot is taken, by the slot's number. ``row``: the item with the
    owner's slots; None if there is none."""
    found = {} if row is None else row
    return {int(name.removeprefix(_PREFIX)): until for name, until in found.items() if name.startswith(_PREFIX)}


def pick(slots: Slots, until: Mapping[int, float], now: float, holder: str) -> int | None:
    """Choose a free concurrency slot for the holder. Returns None when all slots are taken. ``until``: the result of
    ``taken``."""
    free_now = [number for number in range(slots.most) if not now < until.get(number, 0.0) <= beyond(slots, now)]
    # Concurrent workers start at different slots, so that they seldom want the same one.
    return free_now[sum(holder.encode()) % len(free_now)] if free_now else None


def claim(
    slots: Slots,
    writes: Callable[[int], Sequence[Write]],
    *,
    now: float,
    until: float,
    holder: str,
    known: Mapping[int, float],
) -> int:
    """Commit ``writes(slot)`` together with the write that takes a concurrency slot, and return the slot's number.

    ``known``: the result of ``taken``, or empty if the owner's item was not read. Raises ``NoSlot`` when all slots are
    taken, and ``Conflict`` when another write failed.
    """
    awaited = 0.0
    for _ in range(_TRIES):
        slot = pick(slots, known, now, holder)
        if slot is None:
            break
        try:
            commit([*writes(slot), take(slots, slot, now, until)])
        except Conflict as conflict:
            if conflict.failed.keys() != {SLOT}:
                raise
            known = taken(conflict.failed[SLOT])
            awaited = _awaited(conflict.failed[SLOT])
            continue
        return slot
    raise NoSlot(holder, awaited)


def note_awaited(slots: Slots, seen: NoSlot, until: float, now: float) -> None:
    """Record until when work that found no free slot was postponed. If an earlier record is still valid, nothing is
    written, so that a lot of waiting work costs only one write. If a record is lost, other work may start first; there
    is no other harm."""
    if seen.awaited > now:
        return
    committed(
        [
            Update(
                slots.table,
                slots.key,
                "SET #awaited = :until, #ttl = :ttl",
                names={"#awaited": _AWAITED, "#ttl": "ttl"},
                values={":until": until, ":ttl": int(until) + _KEPT_SECONDS},
            )
        ]
    )


def awaited_until(slots: Slots) -> float:
    """Return the time until which work without a concurrency slot was postponed; 0 if none was. One round trip."""
    return _awaited(items.get(slots.table, *slots.key))


def _awaited(row: Mapping[str, Any] | None) -> float:
    return 0.0 if row is None else row.get(_AWAITED, 0.0)


def beyond(slots: Slots, now: float) -> float:
    """Return the latest plausible end of a lease (epoch seconds): two lease durations from now. A later stored end must
    be wrong: it was written before a clock was set back. The second duration is a margin for differences between
    workers' clocks."""
    return now + 2 * slots.lease_seconds


# -- writes, for the transactions of leases ---------------------------------------------------------------


def take(slots: Slots, slot: int, now: float, until: float) -> Update:
    """Return the write that takes a concurrency slot until a time. The write fails when another worker holds it."""
    return Update(
        slots.table,
        slots.key,
        "SET #slot = :until, #ttl = :ttl",
        condition="attribute_not_exists(#slot) OR #slot <= :now OR #slot > :beyond",
        names={"#slot": _attribute(slot), "#ttl": "ttl"},
        values={":now": now, ":until": until, ":beyond": beyond(slots, now), ":ttl": int(until) + _KEPT_SECONDS},
        name=SLOT,
    )


def extend(slots: Slots, slot: int, until: float) -> Update:
    """Return the write that sets a later end for a taken concurrency slot."""
    return Update(
        slots.table,
        slots.key,
        "SET #slot = :until, #ttl = :ttl",
        names={"#slot": _attribute(slot), "#ttl": "ttl"},
        values={":until": until, ":ttl": int(until) + _KEPT_SECONDS},
    )


def free(slots: Slots, slot: int) -> Update:
    """Return the write that frees a concurrency slot."""
    return Update(slots.table, slots.key, "REMOVE #slot", names={"#slot": _attribute(slot)})


_PREFIX = "place"  # the stored attribute names begin with it
_AWAITED = "awaited"


def _attribute(slot: int) -> str:
    return f"{_PREFIX}{slot}"
