"""The one place where what others have sent or stored is read into types: JSON, MessagePack and plain values.

msgspec takes a type apart the first time that it reads one, and another thread that reads the same type meanwhile finds
it half taken apart: the process ends (msgspec 0.22). Here each type is taken apart by one thread, before any reads it.

All raise what msgspec raises: ``DecodeError`` for what is no JSON or MessagePack, ``ValidationError`` for what is not
of the type.
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
    """The value of that type in the JSON text."""
    _take_apart(type_)
    return msgspec.json.decode(data, type=type_)


def from_msgpack(data: bytes | memoryview, type_: type[T]) -> T:
    """The value of that type in the MessagePack bytes."""
    _take_apart(type_)
    return msgspec.msgpack.decode(data, type=type_)


def decoder(type_: type[T]) -> msgspec.msgpack.Decoder[T]:
    """A reusable reader of MessagePack bytes into that type."""
    _take_apart(type_)
    return msgspec.msgpack.Decoder(type_)


@overload
def convert(value: object, type_: type[T]) -> T: ...
@overload
def convert(value: object, type_: Any) -> Any: ...
def convert(value: object, type_: Any) -> Any:
    """The value of that type that mappings, lists and plain values are."""
    _take_apart(type_)
    return msgspec.convert(value, type=type_)


def _take_apart(type_: Any) -> None:
    if type_ not in _known:
        with _lock:
            msgspec.msgpack.Decoder(type_)
            _known.add(type_)
