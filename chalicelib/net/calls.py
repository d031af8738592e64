"""One HTTP call of a connector, within one total time.

Every socket call gets what is left of that time, so that a service that sends one byte at a time holds nobody up.
Nothing is followed, no proxy is asked, no cookie is kept. Credentials stand in headers only, and no error tells one:
what went wrong is said by the phase it went wrong in, never by the request.

``call`` is for every address that somebody else gave: each IP address behind it is vetted, and the connection goes to
those that were, never to the name. ``call_operators_address`` is for what the operator set as the service's own, which
may be private. Either speaks plain http only to addresses that the operator named as trusted (``ALLOW_ADDRESSES``),
since credentials go along.

An answer is asked for as it is. Only where ``most_bytes`` is given, for services whose answers are large, may it come
packed (gzip): then it counts as what it unpacks to.
"""

import email.utils
import io
import re
import socket
import ssl
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Final, NamedTuple, cast
from urllib.parse import quote

from chalicelib import clock, metrics
from chalicelib.net.decoding import BodyReader, DecodingError
from chalicelib.net.guard import Address, AddressRefused, Guard, ResolveFailed, Target, check_url
from chalicelib.net.trust import HTTP_1, trusting

MOST_BYTES: Final = 4 * 1024 * 1024  # of an answer's body
OTHER: Final = "other"  # service that has no name in the metrics
_MOST_ADDRESSES: Final = 4
_CHUNK: Final = 64 * 1024
_LONGEST_DATE: Final = 40  # characters of a date in a header
_EVERYWHERE: Final = "0.0.0.0/0,::/0"
# What a request target may hold as it stands; everything else is percent-encoded, so that no line can be broken.
_TARGET_SAFE: Final = "!$%&'()*+,/:;=?@[]~-._"


class NoAnswer(Exception):
    """No whole answer came; the text says why."""


