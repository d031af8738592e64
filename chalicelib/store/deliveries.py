"""Webhook deliveries and their tries (table webhooks). The stored row says what is due; a message only makes a worker
look at it.

Access patterns
- a delivery with its endpoint and the endpoint's slots: one BatchGet (DLV#d, WS#w END#e, END#e PLACES)
- deliveries that are due: index ``dueDeliveries`` (dueShard, nextTryAt), sparse: it has only waiting deliveries
- the log of an endpoint: index ``log`` (logOf, createdAt), then BatchGet

Rows expire 30 days after they were created. ``slots`` limits how many deliveries of one endpoint run at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.webhooks.delivery import (
    FAILURES_UNTIL_OFF,
    OFF_AFTER_FAILURES,
    After,
    Attempt,
    Delivery,
    State,
    WebhookEndpoint,
)
from chalicelib.store import endpoints, items, keys, shapes, slots
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Check, Put, Update, Write, commit, committed, name_of

TABLE = "webhooks"
# In a ``Conflict``, the names of the writes of a delivery and of its endpoint.
_DELIVERY, _ENDPOINT = "delivery", "endpoint"
KEPT_SECONDS = 30 * 86_400
_CREATED_AT_ONCE = 50
_CREATED_BYTES = 2 * 1024 * 1024  # half the limit of a transaction
_RECORD_TRIES = 8


class Loaded(NamedTuple):
    """A delivery, its endpoint, and the time at which each taken concurrency slot of the endpoint becomes free."""

    delivery: Delivery | None
    endpoint: WebhookEndpoint | None
    slots: Mapping[int, float]


class Claim(NamedTuple):
    """A worker's exclusive right to send a delivery. ``until``: when the right ends (epoch seconds). ``slot``: which of
    the endpoint's concurrency slots the worker occupies."""

    slot: int
    until: float


class Due(NamedTuple):
    """An entry in the index ``dueDeliveries``: a delivery that waits for its next try."""

    delivery_id: str
    endpoint_id: str
    workspace_id: str


class Recorded(NamedTuple):
    """The result of recording a try. ``endpoint``: None if it is not known. ``switched_off``: whether this try switched
    the endpoint off."""

    state: State
    next_try_at: float | None
    endpoint: WebhookEndpoint | None
    switched_off: bool


# -- making and finding ------------------------------------------------------------------------------


def create(deliveries: Sequence[Delivery], *beside: Write) -> None:
    """Write deliveries. Deliveries that already exist are not changed. ``beside``: further writes, which are committed
    with the first delivery. Raises botocore's errors."""
    chunk: list[Write] = list(beside)
    size = 0
    for delivery in deliveries:
        put = _put(delivery)
        weight = len(put.item["body"]) + 1024
        if chunk and (len(chunk) == _CREATED_AT_ONCE or size + weight > _CREATED_BYTES):
            _create(chunk)
            chunk, size = [], 0
        chunk.append(put)
        size += weight
    if chunk:
        _create(chunk)


def _create(puts: list[Write]) -> None:
    while puts:
        try:
            commit(puts)
        except Conflict as conflict:
            puts = [put for put in puts if name_of(put) not in conflict.failed]
        else:
            return


def _put(delivery: Delivery) -> Put:
    pk, sk = keys.delivery(delivery.id)
    item = {
        "pk": pk,
        "sk": sk,
        "id": delivery.id,
        "workspaceId": delivery.workspace_id,
        "endpointId": delivery.endpoint_id,
        "event": delivery.event,
        "kind": delivery.kind,
        "createdAt": delivery.created_at,
        "logOf": delivery.endpoint_id,
        "body": shapes.DELIVERY_BODY.pack(delivery.body),
        "state": delivery.state,
        "period": delivery.period,
        "tries": delivery.tries,
        "attempts": [],
        "attemptCount": 0,
        "leaseUntil": delivery.lease_until,
        "nextTryAt": delivery.next_try_at,
        "dueShard": keys.due_deliveries_shard(delivery.id),
        "requestId": delivery.request_id,
        "ttl": int(delivery.created_at) + KEPT_SECONDS,
    }
    return Put(TABLE, item, condition="attribute_not_exists(pk)")


