"""The transport of calls and posts: strict framing, bounded bytes, one deadline, and whose failure it is."""

import errno
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.net.calls import NoAnswer, Reply, call, call_operators_address
from chalicelib.net.exchange import Exchange, Failed
from chalicelib.net.failures import OwnFailure
from chalicelib.net.guard import Guard, Target
from chalicelib.net.http1 import Chunks, Malformed
from chalicelib.net.send import Outcome, Sender
from tests.net.lies import CHUNKED, LIES
from tests.servers.authority import Authority
from tests.servers.limits import no_sockets
from tests.servers.wire import Connection, Script, WireServer

LOOPBACK = "127.0.0.0/8"
MB = 1024 * 1024


def ask(script: Script, seconds: float = 30.0) -> Reply:
    with WireServer(script) as server:
        return call("POST", server.url(), {}, b"{}", seconds=seconds, allow_addresses=LOOPBACK)


def post(script: Script) -> Outcome:
    with WireServer(script) as server:
        return Sender(Guard(LOOPBACK), seconds=30.0).post(server.url(), {}, b"{}")


@contextmanager
def peak_memory(most: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


# -- framing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lie", LIES)
def test_an_invalid_response_framing_fails(lie: str) -> None:
    with pytest.raises(NoAnswer):
        ask(lambda c: c.send(LIES[lie]))


@pytest.mark.parametrize("lie", LIES)
def test_an_invalid_response_framing_does_not_break_webhook_delivery(lie: str) -> None:
    assert post(lambda c: c.send(LIES[lie])).phase in (None, "headers")


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (CHUNKED + b"4\r\nbody\r\n3;name=value\r\n, 2\r\n000\r\nTrailer: x\r\n\r\n", b"body, 2"),
        (CHUNKED + b"A \r\n0123456789\r\n0\r\n\r\nleft over", b"0123456789"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\n{}more", b"{}"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"{}"),
        (b"HTTP/1.0 200 OK\n\nto the end", b"to the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 205 Reset\r\n\r\nignored", b""),
    ],
)
def test_every_valid_response_framing_is_read(sent: bytes, body: bytes) -> None:
    assert ask(lambda c: c.send(sent)).body == body


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.data())
def test_the_chunked_body_is_the_same_however_it_is_split_into_packets(
    pieces: list[bytes], data: st.DataObject
) -> None:
    sent = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    chunks, content, position = Chunks(), b"", 0
    while position < len(sent):
        size = data.draw(st.integers(1, len(sent)))
        content += b"".join(chunks.add(sent[position : position + size]))
        assert chunks.done == (position + size >= len(sent))
        position += size
    assert content == b"".join(pieces)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_crash_the_chunk_reader(sent: bytes) -> None:
    chunks = Chunks()
    try:
        content = b"".join(chunks.add(sent))
    except Malformed:
        return
    assert len(content) <= len(sent)


# -- bytes -------------------------------------------------------------------------------------------------


def endless(head: bytes, before: bytes = b"", after: bytes = b"") -> Script:
    def script(c: Connection) -> None:
        c.send(head)
        while not c.server.ending.is_set():
            c.send(before + b"z" * 65_536 + after)

    return script


