"""moto 5.2.5's DynamoDB, made safe to run a service on: atomic, fast, and as strict as the real DynamoDB in the points
that matter.

Changes to moto (every caller holds ``locking.LOCK``):

- A stored item is never changed in place: an update stores a new one. So answers need no copies, a transaction is
  undone from a short list of replaced items, and listeners may keep the items that they receive.
- A query reads its partition in the order of the table's keys or of an index, instead of reading and sorting the whole
  table.
- The size limits are those of DynamoDB: 400 KB for an item (also after an update), 1 MB for a page of a query, 4 MB for
  a transaction.
- When ``Limit`` is reached, the answer has a ``LastEvaluatedKey`` even if nothing follows, as in the real DynamoDB.
"""

import copy
from collections.abc import Callable
from typing import Any

from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    InvalidAttributeTypeError,
    ItemSizeTooLarge,
    ItemSizeToUpdateTooLarge,
    MockValidationException,
    MultipleTransactionsException,
    TooManyTransactionsException,
    TransactionCanceledException,
    TransactWriteSingleOpException,
)
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing.executors import UpdateExpressionExecutor

from local import moto_expressions, moto_items
from local.moto_expressions import update_tree
from local.moto_items import item_size, items_of, new_item, project, sort_value, start_key

ITEM_BYTES = 400 * 1024
PAGE_BYTES = 1024 * 1024
TRANSACTION_BYTES = 4 * 1024 * 1024
TRANSACTION_ACTIONS = 100

Key = tuple[str, str, str | None]  # table, partition key, sort key: values in their wire format
Listener = Callable[[Key, Item | None], None]

_listeners: list[Listener] = []
_undo: list[tuple[Table, DynamoType, DynamoType | None, Item | None]] | None = None


def listen(listener: Listener) -> Callable[[], None]:
    """Call ``listener(key, item or None)``, under the lock, at every change of an item.

    Returns a function that removes the listener.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def store(table: Table, hash_key: DynamoType, range_key: DynamoType | None, new: Item | None) -> Item | None:
    """Store ``new`` in place of the item with these keys, or only remove the item if ``new`` is None. Returns the old
    item."""
    old = items_of(table).replace(hash_key, range_key, new)
    if _undo is not None:
        _undo.append((table, hash_key, range_key, old))
    for listener in _listeners:
        listener((table.name, hash_key.value, None if range_key is None else range_key.value), new)
    return old


# --------------------------------------------------------------------------------------------------- single writes


def _check(
    condition: str | None,
    names: dict[str, Any] | None,
    values: dict[str, Any] | None,
    current: Item | None,
    on_failure: str | None,
) -> None:
    """Check the condition. Raises ``ConditionalCheckFailed`` if it does not hold.

    The error contains the old item if ``on_failure`` asks for it.
    """
    if condition is None or get_filter_expression(condition, names, values).expr(current):
        return
    if on_failure == "ALL_OLD" and current is not None:
        raise ConditionalCheckFailed(item=current.to_json()["Attributes"])
    raise ConditionalCheckFailed


def _check_index_types(table: Table, item: Item) -> None:
    """Refuse index keys whose type is not the index's: a partition of mixed types has no order."""
    types = {entry["AttributeName"]: entry["AttributeType"] for entry in table.attr}
    for index in table.all_indexes():
        for name in index.schema_key_attrs:
            value = item.attrs.get(name)
            if value is not None and value.type != types[name]:
                raise MockValidationException(
                    "One or more parameter values were invalid: Type mismatch for Index Key "
                    f"{name} Expected: {types[name]} Actual: {value.type} IndexName: {index.name}"
                )


def _table_put(
    self: Table,
    item_attrs: dict[str, Any],
    expected: dict[str, Any] | None = None,
    condition_expression: str | None = None,
    expression_attribute_names: dict[str, str] | None = None,
    expression_attribute_values: dict[str, Any] | None = None,
    overwrite: bool = False,
    return_values_on_condition_check_failure: str | None = None,
) -> Item:
    if expected:
        raise MockValidationException("Expected is not supported here: use ConditionExpression")
    keys: list[DynamoType] = []
    for name, kind in ((self.hash_key_attr, self.hash_key_type), (self.range_key_attr, self.range_key_type)):
        if name is None:
            continue
        if name not in item_attrs:
            raise MockValidationException(
                f"One or more parameter values were invalid: Missing the key {name} in the item"
            )
        value = DynamoType(item_attrs[name])
        if value.type != kind:
            raise InvalidAttributeTypeError(name, expected_type=kind, actual_type=value.type)
        keys.append(value)
    self._validate_item_types(item_attrs)
    self._validate_key_sizes(item_attrs)
    hash_key, range_key = keys[0], keys[1] if len(keys) > 1 else None
    item = Item(hash_key, range_key, item_attrs)
    if item_size(item) > ITEM_BYTES:
        raise ItemSizeTooLarge
    _check_index_types(self, item)
    _check(
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        items_of(self).find(hash_key, range_key),
        return_values_on_condition_check_failure,
    )
    store(self, hash_key, range_key, item)
    return item


