"""A webhook receiver: takes every POST, answers 204, checks its signature, and shows on GET what arrived."""

import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler
from typing import Any

from chalicelib import clock
from chalicelib.domain.webhooks import signature
from host.loopback import LoopbackServer

KEPT = 1000


class Receiver:
    """The receiver on a free port. ``received`` holds the last deliveries, oldest first."""

    def __init__(self) -> None:
        self._received: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._secrets: list[str] = []
        self._lock = threading.Lock()
        self._server = LoopbackServer(type("Handler", (_Handler,), {"receiver": self}))
        self._server.start("receiver")
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"

    def know(self, secret: str) -> None:
        """Checks signatures with this secret too."""
        self._secrets.append(secret)

    def received(self) -> list[dict[str, Any]]:
        """What arrived: ``{at, path, headers, body, verified}`` each, the body as text. ``verified``: whether the
        signature was made with a secret that the receiver knows (that of the endpoint ``make run`` adds)."""
        with self._lock:
            return list(self._received)

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        """Keeps one delivery."""
        given = headers.get(signature.SIGNATURE_HEADER)
        arrival = {
            "at": clock.now(),
            "path": path,
            "headers": headers,
            "body": body.decode("utf-8", "replace"),
            "verified": any(signature.verify(secret, body, given) for secret in self._secrets),
        }
        with self._lock:
            self._received.append(arrival)

    def stop(self) -> None:
        """Takes no more."""
        self._server.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.receiver.take(self.path, dict(self.headers.items()), body)
        self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        content = json.dumps({"items": self.receiver.received()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what arrives is kept."""
