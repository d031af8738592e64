"""Packs long lists into blocks (msgpack and zstd). A list is split so that each block fits into one item of DynamoDB.

Blocks are written before any other item refers to them. When no item refers to them any more, they are marked for
expiry.
"""

import contextlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from chalicelib import clock
from chalicelib.store import items
from chalicelib.store.errors import Conflict
from chalicelib.store.packing import Shape
from chalicelib.store.transactions import Put

EXPIRY_SECONDS = 24 * 3600  # how long replaced blocks stay for readers that began earlier
MAX_BLOCK_BYTES = 350_000  # an item has at most 400 KB, including keys and attribute names
_SAMPLED = 8  # one of this many records is sampled, to estimate the size of all
_FEWEST_SAMPLED = 8 * _SAMPLED  # with fewer records a sample is unreliable
_FAR = 1.25  # a sample's estimate above this multiple of the limit is far too large

T = TypeVar("T")


class TooLargeToPack(Exception):
    """A single record is too large for an item."""


class Block(NamedTuple):
    """A block of packed records. ``data``: the packed bytes; ``records``: how many records it has."""

    data: bytes
    records: int


def pack_blocks(records: Sequence[T], shape: Shape[list[T]]) -> list[Block]:
    """Pack the records, in order, into as few blocks as possible. Raises ``TooLargeToPack`` if a single record is too
    large for a block."""
    if not records:
        return []
    if not _is_far_too_large(records, shape):
        data = shape.pack(list(records))
        if len(data) <= MAX_BLOCK_BYTES:
            return [Block(data, len(records))]
        if len(records) == 1:
            raise TooLargeToPack(f"a record of {len(data)} bytes, packed, does not fit into an item")
    middle = len(records) // 2
    return pack_blocks(records[:middle], shape) + pack_blocks(records[middle:], shape)


def _is_far_too_large(records: Sequence[T], shape: Shape[list[T]]) -> bool:
    """Whether a sample of many records shows that they cannot fit into one block. This saves packing them all together
    only to split them. A sample compresses less well than the whole, so its estimate must be well above the limit."""
    if len(records) < _FEWEST_SAMPLED:
        return False
    return _SAMPLED * len(shape.pack(list(records[::_SAMPLED]))) > _FAR * MAX_BLOCK_BYTES


def write(blocks: Iterable[Put]) -> None:
    """Write blocks, in any order and not atomically. Writing the same block again changes nothing."""
    items.batch_write((block.table, block.item) for block in blocks)


def expire(table: str, block_keys: Iterable[tuple[str, str]]) -> None:
    """Mark replaced blocks for expiry. Blocks that are already marked or already deleted are not changed."""
    expires = int(clock.now()) + EXPIRY_SECONDS
    for pk, sk in block_keys:
        with contextlib.suppress(Conflict):
            items.update(
                table,
                pk,
                sk,
                "SET #ttl = :expires",
                condition="attribute_exists(pk) AND attribute_not_exists(#ttl)",
                names={"#ttl": "ttl"},
                values={":expires": expires},
            )
