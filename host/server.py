"""Serves the app over HTTP, as API Gateway and Lambda would: every request goes through Chalice's local gateway.

Chalice's own development server waits 40 ms for each kept-alive answer (Nagle), turns connections away under load,
and answers HEAD and unusual verbs with pages of its own. This one does not.
"""

import base64
import json
import logging
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from chalice.app import Chalice
from chalice.config import Config
from chalice.local import LocalChalice, LocalGateway, LocalGatewayException

from chalicelib.http import edge
from host.ids import random_id
from host.jobs import Jobs
from host.loopback import LoopbackServer

MAX_BODY_BYTES = 10 * 1024 * 1024  # API Gateway's own limit
IDLE_SECONDS = 120  # how long a kept-alive connection may be silent

log = logging.getLogger(__name__)


class _BadRequest(Exception):
    """A request that is not HTTP: status and what is wrong."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class ApiServer:
    """The API on a port of the loopback address, or of another. Answers from the moment it is made."""

    def __init__(self, app: Chalice, port: int, *, address: str = "127.0.0.1", jobs: Jobs | None = None) -> None:
        """``port`` 0 takes a free one. ``jobs`` counts the requests that are being answered. Raises ``OSError`` when
        the port is taken, or the address is none of this machine's."""
        if not isinstance(app, LocalChalice):
            # Makes the current request a matter of the thread, as each function of a deployment has its own.
            app.__class__ = type("LocalService", (LocalChalice, app.__class__), {})
        gateway = LocalGateway(app, Config.create(chalice_app=app))
        self._stopping = threading.Event()
        given = {"gateway": gateway, "jobs": jobs or Jobs(), "stopping": self._stopping}
        self._server = LoopbackServer(type("Handler", (_Handler,), given), port, address)
        self._server.start("api")
        self.port = self._server.server_port
        self.url = f"http://[{address}]:{self.port}" if ":" in address else f"http://{address}:{self.port}"

    def stop(self) -> None:
        """Takes no more connections. A request that comes over one that is open is answered, and ends it."""
        self._stopping.set()
        self._server.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE_SECONDS
    gateway: LocalGateway
    jobs: Jobs
    stopping: threading.Event

    def __getattr__(self, name: str) -> Any:
        """``do_GET`` and all the others: which verbs there are is the app's matter."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        with self.jobs.job("api"):
            self._answer_one()
        if self.stopping.is_set():
            self.close_connection = True

    def _answer_one(self) -> None:
        try:
            body = self._read_body()
        except _BadRequest as error:
            self._refuse(error.status, error.code, str(error))
            return
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        if not self.path.startswith("/"):
            self._send(*edge.unknown_path(random_id()))
            return
        try:
            answer = self.gateway.handle_request(self.command, self.path, headers, body)
        except (LocalGatewayException, UnicodeEncodeError):  # it stumbles over an odd key on a path that is none
            self._send(*edge.unknown_path(random_id()))
            return
        content = answer.get("body") or ""
        data = base64.b64decode(content) if answer.get("isBase64Encoded") else content
        self._send(answer["statusCode"], {**answer["headers"], **answer["multiValueHeaders"]}, data)

    def _read_body(self) -> bytes | None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self._read_chunks()
        given = self.headers.get("Content-Length", "0")
        if not given.isdecimal():
            raise _BadRequest(400, "bad_parameter", f"Content-Length is {given!r}, but must be a number of bytes.")
        length = int(given)
        if length > MAX_BODY_BYTES:
            raise _BadRequest(413, "too_large", "The body is larger than is read.")
        return self.rfile.read(length) if length else None

    def _read_chunks(self) -> bytes:
        chunks: list[bytes] = []
        total = 0
        while True:
            try:
                size = int(self.rfile.readline(1024).split(b";")[0], 16)
            except ValueError:
                raise _BadRequest(400, "bad_parameter", "The chunked body could not be read.") from None
            total += size
            if total > MAX_BODY_BYTES or size < 0:
                raise _BadRequest(413, "too_large", "The body is larger than is read.")
            chunks.append(self.rfile.read(size))
            self.rfile.readline(1024)
            if size == 0:
                return b"".join(chunks)

    def _send(self, status: int, headers: dict[str, Any], body: str | bytes) -> None:
        data = body if isinstance(body, bytes) else body.encode("utf-8")
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string())
        names = set()
        for name, value in headers.items():
            names.add(name.lower())
            for single in value if isinstance(value, list) else [value]:
                self.send_header(name, single)
        if self.stopping.is_set():
            self.send_header("Connection", "close")
        if status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED) and "content-length" not in names:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answers in the API's error shape and ends the connection: what follows on it cannot be told apart."""
        self.close_connection = True
        headers = {
            "Content-Type": "application/json",
            "X-Request-Id": random_id(),
            "Connection": "close",
            **edge.OF_ALL,
        }
        self._send(status, headers, json.dumps({"error": {"code": code, "message": message}}))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses: a request line or header that is not HTTP."""
        if not hasattr(self, "command") or self.command is None:
            self.command = "GET"
        self.request_version = "HTTP/1.1"
        self._refuse(int(code), "bad_parameter", "The request could not be read.")

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
