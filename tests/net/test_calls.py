"""A connector's call: what is sent, what is taken for an answer, and that it always ends in time."""

import socket
import time

import pytest

from chalicelib.net import calls
from chalicelib.net.calls import NoAnswer, Reply, call
from tests.servers.authority import Authority
from tests.servers.wire import Connection, Script, WireServer

SECRET = "a-secret-in-a-header"
HEADERS = {"X-Key": SECRET, "Content-Type": "application/json"}
LOOPBACK = "127.0.0.0/8"


def ask(script: Script, path: str = "/v1/ask?x=1#part", seconds: float = 0.5) -> tuple[Reply, WireServer]:
    with WireServer(script) as server:
        return call("POST", server.url(path), HEADERS, b"{}", seconds=seconds, allow_addresses=LOOPBACK), server


def test_the_request_is_what_was_given_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_any_answer_is_an_answer_and_none_is_followed(status: str) -> None:
    reply, server = ask(lambda c: c.answer(b"" if "204" in status else b"body", status, location="/x", x_Name="Value"))
    assert reply.status == int(status[:3])
    assert reply.headers["x-name"] == "Value"
    assert server.connections == 1


def test_chunked_answers_and_interim_answers_are_read() -> None:
    def chunked(c: Connection) -> None:
        c.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        c.send(b"4\r\nbody\r\n3\r\n, 2\r\n0\r\n\r\n")

    assert ask(chunked)[0].body == b"body, 2"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
        b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"1" * 70_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_whole_answer_is_none(sent: bytes) -> None:
    with pytest.raises(NoAnswer, match="did not answer as HTTP says"):
        ask(lambda c: c.send(sent))


def test_a_broken_connection_is_no_answer() -> None:
    with pytest.raises(NoAnswer, match="no connection to"):
        ask(lambda c: c.reset())


def test_an_answer_that_is_too_long_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_BYTES", 100_000)
    with pytest.raises(NoAnswer, match="longer than"):
        ask(lambda c: c.answer(b"x" * 300_000), seconds=3)


def drip_status(c: Connection) -> None:
    c.drip(b"HTTP/1.1 200 OK" + b" " * 200)


def drip_body(c: Connection) -> None:
    c.send(b"HTTP/1.1 200 OK\r\n\r\n")
    c.drip(b"x" * 200)


@pytest.mark.parametrize("script", [Connection.hang, drip_status, drip_body])
def test_the_whole_call_ends_in_time(script: Script) -> None:
    started = time.monotonic()
    with pytest.raises(NoAnswer, match="within 0"):
        ask(script, seconds=0.3)
    assert time.monotonic() - started < 1.5


def test_a_secure_service_is_verified_by_its_name(authority: Authority) -> None:
    with WireServer(lambda c: c.answer(b"yes"), tls=authority.server_context("api.test")) as server:
        hosts = "api.test=127.0.0.1,other.test=127.0.0.1"
        reply = call("GET", server.url(host="api.test"), {}, seconds=3, extra_hosts=hosts, ca_file=authority.ca_file)
        assert reply.body == b"yes"
        with pytest.raises(NoAnswer, match="certificate"):
            call("GET", server.url(host="other.test"), {}, seconds=3, extra_hosts=hosts, ca_file=authority.ca_file)
        with pytest.raises(NoAnswer, match="certificate"):
            call("GET", server.url(host="api.test"), {}, seconds=3, extra_hosts=hosts)


def test_credentials_are_sent_without_tls_only_where_the_operator_trusts_the_address() -> None:
    with WireServer(lambda c: c.answer()) as server:
        with pytest.raises(NoAnswer, match="must begin with https"):
            call("POST", server.url(), HEADERS, seconds=1)
        assert server.connections == 0


@pytest.mark.parametrize(
    "url", ["ftp://api.example/", "api.example", "https://user:pass@api.example/", "https://api.example:22/", ""]
)
def test_an_address_that_is_none_is_said_so(url: str) -> None:
    with pytest.raises(NoAnswer):
        call("GET", url, {}, seconds=1)


def test_nobody_listening_is_no_answer() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(NoAnswer, match="no connection to"):
            call("GET", url, {}, seconds=1, allow_addresses=LOOPBACK)


@pytest.mark.parametrize("value", ["a\r\nX-Injected: 1", "ä", "a\x00b"])
def test_no_value_breaks_out_of_its_header(value: str) -> None:
    with WireServer(lambda c: c.answer()) as server:
        with pytest.raises(NoAnswer, match="header X-Key") as caught:
            call("GET", server.url(), {"X-Key": value}, seconds=1, allow_addresses=LOOPBACK)
        assert value not in str(caught.value)
        assert server.requests == []
