"""Converts stored values to shapes of answers. Each member is copied from the stored member of the same name."""

from collections.abc import Hashable
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from chalicelib.api.shapes.values import Timestamp, instant
from chalicelib.http.answers import Shape

S = TypeVar("S", bound=Shape)
(_TIME,) = Timestamp.__metadata__  # type: ignore[attr-defined]  # a type for mypy, an object with members at run time


def shaped(shape: type[S], source: Any, **others: Any) -> S:
    """Make a shape from a stored value by copying the members that both have. ``others``: the values of the shape's
    other members.

    Epoch seconds become a timestamp if the shape's member is a timestamp. A member with a default may be missing in the
    value. Raises ``TypeError`` if any other member is missing. Views call this for lists of thousands: it takes about 2
    µs more than the shape's constructor.
    """
    names, times = _members(shape, source.__class__, *others)
    for name in names:
        others[name] = getattr(source, name)
    for name in times:
        if others[name] is not None and others[name].__class__ is not str:
            others[name] = instant(others[name])
    return shape(**others)


def shaped_or_none(shape: type[S], source: Any, **others: Any) -> S | None:
    """Make a shape from a stored value; None if the value is None."""
    return None if source is None else shaped(shape, source, **others)


@cache
def _members(shape: type[Shape], source: Hashable, *given: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the members that are taken from the source, and those of them that are timestamps."""
    taken = [one for one in msgspec.structs.fields(shape) if one.name not in given and hasattr(source, one.name)]
    return tuple(one.name for one in taken), tuple(one.name for one in taken if _is_time(one.type))


def _is_time(declared: Any) -> bool:
    """Whether a member's type is a timestamp, or a union with a timestamp. A description makes no difference."""
    if get_origin(declared) is Annotated:
        return _TIME in declared.__metadata__ or _is_time(declared.__origin__)
    return get_origin(declared) in (Union, UnionType) and any(_is_time(one) for one in get_args(declared))
