"""The local HTTP server: as fast as the app, and with an answer of ours to everything."""

import http.client
import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from chalice.app import Chalice

from host.jobs import Jobs
from host.server import MAX_HEADER_BYTES, THREADS, ApiServer
from local import embedded
from tests.reference import loops_of

PLANS = "/api/v1/plans"
LARGE = 30_000_000  # bytes, more than sockets hold
PATIENCE_SECONDS = 60.0  # a busy machine may serve fifty connections at once slowly


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    from app import app

    with embedded.running():
        server = ApiServer(app, 0)
        yield server
        server.stop()


@pytest.fixture
def connection(server: ApiServer) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    yield connection
    connection.close()


def ask(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection.request(method, path, body=body, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read()


def raw(server: ApiServer, request: bytes) -> tuple[bytes, bytes]:
    """Head and body of what comes back, until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as plain:
        plain.sendall(request)
        received = b""
        while data := plain.recv(65536):
            received += data
    head, _, body = received.partition(b"\r\n\r\n")
    return head, body


def test_a_stopping_server_answers_running_requests_and_refuses_new_connections() -> None:
    from app import app

    with embedded.running():
        jobs = Jobs()
        server = ApiServer(app, 0, jobs=jobs)
        open_one = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
        assert ask(open_one, "GET", PLANS)[0].getheader("Connection") is None
        server.stop()
        answer, _ = ask(open_one, "GET", PLANS)
        assert (answer.status, answer.getheader("Connection")) == (200, "close")
        assert jobs.end_within(PATIENCE_SECONDS) == []
        with pytest.raises(OSError):  # noqa: PT011 - refused or reset
            socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS).close()


def test_requests_on_a_kept_alive_connection_are_fast(connection: http.client.HTTPConnection) -> None:
    times = []

    def two_hundred() -> None:
        for _ in range(200):
            started = time.perf_counter()
            answer, _ = ask(connection, "GET", PLANS)
            times.append(time.perf_counter() - started)
            assert answer.status == 200

    ask(connection, "GET", PLANS)
    worked = time.process_time()
    loops = loops_of(two_hundred)
    worked = time.process_time() - worked
    assert loops / 200 <= 0.4
    assert min(times) < 10 * worked / 200, "an answer in two parts would wait 40 ms for an acknowledgement each time"


def test_head_on_a_kept_alive_connection_has_the_headers_of_get(
    connection: http.client.HTTPConnection,
) -> None:
    got, body = ask(connection, "GET", PLANS)
    head, nothing = ask(connection, "HEAD", PLANS)
    assert (head.status, nothing) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(body))
    assert ask(connection, "GET", PLANS)[1] == body


@pytest.mark.parametrize("method", ["TRACE", "QUERY", "DELETE", "SOMETHING"])
def test_an_unusual_method_is_refused_in_the_error_format(connection: http.client.HTTPConnection, method: str) -> None:
    answer, body = ask(connection, method, PLANS)
    assert answer.status == 405
    assert json.loads(body)["error"]["code"] == "method_not_allowed"
    assert answer.headers["Allow"]


@pytest.mark.parametrize("path", ["/", "/api/v1", "/api/v1/nothing/here", "/api/v2/plans", "*"])
def test_an_unknown_path_returns_404_in_the_error_format(connection: http.client.HTTPConnection, path: str) -> None:
    answer, body = ask(connection, "GET", path, Authorization="Bearer secret")
    assert answer.status == 404
    assert json.loads(body)["error"]["code"] == "not_found"
    assert answer.headers["X-Request-Id"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert b"secret" not in body


def test_an_unknown_path_returns_404_even_if_the_key_is_invalid(server: ApiServer) -> None:
    sent = b"GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\r\nConnection: close\r\n\r\n"
    head, body = raw(server, sent)
    assert head.startswith(b"HTTP/1.1 404")
    assert json.loads(body)["error"]["code"] == "not_found"


def test_a_304_on_a_kept_alive_connection_has_no_body(connection: http.client.HTTPConnection) -> None:
    answer, _ = ask(connection, "GET", PLANS)
    again, body = ask(connection, "GET", PLANS, **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status, body, again.getheader("Connection")) == (304, b"", None)
    assert ask(connection, "GET", PLANS)[0].status == 200


def test_a_chunked_body_is_read_completely(connection: http.client.HTTPConnection) -> None:
    connection.request("POST", PLANS, body=iter([b"a" * 5000, b"b"]), encode_chunked=True)
    answer = connection.getresponse()
    assert json.loads(answer.read())["error"]["code"] == "method_not_allowed"
    assert ask(connection, "GET", PLANS)[0].status == 200


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GARBAGE\r\n\r\n", 400, "bad_parameter"),
        (b"GET /api/v1/plans HTTP/1.1\r\nContent-Length: abc\r\n\r\n", 400, "bad_parameter"),
        (b"GET /api/v1/plans HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400, "bad_parameter"),
        (b"POST /api/v1/plans HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad_parameter"),
        (b"POST /api/v1/plans HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413, "too_large"),
        (b"GET /api/v1/plans HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", 400, "bad_parameter"),
        (b"GET /api/v1/plans HTTP/1.1\r\nX: ".ljust(MAX_HEADER_BYTES, b"x"), 431, "bad_parameter"),
        (b"GET http://[x HTTP/1.1\r\n\r\n", 400, "bad_parameter"),
        (b"GET /api/v1/plans HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "bad_parameter"),
    ],
)
def test_requests_that_are_not_http_are_refused_in_the_error_format(
    server: ApiServer, request_bytes: bytes, status: int, code: str
) -> None:
    head, body = raw(server, request_bytes)
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"\r\nX-Content-Type-Options: nosniff\r\n" in head
    assert re.search(rb"\r\nX-Request-Id: [0-9a-f-]{36}(\r\n|$)", head)
    assert json.loads(body)["error"]["code"] == code


def test_a_request_with_two_lengths_is_refused(server: ApiServer) -> None:
    lengths = b"Transfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n\r\n"
    head, body = raw(
        server, b"POST /api/v1/plans HTTP/1.1\r\n" + lengths + b"0\r\n\r\nGET /api/v1/plans HTTP/1.1\r\n\r\n"
    )
    assert head.startswith(b"HTTP/1.1 501 ")
    assert json.loads(body)["error"]["code"] == "bad_parameter"


def test_unfinished_requests_do_not_delay_other_clients(server: ApiServer) -> None:
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) for _ in range(2 * THREADS)]
    try:
        for number, one in enumerate(slow):
            unfinished = b"" if number % 2 else b"Host: x\r\nContent-Length: 100\r\n\r\nhalf"
            one.sendall(b"POST /api/v1/plans HTTP/1.1\r\n" + unfinished)
        _, body = raw(server, b"GET /api/v1/plans HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert "plans" in json.loads(body)
    finally:
        for one in slow:
            one.close()


def test_an_answer_that_is_being_sent_is_finished_before_the_server_stops() -> None:
    large = Chalice(app_name="large", configure_logs=False)
    large.route("/large")(lambda: "x" * LARGE)
    jobs = Jobs()
    server = ApiServer(large, 0, jobs=jobs)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/large")
    answer = connection.getresponse()
    server.stop()
    assert set(jobs.end_within(0.2)) == {"api"}
    assert len(answer.read()) == LARGE
    assert jobs.end_within(PATIENCE_SECONDS) == []
    connection.close()


def test_a_server_can_be_stopped_twice_even_if_stopping_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    server = ApiServer(Chalice(app_name="idle", configure_logs=False), 0)
    waiting = server._server
    woken = waiting.pull_trigger

    def late() -> None:
        time.sleep(1.5)  # longer than one turn of the loop, which sees by itself that it is to stop
        woken()

    monkeypatch.setattr(waiting, "pull_trigger", late)
    server.stop()
    server.stop()


def test_200_simultaneous_connections_are_all_answered(server: ApiServer) -> None:
    def one(_: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
        try:
            return ask(connection, "GET", PLANS)[0].status
        finally:
            connection.close()

    with ThreadPoolExecutor(50) as pool:
        assert set(pool.map(one, range(200))) == {200}


def test_simultaneous_requests_do_not_affect_each_other(server: ApiServer) -> None:
    def one(number: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
        try:
            answer, body = ask(connection, "GET", f"{PLANS}?wrong{number}=1")
            return answer.status == 400 and f"wrong{number}" in body.decode()
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(one, range(200)))


def test_a_port_in_use_is_an_error(server: ApiServer) -> None:
    from app import app

    with pytest.raises(OSError, match="in use"):
        ApiServer(app, server.port)