def load(workspace_id: str, endpoint_id: str, delivery_id: str) -> Loaded:
    """Load a delivery with its endpoint and the endpoint's concurrency slots, in one round trip. A delivery of another
    endpoint is treated as missing."""
    wanted = (
        keys.delivery(delivery_id),
        keys.endpoint(workspace_id, endpoint_id),
        keys.endpoint_slots(endpoint_id),
    )
    found = items.batch_get((TABLE, *key) for key in wanted)
    row, endpoint, taken = (found.get((TABLE, *key)) for key in wanted)
    delivery = None if row is None else _from_item(row)
    if delivery is not None and (delivery.workspace_id, delivery.endpoint_id) != (workspace_id, endpoint_id):
        delivery = None
    return Loaded(delivery, None if endpoint is None else endpoints.from_item(endpoint), slots.taken(taken))


def get(delivery_id: str) -> Delivery | None:
    """Return the delivery with this id, or None if there is none."""
    row = items.get(TABLE, *keys.delivery(delivery_id))
    return None if row is None else _from_item(row)


def get_many(delivery_ids: Sequence[str]) -> list[Delivery]:
    """Load these deliveries. Deliveries that do not exist are left out. One round trip per 100; none without ids."""
    found = items.batch_get([(TABLE, *keys.delivery(delivery_id)) for delivery_id in delivery_ids])
    return [_from_item(row) for row in found.values()]


def overdue(shard: str, before: float) -> Iterator[Due]:
    """Yield the waiting deliveries of a shard that were due before a time, longest overdue first. They are read as the
    caller takes them. The index may lag behind the rows for a moment."""
    for row in items.query_index("dueDeliveries", shard, before):
        yield Due(keys.after_prefix(row["pk"]), row["endpointId"], row["workspaceId"])


def list_latest(workspace_id: str, endpoint_id: str, limit: int) -> list[Delivery]:
    """Return the latest deliveries of an endpoint, newest first. One query, and one BatchGet per 100 deliveries."""
    rows, _ = items.query(TABLE, endpoint_id, index="log", forward=False, limit=limit, keys_only=True)
    found = items.batch_get((TABLE, row["pk"], row["sk"]) for row in rows)
    deliveries = [delivery for delivery in map(_from_item, found.values()) if delivery.workspace_id == workspace_id]
    return sorted(deliveries, key=lambda delivery: (delivery.created_at, delivery.id), reverse=True)


# -- sending -----------------------------------------------------------------------------------------


def claim(loaded: Loaded, now: float) -> Claim | None:
    """Claim the delivery and one of its endpoint's concurrency slots. Returns None if another worker holds the
    delivery, it is not due, or it changed since it was read. Raises ``slots.NoSlot`` when all slots of the endpoint are
    taken."""
    delivery = loaded.delivery
    assert delivery is not None
    until = now + slots.LEASE_SECONDS
    of_endpoint = slots.of_endpoint(delivery.endpoint_id)
    take = [_take_delivery(delivery, now, until)]
    try:
        slot = slots.claim(of_endpoint, lambda _: take, now=now, until=until, holder=delivery.id, known=loaded.slots)
    except Conflict:
        return None
    return Claim(slot, until)


def _take_delivery(delivery: Delivery, now: float, until: float) -> Update:
    return Update(
        TABLE,
        keys.delivery(delivery.id),
        "SET leaseUntil = :until",
        condition="#state = :waiting AND attemptCount = :seen AND nextTryAt <= :now"
        " AND (leaseUntil <= :now OR leaseUntil > :beyond)",
        names={"#state": "state"},
        values={
            ":waiting": "waiting",
            ":seen": len(delivery.attempts),
            ":now": now,
            ":until": until,
            ":beyond": slots.beyond(slots.of_endpoint(delivery.endpoint_id), now),
        },
        name=_DELIVERY,
    )


