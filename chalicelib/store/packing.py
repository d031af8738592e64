"""Packed values: msgpack compressed with zstd, for what is read and written whole (checkpoints, lists, facts)."""

import threading
from typing import Any, TypeVar, cast

import msgspec
import zstandard

LEVEL = 3
# A packed value is at most an item (400 KB). This bounds what a damaged one may unpack to.
MAX_UNPACKED_BYTES = 256 * 1024 * 1024

T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_local = threading.local()  # zstd contexts must not be used by two threads at once


def _compressor() -> zstandard.ZstdCompressor:
    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(level=LEVEL)
    return cast(zstandard.ZstdCompressor, _local.compressor)


def _decompressor() -> zstandard.ZstdDecompressor:
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    return cast(zstandard.ZstdDecompressor, _local.decompressor)


def pack(value: Any) -> bytes:
    """``value`` (anything msgspec encodes: structs, lists, maps, text, numbers, bytes) as compressed msgpack."""
    return _compressor().compress(_encoder.encode(value))


def unpack(data: bytes, type_: type[T]) -> T:
    """What was packed, as ``type_``. Raises ``msgspec.ValidationError`` when it is something else."""
    return msgspec.msgpack.decode(_decompressor().decompress(data, max_output_size=MAX_UNPACKED_BYTES), type=type_)
