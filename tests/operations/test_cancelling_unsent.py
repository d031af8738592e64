"""Cancelling a batch that was tried: what the CMS did not take is never written, and the rest says what is known."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.changes.batch import Batch
from chalicelib.operations import accounts, cancelling, connections
from chalicelib.operations.approvals import Approver
from chalicelib.store import changes
from chalicelib.store import connections as credentials
from tests.changes import House, open_house

UNSENT = "A person cancelled the change before it was written."
UNKNOWN = "A person cancelled the change. It was sent before and the CMS did not answer, so it may have been written."


@pytest.fixture(params=["cms", "shop"])
def house(store: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[House]:
    with open_house(monkeypatch, kind=request.param) as found:
        yield found


@pytest.fixture
def cms(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def tried(house: House, approve: Callable[[], Batch], fault: str) -> Batch:
    """A batch that a worker has sent once, while the CMS failed in this way."""
    house.cms.misbehave(fault)
    batch = approve()
    house.write_once()
    house.cms.misbehave("none")
    return batch


def error(house: House, batch: Batch) -> str | None:
    (found,) = {change.error for change in house.loaded(batch).changes}
    return found


@pytest.mark.parametrize("fault", ["down", "access"])
def test_a_change_that_the_cms_did_not_accept_is_not_written_after_its_cancellation(house: House, fault: str) -> None:
    batch = tried(house, lambda: house.apply({"/a": "A"}), fault)
    assert house.statuses(batch) == {"/a": "approved"}, "it was not taken"
    cancelling.cancel(OPERATOR, house.site_id, batch.id)
    house.write_once()
    assert (house.statuses(batch), error(house, batch)) == ({"/a": "failed"}, UNSENT)
    assert house.cms.writes == [] and house.place() == (None, 0)
    assert [event.kind for event in house.events("write.failed")] == ["write.failed"]


def test_a_file_that_the_cms_did_not_accept_is_not_written_after_its_cancellation(cms: House) -> None:
    batch = tried(cms, lambda: cms.publish("# The shop\n"), "down")
    cancelling.cancel(OPERATOR, cms.site_id, batch.id)
    cms.write_once()
    assert (error(cms, batch), cms.cms.writes) == (UNSENT, [])


@pytest.mark.parametrize("fault", ["fail", "partial"])
def test_a_cancelled_change_is_not_sent_again_if_it_may_have_been_written(cms: House, fault: str) -> None:
    batch = tried(cms, lambda: cms.apply({"/a": "A"}), fault)
    assert cms.statuses(batch) == {"/a": "applying"}
    sent = cms.cms.counts["changes"]
    cancelling.cancel(OPERATOR, cms.site_id, batch.id)
    cms.write_once()
    assert (cms.statuses(batch), error(cms, batch)) == ({"/a": "failed"}, UNKNOWN)
    assert cms.cms.counts["changes"] == sent


def test_a_change_whose_answer_was_lost_stays_pending_if_its_retry_is_refused(cms: House) -> None:
    batch = tried(cms, lambda: cms.apply({"/a": "A"}), "partial")
    cms.cms.misbehave("down")
    cms.write_once()
    assert cms.statuses(batch) == {"/a": "applying"}


def test_approvals_of_a_revoked_key_are_not_written_after_an_outage_of_the_cms(cms: House) -> None:
    key = accounts.create_workspace_key(OPERATOR, cms.website.workspace_id, cms.person_id, SCOPES).listed
    batch = tried(cms, lambda: cms.apply({"/a": "A"}, by=Approver(cms.person_id, key.id)), "down")
    accounts.revoke_key(OPERATOR, key.id)
    cms.write()
    assert cms.statuses(batch) == {"/a": "failed"} and cms.cms.writes == []


def test_a_change_approved_after_cancelling_becomes_a_new_batch(cms: House) -> None:
    batch = tried(cms, lambda: cms.apply({"/a": "A"}), "partial")
    cancelling.cancel(OPERATOR, cms.site_id, batch.id)
    again = cms.apply({"/a": "A"})
    assert again.id != batch.id
    cms.work()
    assert cms.statuses(again) == {"/a": "applied"}
    assert changes.place(cms.site_id).cancelled == {}


def test_the_error_of_an_unreachable_connector_says_that_nothing_was_sent(cms: House) -> None:
    known = credentials.get(cms.site_id, "cms")
    assert known is not None
    cms.cms.stop()
    with pytest.raises(OutsideError) as failed:
        connections.target(known).status()
    assert isinstance(failed.value, Unavailable) and not failed.value.sent