def record(
    delivery: Delivery, endpoint: WebhookEndpoint, claimed: Claim, attempt: Attempt, after: After, now: float
) -> Recorded | None:
    """Record a try of a delivery, free its concurrency slot, and count the try for the endpoint, all in one
    transaction. The condition of the write is the number of earlier tries, so a repeated write does not count the try
    twice. Returns None if another worker recorded this try, or the delivery is gone."""
    current: WebhookEndpoint | None = endpoint
    for _ in range(_RECORD_TRIES):
        state, next_try_at = after.state, after.next_try_at
        counted, switched_off = _count(delivery, current, attempt, now)
        if state == "waiting" and (current is None or current.state == "off" or switched_off):
            state, next_try_at = "endpoint_removed" if current is None else "endpoint_off", None
        writes: list[Write] = [
            _record(delivery, attempt, state, after.tries, next_try_at),
            slots.free(slots.of_endpoint(delivery.endpoint_id), claimed.slot),
        ]
        try:
            commit([*writes, *counted])
        except Conflict as conflict:
            if _DELIVERY in conflict.failed:
                return None
            row = conflict.failed.get(_ENDPOINT)
            current = None if row is None else endpoints.from_item(row)
            continue
        return Recorded(state, next_try_at, current, switched_off)
    raise TimeoutError(f"endpoint {delivery.endpoint_id} changed at every attempt to record a delivery")


def _record(delivery: Delivery, attempt: Attempt, state: State, tries: int, next_try_at: float | None) -> Update:
    expression = (
        "SET attempts = list_append(attempts, :attempt), attemptCount = :count, tries = :tries, #state = :state,"
        " leaseUntil = :free, ownFailures = :free"
    )
    values: dict[str, Any] = {
        ":attempt": [msgspec.to_builtins(attempt)],
        ":count": len(delivery.attempts) + 1,
        ":tries": tries,
        ":state": state,
        ":free": 0,
        ":waiting": "waiting",
        ":seen": len(delivery.attempts),
    }
    if next_try_at is None:
        expression += " REMOVE nextTryAt, dueShard, replayOf"
    else:
        expression += ", nextTryAt = :next"
        values[":next"] = next_try_at
    return Update(
        TABLE,
        keys.delivery(delivery.id),
        expression,
        condition="#state = :waiting AND attemptCount = :seen",
        names={"#state": "state"},
        values=values,
        name=_DELIVERY,
    )


def _count(
    delivery: Delivery, endpoint: WebhookEndpoint | None, attempt: Attempt, now: float
) -> tuple[list[Write], bool]:
    """Return the write that counts a try for its endpoint, and whether that write switches the endpoint off. After a
    success without earlier failures there is nothing to count. The write is then only a check that no failure was
    recorded meanwhile."""
    if not delivery.counts or endpoint is None or endpoint.state == "off":
        return [], False
    key = keys.endpoint(endpoint.workspace_id, endpoint.id)
    names = {"#state": "state"}
    if attempt.succeeded:
        values: dict[str, Any] = {":on": "on", ":none": 0}
        if endpoint.failures_in_a_row == 0:
            return [Check(TABLE, key, "#state = :on AND failuresInARow = :none", names, values, _ENDPOINT)], False
        return [Update(TABLE, key, "SET failuresInARow = :none", "#state = :on", names, values, _ENDPOINT)], False
    values = {":on": "on", ":one": 1, ":last": FAILURES_UNTIL_OFF - 1}
    if endpoint.failures_in_a_row < FAILURES_UNTIL_OFF - 1:
        condition = "#state = :on AND failuresInARow < :last"
        return [
            Update(TABLE, key, "SET failuresInARow = failuresInARow + :one", condition, names, values, _ENDPOINT)
        ], False
    expression = (
        "SET failuresInARow = failuresInARow + :one, #state = :off, offReason = :reason, offAt = :now,"
        " #period = #period + :one"
    )
    values |= {":off": "off", ":reason": OFF_AFTER_FAILURES, ":now": now}
    names |= {"#period": "period"}
    return [Update(TABLE, key, expression, "#state = :on AND failuresInARow = :last", names, values, _ENDPOINT)], True


