"""The POST of a webhook: to an address that a user gave, within one total time.

Python's HTTP clients limit each read, not the whole: a receiver that sends one byte at a time keeps them for hours.
Here every socket call gets what is left of the time, from the look-up of the name to the last header. The socket
goes to a vetted IP address, so that a second look-up cannot lead elsewhere; TLS is verified against the name.
Nothing is followed, no proxy is asked, nothing is kept between two posts, and the answer's body is never unpacked.
"""

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote

from chalicelib import clock
from chalicelib.domain.webhooks.delivery import Phase
from chalicelib.net.guard import Address, AddressRefused, Guard, ResolveFailed, Target, check_url
from chalicelib.net.trust import HTTP_1, trusting

SECONDS: Final = 20.0  # what receivers are told they have to answer
REPLY_BYTES: Final = 8 * 1024  # of the answer's body, read only for the log
REPLY_SECONDS: Final = 1.0
KEPT_REPLY_BYTES: Final = 1024
HEAD_BYTES: Final = 32 * 1024  # of the answer's headers, interim answers included
MOST_ADDRESSES: Final = 4
_CHUNK: Final = 8 * 1024
_OUT_OF_SOCKETS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?")
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
# What a request target may hold as it stands; everything else is percent-encoded, so that no line can be broken.
_TARGET_SAFE: Final = "!$%&'()*+,/:;=?@[]~-._"


class Outcome(NamedTuple):
    """What became of one POST. ``phase`` None: a 2xx came in time. Otherwise it is where the try failed, and ``error``
    says why. ``ms``: until the answer's headers were complete, or the failure. ``reply``: the body's first KB."""

    phase: Phase | None
    status: int | None
    ms: int
    reply: str
    error: str | None


class _Failed(Exception):
    """The try failed; the text says why."""


class _Head(NamedTuple):
    status: int
    headers: dict[str, str]
    rest: bytes  # what came of the body together with the headers


def check_receiver(url: str) -> Target:
    """Checks the written form of a receiver's address: http or https, port 443 or above 1023 (http: also 80), no
    user info, no white space. Raises ``AddressRefused``. Whether http may be used depends on the IP address."""
    if any(character.isspace() or not character.isprintable() for character in url):
        raise AddressRefused("the address must not hold white space or control characters")
    target = check_url(url)
    if target.scheme == "https" and target.port == 80:
        raise AddressRefused("port 80 is not for https; use 443 or a port above 1023")
    if target.scheme == "http" and target.port == 443:
        raise AddressRefused("port 443 is for https")
    return target


def resolve_receiver(guard: Guard, target: Target, seconds: float = SECONDS) -> list[Address]:
    """The vetted IP addresses of a receiver. Raises ``AddressRefused`` (also when http leads to an address that the
    operator did not name), ``ResolveFailed``, and ``TimeoutError`` after that many seconds."""
    addresses = guard.resolve_within(target.host, target.port, seconds)
    if target.scheme == "http" and not all(guard.is_exempt(address) for address in addresses):
        raise AddressRefused("the address must begin with https://")
    return addresses


class Sender:
    """Posts to receivers. ``ca_file``: one more trusted certificate authority. ``seconds``: the total time of a post,
    from the start of the look-up to the end of the answer's headers. May be used by many threads at once."""

    def __init__(self, guard: Guard, *, ca_file: str = "", seconds: float = SECONDS) -> None:
        self.guard = guard
        self.seconds = seconds
        self._ca_file = ca_file

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """One try. What a receiver, a name server or the network does is an outcome and never raised; what is wrong
        on this machine (``OSError`` for the authority's file, ``RuntimeError`` without sockets) is no receiver's fault
        and is raised."""
        self.context()
        return _Post(self, url).run(headers, body)

    def context(self) -> ssl.SSLContext:
        """How certificates are verified."""
        return trusting(self._ca_file, HTTP_1)


