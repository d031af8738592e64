"""Lists packed into items: msgpack and zstd, cut so that no block passes what an item may hold."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from chalicelib.store.packing import Shape

MAX_BLOCK_BYTES = 350_000  # an item holds 400 KB, keys and attribute names included

T = TypeVar("T")


class TooLargeToPack(Exception):
    """One single record does not fit into an item."""


class Block(NamedTuple):
    """``data``: packed records; ``records``: how many they are."""

    data: bytes
    records: int


def pack_blocks(records: Sequence[T], shape: Shape[list[T]]) -> list[Block]:
    """The records in order, in as few blocks as fit. Raises ``TooLargeToPack`` for a record that fits in none."""
    if not records:
        return []
    data = shape.pack(list(records))
    if len(data) <= MAX_BLOCK_BYTES:
        return [Block(data, len(records))]
    if len(records) == 1:
        raise TooLargeToPack(f"a record of {len(data)} bytes packed does not fit into an item")
    middle = len(records) // 2
    return pack_blocks(records[:middle], shape) + pack_blocks(records[middle:], shape)
