"""Members of the OpenAPI document that are described once."""

from typing import Any

import pytest

from chalicelib.http.openapi_shared import extend, name

TEMPLATE = "#/components/schemas/{name}"
PAGE_ID = {"type": "string", "description": "The page's id."}
STATE = {"enum": ["done", "failed"], "description": "Its state."}
TYPES = {"PageId": PAGE_ID, "State": STATE}
BASE = {"type": "object", "properties": {"id": PAGE_ID, "at": {"type": "string"}}, "required": ["id"]}


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def test_every_member_of_a_named_type_becomes_a_reference_to_the_type() -> None:
    shapes = {"Page": _object(id=PAGE_ID, others={"type": "array", "items": PAGE_ID}, inner=_object(state=STATE))}
    page_id, state = {"$ref": TEMPLATE.format(name="PageId")}, {"$ref": TEMPLATE.format(name="State")}
    others = {"type": "array", "items": page_id}
    assert name(shapes, TYPES, TEMPLATE) == {"Page": _object(id=page_id, others=others, inner=_object(state=state))}


def test_an_enumeration_becomes_a_reference_to_the_type_with_equal_values() -> None:
    found = name({"Run": _object(state={"enum": ["done", "failed"]})}, TYPES, TEMPLATE)
    assert found["Run"]["properties"]["state"] == {"$ref": TEMPLATE.format(name="State")}


@pytest.mark.parametrize(
    "member",
    [
        {"type": "string"},
        {"type": "string", "description": "The batch's id."},
        {"enum": ["done", "failed"], "description": "How the run ended."},
        {"enum": ["done", "failed", "queued"]},
        {**PAGE_ID, "minLength": 1},
    ],
)
def test_a_member_that_differs_from_the_shared_type_is_written_in_full(member: dict[str, Any]) -> None:
    shapes = {"Page": _object(member=member)}
    assert name(shapes, TYPES, TEMPLATE) == shapes


def test_a_schema_that_extends_another_refers_to_it_and_lists_only_new_members() -> None:
    members = {**BASE["properties"], "title": {"type": "string"}}  # type: ignore[dict-item]
    detail = {"type": "object", "description": "All.", "properties": members, "required": ["id", "title"]}
    own = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    assert extend({"Base": BASE, "Detail": detail}, {"Detail": "Base"}, TEMPLATE) == {
        "Base": BASE,
        "Detail": {"description": "All.", "allOf": [{"$ref": TEMPLATE.format(name="Base")}, own]},
    }


@pytest.mark.parametrize(
    ("members", "required"),
    [
        ({**BASE["properties"], "at": {"type": "integer"}}, ["id"]),  # type: ignore[dict-item]
        (BASE["properties"], ["id", "at"]),
        (BASE["properties"], []),
        ({"id": PAGE_ID}, ["id"]),
    ],
)
def test_a_schema_that_changes_a_member_of_its_base_is_written_in_full(
    members: dict[str, Any], required: list[str]
) -> None:
    detail = {"type": "object", "properties": members, "required": required}
    assert extend({"Base": BASE, "Detail": detail}, {"Detail": "Base"}, TEMPLATE)["Detail"] == detail


def test_a_schema_is_written_in_full_if_the_document_lacks_its_base() -> None:
    assert extend({"Base": BASE}, {"Base": "Struct"}, TEMPLATE) == {"Base": BASE}