class _Post:
    """One try in progress: its phase, its socket, its time."""

    def __init__(self, sender: Sender, url: str) -> None:
        self.sender = sender
        self.url = url
        self.phase: Phase = "dns"
        self.started = clock.monotonic()
        self.deadline = self.started + sender.seconds
        self.socket: socket.socket | None = None

    def run(self, headers: Mapping[str, str], body: bytes) -> Outcome:
        try:
            head = self._exchange(headers, body)
            ms = self._ms()
            reply = self._reply(head)
        except TimeoutError:
            return self._failure(f"no answer within {self.sender.seconds:g} seconds")
        except ssl.SSLCertVerificationError as error:
            return self._failure(f"the certificate was refused: {error.verify_message}")
        except (_Failed, AddressRefused, ResolveFailed) as error:
            return self._failure(str(error))
        except (OSError, ValueError) as error:
            return self._failure(_words(error))
        finally:
            self._close()
        if 200 <= head.status <= 299:
            return Outcome(None, head.status, ms, reply, None)
        return Outcome("status", head.status, ms, reply, _refusal(head))

    def _failure(self, error: str) -> Outcome:
        return Outcome(self.phase, None, self._ms(), "", error)

    def _ms(self) -> int:
        return round((clock.monotonic() - self.started) * 1000)

    def _left(self) -> float:
        """Seconds left of the total time. Raises ``TimeoutError`` when it is over."""
        left = self.deadline - clock.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    # -- the way there ---------------------------------------------------------------------------------

    def _exchange(self, headers: Mapping[str, str], body: bytes) -> _Head:
        target = check_receiver(self.url)
        addresses = resolve_receiver(self.sender.guard, target, self._left())
        self.phase = "connect"
        connection = self.socket = self._connect(addresses, target.port)
        if target.scheme == "https":
            self.phase = "tls"
            connection = self.socket = self._secure(connection, target.host)
        self.phase = "write"
        cut_off = self._write(connection, _request(self.url, target, headers, body))
        self.phase = "headers"
        try:
            return self._read_head(connection)
        except (OSError, _Failed):
            if cut_off is not None:
                self.phase = "write"
                raise cut_off from None
            raise

    def _connect(self, addresses: list[Address], port: int) -> socket.socket:
        """A connection to the first address that takes one. Each gets its share of the time that is left."""
        tried = addresses[:MOST_ADDRESSES]
        for left in range(len(tried), 0, -1):
            try:
                return self._connect_to(tried[-left], port, self._left() / left)
            except OSError:
                if left == 1:
                    raise
        raise _Failed("the name has no address")

    def _connect_to(self, address: Address, port: int, seconds: float) -> socket.socket:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        try:
            connection = self.sender.guard.socket_for(family, socket.SOCK_STREAM, 0, str(address))
        except OSError as error:
            if error.errno in _OUT_OF_SOCKETS:
                raise RuntimeError(f"no socket could be opened: {error.strerror}") from error
            raise
        try:
            connection.settimeout(seconds)
            connection.connect((str(address), port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            connection.close()
            raise
        return connection

    def _secure(self, connection: socket.socket, host: str) -> ssl.SSLSocket:
        secured = self.sender.context().wrap_socket(
            connection, server_hostname=host.strip("[]"), do_handshake_on_connect=False
        )
        self.socket = secured
        secured.settimeout(self._left())  # of ssl's calls this limits the whole call, not each read inside it
        secured.do_handshake()
        return secured

    def _write(self, connection: socket.socket, request: bytes) -> OSError | None:
        """Sends the request. A receiver may answer and hang up before it has read everything: the error is given
        back, and counts only when there is no answer."""
        connection.settimeout(self._left())
        try:
            connection.sendall(request)
        except TimeoutError:
            raise
        except OSError as error:
            return error
        return None

    # -- the answer ------------------------------------------------------------------------------------

    def _read_head(self, connection: socket.socket) -> _Head:
        """Status and headers of the final answer; interim answers (1xx) are passed over."""
        received, spent = b"", 0
        while True:
            end = _END_OF_HEAD.search(received)
            if end is None:
                if len(received) + spent > HEAD_BYTES:
                    raise _Failed(f"the answer's headers are longer than {HEAD_BYTES // 1024} KB")
                if not _may_become_http(received):
                    raise _Failed("the answer is not HTTP/1.1")
                connection.settimeout(self._left())
                data = connection.recv(_CHUNK)
                if not data:
                    raise _Failed(
                        "the connection was closed in the middle of the headers"
                        if received
                        else "the connection was closed without an answer"
                    )
                received += data
                continue
            head = _parsed(received[: end.start()], received[end.end() :])
            if head.status >= 200 or head.status == 101:
                return head
            spent += end.end()
            received = head.rest

    def _reply(self, head: _Head) -> str:
        """What the log keeps of the answer's body. Whatever goes wrong here, the answer has already counted."""
        encoding = head.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            return f"({encoding[:40]}, not unpacked)"
        body = self._read_body(head)
        if "chunked" in head.headers.get("transfer-encoding", "").lower():
            body = _without_chunk_marks(body)
        return body[:KEPT_REPLY_BYTES].decode("utf-8", "replace")

    def _read_body(self, head: _Head) -> bytes:
        wanted = REPLY_BYTES
        length = head.headers.get("content-length", "")
        if head.status in (101, 204, 205, 304):
            return b""
        if length.isascii() and length.isdigit():
            wanted = min(wanted, int(length[:10]))
        body = head.rest
        until = clock.monotonic() + REPLY_SECONDS
        assert self.socket is not None
        try:
            while len(body) < wanted:
                self.socket.settimeout(max(0.001, until - clock.monotonic()))
                data = self.socket.recv(min(_CHUNK, wanted - len(body)))
                if not data or clock.monotonic() >= until:
                    body += data
                    break
                body += data
        except (OSError, ValueError):
            pass  # the log has what came until then
        return body[:wanted]

    def _close(self) -> None:
        if self.socket is not None:
            self.socket.close()


def _request(url: str, target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    rest = url.partition("://")[2]
    start = next((position for position, character in enumerate(rest) if character in "/?#\\"), len(rest))
    path = rest[start:].partition("#")[0].replace("\\", "/")
    if not path.startswith("/"):
        path = "/" + path
    usual = 443 if target.scheme == "https" else 80
    host = target.host if target.port == usual else f"{target.host}:{target.port}"
    lines = [f"POST {quote(path, safe=_TARGET_SAFE)} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def _may_become_http(received: bytes) -> bool:
    start = b"HTTP/1."
    return start.startswith(received[: len(start)])


def _parsed(head: bytes, rest: bytes) -> _Head:
    first, *lines = head.split(b"\n")
    match = _STATUS_LINE.fullmatch(first.rstrip(b"\r"))
    if match is None:
        raise _Failed("the answer is not HTTP/1.1")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    return _Head(int(match[1]), headers, rest)


def _without_chunk_marks(body: bytes) -> bytes:
    """The content of a chunked body as far as it came; as it stands when it is not chunked after all."""
    content, position = b"", 0
    while position < len(body):
        end = body.find(b"\n", position)
        size = body[position:end].split(b";")[0].strip() if end >= 0 else b""
        try:
            length = int(size, 16)
        except ValueError:
            return content or body
        if length <= 0:
            break
        content += body[end + 1 : end + 1 + length]
        position = end + 1 + length
        position += 2 if body[position : position + 2] == b"\r\n" else 1
    return content


def _refusal(head: _Head) -> str:
    """Why an answer that came counts as failed."""
    if 300 <= head.status <= 399 and "location" in head.headers:
        return f"the answer was {head.status}; redirects are not followed"
    retry_after = head.headers.get("retry-after", "")
    if retry_after:
        return f"the answer was {head.status} with Retry-After: {retry_after[:60]}"
    return f"the answer was {head.status}"


def _words(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason or 'the connection was closed'}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
