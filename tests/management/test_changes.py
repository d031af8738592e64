"""``changes`` on the command line."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import changes
from tests import aws
from tests.changes import House, open_house
from tests.management.conftest import Run


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def test_batches_are_listed_and_undone(run: Run, house: House) -> None:
    assert run("changes", "list", house.site_id) == {"items": []}
    batch = house.apply({"/a": "All about A"})
    house.write()
    undone = run("changes", "undo", house.site_id, batch.id)
    assert (undone["kind"], undone["status"], undone["undoes"]) == ("undo", "approved", batch.id)
    house.write()
    newest, oldest = run("changes", "list", house.site_id)["items"]
    assert (newest["id"], newest["status"], newest["approvedBy"]) == (undone["id"], "done", None)
    assert (oldest["id"], oldest["approvedBy"], oldest["field"]) == (batch.id, house.person_id, "title")
    assert [(one["value"], one["status"], one["previous"]) for one in oldest["changes"]] == [
        ("All about A", "reverted", None)
    ]


def test_single_changes_are_undone_by_their_numbers(run: Run, refused: Callable[..., str], house: House) -> None:
    batch = house.apply({"/a": "All about A", "/b": "All about B"})
    house.write()
    (listed,) = run("changes", "list", house.site_id)["items"]
    number = next(one["number"] for one in listed["changes"] if one["value"] == "All about B")
    run("changes", "undo", house.site_id, batch.id, "--change", str(number))
    house.write()
    assert house.statuses(batch) == {"/a": "applied", "/b": "reverted"}
    assert "no such change" in refused("changes", "undo", house.site_id, batch.id, "--change", "7")


def test_listing_batches_newest_first_reads_all_changes_once(house: House) -> None:
    batches = [house.apply({"/a": f"Value {number}"}) for number in range(5)]
    with aws.counted_calls() as calls:
        listed = changes.list_all(OPERATOR, house.site_id)
    assert [batch.id for batch, _ in listed] == [batch.id for batch in reversed(batches)]
    assert [one.value for _, found in listed for one in found] == [f"Value {number}" for number in (4, 3, 2, 1, 0)]
    assert calls["BatchGetItem"] == 1 and calls["GetItem"] <= 2, calls  # of the website


def test_one_waiting_batch_or_all_waiting_batches_can_be_cancelled(
    run: Run, refused: Callable[..., str], house: House
) -> None:
    running, second, third = (house.apply({"/a": value}) for value in ("First", "Second", "Third"))
    assert run("changes", "cancel", house.site_id, second.id) == {"items": [{"id": second.id}]}
    assert run("changes", "cancel", house.site_id, "--waiting") == {"items": [{"id": third.id}]}
    house.write()
    assert [house.statuses(batch)["/a"] for batch in (running, second, third)] == ["applied", "failed", "failed"]
    (oldest,) = run("changes", "list", house.site_id)["items"][-1:]
    assert (oldest["id"], oldest["approvedKey"]) == (running.id, None)
    for arguments in ((), (running.id, "--waiting")):
        assert "--waiting" in refused("changes", "cancel", house.site_id, *arguments)
    assert "done" in refused("changes", "cancel", house.site_id, running.id)
