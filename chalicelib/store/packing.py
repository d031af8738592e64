"""Packed values: msgpack compressed with zstd, for what is read and written whole (checkpoints, lists, facts).

Each is of a ``Shape`` (all stand in ``store.shapes``) and begins with one byte, the version of its shape. A reader
takes the current version and the one before, so that data survives an update of the code. What was packed before
versions were written begins with the compressed frame itself, and counts as version 0.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec
import zstandard

from chalicelib import typed

LEVEL = 3
# A packed value is at most an item (400 KB). This bounds what a damaged one may unpack to.
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
FRAME_START = zstandard.FRAME_HEADER[0]  # no version may be this byte, nor need it: there are 39 before it

T = TypeVar("T")


class UnknownVersion(Exception):
    """A value was packed in a version that this code does not read: by newer code, or by much older."""


class Before(NamedTuple):
    """How the version before is read: as ``type``, then made into a value of the current version by ``renew``."""

    type: Any
    renew: Callable[[Any], Any]


class Shape(Generic[T]):
    """One kind of packed value.

    ``first`` is the first version there ever was: 0, without a mark, for what was stored before there were versions.
    ``version`` grows with every change of ``type`` or of what it holds. ``before`` is needed when ``type`` itself does
    not read the version before: fields that are appended to an array with a default are read without it.
    """

    def __init__(
        self, name: str, type_: type[T], *, version: int, before: Before | None = None, first: int = 1
    ) -> None:
        if not 0 < version < FRAME_START:
            raise ValueError(f"version {version} of {name} is not one of 1 to {FRAME_START - 1}")
        self.name = name
        self.type = type_
        self.version = version
        self.before = before
        self.read = tuple(one for one in (version - 1, version) if one >= first)
        self._mark = bytes([version])

    def pack(self, value: T) -> bytes:
        """``value`` as it is stored."""
        return self._mark + _compressor().compress(_encoder.encode(value))

    def unpack(self, data: bytes) -> T:
        """What was packed in this version or the one before.

        Raises ``UnknownVersion``, and ``msgspec.ValidationError`` when it is something else.
        """
        encoded, version = self._open(data)
        if version == self.version or self.before is None:
            return self._decoder.decode(encoded)
        return cast(T, self.before.renew(typed.from_msgpack(encoded, self.before.type)))

    def is_current(self, data: bytes) -> bool:
        """Whether it was packed in this version."""
        return data.startswith(self._mark)

    def encoded(self, data: bytes) -> bytes:
        """The msgpack of this version, for readers that decode a part of it only. Raises as ``unpack``."""
        encoded, version = self._open(data)
        return encoded if version == self.version or self.before is None else _encoder.encode(self.unpack(data))

    def _open(self, data: bytes) -> tuple[bytes, int]:
        version = 0 if data[0] == FRAME_START else data[0]
        if version not in self.read:
            read = " and ".join(map(str, self.read))
            raise UnknownVersion(f"{self.name} is stored in version {version}; what is read is {read}")
        frame = memoryview(data)[1:] if version else data
        return _decompressor().decompress(frame, max_output_size=MAX_UNPACKED_BYTES), version

    @cached_property
    def _decoder(self) -> msgspec.msgpack.Decoder[T]:
        return typed.decoder(self.type)


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
