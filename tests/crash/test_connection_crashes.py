"""Killed at any write: a pairing leaves no live key without a row and can be done again; a check tells a broken
connection once."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import CHECK_SECONDS, STALE_SECONDS
from chalicelib.operations import connections
from chalicelib.operations.errors import Refused
from chalicelib.store import connections as stored
from chalicelib.store import jobs
from chalicelib.workers import imports
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import webhooks
from tests.connections import Connected, connectable
from tests.crash.crashing import Killed, killed_at
from tests.plugins import aws_weather

When = Literal["before", "after"]
WHEN: tuple[When, ...] = ("before", "after")


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    with connectable(monkeypatch) as found:
        yield found


def named_keys(house: Connected) -> set[str]:
    """The keys that the rows of the connection and of a pairing name."""
    rows = [stored.get(house.site_id, "cms", "connected"), stored.get(house.site_id, "cms", "pairing")]
    return {row.key_id for row in rows if row is not None}


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("code", ["good", "wrong"])
@pytest.mark.parametrize("connected", [False, True])
def test_no_unused_key_remains_if_pairing_is_killed_at_any_write(
    house: Connected, when: When, code: str, connected: bool
) -> None:
    if connected:
        house.pair()
    for number in itertools.count():
        with contextlib.suppress(Killed, Refused), killed_at(number, when) as counter:
            house.pair(None if code == "good" else "wrong")
        assert set(house.live_keys()) <= named_keys(house)
        if house.writer() is not None:
            assert stored.get(house.site_id, "cms") is not None
            assert house.job() is not None and house.sync_job() is not None
        house.pair()
        credentials = stored.get(house.site_id, "cms")
        assert credentials is not None and house.live_keys() == [credentials.key_id]
        assert house.cms.pairing is not None and house.cms.pairing.secret == credentials.secret().reveal()
        if counter.count <= number:  # it ran to its end
            break
    assert number == (3 if code == "good" else 2) or aws_weather.bad()


@pytest.mark.parametrize("when", WHEN)
def test_if_disconnecting_is_killed_either_everything_or_nothing_is_removed(house: Connected, when: When) -> None:
    for number in itertools.count():
        house.pair()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            connections.remove(OPERATOR, house.site_id, "cms")
        gone = stored.get(house.site_id, "cms") is None
        assert (house.writer() is None, house.job() is None, house.live_keys() == []) == (gone, gone, gone)
        assert (house.sync_job() is None) == gone
        if counter.count <= number:
            break
    assert number == 1 or aws_weather.bad()


@pytest.mark.parametrize("when", WHEN)
def test_a_broken_connection_is_reported_once_when_a_check_is_killed(house: Connected, when: When) -> None:
    for number in itertools.count():
        house.pair()
        told = len([event for event in webhooks.pending() if event.kind == "connection.broken"])
        house.cms.misbehave("down")
        house.look_again()
        house.look_again()
        job = house.job()
        assert job is not None
        clock.set_offset(clock.offset() + job.due_at - clock.now() + 1)
        message = {"siteId": house.site_id, "jobId": job.id}
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            imports.handle(message, None)
        clock.set_offset(clock.offset() + LEASE_SECONDS + jobs.QUEUED_GRACE_SECONDS)
        imports.handle(message, None)
        writer = house.writer()
        assert writer is not None and writer.broken
        events = [event for event in webhooks.pending() if event.kind == "connection.broken"]
        assert len(events) == told + 1
        house.cms.misbehave("none")
        house.look_again()
        if counter.count <= number:
            break
    assert number >= 2


@pytest.mark.parametrize("when", WHEN)
def test_a_stale_connection_is_reported_once_when_a_check_is_killed(house: Connected, when: When) -> None:
    for number in itertools.count():
        house.pair()
        house.cms.misbehave("access")
        house.look_again()
        told = [event for event in webhooks.pending() if event.kind == "connection.stale"]
        job = house.job()
        assert job is not None
        message = {"siteId": house.site_id, "jobId": job.id}
        clock.set_offset(clock.offset() + STALE_SECONDS + CHECK_SECONDS)
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            imports.handle(message, None)
        for _ in range(2):
            clock.set_offset(clock.offset() + CHECK_SECONDS)
            imports.handle(message, None)
        events = [event for event in webhooks.pending() if event.kind == "connection.stale"]
        assert len(events) == len(told) + 1
        house.cms.misbehave("none")
        house.look_again()
        if counter.count <= number:
            break
    assert number >= 2
