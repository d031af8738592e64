"""The only place where received or stored data is decoded into types: JSON, MessagePack and plain values.

msgspec analyses a type when it is used for the first time. If another thread uses the same type during this analysis,
the process crashes (msgspec 0.22). Therefore this module lets one thread analyse each type before any thread decodes
data into the type.

All functions raise msgspec's errors: ``DecodeError`` for data that is not JSON or MessagePack, ``ValidationError`` for
data that does not match the type.
"""

import threading
from typing import Any, Final, TypeVar, overload

import msgspec

T = TypeVar("T")

_lock: Final = threading.Lock()
_known: Final[set[Any]] = set()


@overload
def from_json(data: bytes | str, type_: type[T]) -> T: ...
@overload
def from_json(data: bytes | str, type_: Any) -> Any: ...
def from_json(data: bytes | str, type_: Any) -> Any:
    """Decode the JSON text into the type."""
    _take_apart(type_)
    return msgspec.json.decode(data, type=type_)


def from_msgpack(data: bytes | memoryview, type_: type[T]) -> T:
    """Decode the MessagePack bytes into the type."""
    _take_apart(type_)
    return msgspec.msgpack.decode(data, type=type_)


def decoder(type_: type[T]) -> msgspec.msgpack.Decoder[T]:
    """Return a reusable decoder of MessagePack bytes into the type."""
    _take_apart(type_)
    return msgspec.msgpack.Decoder(type_)


@overload
def convert(value: object, type_: type[T]) -> T: ...
@overload
def convert(value: object, type_: Any) -> Any: ...
def convert(value: object, type_: Any) -> Any:
    """Convert mappings, lists and plain values into the type."""
    _take_apart(type_)
    return msgspec.convert(value, type=type_)


def _take_apart(type_: Any) -> None:
    if type_ not in _known:
        with _lock:
            msgspec.msgpack.Decoder(type_)
            _known.add(type_)
