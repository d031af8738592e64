"""Packs values that are always read and written as a whole, such as checkpoints, lists and facts: msgpack compressed
with zstd.

Each value has a ``Shape`` (all are in ``store.shapes``) and begins with one byte, the version of its shape. A reader
accepts the current version and the previous one, so that a new release can read the data of the previous one. A value
packed before versions were introduced begins directly with the compressed frame, and counts as version 0.
"""

import threading
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Generic, NamedTuple, TypeVar, cast, get_args

import msgspec
import zstandard

from chalicelib import typed

LEVEL = 3
# A packed value is at most as large as an item (400 KB). This limits the unpacked size of a damaged value.
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
FRAME_START = zstandard.FRAME_HEADER[0]  # the first byte of a zstd frame; versions must be lower (1 to 39)

T = TypeVar("T")


class UnknownVersion(Exception):
    """This code cannot read the value's version. The value was written by newer code or by much older code."""


class Before(NamedTuple):
    """How to read a value of the previous version: decode it as ``type``, and convert the result to the current version
    with ``renew``."""

    type: Any
    renew: Callable[[Any], Any]


class Shape(Generic[T]):
    """One kind of packed value.

    ``version`` grows with every change of ``type`` or of its content. ``first``: the first version that may still be
    stored. 0 means data from before versions were introduced, which has no version byte. ``before`` is needed only when
    ``type`` cannot read the previous version. If the change just appends array fields with defaults, ``type`` can.

    ``marked``: if given, values are stored with the version byte of the previous version, so that the previous release
    can read them too, for example after a roll-back. This is possible if the current version only appends fields with
    defaults: the previous release skips these fields, and this release fills in the defaults if they are missing.
    """

    def __init__(
        self,
        name: str,
        type_: type[T],
        *,
        version: int,
        before: Before | None = None,
        first: int = 1,
        marked: int | None = None,
    ) -> None:
        if not 0 < version < FRAME_START:
            raise ValueError(f"version {version} of {name} is not one of 1 to {FRAME_START - 1}")
        if marked is not None and (marked != version - 1 or before is not None or marked < 1):
            raise ValueError(
                f"{name}: `marked` must be the version before the current one, which then has no conversion (`before`)"
            )
        self.name = name
        self.type = type_
        self.version = version
        self.before = before
        self.marked = version if marked is None else marked
        self.read = tuple(range(max(first, self.marked - 1), version + 1))
        self._mark = bytes([self.marked])

    def pack(self, value: T) -> bytes:
        """Pack ``value`` for storage."""
        return self._mark + _compressor().compress(_encoder.encode(value))

    def unpack(self, data: bytes) -> T:
        """Unpack a value of the current or the previous version.

        Raises ``UnknownVersion``, and ``msgspec.ValidationError`` for other data.
        """
        encoded, version = self._open(data)
        if version == self.version or self.before is None:
            return self._decoder.decode(encoded)
        return cast(T, self.before.renew(typed.from_msgpack(encoded, self.before.type)))

    def is_current(self, data: bytes) -> bool:
        """Whether the value has the version byte that this release writes."""
        return data.startswith(self._mark)

    def encoded(self, data: bytes) -> bytes:
        """Return the unpacked msgpack bytes of the value, in the current version, for callers that decode only a part
        of it. Raises ``UnknownVersion``, and ``msgspec.ValidationError`` for other data."""
        encoded, version = self._open(data)
        return encoded if version == self.version or self.before is None else _encoder.encode(self.unpack(data))

    def _open(self, data: bytes) -> tuple[bytes, int]:
        version = 0 if data[0] == FRAME_START else data[0]
        if version not in self.read:
            read = " and ".join(map(str, self.read))
            raise UnknownVersion(f"{self.name} is stored in version {version}; only {read} can be read")
        frame = memoryview(data)[1:] if version else data
        return _decompressor().decompress(frame, max_output_size=MAX_UNPACKED_BYTES), version

    @cached_property
    def _decoder(self) -> msgspec.msgpack.Decoder[T]:
        return typed.decoder(self.type)


class _First(msgspec.Struct, array_like=True, gc=False):
    """The first member of a stored struct."""

    first: str


_firsts = typed.decoder(list[_First])
_undecoded = typed.decoder(list[msgspec.Raw])


def find(shape: Shape[list[T]], data: bytes, first: str) -> T | None:
    """In a packed list of structs, find the struct whose first member is the text ``first``. Only this
    struct is decoded. Returns None if there is none."""
    encoded = shape.encoded(data)
    place = next((place for place, one in enumerate(_firsts.decode(encoded)) if one.first == first), None)
    return None if place is None else _decoder_of(get_args(shape.type)[0]).decode(_undecoded.decode(encoded)[place])


@cache
def _decoder_of(type_: Any) -> msgspec.msgpack.Decoder[Any]:
    return typed.decoder(type_)


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