# -- waiting, ending, sending again -------------------------------------------------------------------


def postpone(delivery: Delivery, at: float) -> bool:
    """Postpone a waiting delivery to ``at``. Returns False if another worker postponed it first, or it no longer
    waits."""
    return _change(
        delivery,
        "SET nextTryAt = :at",
        "nextTryAt = :seen_at",
        {":at": at, ":seen_at": delivery.next_try_at},
        own={"nextTryAt": at},
    )


def hold_up(delivery: Delivery, at: float) -> bool:
    """Postpone a waiting delivery to ``at`` because this service failed, and count the failure. Returns False if
    another worker postponed the delivery first, or it no longer waits."""
    return _change(
        delivery,
        "SET nextTryAt = :at, ownFailures = :failures",
        "nextTryAt = :seen_at",
        {":at": at, ":seen_at": delivery.next_try_at, ":failures": delivery.own_failures + 1},
        own={"nextTryAt": at},
    )


def end(delivery: Delivery, state: State, now: float) -> bool:
    """End a waiting delivery without another try. Returns False if the delivery no longer waits, or a worker is sending
    it now."""
    return _change(
        delivery,
        "SET #state = :state REMOVE nextTryAt, dueShard, replayOf",
        "leaseUntil <= :now",
        {":state": state, ":now": now},
        own={"state": state, "nextTryAt": None},
    )


def end_waiting(found: Iterable[Delivery], state: State, now: float) -> int:
    """End those of the given deliveries that wait for a scheduled try. Returns how many were ended."""
    return sum(end(delivery, state, now) for delivery in found if delivery.state == "waiting" and delivery.counts)


def replay(delivery: Delivery, now: float, *beside: Write) -> bool:
    """Queue an ended delivery to be sent again. ``beside``: further writes, committed in the same transaction. Returns
    False if the delivery changed since it was read."""
    again = Update(
        TABLE,
        keys.delivery(delivery.id),
        "SET #state = :waiting, replayOf = :state, nextTryAt = :now, dueShard = :shard, ownFailures = :none",
        condition="#state = :state AND attemptCount = :seen",
        names={"#state": "state"},
        values={
            ":waiting": "waiting",
            ":state": delivery.state,
            ":seen": len(delivery.attempts),
            ":now": now,
            ":none": 0,
            ":shard": keys.due_deliveries_shard(delivery.id),
        },
    )
    return committed([again, *beside])


def _change(
    delivery: Delivery, expression: str, condition: str, values: dict[str, Any], own: Mapping[str, Any]
) -> bool:
    try:
        items.update(
            TABLE,
            *keys.delivery(delivery.id),
            expression,
            condition=f"#state = :waiting AND attemptCount = :seen AND {condition}",
            names={"#state": "state"},
            values={":waiting": "waiting", ":seen": len(delivery.attempts), **values},
            own=own,
        )
    except Conflict:
        return False
    return True


def _from_item(row: Mapping[str, Any]) -> Delivery:
    return Delivery(
        id=row["id"],
        workspace_id=row["workspaceId"],
        endpoint_id=row["endpointId"],
        event=row["event"],
        created_at=row["createdAt"],
        body=shapes.DELIVERY_BODY.unpack(row["body"]),
        state=row["state"],
        kind=row["kind"],
        period=row["period"],
        tries=row["tries"],
        attempts=typed.convert(row["attempts"], list[Attempt]),
        next_try_at=row.get("nextTryAt"),
        lease_until=row["leaseUntil"],
        replay_of=row.get("replayOf"),
        request_id=row.get("requestId"),
        own_failures=row.get("ownFailures", 0),
    )
