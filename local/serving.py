"""``Service``: the base class of all local HTTP servers (the stand-ins, the webhook receiver, the control address)."""

import json
import selectors
import socket
import socketserver
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

NO_CONTENT: Final = 204
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class LoopbackServer(ThreadingHTTPServer):
    """Serves one handler class on a free port of the loopback address. It runs from ``start`` to ``stop``."""

    daemon_threads = True
    request_queue_size = 256
    timeout = 0.0  # makes ``handle_request`` not wait for a client that has disconnected

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._stop, self._stopped = socket.socketpair()
        self._thread: threading.Thread | None = None

    def server_bind(self) -> None:
        """Bind the socket without looking up this machine's name, which can be slow."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def start(self, name: str) -> None:
        """Serve in a thread with this name."""
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        """Serve until ``stop``. ``serve_forever`` would notice a stop only at its next poll."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stopped, selectors.EVENT_READ)
            selector.register(self, selectors.EVENT_READ)
            while all(key.fileobj is self for key, _ in selector.select()):
                self.handle_request()

    def stop(self) -> None:
        """Accept no more requests. Does not wait for open connections."""
        self._stop.close()
        if self._thread is not None:
            self._thread.join()
        self._stopped.close()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect before their answer."""


class Request(NamedTuple):
    """One request. ``path`` includes the query. ``headers`` finds a header by its name in any letter case."""

    method: str
    path: str
    headers: Message
    body: bytes

    def lower_headers(self) -> dict[str, str]:
        """Return the headers by their names in lower case."""
        return {name.lower(): value for name, value in self.headers.items()}

    def json(self) -> Any:
        """Return the parsed body; None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Answer(NamedTuple):
    """One answer. ``broken``: whether to send only half of the body and then end the connection."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = _NO_HEADERS
    broken: bool = False


class Service(ABC):
    """An HTTP service on a free port of the loopback address. It answers from ``__init__`` until ``stop``.

    A subclass calls ``super().__init__()`` when it is ready to answer. Several threads call ``respond`` at the same
    time.
    """

    name: ClassVar[str]
    methods: ClassVar[tuple[str, ...]] = ("POST",)  # requests with other methods are answered with 501
    json_type: ClassVar[str] = "application/json"
    most_body: ClassVar[int | None] = None  # bytes; a longer body is read, and ``respond`` gets only its beginning

    def __init__(self) -> None:
        self._server = LoopbackServer(type("Handler", (_Handler,), {"service": self}))
        self._server.start(self.name)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @abstractmethod
    def respond(self, request: Request) -> Answer | None:
        """Answer a request. Return None to end the connection without an answer."""

    def json_answer(
        self, status: int, content: Any, headers: Mapping[str, str] = _NO_HEADERS, *, broken: bool = False
    ) -> Answer:
        """Make an answer with a JSON body."""
        return Answer(status, json.dumps(content).encode(), {"Content-Type": self.json_type, **headers}, broken)

    def stop(self) -> None:
        """Accept no more requests."""
        self._server.stop()


class Standin(Service):
    """A simulated outside service. It can be made to fail."""

    called: ClassVar[str]  # what messages call it
    faults: ClassVar[tuple[str, ...]]
    fault = "none"

    def misbehave(self, fault: str) -> None:
        """Fail from now on in the way that the fault names. With ``none``, answer normally. Raises ``ValueError`` for
        an unknown fault."""
        if fault not in self.faults:
            raise ValueError(f"{fault!r} is not a fault of {self.called}; the faults are {', '.join(self.faults)}")
        self.fault = fault


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # so that head and body are sent together
    service: Service

    def __getattr__(self, name: str) -> Any:
        """Return the method that handles a request, such as ``do_GET``."""
        if name.startswith("do_") and name.removeprefix("do_") in self.service.methods:
            return self._respond
        raise AttributeError(name)

    def handle_expect_100(self) -> bool:
        """Send the interim answer (100 Continue) at once. The AWS client waits for it, up to a second, before it sends
        the body."""
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def _respond(self) -> None:
        answer = self.service.respond(Request(self.command, self.path, self.headers, self._body()))
        if answer is None:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != NO_CONTENT:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if answer.broken:
            self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.broken else answer.body)

    def _body(self) -> bytes:
        size = int(self.headers.get("Content-Length", "0"))
        most = self.service.most_body
        if most is None or size <= most:
            return self.rfile.read(size)
        kept = self.rfile.read(most + 1)
        for start in range(most + 1, size, most):  # read the rest, or the sender would not read the answer
            self.rfile.read(min(most, size - start))
        return kept

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: services record their requests themselves."""
