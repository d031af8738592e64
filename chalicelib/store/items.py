"""Reads and writes of single items, batches and queries, with plain Python values in and out.

Reads leave out items whose ``ttl`` has passed; DynamoDB removes them days later.

The answer to a write may be lost after the write was done. Then botocore repeats the request, whose condition now
fails, because the first request has already changed the item. So if the condition of a repeated request fails, the item
is read. If it shows that this write was done, the write counts as successful.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.randomness import random_bytes
from chalicelib.store import backoff, client
from chalicelib.store.errors import ITEM, Conflict
from chalicelib.store.keys import INDEXES, table_name
from chalicelib.store.marshalling import from_item, to_item, to_values

Item = dict[str, Any]
Key = tuple[str, str, str]  # table, pk, sk

GET_BATCH = 100
WRITE_BATCH = 25
TRIES = 10
WRITER = "writer"  # the attribute that identifies the writer of a conditional put
_WRITER_BYTES = 8


def get(table: str, pk: str, sk: str, consistent: bool = True) -> Item | None:
    """Return the item at this key. Returns None if there is none, or it has expired."""
    answer = client.dynamodb().get_item(
        TableName=table_name(table), Key=to_item({"pk": pk, "sk": sk}), ConsistentRead=consistent
    )
    found = answer.get("Item")
    item = None if found is None else from_item(found)
    return item if item is not None and not _expired(item) else None


def batch_get(
    wanted: Iterable[Key], consistent: bool = True, attributes: Sequence[str] | None = None
) -> dict[Key, Item]:
    """Load these items, from any tables, by (table, pk, sk). Items that do not exist are left out. One call per 100.
    ``attributes``: if given, only these attributes and the key are read."""
    unique = list(dict.fromkeys(wanted))
    found: dict[Key, Item] = {}
    for start in range(0, len(unique), GET_BATCH):
        found.update(_batch_get(unique[start : start + GET_BATCH], consistent, attributes))
    return found


def _batch_get(wanted: Sequence[Key], consistent: bool, attributes: Sequence[str] | None) -> dict[Key, Item]:
    names = {table: table_name(table) for table in {table for table, _, _ in wanted}}
    tables = {name: table for table, name in names.items()}
    part = {} if attributes is None else _only(("pk", "sk", "ttl", *attributes))
    request: dict[str, Any] = {name: {"ConsistentRead": consistent, "Keys": [], **part} for name in tables}
    for table, pk, sk in wanted:
        request[names[table]]["Keys"].append({"pk": {"S": pk}, "sk": {"S": sk}})
    found: dict[Key, Item] = {}
    for attempt in range(TRIES):
        answer = client.dynamodb().batch_get_item(RequestItems=request)
        for name, rows in answer["Responses"].items():
            for row in rows:
                item = from_item(row)
                if not _expired(item):
                    found[tables[name], item["pk"], item["sk"]] = item
        request = dict(answer.get("UnprocessedKeys") or {})
        if not request:
            return found
        backoff.wait(attempt)
    raise TimeoutError("DynamoDB did not read all keys after all attempts")


def _only(attributes: Sequence[str]) -> dict[str, Any]:
    """Return the part of a request that selects the attributes to read. Placeholders are needed because many names are
    reserved words of DynamoDB."""
    names = {f"#a{number}": attribute for number, attribute in enumerate(attributes)}
    return {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}


def query(
    table: str,
    pk: str,
    prefix: str | None = None,
    *,
    limit: int | None = None,
    forward: bool = True,
    index: str | None = None,
    start: Mapping[str, Any] | None = None,
    before: tuple[str, float] | None = None,
    keys_only: bool = False,
    consistent: bool = True,
) -> tuple[list[Item], Item | None]:
    """Return items of a partition in the order of their sort keys, and the position from which to read on (None: these
    are the last).

    - ``prefix``: only sort keys that begin with it.
    - ``index``: query this index. Then ``pk`` is a partition of the index, and the read is eventually consistent.
    - ``before``: the name of the sort attribute, and the largest value of it that is wanted.
    - ``start``: the position at which to continue, which the previous call returned.
    - ``keys_only``: read only pk and sk.

    Without ``limit``, one call reads 1 MB. With ``limit``, as many calls are made as needed.
    """
    request = _query(table, pk, prefix, index, before, keys_only)
    request["ScanIndexForward"] = forward
    if index is None:
        request["ConsistentRead"] = consistent
    position: Mapping[str, Any] | None = to_item(start) if start else None
    found: list[Item] = []
    while True:
        if limit is not None:
            request["Limit"] = limit - len(found)
        if position is not None:
            request["ExclusiveStartKey"] = position
        answer = client.dynamodb().query(**request)
        found += [item for item in map(from_item, answer["Items"]) if not _expired(item)]
        position = answer.get("LastEvaluatedKey")
        if position is None:
            return found, None
        if limit is None or len(found) >= limit:
            return found, from_item(position)


def query_all(table: str, pk: str, prefix: str | None = None, *, keys_only: bool = False) -> Iterator[Item]:
    """Yield all items of a partition (or those with a prefix) in order. They are read as the caller takes them, 1 MB
    per call."""
    start: Item | None = None
    while True:
        found, start = query(table, pk, prefix, start=start, keys_only=keys_only)
        yield from found
        if start is None:
            return


def query_index(index: str, partition: str, before: float, *, page: int = 100) -> Iterator[Item]:
    """Yield items of one partition of a time-ordered index up to a time, earliest first. They are read as the caller
    takes them, ``page`` items per call. The index may lag behind the items for a moment."""
    start: Item | None = None
    described = INDEXES[index]
    while True:
        found, start = query(
            described.table, partition, index=index, before=(described.sort, before), limit=page, start=start
        )
        yield from found
        if start is None:
            return


def _query(
    table: str, pk: str, prefix: str | None, index: str | None, before: tuple[str, float] | None, keys_only: bool
) -> dict[str, Any]:
    names = {"#pk": "pk" if index is None else INDEXES[index].partition}
    values: dict[str, Any] = {":pk": pk}
    condition = "#pk = :pk"
    if prefix is not None:
        names["#sk"] = "sk"
        values[":prefix"] = prefix
        condition += " AND begins_with(#sk, :prefix)"
    elif before is not None:
        names["#sk"], values[":before"] = before
        condition += " AND #sk <= :before"
    request: dict[str, Any] = {"TableName": table_name(table), "KeyConditionExpression": condition}
    if index is not None:
        request["IndexName"] = index
    if keys_only:
        # The ttl is read too, so that expired items can be left out. An index may lack it.
        wanted = ["pk", "sk", "ttl"] if index is None else ["pk", "sk"]
        request["ProjectionExpression"] = ", ".join(f"#{name}_" for name in wanted)
        names |= {f"#{name}_": name for name in wanted}
    request["ExpressionAttributeNames"] = names
    request["ExpressionAttributeValues"] = to_values(values)
    return request


def put(
    table: str,
    item: Mapping[str, Any],
    *,
    condition: str | None = None,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Write a whole item. Raises ``Conflict`` when the condition fails.

    A conditional write adds a token of its writer (``WRITER``) to the item. If the request is repeated, the token shows
    whether the stored item is its own, even if another writer has written the same values.
    """
    request = _conditional(table, condition, names, values)
    token = random_bytes(_WRITER_BYTES).hex()
    written = to_item(item if condition is None else {**item, WRITER: token})
    _conditionally(
        lambda: client.dynamodb().put_item(Item=written, **request),
        lambda found: found is not None and found.get(WRITER) == token,
    )


