"""AWS Lambda with one function, on a real socket: the Invoke that callers use, and the Runtime API that the function's
own process asks for work and answers.

What the function does is done by ``answer`` in this process; without it, by a process that speaks the Runtime API at
``runtime``, as it does in Lambda.
"""

import json
import queue
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

MOST_BYTES = 6 * 1024 * 1024  # of a payload, either way
NAME = "wos-Engine"
REFUSALS = {
    "throttled": (429, "TooManyRequestsException", "Rate Exceeded."),
    "denied": (403, "AccessDeniedException", "User is not authorized to perform: lambda:InvokeFunction"),
    "down": (500, "ServiceException", "An error occurred and the request cannot be processed."),
}
BREAKDOWNS = {
    "timeout": ("Sandbox.Timedout", "RequestId: 1 Error: Task timed out after 180.00 seconds"),
    "killed": ("Runtime.ExitError", "RequestId: 1 Error: Runtime exited with error: signal: killed"),
    "too_large": ("Function.ResponseSizeTooLarge", "Response payload size exceeded maximum allowed payload size"),
}


class FunctionService:
    """Lambda from ``with`` to its end. ``fault``: how it refuses a call or the function breaks off; "silent" says
    nothing, "nonsense" answers what is no JSON. ``asked``: the payloads of all calls."""

    def __init__(self, answer: Callable[[Any], Any] | None = None, name: str = NAME) -> None:
        self.name = name
        self.fault = ""
        self.asked: list[Any] = []
        self._answer = answer
        self._waiting: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self._answers: dict[str, queue.Queue[tuple[bool, bytes]]] = {}
        self._no_start: bytes | None = None  # what the function's process said when it could not begin
        self._ending = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://{self.runtime}"

    @property
    def runtime(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()

    def _invoked(self, payload: bytes) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(json.loads(payload))
        if self.fault in REFUSALS:
            return _refusal(*REFUSALS[self.fault])
        if self.fault in BREAKDOWNS:
            return _broken(*BREAKDOWNS[self.fault])
        if self.fault == "silent":
            self._ending.wait(60.0)
        if self.fault == "nonsense":
            return 200, {}, b"<html>"
        if self._answer is not None:
            try:
                body = json.dumps(self._answer(self.asked[-1])).encode()
            except Exception as error:
                return _broken(type(error).__name__, str(error))
            return (200, {}, body) if len(body) <= MOST_BYTES else _broken(*BREAKDOWNS["too_large"])
        if self._no_start is not None:
            return 200, {"X-Amz-Function-Error": "Unhandled"}, self._no_start
        number = f"{len(self.asked)}"
        self._answers[number] = queue.Queue()
        self._waiting.put((number, payload))
        well, body = self._answers[number].get(timeout=300.0)
        return 200, {} if well else {"X-Amz-Function-Error": "Unhandled"}, body

    def _of_the_runtime(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """The Runtime API: ``next``, and the answer to a call or its error."""
        if path.endswith("/invocation/next"):
            while not self._ending.is_set():
                try:
                    number, payload = self._waiting.get(timeout=0.05)
                except queue.Empty:
                    continue
                headers = {
                    "Lambda-Runtime-Aws-Request-Id": number,
                    "Lambda-Runtime-Deadline-Ms": "4102444800000",
                    "Lambda-Runtime-Invoked-Function-Arn": f"arn:aws:lambda:us-east-1:1:function:{self.name}",
                }
                return 200, headers, payload
            return 500, {}, b"{}"
        if path.endswith("/init/error"):
            self._no_start = body
            for answers in self._answers.values():
                answers.put((False, body))
            return 202, {}, b'{"status": "OK"}'
        *_, number, outcome = path.split("/")
        if outcome == "response" and len(body) > MOST_BYTES:
            self._answers[number].put((False, _problem(*BREAKDOWNS["too_large"])))
            return 413, {}, b'{"errorType": "RequestEntityTooLarge"}'
        self._answers[number].put((outcome == "response", body))
        return 202, {}, b'{"status": "OK"}'

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._say(*service._of_the_runtime(self.path, b""))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path == f"/2015-03-31/functions/{service.name}/invocations":
                    self._say(*service._invoked(body))
                elif self.path.startswith("/2018-06-01/runtime/"):
                    self._say(*service._of_the_runtime(self.path, body))
                else:
                    self._say(*_refusal(404, "ResourceNotFoundException", "Function not found"))

            def _say(self, status: int, headers: dict[str, str], body: bytes) -> None:
                try:
                    self.send_response(status)
                    for name, value in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def _refusal(status: int, kind: str, message: str) -> tuple[int, dict[str, str], bytes]:
    return status, {"x-amzn-ErrorType": kind}, json.dumps({"Type": "User", "Message": message}).encode()


def _broken(kind: str, message: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"X-Amz-Function-Error": "Unhandled"}, _problem(kind, message)


def _problem(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()