def _table_delete(self: Table, hash_key: DynamoType, range_key: DynamoType | None) -> Item | None:
    found = items_of(self).find(hash_key, range_key)
    return None if found is None else store(self, hash_key, range_key, None)


def _delete_item(
    self: DynamoDBBackend,
    table_name: str,
    key: dict[str, Any],
    expression_attribute_names: dict[str, Any] | None = None,
    expression_attribute_values: dict[str, Any] | None = None,
    condition_expression: str | None = None,
    return_values_on_condition_check_failure: str | None = None,
) -> Item | None:
    table = self.get_table(table_name)
    hash_key, range_key = self.get_keys_value(table, key)
    _check(
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        items_of(table).find(hash_key, range_key),
        return_values_on_condition_check_failure,
    )
    return table.delete_item(hash_key, range_key)


def _update_item(
    self: DynamoDBBackend,
    table_name: str,
    key: dict[str, dict[str, Any]],
    update_expression: str,
    expression_attribute_names: dict[str, Any],
    expression_attribute_values: dict[str, Any],
    attribute_updates: dict[str, Any] | None = None,
    expected: dict[str, Any] | None = None,
    condition_expression: str | None = None,
    return_values_on_condition_check_failure: str | None = None,
) -> Item:
    if attribute_updates or expected:
        raise MockValidationException("AttributeUpdates and Expected are not supported here: use expressions")
    table = self.get_table(table_name)
    hash_key, range_key = self.get_keys_value(table, key)
    current = items_of(table).find(hash_key, range_key)
    _check(
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        current,
        return_values_on_condition_check_failure,
    )
    if current is None:
        item = new_item(hash_key, range_key, {name: DynamoType(value) for name, value in key.items()})
    else:
        # moto changes lists, maps and sets in place: they are copied, plain values are shared with the old item.
        attributes = {
            name: copy.deepcopy(value) if isinstance(value.value, list | dict) else value
            for name, value in current.attrs.items()
        }
        item = new_item(hash_key, range_key, attributes)
    if update_expression:
        tree = update_tree(update_expression, expression_attribute_names, expression_attribute_values, item, table)
        UpdateExpressionExecutor(tree, item, expression_attribute_names).execute()
    if item_size(item) > ITEM_BYTES:
        raise ItemSizeToUpdateTooLarge
    _check_index_types(table, item)
    store(table, hash_key, range_key, item)
    return item


# --------------------------------------------------------------------------------------------------- transactions


