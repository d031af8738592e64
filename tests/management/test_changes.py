"""``changes`` on the command line."""

from collections.abc import Iterator

import pytest

from tests.changes import House, open_house
from tests.management.conftest import Run


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def test_batches_are_listed_and_taken_back(run: Run, house: House) -> None:
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
