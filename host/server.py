"""Serves the app over HTTP, as API Gateway and Lambda would.

The server waitress reads the requests, and Chalice's local gateway answers them.
"""

import base64
import json
import threading
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from chalice.app import Chalice
from chalice.config import Config
from chalice.local import LambdaEventConverter, LocalGateway, LocalGatewayException, MatchResult, RouteMatcher
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from chalicelib.http import edge
from host.forwarded import Caller, Proxies
from host.ids import random_id
from host.jobs import Jobs

MAX_BODY_BYTES = 10 * 1024 * 1024  # API Gateway's own limit
MAX_HEADER_BYTES = 64 * 1024  # request line and headers together
MAX_ANSWER_BYTES = 8 * 1024 * 1024  # above Lambda's limit of 6 MB
IDLE_SECONDS = 120  # how long a connection may be idle
THREADS = 64  # requests that are answered at the same time; the others wait
CONNECTIONS = 1_000
STOP_SECONDS = 5.0  # how long ``stop`` waits for the listening socket to close
_LOOP_SECONDS = 1.0
_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)  # Chalice's gateway does not pass the caller on
# Code and message of requests that are refused before the app sees them, by status.
_REFUSED = {
    413: ("too_large", f"The body is larger than {MAX_BODY_BYTES:,} bytes. Send it in several requests."),
    431: ("bad_parameter", f"Request line and headers exceed {MAX_HEADER_BYTES:,} bytes. Send shorter ones."),
    500: ("internal", "The service failed to answer."),
}
_NOT_HTTP = ("bad_parameter", "This is not a valid HTTP request. Check its request line, its headers and its lengths.")


