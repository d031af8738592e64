"""A list as a file beside the same list as JSON, read on to its end."""

import csv
import io
import json
from typing import Any

from tests.api.client import Client, Received
from tests.http.test_csv import text_of

csv.field_size_limit(10_000_000)


def cells_of(received: Received) -> list[dict[str, str]]:
    """The rows of a file, by the names of its first line."""
    assert received.status == 200, received.text
    assert received.headers["content-type"] == "text/csv; charset=utf-8"
    assert received.headers["content-disposition"].startswith('attachment; filename="')
    return read(received.text)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def walk(api: Client, path: str, name: str, begins: str = "") -> list[Any]:
    """The items of all answers from a place on, by the cursor or offset that each answer names."""
    found: list[Any] = []
    asked = begins
    while True:
        body = api.get(path + asked).json
        found += body[name]
        if body.get("nextCursor"):
            asked = f"&cursor={body['nextCursor']}"
        elif body.get("nextOffset"):
            asked = f"&offset={body['nextOffset']}"
        else:
            return found


def check_is_the_walk(api: Client, path: str, name: str, at_least: int = 3) -> list[dict[str, str]]:
    """Assert that the file is what the walk gives, from the start and from the second item on."""
    file = cells_of(api.get(f"{path}&format=csv"))
    items = walk(api, path, name)
    assert len(items) >= at_least
    check_same(file, items)
    if "offset" in api.get(path).json:
        check_same(cells_of(api.get(f"{path}&format=csv&offset=1")), items[1:])
    return file


def check_same(file: list[dict[str, str]], items: list[Any]) -> None:
    """Assert that each row has every member of its item, and nothing else."""
    assert len(file) == len(items)
    for cells, item in zip(file, items, strict=True):
        assert set(item) <= {name.partition(".")[0] for name in cells}
        for name, cell in cells.items():
            value = item
            for member in name.split("."):
                value = None if value is None else value.get(member)
            assert _is(cell, value), (name, cell[:100], str(value)[:100])


def _is(cell: str, value: Any) -> bool:
    if value is None:
        return cell == ""
    if isinstance(value, str):
        return text_of(cell) == value
    return bool(json.loads(cell) == value)
