"""What the stand-ins of Google's APIs with an API key have in common: the key, the errors, and how they misbehave."""

import json
from abc import ABC, abstractmethod
from collections import deque
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, Final, NamedTuple

from host.loopback import LoopbackServer

KEY: Final = "stand-in-key"
_KEPT: Final = 100
_STATUS: Final = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class Asked(NamedTuple):
    """One request that came: its path with the query, its headers (names in lower case) and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


class Misstep(Exception):
    """The request is answered with this error."""

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class GoogleStandin(ABC):
    """A stand-in on a free port, from its making to ``stop``. ``asked``: the last requests, oldest first.

    access: the key is refused; quota: nothing more is answered, and when it is again is not told; down: out of order;
    partial: the answer breaks off half-way.
    """

    name: ClassVar[str]
    faults: ClassVar[tuple[str, ...]] = ("none", "access", "quota", "down", "partial")

    def __init__(self) -> None:
        self.fault = "none"
        self.asked: deque[Asked] = deque(maxlen=_KEPT)
        self._server = LoopbackServer(type("Handler", (_Handler,), {"standin": self}))
        self._server.start(self.name)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def misbehave(self, fault: str) -> None:
        """Fail in this way from now on; ``none``: answer again. Raises ``ValueError`` for a fault it does not know."""
        if fault not in self.faults:
            raise ValueError(f"{fault!r} is no fault of {self.name}; there are {', '.join(self.faults)}")
        self.fault = fault

    def stop(self) -> None:
        """Takes no more requests."""
        self._server.stop()

    @abstractmethod
    def answer(self, method: str, asked: Asked) -> dict[str, Any]:
        """What the service answers with 200. Raises ``Misstep``."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin: GoogleStandin

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def _handle(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, headers, body)
        self.standin.asked.append(asked)
        try:
            self._general_faults(headers)
            answer = self.standin.answer(method, asked)
        except Misstep as misstep:
            self._send(misstep.status, _error(misstep))
        else:
            self._send(200, answer, broken=self.standin.fault == "partial")

    def _general_faults(self, headers: dict[str, str]) -> None:
        fault = self.standin.fault
        if fault == "access" or headers.get("x-goog-api-key") != KEY:
            raise Misstep(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID")
        if fault == "quota":
            raise Misstep(429, "Quota exceeded for quota metric 'Queries' of service.", "RATE_LIMIT_EXCEEDED")
        if fault == "down":
            raise Misstep(503, "The service is currently unavailable.")

    def _send(self, status: int, content: dict[str, Any], *, broken: bool = False) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if broken:
            self.close_connection = True
            body = body[: len(body) // 2]
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what comes is kept."""


def _error(misstep: Misstep) -> dict[str, Any]:
    error: dict[str, Any] = {"code": misstep.status, "message": str(misstep), "status": _STATUS[misstep.status]}
    if misstep.reason:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": kind, "reason": misstep.reason, "domain": "googleapis.com"}]
    return {"error": error}
