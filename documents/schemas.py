"""Describes in words the JSON schemas of the API (docs/openapi.json), for the tables of documents."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from documents.openapi import document

Schema = Mapping[str, Any]
_FORMATS = {"date-time": "time", "uri": "address", "date": "date"}


class Member(NamedTuple):
    """A member of an object.

    - ``name``: its path (``issue.id``, ``changes[].url``).
    - ``about``: its description, which may be empty.
    - ``required``: whether every object of this kind has the member.
    """

    name: str
    kind: str
    about: str
    required: bool


def resolve(schema: Schema) -> Schema:
    """Return the schema to which a reference leads, including the members of a schema that it extends.

    If the schema has no reference and extends no other schema, it is returned unchanged.
    """
    if "$ref" in schema:
        found: Schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return resolve(found)
    if "allOf" not in schema:
        return schema
    base, own = map(resolve, schema["allOf"])
    needed = [*base.get("required", ()), *own["required"]]
    return {**schema, **own, "properties": {**base["properties"], **own["properties"]}, "required": needed}


def members(schema: Schema, prefix: str = "") -> Iterator[Member]:
    """Yield every member of an object, and the members of the objects inside it, in the order of the schema."""
    needed = resolve(schema).get("required", ())
    for name, given in resolve(schema).get("properties", {}).items():
        path = prefix + name
        inner = resolve(given)
        below = resolve(inner["items"]) if inner.get("type") == "array" else inner
        is_object = below.get("type") == "object"
        about = given.get("description") or inner.get("description") or below.get("description", "")
        yield Member(path, kind(given), about, name in needed)
        if is_object:
            yield from members(below, f"{path}[]." if below is not inner else f"{path}.")


def kind(given: Schema) -> str:
    """Describe in a few words which values a schema accepts."""
    schema = resolve(given)
    if "anyOf" in schema:
        return ", or ".join(kind(option) for option in schema["anyOf"])
    if isinstance(schema.get("type"), list):
        return ", or ".join(kind({**schema, "type": one}) for one in schema["type"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join("null" if value is None else f"`{value}`" for value in schema["enum"])
    name = str(schema.get("type", "any value"))
    if name == "string":
        return _text(schema)
    if name in ("integer", "number"):
        return _number("whole number" if name == "integer" else "number", schema)
    if name == "array":
        return f"list of {_several(kind(schema['items']))}" + (
            f", at most {schema['maxItems']}" if "maxItems" in schema else ""
        )
    return name


def _several(kind_of_one: str) -> str:
    """Write a kind of value in the plural: only its noun changes. An enumeration has no plural."""
    if kind_of_one.startswith("`"):
        return kind_of_one
    noun, rest = re.fullmatch(r"(.+?)((?: of |, ).*)?", kind_of_one).groups("")  # type: ignore[union-attr]
    return f"{noun}es{rest}" if noun.endswith("s") else f"{noun}s{rest}"


def _text(schema: Schema) -> str:
    name = _FORMATS.get(schema.get("format", ""), "text")
    least, most = schema.get("minLength"), schema.get("maxLength")
    if most is None:
        return name
    return f"{name} of {least} to {most:,} characters" if least else f"{name}, at most {most:,} characters"


def _number(name: str, schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{name}, {least} to {most}"
    return f"{name}, {least} or more" if least is not None else name
