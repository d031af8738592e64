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
def test_a_described_list_uses_the_plural_of_its_items(items: dict[str, Any], said: str) -> None:
    assert kind({"type": "array", "items": items}) == f"list of {said}"
