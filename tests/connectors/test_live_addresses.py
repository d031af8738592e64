"""What addresses of customers' websites answer now: the status, where they lead, and whether they are pages."""

import pytest

from chalicelib.connectors import live_addresses
from chalicelib.connectors.live_addresses import MOST_TAGS, PAGE_BYTES, ask
from chalicelib.domain.changes.redirecting import Answered
from tests.servers.wire import Connection, Script, WireServer

pytestmark = pytest.mark.usefixtures("loopback_allowed")

PAGE = b"<!doctype html><html><head><title>Tents</title>%s</head><body>Tents</body></html>"


def answered(script: Script, path: str = "/new") -> Answered:
    with WireServer(script) as server:
        url = server.url(path)
        return ask([url])[url]


def html(head: bytes = b"", **headers: str) -> Script:
    return lambda connection: connection.answer(PAGE % head, content_type="text/html", **headers)


def test_a_page_is_fetched_bypassing_caches_and_redirects_are_not_followed() -> None:
    def routed(connection: Connection) -> None:
        if connection.path == "/old":
            connection.answer(b"", "301 Moved", location="/new")
        else:
            connection.answer(PAGE % b"", content_type="text/html")

    with WireServer(routed) as server:
        old, new = server.url("/old"), server.url("/new")
        found = ask([old, new, old])
        assert found == {old: Answered(status=301, leads_to=new), new: Answered(status=200, page=True)}
        assert sorted(one.path for one in server.requests) == ["/new", "/old"], "each once"
        assert all(one.header("Cache-Control") == "no-cache" for one in server.requests)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (html(b'<meta name="robots" content="noindex">'), Answered(status=200, page=True, noindex=True)),
        (html(x_robots_tag="noindex"), Answered(status=200, page=True, noindex=True)),
        (html(b'<link rel="canonical" href="/new">'), Answered(status=200, page=True)),
        (
            html(b'<link rel="canonical" href="https://a.example/x">'),
            Answered(status=200, page=True, canonical="https://a.example/x"),
        ),
        (lambda c: c.answer(b"%PDF", content_type="application/pdf"), Answered(status=200)),
        (lambda c: c.answer(b"<b>" * MOST_TAGS * 2, content_type="text/html"), Answered(status=200)),
        (lambda c: c.answer(PAGE % b"", "404 Not Found", content_type="text/html"), Answered(status=404)),
        (lambda c: c.answer(b"", "302 Found", location="http://["), Answered(status=302)),
        (lambda c: c.answer(b"", "500 Error"), Answered(status=500)),
    ],
)
def test_status_noindex_and_canonical_of_an_answer_are_read(script: Script, found: Answered) -> None:
    assert answered(script) == found


def test_only_the_beginning_of_a_large_page_is_read() -> None:
    large = PAGE % b"" + b"x" * PAGE_BYTES * 4
    assert answered(lambda c: c.answer(large, content_type="text/html")) == Answered(status=200, page=True)


def test_an_aborted_connection_is_reported_as_no_answer() -> None:
    found = answered(lambda c: c.reset())
    assert (found.status, found.error) == (0, "the connection breaks off")


def test_when_time_has_run_out_no_address_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_addresses, "ALL_SECONDS", 0.0)
    with WireServer(html()) as server:
        url = server.url("/new")
        assert ask([url])[url] == Answered(status=0, error="there was no time left to request it")
        assert server.requests == []


def test_a_private_address_is_not_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ask(["http://10.0.0.1/"])["http://10.0.0.1/"]
    assert (found.status, found.error) == (0, "its address is not a public one")