def update(
    table: str,
    pk: str,
    sk: str,
    expression: str,
    *,
    condition: str | None = None,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
    own: Mapping[str, Any] | None = None,
    returns: Literal["ALL_NEW", "NONE"] = "NONE",
) -> Item | None:
    """Change attributes of one item. Returns the item after the change if ``returns`` is ``ALL_NEW``.

    ``own``: attribute values by which the changed item is recognised (None: the attribute is absent). If the condition
    of a repeated request fails and the item has these values, the change counts as done. A change that may be done
    twice needs no ``own``. Raises ``Conflict`` (with the old item) when the condition fails.
    """
    request = _conditional(table, condition, names, values)
    answer = _conditionally(
        lambda: client.dynamodb().update_item(
            Key=to_item({"pk": pk, "sk": sk}), UpdateExpression=expression, ReturnValues=returns, **request
        ),
        lambda found: own is not None and found is not None and all(found.get(name) == own[name] for name in own),
    )
    attributes = answer.get("Attributes")
    return from_item(attributes) if attributes else None


def delete(
    table: str,
    pk: str,
    sk: str,
    *,
    condition: str | None = None,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Remove an item, if there is one. Raises ``Conflict`` when the condition fails."""
    request = _conditional(table, condition, names, values)
    _conditionally(
        lambda: client.dynamodb().delete_item(Key=to_item({"pk": pk, "sk": sk}), **request),
        lambda found: found is None,
    )


def batch_write(puts: Iterable[tuple[str, Mapping[str, Any]]] = (), deletes: Iterable[Key] = ()) -> None:
    """Write whole items (table, item) and remove others, 25 per call, in any order and not atomically."""
    requests: list[tuple[str, dict[str, Any]]] = [
        (table_name(table), {"PutRequest": {"Item": to_item(item)}}) for table, item in puts
    ]
    requests += [
        (table_name(table), {"DeleteRequest": {"Key": to_item({"pk": pk, "sk": sk})}}) for table, pk, sk in deletes
    ]
    for start in range(0, len(requests), WRITE_BATCH):
        _batch_write(requests[start : start + WRITE_BATCH])


def _batch_write(requests: Sequence[tuple[str, dict[str, Any]]]) -> None:
    waiting: dict[str, Any] = {}
    for name, request in requests:
        waiting.setdefault(name, []).append(request)
    for attempt in range(TRIES):
        answer = client.dynamodb().batch_write_item(RequestItems=waiting)
        waiting = dict(answer.get("UnprocessedItems") or {})
        if not waiting:
            return
        backoff.wait(attempt)
    raise TimeoutError("DynamoDB did not write all items after all attempts")


def _conditional(
    table: str, condition: str | None, names: Mapping[str, str] | None, values: Mapping[str, Any] | None
) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": table_name(table)}
    if condition is not None:
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if names:
        request["ExpressionAttributeNames"] = dict(names)
    if values:
        request["ExpressionAttributeValues"] = to_values(values)
    return request


def _conditionally(call: Callable[[], Any], done: Callable[[Item | None], bool]) -> Any:
    """Make a conditional call, and return its answer. ``done``: whether the current item shows that this call wrote
    it."""
    try:
        return call()
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        old: Any = error.response.get("Item")
        found = from_item(old) if old else None
        if error.response["ResponseMetadata"].get("RetryAttempts", 0) > 0 and done(found):
            return {"Attributes": old}
        raise Conflict({ITEM: found}) from error


def _expired(item: Item) -> bool:
    ttl = item.get("ttl")
    return ttl is not None and ttl <= clock.now()
