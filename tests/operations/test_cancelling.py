"""Batches that are cancelled: by a person, with a key that is revoked, with a person who is removed."""

from collections.abc import Iterator, Mapping

import msgspec
import pytest

from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.changes.batch import Batch
from chalicelib.operations import accounts, cancelling
from chalicelib.operations.approvals import Approver
from chalicelib.operations.errors import Refused
from chalicelib.store import changes, connections
from chalicelib.store.transactions import commit
from tests import aws
from tests.changes import House, open_house
from tests.crash.crashing import Killed, killed_at

PATHS = tuple(f"/page-{number}" for number in range(60))


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def errors(house: House, batch: Batch) -> set[str | None]:
    return {change.error for change in house.loaded(batch).changes}


def test_a_batch_that_waits_for_its_turn_can_be_cancelled(house: House) -> None:
    first, second = house.apply({"/a": "First"}), house.apply({"/a": "Second", "/b": "B"})
    house.cms.misbehave("down")
    house.write_once()
    assert cancelling.cancel(OPERATOR, house.site_id, second.id).status == "approved"
    house.write_once()
    assert house.statuses(second) == {"/a": "failed", "/b": "failed"}
    assert errors(house, second) == {"A person cancelled the change before it was written."}
    assert house.loaded(first).batch.status == "applying", "it is not done yet"
    (failed,) = house.events("write.failed")
    assert failed.fields["batchId"] == second.id
    house.cms.misbehave("none")
    house.work()
    assert house.statuses(first) == {"/a": "applied"}
    assert [value for _, _, value in house.cms.writes] == ["First"]
    assert changes.place(house.site_id).cancelled == {}


def test_cancelling_all_waiting_batches_lets_new_changes_be_approved(house: House) -> None:
    batches = [house.apply({"/a": f"Value {number}"}) for number in range(101)]
    with pytest.raises(Refused) as refused:
        house.apply({"/a": "One too many"})
    assert refused.value.code == "too_many_waiting"
    assert len(cancelling.cancel_waiting(OPERATOR, house.site_id)) == 100
    assert cancelling.cancel_waiting(OPERATOR, house.site_id) == []
    house.write()
    assert [house.statuses(batch)["/a"] for batch in batches] == ["applied"] + ["failed"] * 100
    assert len(house.cms.writes) == 1 and len(house.events("write.failed")) == 100
    house.apply({"/a": "There is room again"})


def test_changes_already_sent_are_finished_even_if_their_batch_is_cancelled(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(monkeypatch, PATHS) as house:
        batch = house.apply({path: f"All about {path}" for path in PATHS})
        show = house.shop.show

        def cancelled_meanwhile(item: str, values: Mapping[str, str]) -> None:
            show(item, values)
            cancelling.cancel(OPERATOR, house.site_id, batch.id)

        house.shop.show = cancelled_meanwhile  # type: ignore[method-assign]
        house.write()
        statuses = [change.status for change in house.loaded(batch).changes]
        assert statuses == ["applied"] * 25 + ["failed"] * 35
        assert len(house.cms.writes) == 25
        assert len(house.events("write.applied")) == len(house.events("write.failed")) == 1
        with pytest.raises(Refused) as refused:
            cancelling.cancel(OPERATOR, house.site_id, batch.id)
        assert refused.value.code == "wrong_state"


def test_a_cancelled_change_can_be_approved_again(house: House) -> None:
    house.apply({"/b": "B"})
    batch = house.apply({"/a": "A"})
    cancelling.cancel(OPERATOR, house.site_id, batch.id)
    again = house.apply({"/a": "A"})
    assert again.id != batch.id
    house.work()
    assert (house.statuses(batch), house.statuses(again)) == ({"/a": "failed"}, {"/a": "applied"})


@pytest.mark.parametrize("covers_all", [True, False])
def test_approvals_of_a_revoked_key_are_not_written(house: House, covers_all: bool) -> None:
    sites = None if covers_all else [house.site_id]
    key = accounts.create_workspace_key(OPERATOR, house.website.workspace_id, house.person_id, SCOPES, sites).listed
    mine = house.apply({"/a": "A"})
    theirs = [house.apply({path: "X"}, by=Approver(house.person_id, key.id)) for path in ("/b", "/c")]
    accounts.revoke_key(OPERATOR, key.id)
    house.work()
    assert house.statuses(mine) == {"/a": "applied"}
    assert [set(house.statuses(batch).values()) for batch in theirs] == [{"failed"}] * 2
    assert errors(house, theirs[0]) == {"The API key that approved the change was revoked before it was written."}
    assert [value for _, _, value in house.cms.writes] == ["A"]


def test_approvals_made_with_a_key_that_a_new_pairing_replaced_are_not_written(house: House) -> None:
    credentials = connections.get(house.site_id, "cms")
    assert credentials is not None
    accounts.edit_key(OPERATOR, credentials.key_id, scopes=SCOPES)  # as the keys of earlier releases
    house.apply({"/a": "A"})
    batch = house.apply({"/b": "B"}, by=Approver(house.person_id, credentials.key_id))
    house.connect()
    house.work()
    assert house.statuses(batch) == {"/b": "failed"}
    assert errors(house, batch) == {"The API key that approved the change was revoked before it was written."}


def test_approvals_of_a_removed_person_are_not_written(house: House) -> None:
    workspace_id = house.website.workspace_id
    other = accounts.add_person(OPERATOR, workspace_id, "second@acme.example", "admin").id
    text = house.publish("# The shop\n")
    batch = house.apply({"/a": "A"}, by=Approver(other))
    accounts.remove_person(OPERATOR, workspace_id, other)
    house.work()
    assert house.statuses(batch) == {"/a": "failed"}
    assert house.loaded(text).changes[0].status == "applied"


def test_an_interrupted_revocation_of_a_key_is_finished_by_a_second_one(house: House) -> None:
    key = accounts.create_workspace_key(OPERATOR, house.website.workspace_id, house.person_id, SCOPES).listed
    house.apply({"/a": "A"})
    batch = house.apply({"/b": "B"}, by=Approver(house.person_id, key.id))
    with pytest.raises(Killed), killed_at(0, "after"):
        accounts.revoke_key(OPERATOR, key.id)
    assert changes.place(house.site_id).cancelled == {}
    accounts.revoke_key(OPERATOR, key.id)
    house.work()
    assert house.statuses(batch) == {"/b": "failed"}


@pytest.mark.parametrize("batch_id", ["batch_unknown"])
def test_an_unknown_batch_cannot_be_cancelled(house: House, batch_id: str) -> None:
    with pytest.raises(Refused) as refused:
        cancelling.cancel(OPERATOR, house.site_id, batch_id)
    assert refused.value.code == "not_found"
    assert aws.messages("writes") == []


def test_a_batch_stays_cancelled_even_if_an_older_release_drops_that_field(house: House) -> None:
    """A release that does not know of cancelled batches rewrites the row and drops the mark."""
    house.apply({"/a": "A"})
    batch = house.apply({"/b": "B"})
    cancelling.cancel(OPERATOR, house.site_id, batch.id)
    place = changes.place(house.site_id)
    older = msgspec.structs.replace(place, version=place.version + 1, cancelled={})
    commit([changes.put_place(house.site_id, older)])
    house.work()
    assert (house.statuses(batch), house.loaded(batch).batch.status) == ({"/b": "failed"}, "done")
    assert errors(house, batch) == {"The change was cancelled before it was written."}
    assert len(house.events("write.failed")) == 1
