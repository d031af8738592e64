"""The storage of moto's DynamoDB: items with the sizes that DynamoDB counts, and partitions in the order of their sort
keys."""

from base64 import b64decode
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from typing import Any

from moto.dynamodb.exceptions import IncorrectDataType, MockValidationException
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import SecondaryIndex, Table

NUMBERS = Context(prec=38)  # DynamoDB's number of digits

SortKey = tuple[Any, ...]  # (sort value,) in a table; (sort value, partition key, sort key) in an index


# --------------------------------------------------------------------------------------------------- sizes


def value_size(value: DynamoType) -> int:
    """Return how many bytes DynamoDB counts for a value."""
    kind, content = value.type, value.value
    if kind == "S":
        return len(content) if content.isascii() else len(content.encode())
    if kind == "N":
        return _number_size(content)
    if kind == "B":
        return _binary_size(content)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + value_size(item) for name, item in content.items())
    if kind == "L":
        return 3 + sum(1 + value_size(item) for item in content)
    if kind == "SS":
        return sum(len(item.encode()) for item in content)
    if kind == "NS":
        return sum(_number_size(item) for item in content)
    if kind == "BS":
        return sum(_binary_size(item) for item in content)
    return 1


def _number_size(content: str) -> int:
    return len(content.lstrip("-0.").replace(".", "")) // 2 + 2


def _binary_size(content: str | bytes) -> int:
    """Return the size of a binary value. The value stays in base64, as in requests, until something computes with
    it."""
    if isinstance(content, bytes):
        return len(content)
    return len(content) * 3 // 4 - content.count("=", -2)


def item_size(item: Item) -> int:
    """Return how many bytes DynamoDB counts for an item, with its names and values. The result is cached, since items
    never change."""
    known: int | None = item.__dict__.get("_bytes")
    if known is None:
        known = sum(len(name.encode()) + value_size(value) for name, value in item.attrs.items())
        item.__dict__["_bytes"] = known
    return known


# --------------------------------------------------------------------------------------------------- items


def new_item(hash_key: DynamoType, range_key: DynamoType | None, attributes: dict[str, DynamoType]) -> Item:
    """Make an item from values that have moto's types. The values are not copied."""
    item: Item = object.__new__(Item)
    item.hash_key = hash_key
    item.range_key = range_key
    item.attrs = LimitedSizeDict(attributes)
    return item


def project(item: Item, names: Iterable[str]) -> Item:
    """Return the item with only these attributes."""
    return new_item(
        item.hash_key, item.range_key, {name: item.attrs[name] for name in dict.fromkeys(names) if name in item.attrs}
    )


def _init_item(self: Item, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]) -> None:
    self.hash_key = hash_key
    self.range_key = range_key
    self.attrs = LimitedSizeDict({name: DynamoType(value) for name, value in attrs.items()})


def _init_limited(self: LimitedSizeDict, *args: Any, **kwargs: Any) -> None:
    dict.__init__(self, *args, **kwargs)


def _number(value: DynamoType, other: DynamoType) -> tuple[Decimal, Decimal]:
    if value.type != "N" or other.type != "N":
        raise IncorrectDataType
    return Decimal(value.value), Decimal(other.value)


def _add(self: DynamoType, other: DynamoType) -> DynamoType:
    return DynamoType({"N": f"{NUMBERS.add(*_number(self, other)):f}"})


def _subtract(self: DynamoType, other: DynamoType) -> DynamoType:
    return DynamoType({"N": f"{NUMBERS.subtract(*_number(self, other)):f}"})


_PLAIN = frozenset({"S", "B", "BOOL"})  # types whose values are compared in their stored form


def _hash(self: DynamoType) -> int:
    return hash((self.type, self.value if self.type in _PLAIN else self.cast_value))


def _equals(self: DynamoType, other: DynamoType) -> bool:
    if self.type != other.type:
        return False
    if self.type in _PLAIN:
        return bool(self.value == other.value)
    return bool(self.cast_value == other.cast_value)


# --------------------------------------------------------------------------------------------------- order


def sort_value(value: DynamoType) -> Any:
    """Return a value that sorts like the key in DynamoDB: text by code point, numbers by value, binary by its bytes."""
    if value.type == "N":
        return Decimal(value.value)
    if value.type == "B":
        return value.value if isinstance(value.value, bytes) else b64decode(value.value)
    return value.value


class Ordered:
    """The items of one partition in the order of their sort keys."""

    __slots__ = ("items", "keys")

    def __init__(self) -> None:
        self.keys: list[SortKey] = []
        self.items: dict[SortKey, Item] = {}

    def put(self, key: SortKey, item: Item) -> None:
        if key not in self.items:
            insort(self.keys, key)
        self.items[key] = item

    def remove(self, key: SortKey) -> None:
        if self.items.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]

    def bounds(self, comparison: str | None, values: Sequence[Any]) -> tuple[int, int]:
        """Return the positions of the keys that match a key condition, as (first position, one after the last)."""
        keys = self.keys
        if comparison is None:
            return 0, len(keys)
        value = values[0]
        left = bisect_left(keys, value, key=_first)
        right = bisect_right(keys, value, key=_first)
        if comparison == "BETWEEN":
            return left, bisect_right(keys, values[1], key=_first)
        if comparison == "BEGINS_WITH":
            return left, bisect_right(keys, value, key=lambda key: key[0][: len(value)])
        found = {
            "=": (left, right),
            "<": (0, left),
            "<=": (0, right),
            ">": (right, len(keys)),
            ">=": (left, len(keys)),
        }.get(comparison)
        if found is None:
            raise MockValidationException(f"Invalid operator used in KeyConditionExpression: {comparison}")
        return found

    def behind(self, key: SortKey, low: int, high: int, forward: bool) -> tuple[int, int]:
        """From the range ``low`` to ``high``, return the part with the positions that are read after ``key``.

        ``forward``: whether reading goes forward.
        """
        if forward:
            return max(low, bisect_right(self.keys, key)), high
        return low, min(high, bisect_left(self.keys, key))


