"""The counts that docs/scale.md is worked out from are what the benchmark counts."""

import json

import pytest

from bench import load, sunday, units
from bench.units import counted
from chalicelib.domain import plans
from chalicelib.store import items, queues
from chalicelib.store.transactions import Check, Put, commit
from documents import scale
from local import embedded

SMALL = 40  # pages
KEPT = json.loads(units.KEPT.read_text("utf-8"))


def _differences(found: dict[str, dict[str, float]]) -> list[str]:
    return units.problems(found, {what: KEPT["each"][what] for what in found})


def test_a_measurement_that_differs_from_the_stored_one_is_reported() -> None:
    kept = {"audit": {"storeCalls": 10.0, units.CPU: 5.0}, "delivery": {"storeCalls": 3.0}}
    assert units.problems({"audit": {"storeCalls": 10.9, units.CPU: 90.0}, "delivery": {"storeCalls": 3.1}}, kept) == []
    assert units.problems({"audit": {"storeCalls": 12.0}, "event": {"storeCalls": 1.0}}, kept) == [
        "delivery is stored but was not measured",
        "event is not kept",
        "audit: storeCalls is 12.0, but 10.0 is stored",
    ]


def test_the_measured_cost_of_a_delivery_equals_the_stored_one(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    found = {name: one.each(20) for name, one in units.deliveries(20).items()}
    assert set(found) == {"event", "delivery"}
    assert _differences(found) == []


def test_the_measured_cost_of_a_weekly_start_equals_the_stored_one(store: None) -> None:
    found = units.started()
    assert _differences({"weekly start": found.each(units.STARTS)}) == []
    assert found.by_table(units.STARTS) == KEPT["tables"]["weekly start"]


def test_the_measured_cost_of_an_audited_page_equals_the_stored_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a small audit is a fixed part plus the stored cost of a page for each page."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    with embedded.running():
        crawls = units.audited(SMALL)
    found = crawls["audit"]
    kept = KEPT["tables"]["audit"]
    assert found.by_table().keys() == kept.keys()
    share = kept["crawls"] * SMALL / KEPT["auditPages"]
    assert share < found.by_table()["crawls"] < 1.2 * share
    for table in ("index overdueJobs", "jobs", "sites", "webhooks"):
        assert found.by_table()[table] == kept[table], table
    assert crawls["recheck"].by_table().keys() <= KEPT["tables"]["recheck"].keys()


def test_the_stored_write_units_of_all_tables_add_up_to_the_stored_total() -> None:
    assert set(KEPT["tables"]) == set(sunday.KINDS)
    for kind, tables in KEPT["tables"].items():
        assert sum(tables.values()) == pytest.approx(KEPT["each"][kind]["writeUnits"]), kind


@pytest.mark.deep
def test_all_measured_costs_equal_the_stored_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    monkeypatch.setattr(queues, "_urls", {})  # as in a new process: where a queue is, is asked for once in each
    found = units.everything()
    assert found["each"].keys() == KEPT["each"].keys()
    assert _differences(found["each"]) == []


def test_capacity_units_are_counted_as_dynamodb_counts_them(store: None) -> None:
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


def test_an_index_takes_additional_write_units(store: None) -> None:
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


def test_everything_a_month_uses_has_a_price() -> None:
    taken = scale.amounts(KEPT)
    assert taken.keys() == scale.PRICES.keys()
    assert set(load.MONTH) <= set(KEPT["each"])
    deliveries = load.MONTH["delivery"].often * KEPT["each"]["delivery"]["writeUnits"] * load.WEBSITES
    without = {**KEPT, "each": {**KEPT["each"], "delivery": dict.fromkeys(KEPT["each"]["delivery"], 0)}}
    assert taken["write units"] - scale.amounts(without)["write units"] == pytest.approx(deliveries)


def test_the_prices_name_their_date_and_sources() -> None:
    content = json.loads(scale.PRICES_FILE.read_text("utf-8"))
    assert content["asOf"] in (load.UNITS.with_name("scale.md")).read_text("utf-8")
    assert all(price.source.startswith("https://aws.amazon.com/") for price in scale.PRICES.values())


def test_the_cost_of_a_plan_includes_its_websites_and_requests() -> None:
    starter = plans.plan("starter")
    costs = scale.plan_costs(KEPT, starter)
    # By hand: a month of one key, and what audits of 500 pages write.
    asked = starter.api_requests_per_hour * 24 * load.DAYS
    assert costs["requests"] > scale.cost("API calls", asked)
    written = 3 * load.WEEKS * KEPT["each"]["audit"]["writeUnits"] * starter.pages_per_audit / KEPT["auditPages"]
    assert scale.cost("write units", written) < costs["websites"] < 10 * scale.cost("write units", written)
    larger = scale.plan_costs(KEPT, plans.plan("agency"))
    assert larger["requests"] == pytest.approx(costs["requests"]), "no plan lets a key ask more often"
    assert larger["websites"] > costs["websites"] * 25 / 3


def test_a_tenth_of_the_websites_costs_a_tenth_of_the_full_price() -> None:
    everything = scale.amounts(KEPT)
    tenth = scale.amounts(KEPT, websites=load.WEBSITES // 10)
    for name, amount in everything.items():
        polls = scale.IDLE_POLLS if name == "queue calls" else 0
        assert tenth[name] - polls == pytest.approx((amount - polls) / 10), name
