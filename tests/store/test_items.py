"""Single items, batches and queries with plain values."""

import msgspec
import pytest

from chalicelib import clock
from chalicelib.store import items, packing
from chalicelib.store.errors import Conflict
from tests import aws
from tests.plugins import aws_weather

pytestmark = pytest.mark.usefixtures("store")

EVERY_KIND = {
    "pk": "A",
    "sk": "1",
    "text": "Grüße",
    "empty": "",
    "whole": 12345678901234567,
    "negative": -3,
    "fraction": 0.1,
    "tiny": 1.5e-7,
    "round": 5.0,
    "yes": True,
    "no": False,
    "bytes": b"\x00\xff",
    "list": [1, "two", None, [3.5]],
    "map": {"a": {"b": None}},
    "set": {"x", "y"},
}


def test_every_kind_of_value_is_read_back_unchanged() -> None:
    items.put("sites", EVERY_KIND | {"absent": None})
    found = items.get("sites", "A", "1")
    assert found == EVERY_KIND
    assert type(found["whole"]) is int and type(found["fraction"]) is float
    assert type(found["yes"]) is bool and type(found["bytes"]) is bytes


@pytest.mark.parametrize("value", [float("nan"), float("inf"), set(), {1}, object()])
def test_values_that_dynamodb_cannot_hold_are_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        items.put("sites", {"pk": "A", "sk": "1", "value": value})


def test_a_null_value_removes_the_attribute() -> None:
    with pytest.raises(ValueError, match=":v is None"):
        items.update("sites", "A", "1", "SET v = :v", values={":v": None})


def test_expired_items_still_in_the_table_are_not_read() -> None:
    for number, ttl in enumerate((clock.now() - 1, clock.now() + 60, None)):
        items.put("ops", {"pk": "A", "sk": str(number), "ttl": ttl and int(ttl)})
    assert items.get("ops", "A", "0") is None
    assert items.get("ops", "A", "1") is not None
    assert set(items.batch_get([("ops", "A", "0"), ("ops", "A", "2")])) == {("ops", "A", "2")}
    assert [row["sk"] for row in items.query("ops", "A")[0]] == ["1", "2"]
    assert [row["sk"] for row in items.query_all("ops", "A", keys_only=True)] == ["1", "2"]
    assert [row["sk"] for row in items.query("ops", "A", limit=1)[0]] == ["1"]
    clock.set_offset(120)
    assert items.get("ops", "A", "1") is None


def test_a_batch_read_takes_any_number_of_items_in_calls_of_a_hundred() -> None:
    items.batch_write(puts=[("sites", {"pk": "A", "sk": f"{n:03d}", "n": n}) for n in range(130)])
    items.put("accounts", {"pk": "A", "sk": "000"})
    wanted = [("sites", "A", f"{n:03d}") for n in range(140)] + [("accounts", "A", "000"), ("sites", "A", "000")]
    with aws.counted_calls() as calls:
        found = items.batch_get(wanted)
    assert calls == {"BatchGetItem": 2}
    assert len(found) == 131
    assert found["sites", "A", "129"]["n"] == 129
    assert ("accounts", "A", "000") in found


def test_a_query_continues_after_its_last_item() -> None:
    items.batch_write(puts=[("sites", {"pk": "A", "sk": sk}) for sk in (*(f"P#{n}" for n in range(7)), "Q")])
    first, position = items.query("sites", "A", "P#", limit=3)
    second, end = items.query("sites", "A", "P#", limit=10, start=position)
    assert [row["sk"] for row in first + second] == [f"P#{n}" for n in range(7)]
    assert end is None
    backwards, _ = items.query("sites", "A", "P#", limit=2, forward=False)
    assert [row["sk"] for row in backwards] == ["P#6", "P#5"]


def test_a_long_partition_is_read_in_several_calls() -> None:
    for number in range(8):
        items.put("sites", {"pk": "A", "sk": str(number), "data": bytes(300_000)})
    rows, position = items.query("sites", "A")
    assert 0 < len(rows) < 8 and position is not None
    assert [row["sk"] for row in items.query_all("sites", "A")] == [str(number) for number in range(8)]


def test_due_rows_are_read_from_an_index() -> None:
    for number in range(5):
        items.put("sites", {"pk": "A", "sk": str(number), "dueShard": "DUE#00", "nextAuditAt": 100 + number})
    items.put("sites", {"pk": "A", "sk": "paused", "dueShard": "DUE#00"})
    with aws_weather.calm():
        found, _ = items.query("sites", "DUE#00", index="due", before=("nextAuditAt", 102), keys_only=True)
    assert [row["sk"] for row in found] == ["0", "1", "2"]


def test_a_failed_condition_returns_the_old_item() -> None:
    items.put("sites", {"pk": "A", "sk": "1", "n": 1})
    for write in (
        lambda: items.put("sites", {"pk": "A", "sk": "1"}, condition="attribute_not_exists(pk)"),
        lambda: items.delete("sites", "A", "1", condition="n = :two", values={":two": 2}),
        lambda: items.update("sites", "A", "1", "SET n = :two", condition="n = :two", values={":two": 2}),
    ):
        with pytest.raises(Conflict) as caught:
            write()
        assert caught.value.failed == {"item": {"pk": "A", "sk": "1", "n": 1}}
    with pytest.raises(Conflict) as caught:
        items.update("sites", "A", "2", "SET n = :two", condition="attribute_exists(pk)", values={":two": 2})
    assert caught.value.failed == {"item": None}


@pytest.mark.calm("an addition whose answer is lost is sent again, and adds twice")
def test_an_update_returns_the_new_item_on_request() -> None:
    items.put("sites", {"pk": "A", "sk": "1", "n": 1})
    add = {"expression": "SET n = n + :one", "values": {":one": 1}}
    assert items.update("sites", "A", "1", **add, returns="ALL_NEW") == {"pk": "A", "sk": "1", "n": 2}
    assert items.update("sites", "A", "1", **add) is None


def test_packed_values_are_read_back_and_validated() -> None:
    mixed = packing.Shape("mixed", dict[str, tuple[int, float, str, bytes]], version=1)
    value = {"a": (1, 2.5, "text", b"bytes")}
    assert mixed.unpack(mixed.pack(value)) == value
    texts = packing.Shape("texts", list[str], version=1)
    assert len(texts.pack(["the same"] * 1_000)) < 100
    with pytest.raises(msgspec.ValidationError):
        mixed.unpack(texts.pack(["text"]))