def _first(key: SortKey) -> Any:
    return key[0]


class Items(defaultdict[DynamoType, Any]):
    """A table's items. They can be found by partition and sort key as in moto, and read in the order of the table's
    keys or of an index."""

    def __init__(self, table: Table) -> None:
        super().__init__(dict)
        self.table = table
        self.partitions: dict[DynamoType, Ordered] = {}
        self.indexes: dict[str, dict[DynamoType, Ordered]] = {}

    def __deepcopy__(self, _: object) -> dict[DynamoType, Any]:
        """Copy the items when moto restores another table from this table. ``items_of`` puts the copy in order.

        The items themselves are shared, since they never change.
        """
        return {key: dict(found) if isinstance(found, dict) else found for key, found in self.items()}

    def clear(self) -> None:
        super().clear()
        self.partitions.clear()
        self.indexes.clear()

    def find(self, hash_key: DynamoType, range_key: DynamoType | None) -> Item | None:
        found = self.get(hash_key)
        if found is None or range_key is None:
            return found
        item: Item | None = found.get(range_key)
        return item

    def replace(self, hash_key: DynamoType, range_key: DynamoType | None, new: Item | None) -> Item | None:
        """Store ``new`` in place of the item with these keys, or only remove the item if ``new`` is None. Returns the
        old item."""
        old = self.find(hash_key, range_key)
        if range_key is None:
            if new is None:
                self.pop(hash_key, None)
            else:
                self[hash_key] = new
        elif new is not None:
            self[hash_key][range_key] = new
            self.partitions.setdefault(hash_key, Ordered()).put((sort_value(range_key),), new)
        elif old is not None:
            del self[hash_key][range_key]
            self.partitions[hash_key].remove((sort_value(range_key),))
            if not self[hash_key]:
                del self[hash_key], self.partitions[hash_key]
        for index in self.table.all_indexes():
            self._index(index, old, new)
        return old

    def _index(self, index: SecondaryIndex, old: Item | None, new: Item | None) -> None:
        partitions = self.indexes.setdefault(index.name, {})
        if old is not None and (place := _place(index, old)) is not None:
            partition = partitions[place[0]]
            partition.remove(place[1])
            if not partition.keys:
                del partitions[place[0]]
        if new is not None and (place := _place(index, new)) is not None:
            partitions.setdefault(place[0], Ordered()).put(place[1], new)

    def partition(self, hash_key: DynamoType) -> Ordered:
        """Return a partition of the table in order. Returns an empty partition if it does not exist."""
        if self.table.range_key_attr is not None:
            return self.partitions.get(hash_key) or Ordered()
        alone = Ordered()
        if (item := self.find(hash_key, None)) is not None:
            alone.put((None,), item)
        return alone

    def index_partition(self, index: SecondaryIndex, hash_key: DynamoType) -> Ordered:
        """Return a partition of an index in order. Returns an empty partition if it does not exist."""
        return self.indexes.get(index.name, {}).get(hash_key) or Ordered()


def _place(index: SecondaryIndex, item: Item) -> tuple[DynamoType, SortKey] | None:
    """Return an item's position in an index: its partition, and its sort key there.

    Returns None if the item is not in the index.
    """
    parts = [item.attrs[name] for name in index.schema_key_attrs if name in item.attrs]
    if len(parts) < len(index.schema_key_attrs):
        return None
    own = [item.hash_key] if item.range_key is None else [item.hash_key, item.range_key]
    return parts[0], tuple(sort_value(part) for part in (*parts[1:], *own))


def start_key(table: Table, index: SecondaryIndex | None, start: dict[str, Any]) -> SortKey:
    """Convert ``ExclusiveStartKey`` to the sort key after which the query starts to read."""
    keys = [DynamoType(start[name]) for name in table.table_key_attrs]
    if index is None:
        return (sort_value(keys[1]),) if len(keys) > 1 else (None,)
    place = [DynamoType(start[name]) for name in index.schema_key_attrs[1:]]
    return tuple(sort_value(part) for part in (*place, *keys))


def items_of(table: Table) -> Items:
    """Return a table's items. Converts the items of a table that was created before ``apply``."""
    if not isinstance(table.items, Items):
        items = Items(table)
        for partition in table.items.values():
            for item in partition.values() if isinstance(partition, dict) else (partition,):
                items.replace(item.hash_key, item.range_key, item)
        table.items = items
    return table.items


def apply() -> None:
    """Patch moto's classes. ``moto_tables.apply`` calls this once in a process."""
    value: Any = DynamoType
    value.__add__ = _add
    value.__sub__ = _subtract
    value.__hash__ = _hash
    value.__eq__ = _equals
    item: Any = Item
    item.__init__ = _init_item
    limited: Any = LimitedSizeDict
    limited.__init__ = _init_limited
    limited.__setitem__ = dict.__setitem__
