"""Approvals and the keys and people behind them: what is taken from them cannot approve, and is not written."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES, Actor
from chalicelib.operations import accounts, changes, files, websites
from chalicelib.operations.approvals import Approver
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts as stored
from chalicelib.store import api_keys
from chalicelib.store import changes as batches
from chalicelib.store.api_keys import ApiKey
from tests.changes import House, open_house
from tests.crash.crashing import Killed, killed_at


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def new_key(house: House, *site_ids: str) -> ApiKey:
    sites = list(site_ids) or None
    return accounts.create_workspace_key(OPERATOR, house.website.workspace_id, house.person_id, SCOPES, sites).listed


def new_person(house: House, role: str = "admin") -> str:
    return accounts.add_person(OPERATOR, house.website.workspace_id, "second@acme.example", role).id


def refused(house: House, by: Approver) -> list[str]:
    """The codes with which a change of a field, of llms.txt and of the rules are refused."""
    codes = []
    for approve in (
        lambda: house.apply({"/b": "B"}, by=by),
        lambda: files.write_llms_txt(house.current(), "# The shop\n", by=by),
        lambda: files.write_ai_crawlers(house.current(), {"GPTBot": "deny"}, by=by),
    ):
        with pytest.raises(Refused) as error:
            approve()
        codes.append(error.value.code)
    return codes


def test_a_request_approves_nothing_if_its_key_is_revoked_meanwhile(house: House) -> None:
    key = new_key(house)
    api_keys.authenticate(key.sha256, clock.now())
    accounts.revoke_key(OPERATOR, key.id)
    assert refused(house, Approver(house.person_id, key.id)) == ["site_not_covered"] * 3
    assert house.batches() == [] and house.place() == (None, 0)


@pytest.mark.parametrize("narrowed", ["scopes", "websites"])
def test_a_request_approves_nothing_if_its_key_loses_rights_meanwhile(house: House, narrowed: str) -> None:
    key, other = new_key(house), websites.add(OPERATOR, house.website.workspace_id, "https://other.example").id
    if narrowed == "scopes":
        accounts.edit_key(OPERATOR, key.id, scopes=["issues:read"])
    else:
        accounts.edit_key(OPERATOR, key.id, site_ids=[other])
    assert refused(house, Approver(house.person_id, key.id)) == ["site_not_covered"] * 3


@pytest.mark.parametrize("lost", ["removed", "client_viewer"])
def test_a_request_approves_nothing_if_its_person_loses_access_meanwhile(house: House, lost: str) -> None:
    done = house.apply({"/a": "A"})
    house.write()
    person_id = new_person(house)
    if lost == "removed":
        accounts.remove_person(OPERATOR, house.website.workspace_id, person_id)
    else:
        accounts.set_role(OPERATOR, house.website.workspace_id, person_id, "client_viewer")
    assert refused(house, Approver(person_id)) == ["owner_lost_access"] * 3
    with pytest.raises(Refused) as undo:
        changes.undo(Actor(house.website.workspace_id, person_id, "admin"), house.site_id, done.id)
    assert undo.value.code == "owner_lost_access"


def test_revoking_a_key_cancels_approvals_made_before_it_lost_rights(house: House) -> None:
    other = websites.add(OPERATOR, house.website.workspace_id, "https://other.example").id
    key = new_key(house, house.site_id)
    house.apply({"/a": "A"})
    batch = house.apply({"/b": "B"}, by=Approver(house.person_id, key.id))
    accounts.edit_key(OPERATOR, key.id, site_ids=[other])
    accounts.revoke_key(OPERATOR, key.id)
    house.write()
    assert house.statuses(batch) == {"/b": "failed"}
    assert [value for _, _, value in house.cms.writes] == ["A"]


def test_a_person_being_removed_cannot_approve(house: House) -> None:
    """The removal is killed before the person's row is deleted. An approval in this time would not be cancelled."""
    workspace_id, person_id = house.website.workspace_id, new_person(house)
    house.apply({"/a": "A"})
    batch = house.apply({"/b": "B"}, by=Approver(person_id))
    with pytest.raises(Killed), killed_at(2, "before"):
        accounts.remove_person(OPERATOR, workspace_id, person_id)
    assert stored.person(workspace_id, person_id) is not None
    assert refused(house, Approver(person_id)) == ["owner_lost_access"] * 3
    accounts.remove_person(OPERATOR, workspace_id, person_id)
    assert stored.person(workspace_id, person_id) is None
    assert list(batches.place(house.site_id).cancelled) == [batch.id]
