"""Makes partial answers like Google's APIs: the parameter ``fields`` (the mask) names the members to keep.

``a/b`` is the member b inside a, ``a(b,c)`` are two members of a, ``*`` is any member. If a value is a list, the mask
applies to each element.
"""

import re
from typing import Any, Final

Mask = dict[str, "Mask"]  # member -> the mask of its own members; empty: the whole member

_TOKEN: Final = re.compile(r"[^,/()]+|[,/()]")


def read(fields: str) -> Mask:
    """Parse a mask. Raises ``ValueError``."""
    tokens = _TOKEN.findall(fields)
    mask, position = _members(tokens, 0)
    if position != len(tokens):
        raise ValueError(f"Invalid field selection {fields[:100]}")
    return mask


def kept(value: Any, mask: Mask) -> Any:
    """Return the part of a value that the mask names."""
    if not mask:
        return value
    if isinstance(value, list):
        return [kept(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    every = mask.get("*")
    return {
        name: kept(inner, mask.get(name, every or {}))
        for name, inner in value.items()
        if name in mask or every is not None
    }


def _members(tokens: list[str], position: int) -> tuple[Mask, int]:
    mask: Mask = {}
    while True:
        name, inner, position = _member(tokens, position)
        mask.setdefault(name, {}).update(inner)
        if position >= len(tokens) or tokens[position] != ",":
            return mask, position
        position += 1


def _member(tokens: list[str], position: int) -> tuple[str, Mask, int]:
    if position >= len(tokens) or tokens[position] in ",/()":
        raise ValueError("Invalid field selection")
    name, position = tokens[position], position + 1
    following = tokens[position] if position < len(tokens) else ""
    if following == "/":
        inner_name, inner, position = _member(tokens, position + 1)
        return name, {inner_name: inner}, position
    if following == "(":
        inner, position = _members(tokens, position + 1)
        if position >= len(tokens) or tokens[position] != ")":
            raise ValueError("Invalid field selection")
        return name, inner, position + 1
    return name, {}, position
