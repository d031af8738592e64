"""A connector's call: what is sent, what is taken for an answer, and that it always ends in time."""

import ast
import gzip
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chalicelib.net import calls
from chalicelib.net.calls import NoAnswer, Reply, call, call_operators_address
from tests.servers.authority import Authority
from tests.servers.wire import Connection, Script, WireServer

SECRET = "a-secret-in-a-header"
HEADERS = {"X-Key": SECRET, "Content-Type": "application/json"}
LOOPBACK = "127.0.0.0/8"
ROOT = Path(__file__).resolve().parent.parent.parent


def ask(script: Script, path: str = "/v1/ask?x=1#part", seconds: float = 30.0) -> tuple[Reply, WireServer]:
    with WireServer(script) as server:
        return call("POST", server.url(path), HEADERS, b"{}", seconds=seconds, allow_addresses=LOOPBACK), server


def test_the_request_is_sent_exactly_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    _, server = ask(lambda c: c.answer())
    head, _, body = server.requests[0].head.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /v1/ask?x=1 HTTP/1.1" and body == b"{}"
    assert [line.split(b":")[0] for line in lines[1:]] == [
        *(b"Host", b"X-Key", b"Content-Type", b"Content-Length", b"Connection")
    ]


@pytest.mark.parametrize("status", ["200 OK", "204 Nothing", "301 Moved", "404 No", "503 Later"])
def test_every_status_is_returned_and_redirects_are_not_followed(status: str) -> None:
    reply, server = ask(lambda c: c.answer(b"" if "204" in status else b"body", status, location="/x", x_Name="Value"))
    assert reply.status == int(status[:3])
    assert reply.headers["x-name"] == "Value"
    assert server.connections == 1


def test_chunked_and_informational_responses_are_read() -> None:
    def chunked(c: Connection) -> None:
        c.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        c.send(b"4\r\nbody\r\n3\r\n, 2\r\n0\r\n\r\n")

    assert ask(chunked)[0].body == b"body, 2"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"", "closed without an answer"),
        (b"SSH-2.0-OpenSSH\r\n", "not HTTP/1.1"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "shorter than its headers say"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "breaks off in the middle"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 300 + b"\r\n", "more than 256 headers"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"1" * 70_000 + b"\r\n\r\n", "headers are longer than 32 KB"),
    ],
)
def test_an_incomplete_response_fails(sent: bytes, reason: str) -> None:
    with pytest.raises(NoAnswer, match=reason):
        ask(lambda c: c.send(sent))


def test_a_broken_connection_fails() -> None:
    with pytest.raises(NoAnswer, match=r"Connection reset by peer \(127.0.0.1\)"):
        ask(lambda c: c.reset())


def test_a_response_that_is_too_long_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_BYTES", 100_000)
    with pytest.raises(NoAnswer, match="longer than"):
        ask(lambda c: c.answer(b"x" * 300_000))


LARGE: Any = {"seconds": 30, "allow_addresses": LOOPBACK, "most_bytes": 1_000_000}


def test_gzip_is_accepted_only_in_calls_with_large_responses() -> None:
    packed = gzip.compress(b"x" * 900_000)
    with WireServer(lambda c: c.answer(packed, content_encoding="gzip")) as server:
        assert call_operators_address("GET", server.url(), {}, **LARGE).body == b"x" * 900_000
        assert server.requests[0].header("Accept-Encoding") == "gzip"
        as_it_is = call_operators_address("GET", server.url(), {}, **{**LARGE, "most_bytes": None})
        assert as_it_is.body == packed and server.requests[1].header("Accept-Encoding") is None


@pytest.mark.parametrize(
    ("pack", "reason"),
    [
        (lambda: gzip.compress(b"x" * 300_000_000, 1), "longer than 0.954 MB"),
        (lambda: b"no gzip at all", "not compressed as its headers say"),
        (lambda: gzip.compress(bytes(range(256)) * 100)[:-300] + b"\xff" * 300, "not compressed as its headers say"),
    ],
    ids=["too much", "no gzip", "broken"],
)
def test_a_gzip_response_that_is_too_large_or_corrupt_fails(pack: Callable[[], bytes], reason: str) -> None:
    body = pack()
    with (
        WireServer(lambda c: c.answer(body, content_encoding="gzip")) as server,
        pytest.raises(NoAnswer, match=reason),
    ):
        call_operators_address("GET", server.url(), {}, **LARGE)


def drip_status(c: Connection) -> None:
    c.drip(b"HTTP/1.1 200 OK" + b" " * 200)


def drip_body(c: Connection) -> None:
    c.send(b"HTTP/1.1 200 OK\r\n\r\n")
    c.drip(b"x" * 200)