class Reply(NamedTuple):
    """An answer: ``headers`` with lower-case names, the last of repeated ones; the body as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """In how many seconds it asks to be asked again; None where it says nothing that can be read."""
        given = self.headers.get("retry-after", "")
        if re.fullmatch(r"\d{1,6}", given, re.ASCII):
            return float(given)
        try:
            at = email.utils.parsedate_to_datetime(given[:_LONGEST_DATE])
            return max(0.0, at.timestamp() - clock.machine()) if at.tzinfo is not None else None
        except (ValueError, TypeError, IndexError, OverflowError):
            return None


def call(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    allow_addresses: str = "",
    extra_hosts: str = "",
    ca_file: str = "",
    service: str = OTHER,
) -> Reply:
    """The answer to one request to a public address, whatever its status.

    ``seconds``: from the look-up of the name to the answer's end. ``service``: who is asked, as the metrics count it;
    one of few names of ours, never an address. ``allow_addresses``, ``extra_hosts``, ``ca_file``:
    the settings ALLOW_ADDRESSES, EXTRA_HOSTS and EXTRA_CA_FILE. Raises ``NoAnswer``, also when any address behind the
    name is one that may not be reached.
    """
    guard = Guard(allow_addresses, extra_hosts)
    return _counted(_Asked(method, url, headers, body, seconds), guard, guard, ca_file, service)


def call_operators_address(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    allow_addresses: str = "",
    extra_hosts: str = "",
    ca_file: str = "",
    most_bytes: int | None = None,
    service: str = OTHER,
) -> Reply:
    """As ``call``, to any address, private ones too: only for a URL that stands in the operator's own settings, never
    for one that a user, a website or an answer gave.

    ``most_bytes``: of an answer that may be packed, unpacked; None: it comes as it is, and is as short as others.
    """
    everywhere = Guard(_EVERYWHERE, extra_hosts)
    asked = _Asked(method, url, headers, body, seconds, most_bytes)
    return _counted(asked, everywhere, Guard(allow_addresses), ca_file, service)


def certificate(
    url: str, *, seconds: float, allow_addresses: str = "", extra_hosts: str = "", ca_file: str = ""
) -> bytes | None:
    """The certificate (DER) of an https address, after it was verified; None where it is not to be had."""
    guard = Guard(allow_addresses, extra_hosts)
    deadline = clock.monotonic() + seconds
    try:
        target = check_url(url, schemes=("https",))
        addresses = guard.resolve_within(target.host, target.port, _left(deadline))
        with _connect(target, addresses, deadline, guard, ca_file) as connection:
            return cast(ssl.SSLSocket, connection).getpeercert(binary_form=True)
    except (AddressRefused, ResolveFailed, OSError):
        return None


class _Asked(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    seconds: float
    most_bytes: int | None = None  # of an answer that may be packed


def _counted(asked: _Asked, guard: Guard, trusted: Guard, ca_file: str, service: str) -> Reply:
    """As ``_call``, with its metrics."""
    started, outcome = clock.monotonic(), "unanswered"
    try:
        reply = _call(asked, guard, trusted, ca_file)
        outcome = "limited" if reply.status == 429 else "failed" if reply.status >= 500 else "answered"
        return reply
    finally:
        milliseconds = (clock.monotonic() - started) * 1000
        metrics.put(metrics.CALLS, service, outcome, OutsideCalls=1, OutsideCallTime=milliseconds)


def _call(asked: _Asked, guard: Guard, trusted: Guard, ca_file: str) -> Reply:
    """``guard``: which addresses may be reached; ``trusted``: to which of them http may be spoken."""
    deadline = clock.monotonic() + asked.seconds
    host = "the address"
    try:
        target = check_url(asked.url)
        host = target.host
        packed = {} if asked.most_bytes is None else {"Accept-Encoding": "gzip"}
        request = _request(asked.method, asked.url, target, {**asked.headers, **packed}, asked.body)
        addresses = guard.resolve_within(target.host, target.port, _left(deadline))
        if target.scheme == "http" and not all(trusted.is_exempt(address) for address in addresses):
            raise AddressRefused(f"credentials are not sent to {host} over http: the address must begin with https")
        with _connect(target, addresses, deadline, guard, ca_file) as connection:
            return _exchange(connection, asked, request, deadline)
    except TimeoutError:
        raise NoAnswer(f"{host} did not answer within {asked.seconds:g} seconds") from None
    except ssl.SSLCertVerificationError as error:
        raise NoAnswer(f"the certificate of {host} was refused: {error.verify_message}") from None
    except (AddressRefused, ResolveFailed) as error:
        raise NoAnswer(str(error)) from None
    except DecodingError as error:
        raise NoAnswer(f"the answer of {host} is not packed as it says: {error}") from None
    except HTTPException:
        raise NoAnswer(f"{host} did not answer as HTTP says, or broke off in the middle") from None
    except OSError as error:
        raise NoAnswer(f"no connection to {host}: {error.strerror or type(error).__name__}") from None


def _left(deadline: float) -> float:
    """Seconds until the deadline. Raises ``TimeoutError`` when it is over."""
    left = deadline - clock.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(target: Target, addresses: list[Address], deadline: float, guard: Guard, ca_file: str) -> socket.socket:
    """A connection, secured for https, to the first address that takes one; each gets its share of the time left."""
    tried = addresses[:_MOST_ADDRESSES]
    for position, address in enumerate(tried):
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        connection = guard.socket_for(family, socket.SOCK_STREAM, 0, str(address))
        try:
            connection.settimeout(_left(deadline) / (len(tried) - position))
            connection.connect((str(address), target.port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if target.scheme == "http":
                return connection
            connection.settimeout(_left(deadline))
            return trusting(ca_file, HTTP_1).wrap_socket(connection, server_hostname=target.host.strip("[]"))
        except OSError:
            connection.close()
            if position == len(tried) - 1:
                raise
    raise ResolveFailed(f"{target.host} has no address")


def _exchange(connection: socket.socket, asked: _Asked, request: bytes, deadline: float) -> Reply:
    connection.settimeout(_left(deadline))
    connection.sendall(request)
    response = HTTPResponse(cast(socket.socket, _Timed(connection, deadline)), method=asked.method)
    response.begin()
    found = {name.lower(): value for name, value in response.getheaders()}
    most = MOST_BYTES if asked.most_bytes is None else asked.most_bytes
    reader = BodyReader(None if asked.most_bytes is None else found.get("content-encoding"), most)
    while piece := response.read(_CHUNK):
        if not reader.add(piece):
            raise NoAnswer(f"the answer is longer than {most // 1024 // 1024} MB")
    if response.length:  # fewer bytes came than were announced
        raise HTTPException
    return Reply(response.status, found, reader.body())


class _Timed(io.RawIOBase):
    """What ``HTTPResponse`` reads from: each read of the socket has what is left of the time."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        """The buffered reader that ``HTTPResponse`` asks a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._connection.settimeout(_left(self._deadline))
        return self._connection.recv_into(buffer)


def _request(method: str, url: str, target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    rest = url.partition("://")[2]
    start = next((position for position, character in enumerate(rest) if character in "/?#\\"), len(rest))
    path = rest[start:].partition("#")[0]
    if not path.startswith("/"):
        path = "/" + path
    usual = 443 if target.scheme == "https" else 80
    host = target.host if target.port == usual else f"{target.host}:{target.port}"
    lines = [f"{method} {quote(path, safe=_TARGET_SAFE)} HTTP/1.1", f"Host: {host}"]
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            raise NoAnswer(f"the value of the header {name} holds characters that no header can hold")
        lines.append(f"{name}: {value}")
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + body
