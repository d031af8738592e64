"""The words for what a schema accepts, as the tables of documents have them."""

from typing import Any

import pytest

from documents.schemas import kind


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ({"type": "string"}, "texts"),
        ({"type": "string", "minLength": 1, "maxLength": 2000}, "texts of 1 to 2,000 characters"),
        ({"type": "string", "maxLength": 9}, "texts, at most 9 characters"),
        ({"type": "string", "format": "uri"}, "addresses"),
        ({"type": "integer", "minimum": 1}, "whole numbers, 1 or more"),
        ({"type": "array", "items": {"type": "object"}, "maxItems": 2}, "lists of objects, at most 2"),
        ({"enum": ["on", "off"]}, "`on`, `off`"),
    ],
)
def test_the_description_of_a_list_type_names_its_items_in_the_plural(items: dict[str, Any], said: str) -> None:
    assert kind({"type": "array", "items": items}) == f"list of {said}"