@pytest.mark.parametrize("script", [Connection.hang, drip_status, drip_body])
def test_the_whole_call_has_one_time_limit(script: Script) -> None:
    with WireServer(script) as server, pytest.raises(NoAnswer, match="within 0"):
        call("POST", server.url(), HEADERS, b"{}", seconds=0.3, allow_addresses=LOOPBACK)
    assert server.waited_out == 0


def test_the_certificate_of_a_service_is_verified_by_its_name(authority: Authority) -> None:
    with WireServer(lambda c: c.answer(b"yes"), tls=authority.server_context("api.test")) as server:
        known: Any = {"seconds": 30, "extra_hosts": "api.test=127.0.0.1,other.test=127.0.0.1"}
        for asking in (partial(call, allow_addresses=LOOPBACK), call_operators_address):
            reply = asking("GET", server.url(host="api.test"), {}, ca_file=authority.ca_file, **known)
            assert reply.body == b"yes"
            with pytest.raises(NoAnswer, match="certificate"):
                asking("GET", server.url(host="other.test"), {}, ca_file=authority.ca_file, **known)
            with pytest.raises(NoAnswer, match="certificate"):
                asking("GET", server.url(host="api.test"), {}, **known)


@pytest.mark.parametrize("hosts", ["api.test=127.0.0.1", "api.test=93.184.215.14,api.test=127.0.0.1"])
def test_a_private_address_is_called_only_if_the_operator_set_it(authority: Authority, hosts: str) -> None:
    with WireServer(lambda c: c.answer(b"yes"), tls=authority.server_context("api.test")) as server:
        known: Any = {"seconds": 30, "extra_hosts": hosts, "ca_file": authority.ca_file}
        for url in (server.url(host="api.test"), server.url(), "https://[::1]:8443/", "https://169.254.169.254/"):
            with pytest.raises(NoAnswer, match="not a public address"):
                call("GET", url, {}, **known)
        assert server.connections == 0
        only_ours = {**known, "extra_hosts": "api.test=127.0.0.1"}
        assert call_operators_address("GET", server.url(host="api.test"), {}, **only_ours).body == b"yes"


def test_redirects_to_private_addresses_are_not_followed() -> None:
    with WireServer(lambda c: c.answer(b"inside")) as inside:
        reply, server = ask(lambda c: c.answer(b"", "307 Temporary Redirect", location=inside.url()))
        assert (reply.status, server.connections, inside.connections) == (307, 1, 0)


def test_credentials_are_sent_without_tls_only_to_allowed_addresses() -> None:
    with WireServer(lambda c: c.answer()) as server:
        with pytest.raises(NoAnswer, match="must begin with https"):
            call_operators_address("POST", server.url(), HEADERS, seconds=1)
        with pytest.raises(NoAnswer, match="must begin with https"):
            call("POST", "http://93.184.215.14/", HEADERS, seconds=1)
        assert server.connections == 0
        assert call_operators_address("POST", server.url(), HEADERS, seconds=30, allow_addresses=LOOPBACK).status == 200


def test_address_checks_are_skipped_only_for_services_set_by_the_operator() -> None:
    """Add a connector here only if its URL comes from the operator's settings and from nowhere else."""
    callers = set()
    for path in sorted((ROOT / "chalicelib").rglob("*.py")):
        names: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                    names.add(name)
                case ast.Constant(value=str(text)):
                    names |= {part for part in ("0.0.0.0/0", "::/0") if part in text}
        if names & {"call_operators_address", "_EVERYWHERE", "0.0.0.0/0", "::/0"}:
            callers.add(path.relative_to(ROOT).as_posix())
    assert callers == {
        "chalicelib/net/calls.py",
        "chalicelib/connectors/assistants/wire.py",
        "chalicelib/connectors/google.py",
        "chalicelib/connectors/google_api.py",
        "chalicelib/connectors/index_now.py",
    }


@pytest.mark.parametrize(
    "url", ["ftp://api.example/", "api.example", "https://user:pass@api.example/", "https://api.example:22/", ""]
)
def test_an_invalid_address_is_reported(url: str) -> None:
    with pytest.raises(NoAnswer):
        call("GET", url, {}, seconds=1)


def test_a_closed_port_is_reported_as_no_answer() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(NoAnswer, match="Connection refused"):
            call("GET", url, {}, seconds=1, allow_addresses=LOOPBACK)


@pytest.mark.parametrize("value", ["a\r\nX-Injected: 1", "ä", "a\x00b"])
def test_a_header_value_with_a_line_break_or_non_ascii_is_refused(value: str) -> None:
    with WireServer(lambda c: c.answer()) as server:
        with pytest.raises(NoAnswer, match="header X-Key") as caught:
            call("GET", server.url(), {"X-Key": value}, seconds=1, allow_addresses=LOOPBACK)
        assert value not in str(caught.value)
        assert server.requests == []
