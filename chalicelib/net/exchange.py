"""Sends one HTTP/1.1 request over a new connection and reads the answer, for ``calls`` and ``send``.

- The connection goes to an IP address that the guard allowed. TLS is verified against the host name.
- One deadline covers everything from the look-up of the name to the last byte: every socket call gets the time that is
  left.
- Head, interim answers, chunk lines, trailers and body have limits (``net.http1``), whatever sizes the server
  announces.
- No redirect is followed, no proxy and no cookie is used, and nothing is kept between two exchanges.

Failure policy: inside the ``with`` block of an exchange, every failure of the server or the network becomes ``Failed``,
with the phase in which it happened. A failure of this machine becomes ``OwnFailure``.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final, Literal, Self
from urllib.parse import quote

from chalicelib import clock
from chalicelib.net.decoding import DecodingError
from chalicelib.net.failures import OwnFailure, certificate_advice, certificate_fault, deciding, own_failure
from chalicelib.net.guard import Address, AddressRefused, Guard, ResolveFailed, Target
from chalicelib.net.http1 import Chunks, Head, Heads, Malformed, framing
from chalicelib.net.routes import routed
from chalicelib.net.trust import HTTP_1, trusting

Phase = Literal["dns", "connect", "tls", "write", "headers", "body"]

MOST_ADDRESSES: Final = 4
_CHUNK: Final = 64 * 1024
_SENT_AT_ONCE: Final = 64 * 1024
# Characters allowed in a request target; others are percent-encoded, so that none can end the line.
_TARGET_SAFE: Final = "!$%&'()*+,/:;=?@[]~-._"


class Failed(Exception):
    """Raised if the server or the network made the exchange fail. The text gives the reason and contains no part of the
    request."""

    def __init__(self, phase: Phase, reason: str) -> None:
        super().__init__(reason)
        self.phase = phase
        self.reason = reason


class BadHeader(ValueError):
    """Raised if a header value of the request contains characters that are not allowed in a header. The text names the
    header."""


class Exchange:
    """One request and its answer over a new connection. Use it as ``with Exchange(…) as exchange``.

    - ``seconds``: the limit for its total time.
    - ``ca_file``: an additional trusted certificate authority (PEM).
    - ``phase``: the current phase.
    """

    def __init__(self, guard: Guard, *, seconds: float, ca_file: str = "") -> None:
        self.phase: Phase = "dns"
        self._guard = guard
        self._seconds = seconds
        self._started = clock.monotonic()
        self._deadline = self._started + seconds
        self._ca_file = ca_file
        self._host = ""
        self._socket: socket.socket | None = None
        self._rest = b""  # part of the body that was received with the head

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._socket is not None:
            self._socket.close()
        if error is None or isinstance(error, Failed):
            return
        own = own_failure(error)
        if own is not None:
            raise own from None
        reason = self._reason(error)
        if reason is not None:
            raise Failed(self.phase, reason) from None

    @property
    def ms(self) -> int:
        """Milliseconds since the exchange began."""
        return round((clock.monotonic() - self._started) * 1000)

    @property
    def left(self) -> float:
        """Return how many seconds are left of the total time. Raises ``TimeoutError`` if none are left."""
        left = self._deadline - clock.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def limit(self, seconds: float) -> None:
        """Move the deadline to this many seconds from now, unless it is already earlier."""
        self._deadline = min(self._deadline, clock.monotonic() + seconds)

    def resolve(self, target: Target) -> list[Address]:
        """Look up the host of the target. Returns the host's checked IP addresses."""
        return self._guard.resolve_within(target.host, target.port, self.left)

    def connect(self, target: Target, addresses: list[Address]) -> socket.socket:
        """Connect to the first address that accepts a connection. For https, also set up TLS."""
        self.phase = "connect"
        context = _context(self._ca_file) if target.scheme == "https" else None
        self._connect(routed(target.host, addresses[:MOST_ADDRESSES]), target.port)
        assert self._socket is not None
        if context is not None:
            self.phase = "tls"
            self._host = target.host.strip("[]")
            secured = context.wrap_socket(self._socket, server_hostname=self._host, do_handshake_on_connect=False)
            self._socket = secured
            secured.settimeout(self.left)
            secured.do_handshake()
        return self._socket

    def ask(self, request: bytes) -> Head:
        """Send the request and read the head of the answer.

        A server may answer and close the connection before it has read the whole request. So a failure to send counts
        only if no head arrives.
        """
        self.phase = "write"
        cut_off = self._write(request)
        self.phase = "headers"
        try:
            head = self._read_head()
        except (OSError, Malformed):
            if cut_off is None:
                raise
            self.phase = "write"
            raise cut_off from None
        self.phase = "body"
        return head

    def body(self, head: Head, method: str) -> Iterator[bytes]:
        """Yield the content of the body, piece by piece, to its end."""
        how = framing(head, method)
        if how == "none":
            return
        if how == "close":
            yield from self.unframed()
        elif how == "chunked":
            yield from self._chunked()
        else:
            yield from self._counted(how)

    def unframed(self) -> Iterator[bytes]:
        """Yield all bytes until the connection ends. Used if the headers do not say where the body ends."""
        if self._rest:
            yield self._rest
        while data := self._receive():
            yield data

    # -- look-up, connection, request --------------------------------------------------------------------

    def _connect(self, addresses: list[Address], port: int) -> None:
        failures: list[OSError] = []
        for position, address in enumerate(addresses):
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            try:
                self._socket = self._guard.socket_for(family, socket.SOCK_STREAM, 0, str(address))
                self._socket.settimeout(self.left / (len(addresses) - position))
                self._socket.connect((str(address), port))
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                if self._socket is not None:
                    self._socket.close()
                failures.append(error)
            else:
                return
        if not failures:
            raise ResolveFailed("the name has no address")
        raise deciding(failures)

    def _write(self, request: bytes) -> OSError | None:
        """Send the request. Returns the error if the connection broke."""
        assert self._socket is not None
        view = memoryview(request)
        try:
            while view:
                # ``sendall`` of a TLS connection applies its time limit to each record, not to the whole.
                self._socket.settimeout(self.left)
                view = view[self._socket.send(view[:_SENT_AT_ONCE]) :]
        except TimeoutError:
            raise
        except OSError as error:
            return error
        return None

    # -- the answer --------------------------------------------------------------------------------------

    def _receive(self) -> bytes:
        assert self._socket is not None
        self._socket.settimeout(self.left)
        return self._socket.recv(_CHUNK)

    def _read_head(self) -> Head:
        heads = Heads()
        while True:
            data = self._receive()
            if not data:
                raise heads.ended()
            head = heads.add(data)
            if head is not None:
                self._rest = heads.rest
                return head

    def _counted(self, length: int) -> Iterator[bytes]:
        for data in self.unframed() if length else ():
            yield data[:length]
            length -= len(data)
            if length <= 0:
                return
        if length > 0:
            raise Malformed("the answer is shorter than its headers say")

    def _chunked(self) -> Iterator[bytes]:
        chunks = Chunks()
        for data in self.unframed():
            yield from chunks.add(data)
            if chunks.done:
                return
        raise Malformed("the answer breaks off in the middle")

    def _reason(self, error: BaseException) -> str | None:
        """Return the failure in words. Returns None for an exception that is not a failure of an exchange."""
        if isinstance(error, TimeoutError):
            return f"no answer within {self._seconds:g} seconds"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate {certificate_fault(error, self._host)}{certificate_advice(error)}"
        if isinstance(error, ssl.SSLError):
            return f"TLS failed: {error.reason or 'the connection was closed'}"
        if isinstance(error, AddressRefused | ResolveFailed | Malformed):
            return str(error)
        if isinstance(error, DecodingError):
            return f"the answer is not compressed as its headers say: {error}"
        if isinstance(error, OSError):
            return error.strerror or type(error).__name__
        return "this host name cannot be used for a connection" if isinstance(error, UnicodeError) else None


def _context(ca_file: str) -> ssl.SSLContext:
    """Return the context that verifies certificates. Raises ``OwnFailure`` if ``ca_file`` cannot be read."""
    try:
        return trusting(ca_file, HTTP_1)
    except OSError as error:
        raise OwnFailure(f"EXTRA_CA_FILE cannot be read: {error.strerror or error}.") from None


def request_bytes(method: str, url: str, target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return the bytes of the request. Raises ``BadHeader``."""
    rest = url.partition("://")[2]
    start = next((position for position, character in enumerate(rest) if character in "/?#\\"), len(rest))
    path = rest[start:].partition("#")[0].replace("\\", "/")
    if not path.startswith("/"):
        path = "/" + path
    usual = 443 if target.scheme == "https" else 80
    host = target.host if target.port == usual else f"{target.host}:{target.port}"
    lines = [f"{method} {quote(path, safe=_TARGET_SAFE, errors='replace')} HTTP/1.1", f"Host: {host}"]
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            raise BadHeader(f"the value of the header {name} has characters that are not allowed in a header")
        lines.append(f"{name}: {value}")
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + body
