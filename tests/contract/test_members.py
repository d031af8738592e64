"""Every member of the API's description is explained: by itself, or by the schema it refers to."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.api.client import document, followed


def _members(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, member in schema.get("properties", {}).items():
        yield name, member
        yield from _members(member)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            yield from _members(schema[part])
    for part in ("allOf", "anyOf", "oneOf"):
        for option in schema.get(part, ()):
            yield from _members(option)


def _is_described(member: Mapping[str, Any], schemas: Mapping[str, Any]) -> bool:
    if member.get("description"):
        return True
    if "$ref" in member:
        return bool(schemas[member["$ref"].rpartition("/")[2]].get("description"))
    options = [option for part in ("allOf", "anyOf", "oneOf") for option in member.get(part, ())]
    return any(_is_described(option, schemas) for option in options)


def _undescribed(schemas: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (schema_name, name)
        for schema_name, schema in schemas.items()
        for name, member in _members(schema)
        if not _is_described(member, schemas)
    ]


def _bodies() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The schemas of bodies that name one of the components and say more of its members."""
    for operations in (document()["paths"] | document()["webhooks"]).values():
        for operation in operations.values():
            bodies = [followed(one) for one in operation["responses"].values()] + [operation.get("requestBody", {})]
            for body in bodies:
                for content in body.get("content", {}).values():
                    if "allOf" in content["schema"]:
                        yield operation["operationId"], content["schema"]


def _described(schema: Mapping[str, Any]) -> set[str]:
    """The names of members that a component describes, itself or in the one it extends."""
    if "$ref" in schema:
        return _described(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    schemas = document()["components"]["schemas"]
    return {name for name, member in _members(schema) if _is_described(member, schemas)}


def test_every_member_of_a_schema_has_a_description() -> None:
    assert _undescribed(document()["components"]["schemas"]) == []


def test_a_member_that_a_request_body_restricts_has_its_description_in_the_schema() -> None:
    bodies = list(_bodies())
    assert len(bodies) > 50
    for operation_id, schema in bodies:
        described = set().union(*(_described(part) for part in schema["allOf"] if "$ref" in part))
        added = {name for part in schema["allOf"] if "$ref" not in part for name, _ in _members(part)}
        assert added and added <= described, operation_id


def test_a_member_without_a_description_is_detected() -> None:
    schemas = {
        "Named": {"properties": {"id": {"type": "string"}}, "description": "What it is."},
        "Site": {
            "description": "A website. `host`: its name.",
            "properties": {
                "host": {"type": "string"},
                "named": {"$ref": "#/components/schemas/Named"},
                "told": {"type": "string", "description": "In words."},
                "odd": {"items": {"properties": {"inner": {"type": "string"}}}},
            },
        },
    }
    assert _undescribed(schemas) == [("Named", "id"), ("Site", "host"), ("Site", "odd"), ("Site", "inner")]
