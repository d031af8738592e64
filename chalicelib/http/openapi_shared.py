"""Moves responses, parameters and members that the OpenAPI document repeats into shared components."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

Json = dict[str, Any]


def share(paths: dict[str, Json], webhooks: dict[str, Json]) -> Json:
    """Replace parameters and responses that occur more than once by references. Returns the components to which the
    references point.
    """
    operations = [operation for methods in (*paths.values(), *webhooks.values()) for operation in methods.values()]
    responses, parameters = _Pool("responses"), _Pool("parameters")
    for operation in operations:
        responses.count(operation["responses"].values())
        parameters.count(operation["parameters"])
    for operation in operations:
        for status, response in operation["responses"].items():
            operation["responses"][status] = responses.shared(response, status)
        operation["parameters"] = [parameters.shared(one, one["name"]) for one in operation["parameters"]]
    return {"responses": responses.components, "parameters": parameters.components}


def name(shapes: Mapping[str, Json], types: Mapping[str, Json], template: str) -> Json:
    """If a member has the schema of one of the named types, replace its schema by a reference to that type.

    An enumeration without a description matches if it has the same values. For other members the description must match
    too, so that a text that is described as an id is not taken for a title.
    """
    references: dict[bytes, Json] = {}
    for type_name, schema in types.items():
        reference = {"$ref": template.format(name=type_name)}
        references[_content(schema)] = reference
        if "enum" in schema or "anyOf" in schema:
            references[_content({part: one for part, one in schema.items() if part != "description"})] = reference
    return {shape: {part: _named(one, references) for part, one in schema.items()} for shape, schema in shapes.items()}


def extend(shapes: Mapping[str, Json], bases: Mapping[str, str], template: str) -> Json:
    """If a shape extends another shape, replace the inherited members by a reference to the other shape."""
    return {
        shape: _extended(one, shapes.get(bases.get(shape, "")), template.format(name=bases.get(shape)))
        for shape, one in shapes.items()
    }


def _extended(schema: Json, base: Json | None, reference: str) -> Json:
    if base is None or "properties" not in base:
        return schema
    members, inherited = schema["properties"], base["properties"]
    needed, inherited_needed = schema.get("required", []), base.get("required", [])
    same = all(members.get(name) == one for name, one in inherited.items())
    if not same or {name for name in needed if name in inherited} != set(inherited_needed):
        return schema
    own = {
        "type": "object",
        "properties": {name: one for name, one in members.items() if name not in inherited},
        "required": [name for name in needed if name not in inherited],
    }
    # Two parts, since generators of clients ignore other members next to a single reference.
    return {
        **{part: one for part, one in schema.items() if part == "description"},
        "allOf": [{"$ref": reference}, own],
    }


def _named(value: Any, references: Mapping[bytes, Json]) -> Any:
    if isinstance(value, list):
        return [_named(one, references) for one in value]
    if not isinstance(value, dict):
        return value
    if "properties" not in value and "$ref" not in value:  # no named type is an object with members
        reference = references.get(_content(value))
        if reference is not None:
            return reference
    return {part: _named(one, references) for part, one in value.items()}


def _content(schema: Json) -> bytes:
    return msgspec.json.encode(schema, order="sorted")


class _Pool:
    """The shared components of one kind."""

    def __init__(self, kind: str) -> None:
        self.components: Json = {}
        self._kind = kind
        self._uses: Counter[str] = Counter()
        self._names: dict[str, str] = {}  # by the component's JSON

    def count(self, items: Iterable[Json]) -> None:
        self._uses.update(json.dumps(item) for item in items)

    def shared(self, item: Json, name: str) -> Json:
        """Return the item or, if it occurs more than once, a reference to a component. If another component already has
        the name, a number is added."""
        content = json.dumps(item)
        if self._uses[content] < 2:
            return item
        if content not in self._names:
            same = sum(other == name or other.rpartition("-")[0] == name for other in self.components)
            self._names[content] = f"{name}-{same + 1}" if same else name
            self.components[self._names[content]] = item
        return {"$ref": f"#/components/{self._kind}/{self._names[content]}"}
