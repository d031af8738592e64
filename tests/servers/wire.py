"""A real server on a real socket that says exactly the bytes a test wants, as slowly or as badly as it wants."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

ENDING_SECONDS = 0.2  # for a connection whose client has gone
HANG_SECONDS = 60.0  # longer than any client that has a deadline waits


class Connection:
    """One request on one connection, from the server's side."""

    def __init__(self, server: "WireServer", wire: socket.socket, head: bytes) -> None:
        self.server = server
        self._wire = wire
        self.head = head
        self.method, self.path = head.decode("latin-1").split(" ", 2)[:2]
        self.keep_alive = False

    def header(self, name: str) -> str | None:
        """The request header of this name."""
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None

    def send(self, data: bytes) -> None:
        self._wire.sendall(data)

    def answer(self, body: bytes = b"", status: str = "200 OK", **headers: str) -> None:
        """A well-formed answer; ``content_type="text/html"`` becomes the header Content-Type."""
        fields = {"content_length": str(len(body)), **headers}
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.send(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + (b"" if self.method == "HEAD" else body))
        self.keep_alive = True

    def drip(self, data: bytes, every: float = 0.05) -> None:
        """One byte at a time until the data or the test is over."""
        for byte in data:
            self.send(bytes([byte]))
            if self.server.ending.wait(every):
                return
        self.server.waited_out += 1

    def hang(self) -> None:
        """Says nothing more until the test is over."""
        if not self.server.ending.wait(HANG_SECONDS):
            self.server.waited_out += 1

    def reset(self) -> None:
        """Breaks the connection off with a TCP reset."""
        self._wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._wire.close()


Script = Callable[[Connection], None]


class WireServer:
    """Runs ``script`` for every request. ``tls`` wraps the connection, ``greeting`` is said before any request.

    ``waited_out`` counts the clients that were still there when a hang or a drip had come to its end: 0 says that each
    gave up before, whatever the seconds were on a busy machine.
    """

    def __init__(self, script: Script, *, tls: ssl.SSLContext | None = None, greeting: bytes = b"") -> None:
        self._script = script
        self._greeting = greeting
        self._tls = tls
        self.requests: list[Connection] = []
        self.connections = 0
        self.waited_out = 0
        self.ending = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._listener.settimeout(0.05)
        self.host = "127.0.0.1"
        self.port: int = self._listener.getsockname()[1]

    def url(self, path: str = "/", host: str | None = None) -> str:
        return f"{'https' if self._tls else 'http'}://{host or self.host}:{self.port}{path}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ending.set()
        with suppress(OSError):  # a system on which this wakes nobody: the wait for a connection ends by itself
            self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(HANG_SECONDS)
        self._listener.close()

    def forget_connections(self) -> bool:
        """Whether all connections have ended or end at once; forgets them, so that another test can use the server."""
        accepting, *serving = self._threads
        for thread in serving:
            thread.join(ENDING_SECONDS)
        if any(thread.is_alive() for thread in serving):
            return False
        self._threads = [accepting]
        self.requests.clear()
        self.connections = self.waited_out = 0
        return True

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.ending.is_set():
            try:
                wire, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, wire)

    def _serve(self, wire: socket.socket) -> None:
        try:
            wire.settimeout(0.05 if self._tls is None else HANG_SECONDS)
            if self._tls is not None:
                wire = self._tls.wrap_socket(wire, server_side=True)
                wire.settimeout(0.05)
            with wire:
                wire.sendall(self._greeting)
                while self._one_request(wire):
                    pass
        except OSError:
            wire.close()

    def _one_request(self, wire: socket.socket) -> bool:
        head = b""
        while b"\r\n\r\n" not in head:
            if self.ending.is_set():
                return False
            try:
                piece = wire.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                return False
            head += piece
        wire.settimeout(HANG_SECONDS)
        connection = Connection(self, wire, head)
        self.requests.append(connection)
        self._script(connection)
        wire.settimeout(0.05)
        return connection.keep_alive
