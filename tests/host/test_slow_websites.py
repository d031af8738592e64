"""The host's workers with CMSs that drip their answers on real sockets: others do not wait for them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app import app
from chalicelib import clock
from chalicelib.connectors import cms
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, connections, websites
from chalicelib.operations.jobs import send_job
from chalicelib.settings.reading import forget_settings
from chalicelib.store import connections as credentials
from chalicelib.store import jobs
from chalicelib.store.lanes import LANES
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from host.jobs import Jobs
from host.messages import Polling
from host.pump import JOBS_AT_ONCE, Pump
from local import embedded
from tests.api import seed
from tests.host.small import until
from tests.servers.wire import Connection, WireServer

DRIPPING = 12
CMS_SECONDS = 1.5  # that an answer of a CMS may take, instead of 15
PATIENCE = 1.0


def drips(connection: Connection) -> None:
    connection.drip(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 10_000)


@pytest.fixture(autouse=True)
def short_times(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setitem(cms.SECONDS, "status", CMS_SECONDS)  # type: ignore[arg-type]
    for name in ("imports", "imports-slow"):
        monkeypatch.setitem(LANES, name, replace(LANES[name], patience=PATIENCE))  # type: ignore[index]
    forget_settings()
    yield
    forget_settings()


@pytest.fixture
def pump() -> Iterator[Pump]:
    """The host's pump with the service's own functions."""
    made = Pump(app, Polling(), Jobs())
    made.start()
    yield made
    made.stop()
    embedded.wake()
    made.wait(30.0)
    assert made.jobs.end_within(30.0) == []


def connected(workspace_id: str, number: int, address: str) -> Website:
    """A website with a CMS at this address."""
    website = websites.add(OPERATOR, workspace_id, f"https://shop-{number}.example")
    seed.connected(website)
    sealed = credentials.seal(Secret("s" * 32), workspace_id, website.id, "cms")
    pairing = credentials.Credentials(
        id=f"con_{number}",
        kind="cms",
        site_id=website.id,
        workspace_id=workspace_id,
        base_url=address,
        sealed=sealed,
        key_id="key_1",
        hint="ssss",
        created_at=clock.now(),
    )
    commit(credentials.connected(pairing, None)[:1])
    return website


def checked(website: Website) -> None:
    """Queue a look at the website's connection now."""
    now = clock.now()
    job = Job(
        id=connections.job_id("cms"),
        kind="connection_status",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"connection": "cms"},
    )
    known = jobs.get(website.id, job.id)
    commit([jobs.put_new(job) if known is None else jobs.put_begun_again(known, known.begun_again(now))])
    send_job(job)


def seconds_until_done(website: Website) -> float:
    """Queue a look at the website's connection, and wait until it is done."""
    began = clock.monotonic()
    known = jobs.get(website.id, connections.job_id("cms"))
    before = 0 if known is None else known.slice + 1
    checked(website)

    def done() -> bool:
        job = jobs.get(website.id, connections.job_id("cms"))
        return job is not None and job.slice > before

    until(done)
    return clock.monotonic() - began


def workspace(name: str) -> str:
    return accounts.create_workspace(OPERATOR, name, "enterprise").id


def test_slow_websites_of_a_workspace_do_not_delay_other_workspaces(pump: Pump) -> None:
    with WireServer(drips) as slow, WireServer(lambda c: c.answer(b"{}")) as quick:
        other = connected(workspace("Other"), 99, quick.url())
        mine = workspace("Acme")
        for number in range(DRIPPING):
            checked(connected(mine, number, slow.url()))
        took = seconds_until_done(other)
    assert took < CMS_SECONDS < DRIPPING / JOBS_AT_ONCE * CMS_SECONDS


def test_websites_already_marked_slow_do_not_delay_other_websites(pump: Pump) -> None:
    with WireServer(drips) as slow, WireServer(lambda c: c.answer(b"{}")) as quick:
        other = connected(workspace("Other"), 99, quick.url())
        dripping = [connected(workspace(f"Acme {number}"), number, slow.url()) for number in range(DRIPPING)]
        for website in dripping:
            checked(website)
        first = seconds_until_done(other)
        until(lambda: all(jobs.find(one.id, connections.job_id("cms"), LANES["imports"]).slow for one in dripping))
        for website in dripping:
            checked(website)
        again = seconds_until_done(other)
    assert first < (DRIPPING / JOBS_AT_ONCE + 1) * 2 * CMS_SECONDS
    assert again < CMS_SECONDS
