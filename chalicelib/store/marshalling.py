"""Converts plain Python values to DynamoDB attribute values and back.

Attributes of an item that are None are left out. Within lists and maps, None is stored as NULL. Numbers are read as
``int`` or ``float``, never as ``Decimal``. Binary values are read as ``bytes``, and string sets as ``set[str]``.
"""

import math
from collections.abc import Mapping
from typing import Any

Attribute = dict[str, Any]


def to_attribute(value: Any) -> Attribute:
    """Convert one plain value to an attribute value. Raises ``TypeError`` or ``ValueError`` for values that DynamoDB
    cannot store."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case float():
            return {"N": _number(value)}
        case bytes() | bytearray() | memoryview():
            return {"B": bytes(value)}
        case Mapping():
            return {"M": {key: to_attribute(member) for key, member in value.items()}}
        case list() | tuple():
            return {"L": [to_attribute(member) for member in value]}
        case set() | frozenset():
            return {"SS": _string_set(value)}
    raise TypeError(f"DynamoDB cannot hold a {type(value).__name__}")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"DynamoDB cannot hold {value}")
    # DynamoDB turns 5.0 into 5. Doing so here gives the same result with every compatible store.
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _string_set(value: set[Any] | frozenset[Any]) -> list[str]:
    if not value or not all(isinstance(member, str) for member in value):
        raise ValueError("a set must have strings and not be empty")
    return sorted(value)


def from_attribute(attribute: Mapping[str, Any]) -> Any:
    """Return the plain value of one attribute value."""
    ((kind, value),) = attribute.items()
    match kind:
        case "S" | "BOOL" | "B":
            return value
        case "N":
            return _parsed(value)
        case "M":
            return {key: from_attribute(member) for key, member in value.items()}
        case "L":
            return [from_attribute(member) for member in value]
        case "NULL":
            return None
        case "SS":
            return set(value)
    raise TypeError(f"attribute values of type {kind} are not used")


def _parsed(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def to_item(item: Mapping[str, Any]) -> dict[str, Attribute]:
    """Convert an item to attribute values. Attributes that are None are left out."""
    return {name: to_attribute(value) for name, value in item.items() if value is not None}


def from_item(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the plain values of an item."""
    return {
        name: attribute["S"] if "S" in attribute else from_attribute(attribute)  # first, since most values are texts
        for name, attribute in item.items()
    }


def to_values(values: Mapping[str, Any] | None) -> dict[str, Attribute]:
    """Convert the values of an update or condition expression. Refuses ``None``: to clear an attribute, remove it."""
    marshalled = {}
    for name, value in (values or {}).items():
        if value is None:
            raise ValueError(f"{name} is None: remove the attribute instead")
        marshalled[name] = to_attribute(value)
    return marshalled
