"""What all PynamoDB models share: one botocore client, the keys, and the way to and from plain items.

PynamoDB makes a client for each model; twenty models would cost 1.4 s of cold start. Here all use the store's one.
"""

import json
from collections.abc import Mapping
from typing import Any, Self

from pynamodb.attributes import Attribute, UnicodeAttribute
from pynamodb.connection.table import TableConnection
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
    """A list of texts, or absent (which is not the same as empty)."""

    attr_type = LIST
    null = True

    def serialize(self, value: list[str] | None) -> list[dict[str, str]]:
        return [{STRING: text} for text in value or ()]

    def deserialize(self, value: list[dict[str, str]]) -> list[str]:
        return [text[STRING] for text in value]


class Entity(Model):
    """The base of all models: ``pk`` and ``sk`` as in ``store.keys``."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        connection.connection._client = client.dynamodb()  # type: ignore[assignment]
        return connection

    @classmethod
    def load(cls, key: Key) -> Self | None:
        """The entity at the key, read consistently, or None."""
        name = attributes(key)
        try:
            return cls.get(name["pk"], name["sk"], consistent_read=True)
        except cls.DoesNotExist:
            return None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """The entity of an item with plain values."""
        return cls.from_raw_data(to_item(item))

    def as_item(self) -> dict[str, Any]:
        """The item with plain values, keys included: what ``transactions.Put`` takes."""
        return from_item(self.serialize())
