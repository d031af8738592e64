"""A connection that has been broken for seven days is told of once more, of whatever kind it is."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.connections import STALE_SECONDS, job_id
from chalicelib.domain.webhooks import bodies
from chalicelib.store import jobs
from chalicelib.workers import imports
from tests import aws, webhooks
from tests.connections import Connected, connectable
from tests.searched import Searched, searched


def told(kind: str) -> list[Any]:
    return [event for event in webhooks.pending() if event.kind == kind]


@pytest.fixture
def cms(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    with connectable(monkeypatch) as found:
        found.pair()
        yield found


@pytest.fixture
def search(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Searched]:
    with searched(monkeypatch, 3) as found:
        found.connect()
        found.work()
        yield found


def due(site_id: str, job: str) -> None:
    found = jobs.get(site_id, job)
    assert found is not None
    clock.set_offset(clock.offset() + max(0.0, found.due_at - clock.now()) + 1)
    aws.purge("imports")
    imports.handle({"siteId": site_id, "jobId": job}, None)


def stays(
    connection: str, misbehave: Callable[[str], None], work: Callable[[], None], since: Callable[[], float | None]
) -> None:
    """It breaks, stays broken for two weeks, works again, and breaks again for as long."""
    for incident in (1, 2):
        misbehave("access")
        work()
        assert len(told("connection.broken")) == incident and len(told("connection.stale")) == incident - 1
        clock.set_offset(clock.offset() + STALE_SECONDS - 7_200)
        work()
        assert len(told("connection.stale")) == incident - 1, "not yet seven days"
        for _ in range(3):
            clock.set_offset(clock.offset() + STALE_SECONDS)
            work()
        stale = told("connection.stale")
        assert len(stale) == len({event.id for event in stale}) == incident, "once an incident"
        broken_since = since()
        assert broken_since is not None
        newest = max(stale, key=lambda event: event.at)
        assert newest.fields == {"connection": connection, "since": bodies.instant(broken_since)}
        misbehave("none")
        work()
        assert since() is None
    assert len(told("connection.stale")) == 2


def test_a_cms_connection_broken_for_seven_days_sends_a_second_event(cms: Connected) -> None:
    def since() -> float | None:
        writer = cms.writer()
        assert writer is not None
        return writer.broken_since

    stays("cms", cms.cms.misbehave, lambda: due(cms.site_id, job_id("cms")), since)


def test_a_search_connection_broken_for_seven_days_sends_a_second_event(search: Searched) -> None:
    def since() -> float | None:
        source = search.source()
        assert source is not None
        return source.broken_since

    def work() -> None:
        job = search.job()
        assert job is not None
        search.later(max(0.0, job.due_at - clock.now()))

    stays("search", search.search.misbehave, work, since)
