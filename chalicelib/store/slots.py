"""The slots of a webhook endpoint: at most so many of its deliveries are under way at once (table webhooks).

Access pattern: Get END#e, PLACES: one item for each endpoint with deliveries under way, one attribute for each slot
that is taken, with the time until which it is. A claim takes a slot in the transaction that takes the delivery; the
record of the try frees it. A slot that was never freed, because its worker died, is free again when its time is over.
"""

from collections.abc import Mapping
from typing import Any

from chalicelib.store import keys
from chalicelib.store.transactions import Update

TABLE = "webhooks"
SLOT = "slot"  # what a conflict calls the write that takes a slot
SLOTS = 5  # deliveries of one endpoint under way at once
LEASE_SECONDS = 60.0  # longer than a delivery function may run: a lease that is over belongs to a dead worker
_KEPT_SECONDS = 86_400


def taken(row: Mapping[str, Any] | None) -> dict[int, float]:
    """Until when each slot is taken, by number, as an endpoint's item says (None: there is no item)."""
    if row is None:
        return {}
    return {number: row[_attribute(number)] for number in range(SLOTS) if _attribute(number) in row}


def pick(until: Mapping[int, float], now: float, delivery_id: str) -> int | None:
    """A slot for the delivery that nobody holds now; ``until`` as ``taken`` gives it. None: all are taken."""
    free_now = [number for number in range(SLOTS) if not now < until.get(number, 0.0) <= beyond(now)]
    # Workers that come at once begin at different slots, so that they seldom want the same one.
    return free_now[sum(delivery_id.encode()) % len(free_now)] if free_now else None


def beyond(now: float) -> float:
    """A lease that ends after this was given on a clock that has been set back since, and does not hold. The margin
    of a whole lease is for workers whose clocks differ."""
    return now + 2 * LEASE_SECONDS


# -- writes, for the transactions of deliveries -----------------------------------------------------------


def take(endpoint_id: str, slot: int, now: float, until: float) -> Update:
    """The write that takes a slot until a time. Fails when somebody holds it."""
    return Update(
        TABLE,
        keys.endpoint_slots(endpoint_id),
        "SET #slot = :until, #ttl = :ttl",
        condition="attribute_not_exists(#slot) OR #slot <= :now OR #slot > :beyond",
        names={"#slot": _attribute(slot), "#ttl": "ttl"},
        values={":now": now, ":until": until, ":beyond": beyond(now), ":ttl": int(now) + _KEPT_SECONDS},
        name=SLOT,
    )


def free(endpoint_id: str, slot: int) -> Update:
    """The write that frees a slot."""
    return Update(TABLE, keys.endpoint_slots(endpoint_id), "REMOVE #slot", names={"#slot": _attribute(slot)})


def _attribute(slot: int) -> str:
    return f"place{slot}"  # as it is stored
