"""Outside systems that lie: the job at hand ends as failed, says why, and the next job of the queue runs."""

import json
from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import FAILING_SECONDS
from chalicelib.domain.visibility.models import PROVIDERS
from chalicelib.operations import connections
from chalicelib.settings.reading import forget_settings
from chalicelib.workers import imports
from local.standins.assistants import Assistants
from tests import aws
from tests.changes import API, House, open_house
from tests.connections import Connected, connectable
from tests.connectors.any_answer import STATUS
from tests.net.lies import CHUNKED, LIES
from tests.servers.limits import no_sockets
from tests.servers.wire import Connection, WireServer
from tests.visibility import Sampled, sampled

_OK = b"HTTP/1.1 200 OK\r\n\r\n"
TOLD = {
    "negative chunk": CHUNKED + b"-1\r\n" + b"z" * 100_000,
    "chunk of size -5": LIES["chunk size b'-5'"],
    "two lengths": LIES["Content-Lengths that differ"],
    "no HTTP": b"\x00\xff" * 500,
    "nested": _OK + b"[" * 100_000,
    "huge numbers": _OK + b'{"protocol": ' + b"9" * 5_000 + b"}",
    "surrogate": _OK + rb'{"platform": "\ud800"}',
    "endless": CHUNKED + b"fffffffffffffff\r\n" + b"z" * 5_000_000,
}
told = pytest.mark.parametrize("lie", TOLD)


class Liar:
    """Takes a pairing, and lies to every other request. ``honest``: says the status of a connector instead."""

    def __init__(self, lie: bytes) -> None:
        self.lie = lie
        self.honest = False

    def __call__(self, connection: Connection) -> None:
        if connection.path.endswith("/pair") or self.honest:
            connection.answer(json.dumps(STATUS | {"writable": True}).encode())
        else:
            connection.send(self.lie)


@pytest.fixture
def connected(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    with connectable(monkeypatch) as found:
        yield found


def pair_with(server: WireServer, site_id: str, person_id: str) -> None:
    connections.pair(OPERATOR, site_id, url=server.url(), code="code", person_id=person_id, base_url=API)


@told
def test_a_status_job_with_an_invalid_answer_fails_and_runs_again(lie: str, connected: Connected) -> None:
    liar = Liar(TOLD[lie])
    with WireServer(liar) as server:
        pair_with(server, connected.site_id, connected.person_id)
        connected.look_again()
        writer, job = connected.writer(), connected.job()
        assert writer is not None and (writer.failures, bool(writer.error)) == (1, True)
        assert job is not None and not job.lease_until and 0 < job.due_at - clock.now() <= FAILING_SECONDS
        liar.honest = True
        connected.look_again()
        writer = connected.writer()
        assert writer is not None and (writer.failures, writer.error, writer.writable) == (0, None, True)


@told
def test_an_import_with_an_invalid_answer_fails_and_runs_again(lie: str, connected: Connected) -> None:
    with WireServer(Liar(TOLD[lie])) as server:
        pair_with(server, connected.site_id, connected.person_id)
        for _ in range(5):
            connected.sync()
        writer, job = connected.writer(), connected.sync_job()
        assert writer is not None and writer.import_error
        assert job is not None and not job.ended and not job.lease_until and job.due_at > clock.now()


@told
def test_a_write_with_an_invalid_answer_fails_and_the_next_batch_is_written(
    lie: str, store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(monkeypatch) as house, WireServer(Liar(TOLD[lie])) as server:
        pair_with(server, house.site_id, house.person_id)
        batch = house.apply({"/a": "All about A"})
        house.write()
        change = house.change(batch, "/a")
        assert change.status == "failed" and change.error
        _honest_again(house)
        later = house.apply({"/a": "All about A"})
        house.write()
        assert house.statuses(later) == {"/a": "applied"}


def _honest_again(house: House) -> None:
    house.connect()
    house.sync()
    aws.purge("imports")


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@told
def test_a_sampling_with_an_invalid_answer_fails_and_is_repeated_the_next_week(
    lie: str, store: None, standin: Assistants, monkeypatch: pytest.MonkeyPatch
) -> None:
    def base_urls(url: str) -> None:
        for provider in PROVIDERS:
            monkeypatch.setenv(f"{provider.upper()}_BASE_URL", url)
        forget_settings()

    with sampled(monkeypatch, standin) as house, WireServer(lambda c: c.send(TOLD[lie])) as server:
        house.add("Which boots?")
        base_urls(server.url())
        house.next_week()
        week = house.week()
        assert week is not None and (week.failed, week.answers) == (len(PROVIDERS), ())
        assert all(sample.error for sample in house.samples())
        base_urls(standin.url)
        assert _answers_of_the_next_week(house) == len(PROVIDERS)


def _answers_of_the_next_week(house: Sampled) -> int:
    house.next_week()
    week = house.week()
    return 0 if week is None else len(week.answers)


# -- failures of this machine --------------------------------------------------------------------------------


def test_a_lack_of_sockets_does_not_count_against_the_connection(connected: Connected) -> None:
    connected.pair()
    connected.look_again()
    before, job = connected.writer(), connected.job()
    assert before is not None and job is not None
    clock.set_offset(clock.offset() + job.due_at - clock.now() + 1)
    aws.purge("imports")
    with no_sockets():
        imports.handle({"siteId": connected.site_id, "jobId": job.id}, None)
    assert connected.writer() == before
    later = connected.job()
    assert later is not None and 0 < later.due_at - clock.now() <= FAILING_SECONDS
