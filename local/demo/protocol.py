"""A small, fast HTTP/1.1 server for websites that are held in memory: keep-alive, pipelining, TLS.

The demo website and the benchmark's website must answer thousands of pages a second from one thread. The server is fast
so that the crawler under test has enough of the processor.
"""

import asyncio
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

MAX_HEAD = 65_536


@dataclass(slots=True, frozen=True)
class Request:
    """One request. ``target`` is the path with the query string; header names are lower case."""

    method: str
    target: str
    headers: dict[str, str]


@dataclass(slots=True, frozen=True)
class Answer:
    """A whole answer. ``head``: the status line and headers up to the blank line.

    ``delay``: seconds before the answer begins. None means that no answer is sent, and that the connection stays open.
    """

    head: bytes
    body: bytes = b""
    delay: float | None = 0.0


def answer(status: int, headers: dict[str, str], body: bytes = b"", delay: float | None = 0.0) -> Answer:
    """Make an answer with its Content-Length."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}")
    return Answer("\r\n".join([*lines, "", ""]).encode("latin-1"), body, delay)


Handler = Callable[[Request], Answer]


class _Connection(asyncio.Protocol):
    def __init__(self, handler: Handler, open_connections: "set[_Connection]") -> None:
        self._handler = handler
        self._open = open_connections
        self._buffer = b""
        self._waiting = False
        self._skip = 0  # bytes of a request body that are still to be discarded
        self._close_after = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._advance()

    def _advance(self) -> None:
        """Answer whole requests in order; a delayed answer holds back those after it."""
        while not self._waiting and not self.transport.is_closing():
            if self._skip:
                dropped = min(self._skip, len(self._buffer))
                self._buffer = self._buffer[dropped:]
                self._skip -= dropped
                if self._skip:
                    return
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > MAX_HEAD:
                    self.transport.close()
                return
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        first, *rest = head.decode("latin-1").split("\r\n")
        parts = first.split(" ")
        if len(parts) != 3:
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.transport.close()
            return
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        self._skip = int(headers.get("content-length") or 0)
        self._close_after = headers.get("connection", "").lower() == "close"
        result = self._handler(Request(parts[0], parts[1], headers))
        if result.delay is None:
            self._waiting = True
        elif result.delay:
            self._waiting = True
            asyncio.get_running_loop().call_later(result.delay, self._resume, result, parts[0])
        else:
            self._send(result, parts[0])

    def _resume(self, result: Answer, method: str) -> None:
        self._waiting = False
        if not self.transport.is_closing():
            self._send(result, method)
            self._advance()

    def _send(self, result: Answer, method: str) -> None:
        self.transport.write(result.head if method == "HEAD" else result.head + result.body)
        if self._close_after:
            self.transport.close()


class HttpServer:
    """Serves ``handler`` on 127.0.0.1, from a thread of its own, until ``stop``. ``port``: 0 takes a free port."""

    def __init__(self, handler: Handler, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._handler = handler
        self._tls = tls
        self._ready = threading.Event()
        self._error: OSError | None = None
        self._open: set[_Connection] = set()
        self._loop = asyncio.new_event_loop()
        self.port = port
        self._thread = threading.Thread(target=self._run, name="demo-website", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(
                self._loop.create_server(
                    lambda: _Connection(self._handler, self._open),
                    "127.0.0.1",
                    self.port,
                    ssl=self._tls,
                    backlog=512,
                )
            )
        except OSError as error:
            self._error = error
            self._ready.set()
            self._loop.close()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            for connection in list(self._open):
                connection.transport.abort()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()

    def stop(self) -> None:
        """Close the port and every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)
