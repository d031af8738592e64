"""IndexNow: what it is told, byte for byte, and what is made of each answer."""

from collections.abc import Iterator

import pytest

from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.index_now import HttpSearchEngines, OtherHost
from chalicelib.domain.changes.index_now import MOST_ADDRESSES
from chalicelib.settings.index_now import index_now_settings
from chalicelib.settings.reading import forget_settings
from local.serving import Answer, Request, Service
from local.standins.index_now import RETRY_SECONDS, IndexNow
from tests.servers.wire import Connection, WireServer

KEY = "0123456789abcdef0123456789abcdef"
FAULTS = {
    "quota": (Quota, RETRY_SECONDS, True),
    "down": (Unavailable, None, True),
    "wrong": (Declined, None, True),
    "other_host": (OtherHost, None, True),
    "partial": (Unavailable, None, True),
}


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("INDEXNOW_URL", "EXTRA_HOSTS", "EXTRA_CA_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexNow]:
    found = IndexNow()
    for name, value in found.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    yield found
    found.stop()


@pytest.fixture
def website() -> Iterator[WireServer]:
    """Shows the key at its address."""

    def serve(connection: Connection) -> None:
        is_key = connection.path == f"/{KEY}.txt"
        connection.answer(KEY.encode()) if is_key else connection.answer(b"", "404 Not Found")

    with WireServer(serve) as server:
        yield server


class Listener(Service):
    """Takes everything, and keeps it as it came."""

    name = "listener"

    def __init__(self) -> None:
        self.requests: list[Request] = []
        super().__init__()

    def respond(self, request: Request) -> Answer:
        self.requests.append(request)
        return Answer(200)


def test_the_request_follows_the_indexnow_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = Listener()
    try:
        monkeypatch.setenv("INDEXNOW_URL", f"{listener.url}/indexnow")
        forget_settings()
        location = f"https://www.example.org/{KEY}.txt"
        HttpSearchEngines.connected().tell(location, KEY, ["https://www.example.org/", "https://www.example.org/ä"])
        (asked,) = listener.requests
    finally:
        listener.stop()
    assert (asked.method, asked.path) == ("POST", "/indexnow")
    assert asked.lower_headers()["content-type"] == "application/json; charset=utf-8"
    assert asked.json() == {
        "host": "www.example.org",
        "key": KEY,
        "keyLocation": location,
        "urlList": ["https://www.example.org/", "https://www.example.org/ä"],
    }


def test_10000_addresses_are_accepted_once_the_key_file_is_found(standin: IndexNow, website: WireServer) -> None:
    urls = [website.url(f"/{number}") for number in range(MOST_ADDRESSES)]
    HttpSearchEngines.connected().tell(website.url(f"/{KEY}.txt"), KEY, urls)
    (told,) = standin.told
    assert told.urls == urls and told.key == KEY
    with pytest.raises(Declined):
        HttpSearchEngines.connected().tell(website.url(f"/{KEY}.txt"), KEY, [*urls, website.url("/more")])


def test_a_key_is_accepted_even_if_its_check_is_still_pending(standin: IndexNow) -> None:
    standin.misbehave("pending")
    HttpSearchEngines.connected().tell(f"https://example.org/{KEY}.txt", KEY, ["https://example.org/"])
    assert len(standin.told) == 1


def test_a_missing_key_file_is_a_no_access_error(standin: IndexNow, website: WireServer) -> None:
    with pytest.raises(NoAccess):
        HttpSearchEngines.connected().tell(website.url("/elsewhere.txt"), KEY, [website.url("/")])
    with pytest.raises(OtherHost):
        HttpSearchEngines.connected().tell(website.url(f"/{KEY}.txt"), KEY, ["https://other.example/"])
    assert standin.told == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_http_status_maps_to_its_error(standin: IndexNow, website: WireServer, fault: str) -> None:
    standin.misbehave(fault)
    kind, retry_after, sent = FAULTS[fault]
    with pytest.raises(OutsideError) as failed:
        HttpSearchEngines.connected().tell(website.url(f"/{KEY}.txt"), KEY, [website.url("/")])
    assert type(failed.value) is kind
    assert (failed.value.retry_after, failed.value.sent) == (retry_after, sent)


@pytest.mark.parametrize("status", ["301 Moved", "408 Timeout", "500 Error", "599 Odd"])
def test_redirects_timeouts_and_server_errors_are_retried(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    with WireServer(lambda connection: connection.answer(b"", status, location="/elsewhere")) as server:
        monkeypatch.setenv("INDEXNOW_URL", server.url("/"))
        forget_settings()
        with pytest.raises(Unavailable):
            HttpSearchEngines.connected().tell(f"https://a.example/{KEY}.txt", KEY, ["https://a.example/"])
        assert len(server.requests) == 1


def test_an_unreachable_service_and_a_missing_setting_have_different_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert index_now_settings().url == "https://api.indexnow.org/indexnow"
    monkeypatch.setenv("INDEXNOW_URL", "http://127.0.0.1:1/indexnow")
    forget_settings()
    with pytest.raises(Unavailable) as failed:
        HttpSearchEngines.connected().tell(f"https://a.example/{KEY}.txt", KEY, ["https://a.example/"])
    assert not failed.value.sent
    monkeypatch.setenv("INDEXNOW_URL", " ")
    forget_settings()
    with pytest.raises(NotConnected):
        HttpSearchEngines.connected()