def _transact_write(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    """Check all conditions on the state before the transaction, then do all writes. If a write fails, undo all."""
    if len(transact_items) > TRANSACTION_ACTIONS:
        raise TooManyTransactionsException
    actions = [_action(self, item) for item in transact_items]
    places = {(action["TableName"], repr(sorted(key.items()))) for _, action, key in actions}
    if len(places) < len(actions):
        raise MultipleTransactionsException
    reasons = [_reason(self, kind, action, key) for kind, action, key in actions]
    if any(code for code, _, _ in reasons):
        raise TransactionCanceledException(reasons)
    total = 0
    with _Undoing():
        for number, (kind, action, key) in enumerate(actions):
            try:
                total += _apply(self, kind, action, key)
            except MockValidationException as error:
                reasons[number] = ("ValidationError", error.message, None)
                raise TransactionCanceledException(reasons) from error
        if total > TRANSACTION_BYTES:
            raise MockValidationException("Transaction size exceeds 4 MB")


class _Undoing:
    """Restores replaced items in reverse order if the block fails."""

    def __enter__(self) -> None:
        global _undo
        _undo = []

    def __exit__(self, failed: object, *rest: object) -> None:
        global _undo
        undo, _undo = _undo or [], None
        if failed is not None:
            for table, hash_key, range_key, old in reversed(undo):
                store(table, hash_key, range_key, old)


def _action(backend: DynamoDBBackend, item: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the kind, parameters and key of a write."""
    if len(item) > 1:
        raise TransactWriteSingleOpException
    kind, action = next(iter(item.items()))
    if kind != "Put":
        return kind, action, action["Key"]
    table = backend.get_table(action["TableName"])
    missing = [name for name in table.table_key_attrs if name not in action["Item"]]
    if missing:
        raise MockValidationException(
            f"One or more parameter values were invalid: Missing the key {missing[0]} in the item"
        )
    return kind, action, {name: action["Item"][name] for name in table.table_key_attrs}


def _reason(
    backend: DynamoDBBackend, kind: str, action: dict[str, Any], key: dict[str, Any]
) -> tuple[str | None, str | None, dict[str, Any] | None]:
    """Return why a write cancels its transaction: code, message, old item. All three are None if the write may be
    done."""
    condition = action.get("ConditionExpression")
    if kind == "ConditionCheck" and condition is None:
        raise MockValidationException("A ConditionCheck needs a ConditionExpression")
    current = backend.get_item(action["TableName"], key)
    try:
        _check(
            condition,
            action.get("ExpressionAttributeNames"),
            action.get("ExpressionAttributeValues"),
            current,
            None,
        )
    except ConditionalCheckFailed as error:
        wanted = action.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        old = current.to_json()["Attributes"] if wanted and current is not None else None
        return "ConditionalCheckFailed", str(error.message), old
    return None, None, None


def _apply(backend: DynamoDBBackend, kind: str, action: dict[str, Any], key: dict[str, Any]) -> int:
    """Do one write of a transaction whose conditions all hold. Returns the size of the write in bytes."""
    if kind == "Put":
        return item_size(backend.put_item(action["TableName"], action["Item"], overwrite=True))
    if kind == "Update":
        item = backend.update_item(
            action["TableName"],
            key,
            update_expression=action["UpdateExpression"].strip(),
            expression_attribute_names=action.get("ExpressionAttributeNames") or {},
            expression_attribute_values=action.get("ExpressionAttributeValues") or {},
        )
        return item_size(item)
    if kind == "Delete":
        backend.delete_item(action["TableName"], key)
    return 0


# --------------------------------------------------------------------------------------------------- reads


def _table_get(
    self: Table,
    hash_key: DynamoType,
    range_key: DynamoType | None = None,
    projection_expression: list[list[str]] | None = None,
) -> Item | None:
    if self.has_range_key and not range_key:
        raise MockValidationException("Table has a range key, but no range key was passed into get_item")
    item = items_of(self).find(hash_key, range_key)
    return _projected(item, projection_expression) if item is not None and projection_expression else item


def _projected(item: Item, paths: list[list[str]]) -> Item:
    if all(len(path) == 1 for path in paths):
        return project(item, (path[0] for path in paths))
    return item.project(paths)


def _query(
    self: Table,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int | None,
    exclusive_start_key: dict[str, Any] | None,
    scan_index_forward: bool,
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    consistent_read: bool = False,
    filter_expression: Any = None,
    hash_key_conditions: list[tuple[str, DynamoType]] | None = None,
    range_key_conditions: list[tuple[str, str, list[DynamoType]]] | None = None,
    **filter_kwargs: Any,
) -> tuple[list[Item], int, dict[str, Any] | None]:
    if filter_kwargs or hash_key is None:
        raise MockValidationException("KeyConditions and QueryFilter are not supported here: use expressions")
    index = None
    if index_name is None:
        ordered = items_of(self).partition(hash_key)
    else:
        index = self.get_index(index_name, error_if_not=True)
        if consistent_read and index in self.global_indexes:
            raise MockValidationException("Consistent reads are not supported on global secondary indexes")
        ordered = items_of(self).index_partition(index, hash_key)
    comparison = range_comparison.upper() if range_comparison else None
    low, high = ordered.bounds(comparison, [sort_value(value) for value in range_objs])
    if exclusive_start_key is not None:
        low, high = ordered.behind(start_key(self, index, exclusive_start_key), low, high, scan_index_forward)
    found: list[Item] = []
    size = 0
    last: dict[str, Any] | None = None
    for number in range(low, high) if scan_index_forward else range(high - 1, low - 1, -1):
        item = ordered.items[ordered.keys[number]]
        size += item_size(item)
        if found and size > PAGE_BYTES:
            last = self._get_last_evaluated_key(found[-1], index_name)
            break
        found.append(item)
        if len(found) == limit:
            last = self._get_last_evaluated_key(item, index_name)
            break
    scanned = len(found)
    if index is not None and index.projection.get("ProjectionType") != "ALL":
        kept = [*index.table_key_attrs, *index.schema_key_attrs, *index.projection.get("NonKeyAttributes", [])]
        found = [project(item, kept) for item in found]
    if filter_expression is not None:
        found = [item for item in found if filter_expression.expr(item)]
    if projection_expressions:
        found = [_projected(item, projection_expressions) for item in found]
    return found, scanned, last


_applied = False


def apply() -> None:
    """Patch moto's classes. Later calls in the same process do nothing."""
    global _applied
    if _applied:
        return
    _applied = True
    moto_items.apply()
    moto_expressions.apply()
    table: Any = Table
    table.put_item = _table_put
    table.get_item = _table_get
    table.delete_item = _table_delete
    table.query = _query
    backend: Any = DynamoDBBackend
    backend.update_item = _update_item
    backend.delete_item = _delete_item
    backend.transact_write_items = _transact_write
