"""Lists packed into items."""

import random

import pytest

from chalicelib.store import blocks
from chalicelib.store.blocks import MAX_BLOCK_BYTES, pack_blocks
from chalicelib.store.packing import Shape

SHAPE = Shape("noise", list[bytes], version=1)
DRAWN = random.Random(20261123)


def noise(size: int) -> bytes:
    """Bytes that do not compress."""
    return DRAWN.randbytes(size)


@pytest.mark.parametrize("count", [1, 63, 64, 100, 1_000])
@pytest.mark.parametrize("size", [100, 5_000, 9_000])
def test_blocks_hold_every_record_in_order_and_fit_into_an_item(count: int, size: int) -> None:
    records = [noise(size) for _ in range(count)]
    packed = pack_blocks(records, SHAPE)
    assert [record for block in packed for record in SHAPE.unpack(block.data)] == records
    assert [len(SHAPE.unpack(block.data)) for block in packed] == [block.records for block in packed]
    assert all(len(block.data) <= MAX_BLOCK_BYTES for block in packed)
    assert count * size > MAX_BLOCK_BYTES or len(packed) == 1


def test_records_much_larger_than_a_block_are_split_before_they_are_compressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed: list[int] = []
    pack = Shape.pack

    def counted(shape: Shape[list[bytes]], records: list[bytes]) -> bytes:
        packed.append(sum(map(len, records)))
        return pack(shape, records)

    monkeypatch.setattr(Shape, "pack", counted)
    records = [noise(6_000) for _ in range(100)]
    assert len(pack_blocks(records, SHAPE)) == 2
    assert sum(packed) < 1.2 * sum(map(len, records))


def test_for_few_records_the_block_size_is_measured_and_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_BLOCK_BYTES", 1_000)
    records = [noise(900), *[b""] * 62]  # a sample would be nothing but the first
    assert len(pack_blocks(records, SHAPE)) == 1
