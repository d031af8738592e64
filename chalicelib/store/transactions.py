"""Atomic writes, together with the events that they cause.

If a caller must know which write caused a conflict, it gives the write a ``name`` and looks for this name in the
``Conflict``. The order of the writes has no meaning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from chalicelib import randomness
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import backoff, client, outbox, queues
from chalicelib.store.errors import Conflict
from chalicelib.store.keys import Key, attributes, table_name
from chalicelib.store.marshalling import from_item, to_item, to_values

__all__ = [
    "MAX_WRITES",
    "UNCHANGED",
    "Check",
    "Conflict",
    "Delete",
    "Put",
    "Update",
    "Write",
    "changed_version",
    "commit",
    "committed",
    "name_of",
]

MAX_WRITES = 100  # DynamoDB's limit; a batch of events counts as one
TRIES = 8
UNCHANGED = "attribute_exists(pk) AND #version = :seen"  # the condition that a row with a version has not changed

_PASSING_REASONS = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_PASSING_ERRORS = {
    "TransactionInProgressException",
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
}


@dataclass(frozen=True, slots=True)
class Put:
    """Write a whole item, including ``pk`` and ``sk``. Attributes that are None are left out. ``commit`` includes the
    writes of ``also`` in the same transaction, such as the write that frees the concurrency slot of a finished job."""

    table: str
    item: Mapping[str, Any]
    condition: str | None = None
    names: Mapping[str, str] | None = None
    values: Mapping[str, Any] | None = None
    name: str | None = None
    also: "tuple[Write, ...]" = ()


@dataclass(frozen=True, slots=True)
class Update:
    """Change attributes of the item at ``key``; create it if it does not exist, unless the condition forbids that."""

    table: str
    key: Key
    expression: str
    condition: str | None = None
    names: Mapping[str, str] | None = None
    values: Mapping[str, Any] | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the item at ``key``, if there is one."""

    table: str
    key: Key
    condition: str | None = None
    names: Mapping[str, str] | None = None
    values: Mapping[str, Any] | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Write nothing, but make the transaction fail if the condition on the item at ``key`` does not hold."""

    table: str
    key: Key
    condition: str
    names: Mapping[str, str] | None = None
    values: Mapping[str, Any] | None = None
    name: str | None = None


Write = Put | Update | Delete | Check


def name_of(write: Write) -> str:
    """Return the text that names the write in a ``Conflict``: its ``name``, or its table and key if it has no name."""
    if write.name is not None:
        return write.name
    key = attributes(write.item if isinstance(write, Put) else write.key)
    return f"{write.table} {key['pk']} {key['sk']}"


def commit(writes: Sequence[Write], events: Sequence[Event] = ()) -> None:
    """Commit all ``writes``, and put ``events`` into the outbox, in one transaction (at most 100 actions, 4 MB).

    Temporary errors are retried: throttling, and conflicts with other transactions on the same items. Raises
    ``Conflict`` when a condition failed, or when conflicts with other transactions did not end; then nothing was
    written. After a commit with events, a message is sent to the outbox queue. If it is lost, the sweeper sends
    another.
    """
    batch = outbox.batch_item(events) if events else None
    every = [part for write in writes for part in (write, *(write.also if isinstance(write, Put) else ()))]
    _write(every if batch is None else [*every, Put(outbox.TABLE, batch)])
    if batch is not None:
        queues.hint("outbox", {"pk": batch["pk"], "sk": batch["sk"]})


def committed(writes: Sequence[Write], events: Sequence[Event] = ()) -> bool:
    """Commit the writes and events. Returns False after a conflict, otherwise True, even if there was nothing to
    commit."""
    try:
        if writes or events:
            commit(writes, events)
    except Conflict:
        return False
    return True


def _write(writes: Sequence[Write]) -> None:
    actions = [_action(write) for write in writes]
    token = _token()
    for attempt in range(TRIES):
        try:
            client.dynamodb().transact_write_items(TransactItems=actions, ClientRequestToken=token)  # type: ignore[arg-type]
            return
        except ClientError as error:
            if not _passes(error, writes):
                raise
            if attempt == TRIES - 1:
                if "TransactionConflict" in _reasons(error):
                    raise Conflict({}) from error  # the caller must load the items and decide again
                raise
            if error.response["Error"]["Code"] == "TransactionCanceledException":
                token = _token()  # a new token per attempt: with the old one, the old answer could be repeated
        backoff.wait(attempt)


def _passes(error: ClientError, writes: Sequence[Write]) -> bool:
    """Whether a retry may help. Raises ``Conflict`` when a condition failed."""
    code = error.response["Error"]["Code"]
    if code != "TransactionCanceledException":
        return code in _PASSING_ERRORS
    reasons: list[Any] = error.response.get("CancellationReasons", [])
    failed = {
        name_of(write): from_item(reason["Item"]) if reason.get("Item") else None
        for write, reason in zip(writes, reasons, strict=False)  # some compatible stores give no reasons
        if reason.get("Code") == "ConditionalCheckFailed"
    }
    if failed:
        raise Conflict(failed) from error
    return any(reason.get("Code") in _PASSING_REASONS for reason in reasons)


def changed_version(table: str, key: Key, seen: int, changed: Mapping[str, Any]) -> Update:
    """Return the write that changes attributes of a row with a version (None removes an attribute). The write fails if
    the row no longer has the version ``seen``."""
    names = {"#version": "version"}
    values: dict[str, Any] = {":seen": seen, ":version": seen + 1}
    sets, removed = ["#version = :version"], []
    for number, (name, value) in enumerate(changed.items()):
        names[f"#a{number}"] = name
        if value is None:
            removed.append(f"#a{number}")
        else:
            values[f":a{number}"] = value
            sets.append(f"#a{number} = :a{number}")
    expression = f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removed)}" if removed else "")
    return Update(table, key, expression, UNCHANGED, names, values)


def _reasons(error: ClientError) -> set[str]:
    """Return why a transaction was cancelled."""
    reasons: list[Any] = error.response.get("CancellationReasons", [])
    return {reason.get("Code") for reason in reasons}


def _token() -> str:
    return randomness.random_bytes(16).hex()


def _action(write: Write) -> dict[str, Any]:
    action: dict[str, Any] = {"TableName": table_name(write.table)}
    if write.condition is not None:
        action["ConditionExpression"] = write.condition
        action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if write.names:
        action["ExpressionAttributeNames"] = dict(write.names)
    if write.values:
        action["ExpressionAttributeValues"] = to_values(write.values)
    match write:
        case Put():
            return {"Put": {**action, "Item": to_item(write.item)}}
        case Update():
            return {"Update": {**action, "Key": to_item(attributes(write.key)), "UpdateExpression": write.expression}}
        case Delete():
            return {"Delete": {**action, "Key": to_item(attributes(write.key))}}
        case Check():
            return {"ConditionCheck": {**action, "Key": to_item(attributes(write.key))}}
