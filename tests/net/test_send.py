"""The POST of a webhook: what counts as success, and every way in which a receiver's answer can go wrong."""

import gzip
import socket
import threading
import time

import pytest

from chalicelib.net.guard import Guard
from chalicelib.net.send import KEPT_REPLY_BYTES, Outcome, Sender
from tests.servers.wire import Connection, Script, WireServer

SECONDS = 0.5
ENOUGH = 60.0  # for a try that does not depend on its end
HEADERS = {"Content-Type": "application/json", "User-Agent": "Service-Webhooks/1"}


def post(script: Script, seconds: float = ENOUGH, path: str = "/hook") -> tuple[Outcome, WireServer, float]:
    with WireServer(script) as server:
        started = time.monotonic()
        outcome = Sender(Guard("127.0.0.1"), seconds=seconds).post(server.url(path), HEADERS, b'{"id":"dlv_1"}')
        return outcome, server, time.monotonic() - started


@pytest.mark.parametrize("status", [200, 201, 202, 204, 205, 206, 299])
def test_any_2xx_status_is_a_success(status: int) -> None:
    outcome, _, _ = post(lambda c: c.answer(status=f"{status} Fine"))
    assert (outcome.phase, outcome.status, outcome.error) == (None, status, None)


@pytest.mark.parametrize("status", [101, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599])
def test_any_other_status_is_a_failure(status: int) -> None:
    outcome, _, _ = post(lambda c: c.answer(status=f"{status} No"))
    assert (outcome.phase, outcome.status) == ("status", status)
    assert outcome.error is not None and str(status) in outcome.error


def test_the_request_is_sent_exactly_as_given() -> None:
    _, server, _ = post(lambda c: c.answer(), path="/hook?a=1&b=%20#part")
    head = server.requests[0].head
    assert head.startswith(b"POST /hook?a=1&b=%20 HTTP/1.1\r\n")
    names = [line.split(b":")[0] for line in head.split(b"\r\n\r\n")[0].split(b"\r\n")[1:]]
    assert names == [b"Host", b"Content-Type", b"User-Agent", b"Content-Length", b"Connection"]
    assert head.endswith(b'\r\n\r\n{"id":"dlv_1"}')


def test_proxy_settings_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer(lambda c: c.answer()) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        outcome, server, _ = post(lambda c: c.answer())
    assert outcome.phase is None and len(server.requests) == 1 and proxy.connections == 0


def test_cookies_are_not_stored() -> None:
    with WireServer(lambda c: c.answer(set_cookie="session=1; Path=/")) as server:
        sender = Sender(Guard("127.0.0.1"), seconds=SECONDS)
        for _ in range(2):
            sender.post(server.url(), HEADERS, b"{}")
    assert server.requests[1].header("Cookie") is None


@pytest.mark.parametrize("path", ["/a b", "/a\tb", "/a\r\nX-Injected: 1", "/ä\u2028"])
def test_special_characters_in_an_address_cannot_break_the_request_line(path: str) -> None:
    outcome, server, _ = post(lambda c: c.answer(), path=path)
    assert outcome.phase in (None, "dns")
    assert all(connection.header("X-Injected") is None for connection in server.requests)


@pytest.mark.parametrize("location", ["http://169.254.169.254/latest/meta-data/", "https://127.0.0.1/", "/elsewhere"])
def test_redirects_are_failures_and_not_followed(location: str) -> None:
    outcome, server, _ = post(lambda c: c.answer(status="302 Found", location=location))
    assert (outcome.phase, outcome.status) == ("status", 302)
    assert outcome.error == "the answer was 302; redirects are not followed"
    assert server.connections == 1


def test_the_error_includes_the_retry_after_header() -> None:
    outcome, _, _ = post(lambda c: c.answer(status="429 Slow down", retry_after="120"))
    assert outcome.error == "the answer was 429 with Retry-After: 120"


# -- time ------------------------------------------------------------------------------------------------


def drip_headers(c: Connection) -> None:
    c.drip(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(100)) + b"\r\n")


def drip_within_a_header(c: Connection) -> None:
    c.drip(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 1000 + b"\r\n\r\n")


def continue_then_silence(c: Connection) -> None:
    c.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    c.hang()


def slow_interim_answers(c: Connection) -> None:
    while not c.server.ending.is_set():
        c.drip(b"HTTP/1.1 102 Processing\r\n\r\n", every=0.02)


@pytest.mark.parametrize(
    "script",
    [Connection.hang, drip_headers, drip_within_a_header, continue_then_silence, slow_interim_answers],
    ids=["never answers", "headers drip", "a header drips", "100 then silence", "slow 102s"],
)
def test_the_time_limit_applies_to_the_whole_try(script: Script) -> None:
    outcome, server, seconds = post(script, SECONDS)
    assert (outcome.phase, outcome.status) == ("headers", None)
    assert outcome.error == "no answer within 0.5 seconds"
    assert seconds >= SECONDS and outcome.ms >= 490 and server.waited_out == 0


def test_response_headers_that_arrive_just_in_time_are_a_success() -> None:
    def late(c: Connection) -> None:
        time.sleep(0.3)
        c.answer(status="204 No Content")

    assert post(late)[0].phase is None


def test_a_receiver_that_reads_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        outcome = Sender(Guard("127.0.0.1"), seconds=SECONDS).post(url, HEADERS, b"x" * 20_000_000)
    assert (outcome.phase, outcome.error) == ("write", "no answer within 0.5 seconds")


def test_a_closed_port_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    outcome = Sender(Guard("127.0.0.1"), seconds=SECONDS).post(f"http://127.0.0.1:{port}/", HEADERS, b"{}")
    assert (outcome.phase, outcome.error) == ("connect", "Connection refused")


