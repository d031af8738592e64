"""The base of all PynamoDB models. It defines the keys, and converts models to and from plain items.

Models are read through the store's own client, because PynamoDB would create a client per model.
"""

import json
from collections.abc import Mapping
from typing import Any, Self

from pynamodb.attributes import Attribute, UnicodeAttribute
from pynamodb.constants import BINARY, LIST, NUMBER, STRING
from pynamodb.models import Model

from chalicelib.store import client
from chalicelib.store.keys import Key, attributes
from chalicelib.store.marshalling import from_item, to_item


class Integer(Attribute[int]):
    """A whole number."""

    attr_type = NUMBER

    def serialize(self, value: int) -> str:
        return json.dumps(value)

    def deserialize(self, value: str) -> int:
        return int(value)


class OptionalInteger(Attribute[int | None]):
    """A whole number, or absent."""

    attr_type = NUMBER
    null = True

    def serialize(self, value: int | None) -> str:
        return json.dumps(value)

    def deserialize(self, value: str) -> int:
        return int(value)


class OptionalNumber(Attribute[float | None]):
    """A number, or absent."""

    attr_type = NUMBER
    null = True

    def serialize(self, value: float | None) -> str:
        return json.dumps(value)

    def deserialize(self, value: str) -> float:
        return float(value)


class OptionalText(Attribute[str | None]):
    """A text, or absent."""

    attr_type = STRING
    null = True


class OptionalBinary(Attribute[bytes | None]):
    """Bytes, or absent."""

    attr_type = BINARY
    null = True


class OptionalTexts(Attribute[list[str] | None]):
    """A list of texts, or absent (which differs from an empty list)."""

    attr_type = LIST
    null = True

    def serialize(self, value: list[str] | None) -> list[dict[str, str]]:
        return [{STRING: text} for text in value or ()]

    def deserialize(self, value: list[dict[str, str]]) -> list[str]:
        return [text[STRING] for text in value]


class Entity(Model):
    """The base of all models of stored rows. ``pk`` and ``sk``: the keys (see ``store.keys``)."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)

    @classmethod
    def load(cls, key: Key) -> Self | None:
        """Read the entity at the key, consistently. Returns None if there is none."""
        answer = client.dynamodb().get_item(
            TableName=cls.Meta.table_name, Key=to_item(attributes(key)), ConsistentRead=True
        )
        found = answer.get("Item")
        return None if found is None else cls.from_raw_data(found)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Make the entity from an item with plain values."""
        return cls.from_raw_data(to_item(item))

    def as_item(self) -> dict[str, Any]:
        """Return the item with plain values, including its keys, for ``transactions.Put``."""
        return from_item(self.serialize())
