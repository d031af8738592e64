"""Stored data that many tests begin with, written once and then put back."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import Table

from chalicelib import clock
from local import embedded, moto_tables
from local.locking import LOCK
from local.moto_items import items_of

_SECONDS: Final = 60  # then it is written again: times that were a moment ago stay so
_HOUR: Final = 3600

Result = TypeVar("Result")


class _Prepared(NamedTuple):
    """What a test gets, and the items of each table. Stored items never change, so that they may be put back."""

    at: float
    result: Any
    items: dict[str, list[Item]]


_prepared: dict[Hashable, _Prepared] = {}


def prepared(name: Hashable, prepare: Callable[[], Result]) -> Result:
    """Return what ``prepare`` returns, with everything that it stores. It begins with empty tables, queues and buckets,
    and fills nothing but tables."""
    assert not any(items_of(table) for table in _tables()), "what was there before would be kept or put back too"
    known = _prepared.get(name)
    if known is not None and _is_current(known):
        _put_back(known.items)
        put_back: Result = known.result
        return put_back
    at = clock.now()
    result = prepare()
    assert not any(queue._messages for queue in embedded.queues().queues.values()), "messages are not put back"
    _prepared[name] = _Prepared(at, result, {table.name: list(_items(table)) for table in _tables()})
    return result


def forget(name: Hashable) -> None:
    """Keep what was prepared under this name no longer."""
    _prepared.pop(name, None)


def _is_current(known: _Prepared) -> bool:
    now = clock.now()
    return known.at <= now < known.at + _SECONDS and now // _HOUR == known.at // _HOUR


def _tables() -> list[Table]:
    return list(embedded.tables().tables.values())


def _items(table: Table) -> Iterator[Item]:
    for found in items_of(table).values():
        if table.range_key_attr is None:
            yield found
        else:
            yield from found.values()


def _put_back(items: dict[str, list[Item]]) -> None:
    with LOCK:
        for table in _tables():
            for item in items[table.name]:
                moto_tables.store(table, item.hash_key, item.range_key, item)
