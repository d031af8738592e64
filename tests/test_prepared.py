"""Stored data that is put back: the same as when it was made, and only where the same was stored before."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client, queues
from chalicelib.store.marshalling import to_item
from tests import aws
from tests.prepared import continued, forget, prepared

pytestmark = pytest.mark.calm("asks botocore itself, which tries nothing again")
NAME = "test of prepared data"


def put(number: int) -> None:
    item = to_item({"pk": f"P{number}", "sk": "S", "number": number})
    client.dynamodb().put_item(TableName=core_settings().table_prefix + "sites", Item=item)


def remove(number: int) -> None:
    key = to_item({"pk": f"P{number}", "sk": "S"})
    client.dynamodb().delete_item(TableName=core_settings().table_prefix + "sites", Key=key)


class Step:
    """Stores and removes items, and counts how often it was run."""

    def __init__(self, *numbers: int, removes: tuple[int, ...] = ()) -> None:
        self.numbers, self.removes, self.runs = numbers, removes, 0

    def __call__(self) -> int:
        self.runs += 1
        for number in self.numbers:
            put(number)
        for number in self.removes:
            remove(number)
        return self.runs


@pytest.fixture(autouse=True)
def nothing_kept(store: None) -> Any:
    forget(NAME)
    yield
    forget(NAME)


def empty() -> None:
    for place, _ in aws.rows("sites"):
        remove(int(place.removeprefix("P")))


def test_a_cached_test_preparation_restores_its_rows_and_its_result() -> None:
    step = Step(1, 2)
    assert prepared(NAME, step) == 1
    before = aws.stored("sites")
    empty()
    assert prepared(NAME, step) == 1
    assert (step.runs, aws.stored("sites")) == (1, before)


def test_a_cached_test_preparation_restores_removed_and_replaced_rows() -> None:
    first, then = Step(1, 2, 3), Step(2, 4, removes=(1,))
    for _ in range(2):
        empty()
        continued(NAME, first)
        continued((NAME, "then"), then)
        assert [key for key, _ in aws.rows("sites")] == ["P2", "P3", "P4"]
    assert (first.runs, then.runs) == (1, 1)
    forget((NAME, "then"))


@pytest.mark.parametrize("change", [lambda: put(1), lambda: put(9), lambda: remove(1)])
def test_a_test_preparation_is_not_taken_from_the_cache_if_other_data_is_stored(change: Any) -> None:
    """An item that is written again counts as changed, even with the same content."""
    first, then = Step(1), Step(2)
    for _ in range(2):
        empty()
        continued(NAME, first)
        continued((NAME, "then"), then)
    empty()
    continued(NAME, first)
    change()
    continued((NAME, "then"), then)
    assert (first.runs, then.runs) == (1, 2)
    forget((NAME, "then"))


def test_a_test_preparation_is_not_taken_from_the_cache_after_a_minute() -> None:
    step = Step(1)
    prepared(NAME, step)
    empty()
    clock.set_offset(61.0)
    prepared(NAME, step)
    assert step.runs == 2


def test_a_test_preparation_is_not_taken_from_the_cache_while_messages_wait() -> None:
    step = Step(1)
    queues.send("crawl", {"siteId": "site_1"})
    for _ in range(2):
        empty()
        continued(NAME, step)
    assert (step.runs, len(aws.messages("crawl"))) == (2, 1)


def test_a_test_preparation_is_never_cached_with_an_external_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://tables.test")
    runs: list[int] = []
    for number in range(2):
        continued(NAME, lambda number=number: runs.append(number))  # type: ignore[misc]
    assert runs == [0, 1]


def test_a_cached_test_preparation_needs_empty_tables() -> None:
    put(1)
    with pytest.raises(AssertionError, match="before"):
        prepared(NAME, Step(2))