class ApiServer:
    """Serves the API on a port of the loopback address, or of another address.

    Accepts connections once it is created.
    """

    def __init__(
        self,
        app: Chalice,
        port: int,
        *,
        address: str = "127.0.0.1",
        jobs: Jobs | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        """``port``: 0 for any free port.

        Several threads call ``app``. ``jobs`` counts the requests in progress. ``proxies``: the proxies whose forwarded
        headers are trusted; None: these headers are ignored. Raises ``OSError`` if the port is taken, or if the address
        does not belong to this machine.
        """
        application = _wsgi(local_gateway(app), proxies or Proxies(""))
        self._server = _Server(application, address, port, jobs or Jobs())
        threading.Thread(target=self._server.run, name="api", daemon=True).start()
        self.port = int(self._server.effective_port)
        self.url = f"http://[{address}]:{self.port}" if ":" in address else f"http://{address}:{self.port}"

    def stop(self) -> None:
        """Accept no more connections. An open connection is closed after its next answer."""
        self._server.stop()


class Routes(RouteMatcher):
    """Matches routes as API Gateway does: ``{name+}`` matches all remaining segments, unless another route matches more
    exactly."""

    def __init__(self, routes: list[str]) -> None:
        super().__init__([route for route in routes if not route.endswith("+}")])
        self._greedy = sorted((route for route in routes if route.endswith("+}")), key=len, reverse=True)

    def match_route(self, url: str) -> MatchResult:
        """Return the route that matches an address, the values in the address's path, and its query parameters. Raises
        ``ValueError`` if no route matches."""
        try:
            return super().match_route(url)
        except ValueError:
            parts = urlsplit(url)
            for route in self._greedy:
                above, _, name = route.rpartition("/")
                rest = parts.path.removeprefix(f"{above}/")
                if rest and rest != parts.path:
                    query = parse_qs(parts.query, keep_blank_values=True)
                    return MatchResult(route, {name[1:-2]: rest.rstrip("/")}, query)
            raise


class _Events(LambdaEventConverter):
    """Makes events that contain the caller's address and the requested domain, as API Gateway's events do."""

    def create_lambda_event(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Any:
        event = super().create_lambda_event(method, path, headers, body)
        caller = _caller.get()
        if caller is None:  # no request over HTTP
            return event
        event["requestContext"]["identity"]["sourceIp"] = caller.ip
        if caller.domain is not None:
            event["requestContext"]["domainName"] = caller.domain
        return event


def local_gateway(app: Chalice) -> LocalGateway:
    """Make Chalice's local gateway for the app."""
    gateway = LocalGateway(app, Config.create(chalice_app=app))
    gateway.event_converter = _Events(Routes(list(app.routes)), app.api.binary_types)
    return gateway


def _wsgi(gateway: LocalGateway, proxies: Proxies) -> Callable[..., list[bytes]]:
    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        status, headers, body = _answer(gateway, proxies, environ)
        pairs = [
            (name, one) for name, value in headers.items() for one in (value if isinstance(value, list) else [value])
        ]
        if "content-length" not in {name.lower() for name, _ in pairs}:
            pairs.append(("Content-Length", str(len(body))))
        start_response(f"{status} {HTTPStatus(status).phrase}", pairs)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    return answer


def _answer(gateway: LocalGateway, proxies: Proxies, environ: dict[str, Any]) -> tuple[int, dict[str, Any], bytes]:
    target = environ["REQUEST_URI"]
    if not target.startswith("/"):
        return _unknown_path()
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    headers |= {
        name.replace("_", "-").lower(): environ[name] for name in ("CONTENT_TYPE", "CONTENT_LENGTH") if name in environ
    }
    _caller.set(proxies.caller(environ["REMOTE_ADDR"], headers))
    try:
        found = gateway.handle_request(environ["REQUEST_METHOD"], target, headers, environ["wsgi.input"].read() or None)
    except (LocalGatewayException, UnicodeEncodeError):  # Chalice's gateway raises for an odd key on an unknown path
        return _unknown_path()
    content = found.get("body") or ""
    body = base64.b64decode(content) if found.get("isBase64Encoded") else content
    return (
        found["statusCode"],
        {**found["headers"], **found["multiValueHeaders"]},
        body if isinstance(body, bytes) else body.encode(),
    )


def _unknown_path() -> tuple[int, dict[str, Any], bytes]:
    status, headers, text = edge.unknown_path(random_id())
    return status, dict(headers), text.encode()


class _Parser(HTTPRequestParser):
    def parse_header(self, header_plus: bytes) -> None:
        """Refuse headers that would make Python's own parsers raise an exception, such as a length with thousands of
        digits."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError(str(error)) from error


class _Task(WSGITask):
    def service(self) -> None:
        with self.channel.server.jobs.job("api"):
            super().service()

    def build_response_header(self) -> bytes:
        if self.channel.server.stopping.is_set():
            self.set_close_on_finish()
        head: bytes = super().build_response_header()
        return head

    def set_close_on_finish(self) -> None:
        """Close the connection only if client or server asks for it. waitress would also close the connection after a
        304 without a body."""
        if self.has_body or self.request.connection_close or self.channel.server.stopping.is_set():
            super().set_close_on_finish()


class _Refusal(ErrorTask):
    """Answers requests that waitress refuses in the API's error shape, and ends the connection."""

    def execute(self) -> None:
        status = self.request.error.code
        code, message = _REFUSED.get(status, _NOT_HTTP)
        body = json.dumps({"error": {"code": code, "message": message}}).encode()
        self.version = "1.1"  # the request's own version may be unreadable
        self.status = f"{status} {HTTPStatus(status).phrase}"
        self.response_headers.extend(
            {"Content-Type": "application/json", "X-Request-Id": random_id(), **edge.OF_ALL}.items()
        )
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    task_class = _Task
    error_task_class = _Refusal
    parser_class = _Parser


class _Server(TcpWSGIServer):
    channel_class = _Channel

    def __init__(self, application: Callable[..., Any], address: str, port: int, jobs: Jobs) -> None:
        self.jobs = jobs
        self.stopping = threading.Event()
        self._closed = threading.Event()
        self._waking = threading.Lock()
        self._sockets: dict[int, Any] = {}
        super().__init__(
            application,
            self._sockets,
            host=address,
            port=port,
            threads=THREADS,
            ident=None,
            connection_limit=CONNECTIONS,
            outbuf_overflow=MAX_ANSWER_BYTES,  # a longer answer is kept in a file until it is sent
            channel_timeout=IDLE_SECONDS,
            max_request_header_size=MAX_HEADER_BYTES,
            max_request_body_size=MAX_BODY_BYTES + 1,
            clear_untrusted_proxy_headers=False,  # only ``Proxies`` reads these headers, never the app
            log_socket_errors=False,  # a client that disconnects is not an error
        )

    def run(self) -> None:
        """Serve until ``stop`` is called. After that, serve the open connections until all are closed."""
        while not self.stopping.is_set():
            self._turn()
        wasyncore.dispatcher.close(self)  # closes only the listening socket, not the open connections
        with self.jobs.job("api"):
            self._closed.set()
            while any(one.requests or one.request or one.total_outbufs_len for one in self._channels()):
                self._turn()
        while self._channels():
            self._turn()
            self.readable()  # closes connections that are idle for too long
        with self._waking:
            self.trigger.close()
        self.task_dispatcher.shutdown()

    def stop(self) -> None:
        """Take no more connections. Returns when the listening socket is closed."""
        with self._waking:  # else the loop may see ``stopping``, end, and close the trigger before it is pulled
            if not self.stopping.is_set():
                self.stopping.set()
                self.pull_trigger()
        self._closed.wait(STOP_SECONDS)

    def _channels(self) -> list[_Channel]:
        return list(self.active_channels.values())

    def _turn(self) -> None:
        wasyncore.loop(timeout=_LOOP_SECONDS, use_poll=True, map=self._sockets, count=1)
