"""Connectors for the soak that break the rules of docs/connector.md. They send slowly, state a wrong length, or never
end an answer.

Each handles requests like a simulated CMS, but corrupts every answer while the soak makes outside systems fail. After
this time, the answers of all connectors are correct.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from local.serving import LoopbackServer
from local.standins.cms import Cms, Exchange, Refusal, Site

DRIP_SECONDS: Final = 45.0  # longer than the service waits
DRIP_EVERY: Final = 0.5
MOST_SENT: Final = 400_000_000  # bytes after which an endless answer ends, if the client does not break it off
DRIP: Final = "drip"
PIECE: Final = b"x" * 65_536
NESTED: Final = 100_000

Write = Callable[[bytes], Any]


def _head(*fields: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: application/json", *fields, "", "")).encode()


def _with_length(body: bytes, length: int | None = None) -> bytes:
    return _head(f"Content-Length: {len(body) if length is None else length}") + body


def _drip(write: Write, answer: bytes) -> None:
    write(_head(f"Content-Length: {len(answer)}"))
    until = time.monotonic() + DRIP_SECONDS
    for byte in answer:
        if time.monotonic() > until:
            return
        write(bytes([byte]))
        time.sleep(DRIP_EVERY)


def _endless(write: Write, start: bytes, piece: bytes) -> None:
    write(start)
    for _ in range(MOST_SENT // len(piece)):
        write(piece)


def _negative_chunk(write: Write, answer: bytes) -> None:
    _endless(write, _head("Transfer-Encoding: chunked") + b"-1\r\n", PIECE)


def _oversized(write: Write, answer: bytes) -> None:
    _endless(write, _head("Transfer-Encoding: chunked"), b"10000\r\n" + PIECE + b"\r\n")


def _endless_head(write: Write, answer: bytes) -> None:
    _endless(write, b"HTTP/1.1 200 OK\r\n", b"X-More: " + PIECE + b"\r\n")


def _too_short(write: Write, answer: bytes) -> None:
    write(_with_length(answer, 10 * len(answer)))


def _too_long(write: Write, answer: bytes) -> None:
    write(_with_length(answer, len(answer) // 2))


def _odd_chunk(write: Write, answer: bytes) -> None:
    write(_head("Transfer-Encoding: chunked") + b"0x_5\r\n" + answer)


def _broken(write: Write, answer: bytes) -> None:
    write(_with_length(answer[: len(answer) // 2]))


def _not_a_number(write: Write, answer: bytes) -> None:
    spoilt = {name: float("nan") for name in json.loads(answer)}
    write(_with_length(json.dumps(spoilt).encode()))


def _nested(write: Write, answer: bytes) -> None:
    write(_with_length(b"[" * NESTED + b"]" * NESTED))


LIES: Final[Mapping[str, Callable[[Write, bytes], None]]] = {
    "negative chunk": _negative_chunk,
    "oversized": _oversized,
    "endless head": _endless_head,
    "too short": _too_short,
    "too long": _too_long,
    "odd chunk": _odd_chunk,
    "broken": _broken,
    "not a number": _not_a_number,
    "nested": _nested,
}


class HostileCms:
    """A simulated CMS behind a server that corrupts the answers of the CMS unless ``is_calm`` is set.

    - ``manners``: how to corrupt each answer, one entry per answer.
    - ``spoilt``: the number of corrupted answers of each kind.
    """

    def __init__(self, site: Site, manners: Iterator[str]) -> None:
        self.cms = Cms(site)
        self.spoilt: dict[str, int] = {}
        self.is_calm = True
        self._manners = manners
        self._lock = threading.Lock()
        self._server = LoopbackServer(type("Handler", (_Handler,), {"hostile": self}))
        self._server.start("hostile-cms")
        self.address = f"http://127.0.0.1:{self._server.server_port}/wp-json/wos/v1"

    def manner(self) -> str | None:
        """Return how to corrupt the next answer; None for a correct answer."""
        with self._lock:
            if self.is_calm:
                return None
            chosen = next(self._manners)
            self.spoilt[chosen] = self.spoilt.get(chosen, 0) + 1
            return chosen

    def stop(self) -> None:
        self._server.stop()
        self.cms.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hostile: HostileCms

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.close_connection = True
        try:
            answer = self.hostile.cms.answer(Exchange(self.path.rpartition("/")[2], headers, body))
        except Refusal as refusal:
            said = json.dumps(refusal.content).encode()
            self.wfile.write(_with_length(said).replace(b"200 OK", f"{refusal.status} No".encode(), 1))
            return
        manner = self.hostile.manner()
        if manner is None:
            self.wfile.write(_with_length(answer))
        else:
            (_drip if manner == DRIP else LIES[manner])(self.wfile.write, answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because corrupted answers are counted instead."""
