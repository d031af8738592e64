"""Access to a CMS or shop that is lost: whoever sees it first, all answers agree at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import NoAccess
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import Batch
from chalicelib.domain.connections import FAILING_SECONDS, Writer, job_id, sync_job_id
from chalicelib.operations import connections
from chalicelib.operations.errors import Refused
from chalicelib.store import jobs
from chalicelib.workers import imports
from tests import aws, webhooks
from tests.changes import House, open_house


@pytest.fixture(params=["cms", "shop"])
def house(request: pytest.FixtureRequest, store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch, kind=request.param) as found:
        yield found


def writer(house: House) -> Writer:
    found = house.current().connections.of(house.kind)
    assert found is not None
    return found


def broken_events() -> list[Any]:
    return [event for event in webhooks.pending() if event.kind == "connection.broken"]


def due(house: House, job: str) -> None:
    """The time of a job has come, and the worker does it."""
    found = jobs.get(house.site_id, job)
    assert found is not None
    clock.set_offset(clock.offset() + max(0.0, found.due_at - clock.now()) + 1)
    aws.purge("imports")
    imports.handle({"siteId": house.site_id, "jobId": job}, None)


def a_write(house: House, batch: Batch) -> None:
    house.write()


def an_import(house: House, batch: Batch) -> None:
    due(house, sync_job_id(house.kind))


def a_status_job(house: House, batch: Batch) -> None:
    due(house, job_id(house.kind))


def a_check(house: House, batch: Batch) -> None:
    connections.check(OPERATOR, house.site_id)


@pytest.mark.parametrize("first", [a_write, an_import, a_status_job, a_check])
def test_lost_access_is_shown_everywhere_no_matter_which_worker_notices_it(
    house: House, first: Callable[[House, Batch], None]
) -> None:
    batch = house.apply({"/a": "All about A"})
    assert writer(house).writable
    house.cms.misbehave("access")
    first(house, batch)
    found = writer(house)
    assert (found.broken, found.writable) == (True, False) and found.error
    assert found.reason is not None and found.error in found.reason
    (event,) = broken_events()
    assert event.fields["connection"] == house.kind and event.fields["error"] == found.error
    with pytest.raises(Refused) as refused:
        house.apply({"/b": "All about B"})
    assert refused.value.code == "cms_not_writable" and found.error in refused.value.message
    check = jobs.get(house.site_id, job_id(house.kind))
    assert check is not None and check.due_at <= clock.now() + FAILING_SECONDS


@pytest.mark.parametrize("then", [an_import, a_status_job, a_check])
def test_restored_access_is_shown_everywhere_no_matter_which_worker_notices_it(
    house: House, then: Callable[[House, Batch], None]
) -> None:
    batch = house.apply({"/a": "All about A"})
    house.cms.misbehave("access")
    a_check(house, batch)
    assert not writer(house).writable
    house.cms.misbehave("none")
    then(house, batch)
    assert writer(house).writable and writer(house).error is None
    assert len(broken_events()) == 1


def test_a_successful_write_shows_that_access_is_restored(house: House) -> None:
    batch = house.apply({"/a": "All about A"})
    house.cms.misbehave("access")
    a_check(house, batch)
    house.cms.misbehave("none")
    house.work()
    assert house.statuses(batch) == {"/a": "applied"} and writer(house).writable


def test_a_connection_is_not_broken_if_a_firewall_refuses_one_change(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = HttpCms if house.kind == "cms" else HttpShop
    real = client.change

    def refuse_one(self: Any, change: Any) -> Any:
        if change.value == "Refused":
            raise NoAccess("The website refused the service's request: looks like an attack")
        return real(self, change)

    batch = house.apply({"/a": "All about A", "/b": "Refused"})
    monkeypatch.setattr(client, "change", refuse_one)
    house.write()
    assert house.statuses(batch)["/a"] == "applied"
    assert writer(house).writable and broken_events() == []


def test_a_new_connection_is_not_broken_by_a_call_of_the_old_connection(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = HttpCms if house.kind == "cms" else HttpShop

    def connected_meanwhile(self: Any, change: Any) -> Any:
        clock.set_offset(clock.offset() + 1)
        house.connect()
        raise NoAccess("The connector has a different secret than the service; connect it again.")

    house.apply({"/a": "All about A"})
    monkeypatch.setattr(client, "change", connected_meanwhile)
    house.write()
    assert writer(house).writable and broken_events() == []
