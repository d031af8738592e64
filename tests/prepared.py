"""Stored data that many tests begin with, written once and then put back."""

import os
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from chalicelib import clock
from chalicelib.domain.crawl import weekly
from local import embedded, moto_tables
from local.locking import LOCK
from local.moto_items import items_of

_SECONDS: Final = 60  # then it is written again: times that were a moment ago stay so
_HOUR: Final = 3600

Result = TypeVar("Result")
State = dict[tuple[str, Any, Any], Item]  # by table, partition key and sort key


class _Change(NamedTuple):
    """An item that was added, replaced or removed (None)."""

    table: str
    hash_key: DynamoType
    range_key: DynamoType | None
    item: Item | None


class _Prepared(NamedTuple):
    """What a test gets, the items before, and what became of them. Stored items never change, so that they may be put
    back, and the same items are the same state."""

    at: float
    result: Any
    before: list[Item]
    changes: list[_Change]


_prepared: dict[tuple[tuple[Hashable, bool], frozenset[int]], _Prepared] = {}


def prepared(name: Hashable, prepare: Callable[[], Result]) -> Result:
    """Return what ``prepare`` returns, with everything that it stores. It begins with empty tables, queues and buckets,
    and fills nothing but tables."""
    assert not _state(), "what was there before would be kept or put back too"
    return continued(name, prepare)


def continued(name: Hashable, prepare: Callable[[], Result]) -> Result:
    """The same for tables that hold something: ``prepare`` runs again unless they hold the very items that they held
    then. ``name`` says all that the result depends on beside the tables."""
    if os.environ.get(embedded.ENDPOINT_OF[embedded.TABLES]):  # tests/plugins/second_store.py: they are elsewhere
        return prepare()
    before = _state()
    placed = clock.now() < weekly._FIRST_RUN  # by tests/plugins/clocks.py, as weekly work is planned
    key = (name, placed), frozenset(map(id, before.values()))
    known = _prepared.get(key)
    if known is not None and _is_current(known) and not _has_messages():
        _put_back(known.changes)
        put_back: Result = known.result
        return put_back
    at, offset, had_messages = clock.now(), clock.offset(), _has_messages()
    result = prepare()
    if not had_messages and clock.offset() == offset:
        assert not _has_messages(), "messages are not put back"
        _forget_old()
        _prepared[key] = _Prepared(at, result, list(before.values()), list(_changes(before, _state())))
    return result


def forget(name: Hashable) -> None:
    """Keep what was prepared under this name no longer."""
    for key in [key for key in _prepared if key[0][0] == name]:
        del _prepared[key]


def _forget_old() -> None:
    for key in [key for key, known in _prepared.items() if not _is_current(known)]:
        del _prepared[key]


def _is_current(known: _Prepared) -> bool:
    now = clock.now()
    return known.at <= now < known.at + _SECONDS and now // _HOUR == known.at // _HOUR


def _has_messages() -> bool:
    return any(queue._messages for queue in embedded.queues().queues.values())


def _state() -> State:
    with LOCK:
        return {
            (name, item.hash_key.value, None if item.range_key is None else item.range_key.value): item
            for name, table in embedded.tables().tables.items()
            for item in _items(table)
        }


def _items(table: Table) -> Iterator[Item]:
    for found in items_of(table).values():
        if table.range_key_attr is None:
            yield found
        else:
            yield from found.values()


def _changes(before: State, after: State) -> Iterator[_Change]:
    for place, item in after.items():
        if before.get(place) is not item:
            yield _Change(place[0], item.hash_key, item.range_key, item)
    for place in before.keys() - after.keys():
        yield _Change(place[0], before[place].hash_key, before[place].range_key, None)


def _put_back(changes: list[_Change]) -> None:
    with LOCK:
        tables = embedded.tables().tables
        for name, hash_key, range_key, item in changes:
            moto_tables.store(tables[name], hash_key, range_key, item)
