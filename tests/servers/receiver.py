"""A webhook receiver on a real socket: keeps what arrives, and answers as it is told."""

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Arrival:
    """One POST as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    tls: ssl.SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        # The handshake belongs to the connection's thread, not to the one that accepts.
        if self.tls is not None:
            request = self.tls.wrap_socket(request, server_side=True)
        self.RequestHandlerClass(request, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that hung up is no error of the receiver's."""


class Receiver:
    """``answer(arrival)`` gives the status of each POST; without it every one is 204."""

    def __init__(self, answer: Callable[[Arrival], int] | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.answer = answer or (lambda arrival: 204)
        self.arrivals: list[Arrival] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"receiver": self}))
        self._server.tls = tls
        self.port: int = self._server.server_address[1]
        self._scheme = "http" if tls is None else "https"

    def url(self, path: str = "/hook", host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self.port}{path}"

    def take(self, arrival: Arrival) -> int:
        with self._lock:
            self.arrivals.append(arrival)
        return self.answer(arrival)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        status = self.receiver.take(Arrival(self.path, dict(self.headers.items()), body))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: arrivals are kept."""
