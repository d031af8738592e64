"""Finds the first wrong member of a request body, and describes it in the service's own words.

The library that reads bodies reports errors in terms of Python types, which callers do not know. So messages here give
the member's JSON name, the accepted values, and what was sent, shortened and made printable.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec import inspect

from chalicelib.domain.printable import printable

LONGEST_SHOWN: Final = 60  # characters of a value or name in a message
LONGEST_PATH: Final = 100
SECRET: Final = {"secret": True}  # `Meta(extra=…)` of a member whose value no message repeats
_LARGEST_BITS: Final = 64  # longer numbers are not written out in messages


class Fault(NamedTuple):
    """A fault of a request body. ``member``: the declared name of the wrong member. None if a member is missing or
    unknown, or if the whole body is wrong. ``path``: the place of the fault in the body; None for the whole body."""

    member: str | None
    path: str | None
    message: str


def fault(model: type[Any], sent: object) -> Fault | None:
    """Return the first fault of a decoded body. Returns None if the body fits the model."""
    return _find(inspect.type_info(model), sent, "", None)


def accepted(model: type[Any]) -> str:
    """Describe the bodies that this model accepts."""
    return _accepted(inspect.type_info(model))


def shown(value: object) -> str:
    """Return a value that was sent, shortened for a message."""
    if isinstance(value, str):
        return f"`{printable(value, LONGEST_SHOWN)}`" if value else "an empty text"
    if value is None or isinstance(value, bool):
        return {None: "`null`", True: "`true`", False: "`false`"}[value]
    if isinstance(value, int) and value.bit_length() > _LARGEST_BITS:
        return "a number of more than 64 bits"
    if isinstance(value, int | float):
        return f"`{value}`"
    return "a list" if isinstance(value, list) else "an object"


def has_secrets(model: type[Any]) -> bool:
    """Whether this model has a secret member. Messages never repeat the value of such a member."""
    waiting: list[inspect.Type] = [inspect.type_info(model)]
    while waiting:
        kind = waiting.pop()
        if _is_secret(kind):
            return True
        if isinstance(kind, inspect.Metadata):
            waiting.append(kind.type)
        elif isinstance(kind, inspect.StructType):
            waiting.extend(one.type for one in kind.fields)
        elif isinstance(kind, inspect.UnionType):
            waiting.extend(kind.types)
        elif isinstance(kind, inspect.DictType):
            waiting.append(kind.value_type)
        elif isinstance(kind, inspect.ListType):
            waiting.append(kind.item_type)
    return False


def _is_secret(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and kind.extra == SECRET


def _find(kind: inspect.Type, value: object, path: str, member: str | None) -> Fault | None:
    if isinstance(kind, inspect.Metadata):
        found = _find(kind.type, value, path, member)
        if found is None or not _is_secret(kind) or isinstance(value, dict | list):
            return found
        return Fault(member, path[:LONGEST_PATH], f"`{path}` must be {_accepted(kind)}.")
    if isinstance(kind, inspect.UnionType):
        return _find_in_union(kind, value, path, member)
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        return _find_in_object(kind, value, path)
    if isinstance(kind, inspect.DictType) and isinstance(value, dict):
        return _first(_find(kind.value_type, one, _under(path, name), member) for name, one in value.items())
    if isinstance(kind, inspect.ListType) and isinstance(value, list) and _fits(len(value), _lengths(kind)):
        return _first(_find(kind.item_type, one, f"{path}[{number}]", member) for number, one in enumerate(value))
    return None if _is(kind, value) else _wrong(kind, value, path, member)


def _find_in_union(kind: inspect.UnionType, value: object, path: str, member: str | None) -> Fault | None:
    """Return the fault of the option that the value resembles most. Returns None if the value fits one of the
    options."""
    found = [(option, _find(option, value, path, member)) for option in _options(kind)]
    if any(fault is None for _, fault in found):
        return None
    inner = (
        fault for option, fault in found if fault is not None and (_same_sort(option, value) or _is_secret(option))
    )
    return next(inner, None) or _wrong(kind, value, path, member)


def _find_in_object(kind: inspect.StructType, value: Mapping[str, object], path: str) -> Fault | None:
    members = {one.encode_name: one for one in kind.fields}
    for name, sent in value.items():
        if name not in members:
            where = f" in `{path}`" if path else ""
            named = ", ".join(f"`{one}`" for one in members)
            unknown = f"The member `{printable(name, LONGEST_SHOWN)}`{where} is unknown. Accepted: {named}."
            return Fault(None, _under(path, name)[:LONGEST_PATH], unknown)
        found = _find(members[name].type, sent, _under(path, name), name)
        if found is not None:
            return found
    for name, one in members.items():
        if one.required and name not in value:
            where = _under(path, name)
            return Fault(None, where, f"`{where}` is required: {_accepted(one.type)}.")
    return None


def _wrong(kind: inspect.Type, value: object, path: str, member: str | None) -> Fault:
    if not path:
        return Fault(None, None, f"The body must be {_accepted(kind)}, not {shown(value)}.")
    return Fault(member, path[:LONGEST_PATH], f"`{path}` must be {_accepted(kind)}, not {_sent(kind, value)}.")


def _sent(kind: inspect.Type, value: object) -> str:
    """Describe the sent value and its fault."""
    plain = _plain(kind)
    if isinstance(value, str) and isinstance(plain, inspect.StrType):
        return f"{len(value):,} characters: {shown(value)}" if value else shown(value)
    if isinstance(value, list) and isinstance(plain, inspect.ListType):
        return f"a list of {len(value):,}" if value else "an empty list"
    text = isinstance(value, str) and value and not isinstance(plain, inspect.LiteralType)
    return f"the text {shown(value)}" if text else shown(value)


def _is(kind: inspect.Type, value: object) -> bool:
    """Whether a value, apart from its members, is of a kind."""
    if isinstance(kind, inspect.StrType):
        return isinstance(value, str) and _fits(len(value), _lengths(kind))
    if isinstance(kind, inspect.IntType):
        return isinstance(value, int) and not isinstance(value, bool) and _fits(value, (kind.ge, kind.le))
    if isinstance(kind, inspect.BoolType):
        return isinstance(value, bool)
    if isinstance(kind, inspect.NoneType):
        return value is None
    if isinstance(kind, inspect.LiteralType):
        return value in kind.values
    return False


def _accepted(kind: inspect.Type) -> str:
    """Describe what a kind accepts."""
    if isinstance(kind, inspect.Metadata):
        return _accepted(kind.type)
    if isinstance(kind, inspect.UnionType):
        return ", or ".join(_accepted(option) for option in _options(kind))
    if isinstance(kind, inspect.StructType):
        named = ", ".join(f"`{one.encode_name}`" for one in kind.fields)
        return f"an object with {named}"
    if isinstance(kind, inspect.LiteralType):
        return either(f"`{value}`" for value in kind.values)
    if isinstance(kind, inspect.StrType):
        return f"text{_between(_lengths(kind), 'characters')}"
    if isinstance(kind, inspect.ListType):
        return f"a list{_between(_lengths(kind), 'entries')}"
    if isinstance(kind, inspect.IntType):
        return f"a whole number{_range(kind)}"
    return _NAMES.get(type(kind), "another value")


_NAMES: Final[Mapping[type[inspect.Type], str]] = {
    inspect.BoolType: "`true` or `false`",
    inspect.NoneType: "`null`",
    inspect.DictType: "an object",
}


def _between(limits: tuple[int | None, int | None], of_what: str) -> str:
    least, most = limits
    if least and most is not None:
        return f" of {least:,} to {most:,} {of_what}"
    return (
        f" of at most {most:,} {of_what}" if most is not None else f" of {least:,} {of_what} or more" if least else ""
    )


def _range(kind: inspect.IntType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f" from {kind.ge} to {kind.le}"
    return f" of {kind.ge} or more" if kind.ge is not None else ""


def either(names: Iterable[str]) -> str:
    """Join the names to a phrase such as ``a, b or c``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _options(kind: inspect.UnionType) -> Sequence[inspect.Type]:
    """Return the options that JSON can express. The option for a member that is left out is not among them."""
    return [option for option in kind.types if not isinstance(option, inspect.CustomType)]


def _plain(kind: inspect.Type) -> inspect.Type:
    """Return the kind without its description. Returns the first option of a union."""
    if isinstance(kind, inspect.Metadata):
        return _plain(kind.type)
    return _plain(_options(kind)[0]) if isinstance(kind, inspect.UnionType) else kind


def _same_sort(kind: inspect.Type, value: object) -> bool:
    sorts: tuple[type[inspect.Type], ...] = (inspect.StructType, inspect.DictType)
    if isinstance(value, list):
        sorts = (inspect.ListType,)
    return isinstance(value, dict | list) and isinstance(_plain(kind), sorts)


def _lengths(kind: inspect.StrType | inspect.ListType) -> tuple[int | None, int | None]:
    return kind.min_length, kind.max_length


def _fits(value: float, limits: tuple[float | None, float | None]) -> bool:
    least, most = limits
    return (least is None or value >= least) and (most is None or value <= most)


def _under(path: str, name: str) -> str:
    shown_name = printable(name, LONGEST_SHOWN)
    return f"{path}.{shown_name}" if path else shown_name


def _first(faults: Iterable[Fault | None]) -> Fault | None:
    return next((fault for fault in faults if fault is not None), None)
