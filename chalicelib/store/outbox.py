"""The outbox: events are written in the transaction that causes them, and stay stored until a delivery exists for each
endpoint.

Access patterns: write a batch with a transaction; read the oldest batches of a shard; remove a finished batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib import clock, randomness
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import items, keys, shapes
from chalicelib.store.context import request_id

TABLE = "webhooks"


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that one transaction wrote. ``request_id``: the request that caused them."""

    pk: str
    sk: str
    at: float
    events: list[Event]
    request_id: str | None


def batch_item(events: Sequence[Event]) -> dict[str, Any]:
    """Return the item that stores ``events`` (not empty) in one packed attribute. The batch's id selects its shard."""
    at = clock.now()
    batch_id = time_ordered("out", at, randomness.random_bytes(10))
    pk, sk = keys.outbox(keys.shard(batch_id), at, batch_id)
    return {"pk": pk, "sk": sk, "at": at, "events": shapes.EVENTS.pack(list(events)), "requestId": request_id.get()}


def pending(shard: str, limit: int = 25) -> list[Batch]:
    """Return the oldest batches of a shard, oldest first."""
    rows, _ = items.query(TABLE, keys.outbox_partition(shard), limit=limit)
    return [from_item(row) for row in rows]


def overdue(shard: str, before: float) -> Iterator[tuple[str, str]]:
    """Yield the keys of a shard's batches that were written before a time, oldest first. They are read as the caller
    takes them."""
    for row in items.query_all(TABLE, keys.outbox_partition(shard), keys_only=True):
        if keys.outbox_time(row["sk"]) >= before:
            return
        yield row["pk"], row["sk"]


def load(pk: str, sk: str) -> Batch | None:
    """Load the batch that a message names. Returns None when the batch is already removed."""
    row = items.get(TABLE, pk, sk)
    return None if row is None else from_item(row)


def remove(batch: Batch) -> None:
    """Remove a finished batch. Removing it twice does no harm."""
    items.delete(TABLE, batch.pk, batch.sk)


def from_item(row: dict[str, Any]) -> Batch:
    """Return the batch that an item stores."""
    return Batch(row["pk"], row["sk"], row["at"], shapes.EVENTS.unpack(row["events"]), row.get("requestId"))
