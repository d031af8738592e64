"""The counts that docs/scale.md is worked out from are what the benchmark counts."""

import json

import pytest

from bench import units
from bench.units import counted
from chalicelib.store import items, queues
from chalicelib.store.transactions import Check, Put, commit
from documents import scale

KEPT = json.loads(units.KEPT.read_text("utf-8"))


def _differences(found: dict[str, dict[str, float]]) -> list[str]:
    return units.problems(found, {what: KEPT["each"][what] for what in found})


def test_what_takes_something_else_than_what_is_kept_is_named() -> None:
    kept = {"audit": {"storeCalls": 10.0, units.CPU: 5.0}, "delivery": {"storeCalls": 3.0}}
    assert units.problems({"audit": {"storeCalls": 10.9, units.CPU: 90.0}, "delivery": {"storeCalls": 3.1}}, kept) == []
    assert units.problems({"audit": {"storeCalls": 12.0}, "event": {"storeCalls": 1.0}}, kept) == [
        "delivery is kept and was not counted",
        "event is not kept",
        "audit: storeCalls is 12.0, and 10.0 is kept",
    ]


def test_a_delivery_takes_what_is_kept(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    found = {name: one.each(20) for name, one in units.deliveries(20).items()}
    assert set(found) == {"event", "delivery"}
    assert _differences(found) == []


@pytest.mark.deep
def test_everything_takes_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    monkeypatch.setattr(queues, "_urls", {})  # as in a new process: where a queue is, is asked for once in each
    found = units.everything()
    assert found["each"].keys() == KEPT["each"].keys()
    assert _differences(found["each"]) == []


def test_units_are_those_of_dynamodb(store: None) -> None:
    big, small = {"pk": "A", "sk": "1", "data": b"x" * 5_000}, {"pk": "A", "sk": "2"}
    with counted() as put:
        items.put("sites", big)
    assert (put.calls, put.writes, put.reads) == (1, 5, 0)
    with counted() as together:
        commit(
            [
                Put("sites", {"pk": "B", "sk": "1", "data": b"x" * 1_500}),
                Check("sites", ("A", "2"), "attribute_not_exists(pk)"),
            ]
        )
    assert together.writes == 2 * 2 + 2 * 1
    items.put("sites", small)
    with counted() as read:
        items.get("sites", "A", "1")
        items.get("sites", "A", "1", consistent=False)
        items.get("sites", "A", "none")
    assert read.reads == 2 + 1 + 1
    with counted() as many:
        items.batch_get([("sites", "A", "1"), ("sites", "A", "2"), ("sites", "B", "1")], consistent=False)
    assert (many.calls, many.reads) == (1, 1 + 0.5 + 0.5)
    with counted() as query:
        items.query("sites", "A", keys_only=True)
    assert query.reads == 2, "what is left out of the answer is read all the same"
    with counted() as smaller:
        items.put("sites", {**big, "data": b""})
    assert smaller.writes == 5, "the larger of the two counts"
    with counted() as removed:
        items.delete("sites", "A", "1")
    assert removed.writes == 1
    assert put.hottest() == {"sites": 5}


def test_an_index_takes_units_of_its_own(store: None) -> None:
    row = {"pk": "A", "sk": "1", "dueShard": "DUE#00", "nextAuditAt": 1}
    with counted() as first:
        items.put("sites", row)
    assert first.writes == 1 + 1
    with counted() as same:
        items.put("sites", {**row, "other": 1})
    assert same.writes == 1, "an index of keys alone does not see it"
    with counted() as moved:
        items.put("sites", {**row, "nextAuditAt": 2})
    assert moved.writes == 1 + 2
    with counted() as gone:
        items.put("sites", {"pk": "A", "sk": "1"})
    assert gone.writes == 1 + 1
    assert moved.by_table() == {"index due": 2, "sites": 1}
    with counted() as whole:
        items.put("crawls", {"pk": "A", "sk": "1", "runShard": "0", "leaseUntil": 1, "data": b"x" * 1_500})
    assert whole.writes == 2 + 2


def test_a_month_has_a_price_for_everything_it_takes() -> None:
    taken = scale.amounts(KEPT)
    assert taken.keys() == scale.PRICES.keys()
    assert set(scale.MONTH) <= set(KEPT["each"])
    deliveries = scale.MONTH["delivery"].often * KEPT["each"]["delivery"]["writeUnits"] * scale.WEBSITES
    without = {**KEPT, "each": {**KEPT["each"], "delivery": dict.fromkeys(KEPT["each"]["delivery"], 0)}}
    assert taken["write units"] - scale.amounts(without)["write units"] == pytest.approx(deliveries)
