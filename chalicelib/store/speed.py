"""Speed tests of a website: their results, how many it may still request, and field data (table ai).

Access patterns
- everything, or one page: one BatchGet of the state, the blocks of results (or one of them) and the field data
- only the state: Get SITE#s, SPEED; its version detects concurrent requests for tests
- the block of an address: Get SITE#s, RESULTS#n; a result is written on the condition that the block's version has not
  changed

Results are in 16 blocks, by the hash of the tested address. A block holds at most 120 results, and fewer if they would
not fit into an item. The results with the oldest tests are dropped first.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.speed.budget import SpeedState
from chalicelib.domain.speed.records import FieldBook, ResultKey, SpeedResult
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES
from chalicelib.store.transactions import Put

TABLE: Final = "ai"
STATE: Final = "speed state"  # in a ``Conflict``, the name of the write of the state
RESULTS: Final = "speed results"  # in a ``Conflict``, the name of the write of a block of results
FIELD: Final = "field data"  # in a ``Conflict``, the name of the write of field data
BLOCKS: Final = 16
MOST_RESULTS: Final = 120  # results in a block


class Block(NamedTuple):
    """The results of some addresses. ``version``: 0 means that nothing was ever stored."""

    number: int
    results: Mapping[ResultKey, SpeedResult]
    version: int


class Field(NamedTuple):
    """Speed data of real visitors, and the version of its row (0: there is none)."""

    book: FieldBook
    version: int


class Speed(NamedTuple):
    """All data about a website's speed."""

    state: SpeedState
    blocks: tuple[Block, ...]
    field: Field

    @property
    def results(self) -> list[SpeedResult]:
        return [result for block in self.blocks for result in block.results.values()]


def load(site_id: str) -> Speed:
    """Load all data about a website's speed, in one round trip."""
    return _load(site_id, range(BLOCKS))


def load_page(site_id: str, url: str) -> Speed:
    """Load the speed data of a website with the results of one address only. One round trip."""
    found = _load(site_id, [block_of(url)])
    block = found.blocks[0]
    own = {key: result for key, result in block.results.items() if result.url == url}
    return found._replace(blocks=(block._replace(results=own),))


def _load(site_id: str, numbers: Sequence[int]) -> Speed:
    state, field = (TABLE, *keys.speed_state(site_id)), (TABLE, *keys.field_data(site_id))
    numbered = [(number, (TABLE, *keys.speed_results(site_id, number))) for number in numbers]
    found = items.batch_get([state, field, *(key for _, key in numbered)])
    return Speed(
        _state(found.get(state)),
        tuple(_block(number, found.get(key)) for number, key in numbered),
        _field(found.get(field)),
    )


def load_state(site_id: str) -> SpeedState:
    return _state(items.get(TABLE, *keys.speed_state(site_id)))


def load_block(site_id: str, url: str) -> Block:
    """Load the block of results that has this address."""
    number = block_of(url)
    return _block(number, items.get(TABLE, *keys.speed_results(site_id, number)))


def load_field(site_id: str) -> Field:
    return _field(items.get(TABLE, *keys.field_data(site_id)))


def block_of(url: str) -> int:
    return hashlib.sha256(url.encode()).digest()[0] % BLOCKS


def _state(item: Mapping[str, Any] | None) -> SpeedState:
    return SpeedState() if item is None else typed.convert(item, SpeedState)


def _block(number: int, item: Mapping[str, Any] | None) -> Block:
    if item is None:
        return Block(number, {}, 0)
    return Block(number, {one.key: one for one in shapes.SPEED_RESULTS.unpack(item["data"])}, item["version"])


def _field(item: Mapping[str, Any] | None) -> Field:
    return Field(FieldBook(), 0) if item is None else Field(shapes.FIELD_BOOK.unpack(item["data"]), item["version"])


# -- writes, for transactions ----------------------------------------------------------------------------


def put_state(site_id: str, state: SpeedState) -> Put:
    """Return the write that stores the state. The write fails if the stored state changed since ``state`` was read. The
    name of this write in a ``Conflict`` is ``STATE``."""
    values = msgspec.to_builtins(msgspec.structs.replace(state, version=state.version + 1))
    return _versioned(keys.speed_state(site_id), values, state.version, STATE)


def put_results(site_id: str, block: Block, results: Iterable[SpeedResult]) -> Put:
    """Return the write that replaces the results of a block. The write fails after a concurrent change. The name of
    this write in a ``Conflict`` is ``RESULTS``."""
    kept = sorted(results, key=lambda one: (-one.tested_at, one.url, one.strategy))[:MOST_RESULTS]
    data = shapes.SPEED_RESULTS.pack(kept)
    while len(data) > MAX_BLOCK_BYTES and len(kept) > 1:
        kept = kept[: len(kept) * 3 // 4]
        data = shapes.SPEED_RESULTS.pack(kept)
    values = {"version": block.version + 1, "data": data}
    return _versioned(keys.speed_results(site_id, block.number), values, block.version, RESULTS)


def put_field(site_id: str, field: Field, book: FieldBook) -> Put:
    """Return the write that replaces the field data ``field`` by ``book``. The write fails after a concurrent change.
    The name of this write in a ``Conflict`` is ``FIELD``."""
    values = {"version": field.version + 1, "data": shapes.FIELD_BOOK.pack(book)}
    return _versioned(keys.field_data(site_id), values, field.version, FIELD)


def _versioned(key: tuple[str, str], values: Mapping[str, Any], seen: int, name: str) -> Put:
    pk, sk = key
    item = {"pk": pk, "sk": sk, **values}
    if seen == 0:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=name)
    return Put(
        TABLE, item, condition="#version = :seen", names={"#version": "version"}, values={":seen": seen}, name=name
    )