ENDLESS: dict[str, Script] = {
    "chunk of size -1": endless(CHUNKED + b"-1\r\n"),
    "huge chunk": endless(CHUNKED + b"fffffffffffffff\r\n"),
    "many chunks": endless(CHUNKED, b"10000\r\n", b"\r\n"),
    "extension": endless(CHUNKED + b"5;"),
    "trailer": endless(CHUNKED + b"0\r\nX: "),
    "length": endless(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"),
    "until closed": endless(b"HTTP/1.1 200 OK\r\n\r\n"),
    "header": endless(b"HTTP/1.1 200 OK\r\nX: "),
    "interim": endless(b"", b"HTTP/1.1 103 Hints\r\nX: ", b"\r\n\r\n"),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_response_uses_little_memory(kind: str) -> None:
    with peak_memory(16 * MB), pytest.raises(NoAnswer):
        ask(ENDLESS[kind])


def test_reading_stops_if_a_gzip_response_is_endless_and_empty() -> None:
    empty_block = b"\x00\x00\x00\xff\xff"  # of a gzip stream: it goes on without content
    script = endless(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08" + b"\0" * 7, empty_block * 9_999)
    large: Any = {"seconds": 30, "allow_addresses": LOOPBACK, "most_bytes": MB}
    with WireServer(script) as server, pytest.raises(NoAnswer, match="longer than 1 MB"):
        call_operators_address("GET", server.url(), {}, **large)


# -- time --------------------------------------------------------------------------------------------------


def drip_chunks(c: Connection) -> None:
    c.send(CHUNKED)
    c.drip(b"1\r\nz\r\n" * 200)


def drip_trailers(c: Connection) -> None:
    c.send(CHUNKED + b"2\r\n{}\r\n0\r\n")
    c.drip(b"X: y\r\n" * 200)


@pytest.mark.parametrize("script", [drip_chunks, drip_trailers])
def test_a_slowly_sent_body_is_aborted_at_the_time_limit(script: Script) -> None:
    with pytest.raises(NoAnswer, match=r"within 0\.3 seconds"):
        ask(script, seconds=0.3)


def test_a_slow_tls_receiver_is_aborted_at_the_time_limit(authority: Authority) -> None:
    """``sendall`` on a TLS connection restarts its time limit for each record."""
    context, ended = authority.server_context("api.test"), threading.Event()

    def read_slowly(listener: socket.socket) -> None:
        wire, _ = listener.accept()
        with context.wrap_socket(wire, server_side=True) as secured:
            try:
                while not ended.wait(0.1) and secured.recv(16_384):
                    pass
            except OSError:
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader = threading.Thread(target=read_slowly, args=(listener,))
        reader.start()
        url = f"https://api.test:{listener.getsockname()[1]}/"
        known: Any = {"allow_addresses": LOOPBACK, "extra_hosts": "api.test=127.0.0.1", "ca_file": authority.ca_file}
        began = time.monotonic()
        try:
            with pytest.raises(NoAnswer, match="within 1 seconds"):
                call("POST", url, {}, b"x" * 20 * MB, seconds=1.0, **known)
            assert time.monotonic() - began < 6
        finally:
            ended.set()
            reader.join(10)


# -- whose failure -----------------------------------------------------------------------------------------


def connect(guard: Guard, port: int) -> None:
    target = Target("http", "127.0.0.1", port)
    with Exchange(guard, seconds=5) as exchange:
        exchange.connect(target, exchange.resolve(target))


@pytest.mark.parametrize("url", ["http://127.0.0.1:8009/", "http://name.invalid:8009/"], ids=["connect", "look-up"])
def test_a_lack_of_sockets_is_a_failure_of_this_machine(url: str) -> None:
    with no_sockets(), pytest.raises(OwnFailure, match="This machine could not open a connection"):
        call("GET", url, {}, seconds=10, allow_addresses=LOOPBACK)
    with no_sockets(), pytest.raises(OwnFailure):
        Sender(Guard(LOOPBACK)).post(url, {}, b"{}")


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
@pytest.mark.parametrize("when", ["socket_for", "resolve_within"])
def test_every_lack_of_local_resources_is_a_failure_of_this_machine(number: int, when: str) -> None:
    class Lacking(Guard):
        pass

    def fail(*_: object) -> None:
        raise OSError(number, "none left")

    setattr(Lacking, when, fail)
    with pytest.raises(OwnFailure, match="none left"):
        connect(Lacking(LOOPBACK), 8009)


def test_a_lack_of_memory_is_a_failure_of_this_machine() -> None:
    with pytest.raises(OwnFailure, match="no memory"), Exchange(Guard(), seconds=5):
        raise MemoryError


def test_a_programming_error_is_not_caught() -> None:
    with pytest.raises(KeyError), Exchange(Guard(), seconds=5):
        raise KeyError("a mistake")


def test_a_missing_ca_file_is_a_failure_of_this_machine() -> None:
    known: Any = {"seconds": 5, "allow_addresses": LOOPBACK, "ca_file": "/nowhere/ca.pem"}
    with pytest.raises(OwnFailure, match="EXTRA_CA_FILE cannot be read"):
        call("GET", "https://127.0.0.1:8009/", {}, **known)


def test_a_failed_connection_reports_its_phase() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Failed) as caught:
        connect(Guard(LOOPBACK), port)
    assert (caught.value.phase, caught.value.reason) == ("connect", "Connection refused")