# -- answers that are none ---------------------------------------------------------------------------------


def half_close(c: Connection) -> None:
    c._wire.shutdown(socket.SHUT_WR)
    c.hang()


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (lambda c: None, "the connection was closed without an answer"),
        (half_close, "the connection was closed without an answer"),
        (Connection.reset, "Connection reset by peer"),
        (lambda c: c.send(b"HTTP/1.1 200 OK\r\nContent-"), "the connection was closed in the middle of the headers"),
        (lambda c: c.send(b"hello\n"), "the answer is not HTTP/1.1"),
        (lambda c: c.send(b"<html>HTTP/0.9</html>"), "the answer is not HTTP/1.1"),
        (lambda c: c.send(b"HTTP/2 200\r\n\r\n"), "the answer is not HTTP/1.1"),
        (lambda c: c.send(b"HTTP/1.1 abc OK\r\n\r\n"), "the answer is not HTTP/1.1"),
        (lambda c: c.send(b"HTTP/1.1 2000 OK\r\n\r\n"), "the answer is not HTTP/1.1"),
        (lambda c: c.send(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000), "the answer's headers are longer than 32 KB"),
        (lambda c: c.send(b"HTTP/1.1 103 Hint\r\n\r\n" * 4_000), "the answer's headers are longer than 32 KB"),
    ],
)
def test_an_incomplete_response_is_a_failure(script: Script, error: str) -> None:
    outcome, server, _ = post(script)
    assert (outcome.phase, outcome.status, outcome.error) == ("headers", None, error)
    assert server.waited_out == 0, "nobody waits for the rest of what cannot become an answer"


def test_endless_response_headers_are_a_failure() -> None:
    def endless(c: Connection) -> None:
        c.send(b"HTTP/1.1 200 OK\r\n")
        while not c.server.ending.is_set():
            c.send(b"X-More: of the same\r\n" * 100)

    assert post(endless)[0].error == "the answer's headers are longer than 32 KB"


def test_an_informational_response_is_skipped() -> None:
    outcome, _, _ = post(
        lambda c: c.send(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 2\r\n\r\nok")
    )
    assert (outcome.phase, outcome.status, outcome.reply) == (None, 202, "ok")


def test_a_response_counts_even_if_it_comes_before_the_request_is_read() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse_early() -> None:
            wire, _ = listener.accept()
            wire.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            wire.shutdown(socket.SHUT_WR)
            time.sleep(0.3)
            wire.close()

        threading.Thread(target=refuse_early, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        outcome = Sender(Guard("127.0.0.1"), seconds=ENOUGH).post(url, HEADERS, b"x" * 8_000_000)
    assert (outcome.phase, outcome.status) == ("status", 413)


# -- bodies, which are only for the log ----------------------------------------------------------------------


def test_the_first_kilobyte_of_the_response_body_is_kept() -> None:
    outcome, _, _ = post(lambda c: c.answer(b"a" * 5_000))
    assert outcome.reply == "a" * KEPT_REPLY_BYTES


@pytest.mark.parametrize("head", [b"Content-Length: 10737418240\r\n", b"Transfer-Encoding: chunked\r\n", b""])
def test_an_endless_response_body_is_cut_off(head: bytes) -> None:
    sent = 0

    def flood(c: Connection) -> None:
        nonlocal sent
        c.send(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")
        while not c.server.ending.is_set():
            c.send((b"10000\r\n" if b"chunked" in head else b"") + b"z" * 65_536)
            sent += 65_536

    outcome, _, _ = post(flood)
    assert outcome.phase is None and outcome.reply == "z" * KEPT_REPLY_BYTES
    assert sent < 30_000_000


def test_a_slow_response_body_is_read_for_one_second_and_is_no_failure() -> None:
    outcome, server, seconds = post(lambda c: c.send(b"HTTP/1.1 200 OK\r\n\r\n") or c.drip(b"b" * 900, every=0.02))
    assert outcome.phase is None and outcome.ms < seconds * 1000 - 900, "headers were all that counted"
    assert seconds > 0.9 and 0 < len(outcome.reply) < 400 and server.waited_out == 0, "there was more to come"


def test_a_compressed_response_body_is_not_decompressed() -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    began = time.process_time()
    gzip.decompress(bomb)
    gzip_seconds = time.process_time() - began
    began = time.process_time()
    outcome, _, _ = post(lambda c: c.answer(bomb, content_encoding="gzip"))
    assert (outcome.phase, outcome.reply) == (None, "(gzip, not unpacked)")
    assert time.process_time() - began < gzip_seconds / 2


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", "abcde"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot chunked\n", ""),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nab\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\nabc", "abc"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nabc", "abc"),
        (b"HTTP/1.0 200 OK\n\nabc", "abc"),
        (b"HTTP/1.1 200\r\n\r\n\xff\x00", "\ufffd"),
        (b"HTTP/1.1 200\r\n\r\n\x1b]52;c;ZXZpbA==\x07two\r\n lines", "]52;c;ZXZpbA== two lines"),
    ],
)
def test_a_malformed_response_body_is_kept_up_to_the_fault(answer: bytes, reply: str) -> None:
    outcome, _, _ = post(lambda c: c.send(answer))
    assert (outcome.phase, outcome.reply) == (None, reply)


def test_responses_without_a_body_return_immediately() -> None:
    def no_content(c: Connection) -> None:
        c.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        c.hang()

    outcome, server, _ = post(no_content)
    assert outcome.status == 204 and server.waited_out == 0
