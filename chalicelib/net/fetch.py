"""Fetches addresses that users and websites supply. Each call makes one request, with one deadline, and returns one
answer.

Network trouble raises no exception here: a failing website is a fact to report, so every outcome is an ``Answer``. Only
a failure of this machine raises an exception (``OwnFailure``), since such a failure says nothing about the website.

Redirects are not followed, because each hop is a fact to report and is checked like any other address. No cookies are
kept, and no proxy from the environment is used. Certificates are verified, and connections go only to addresses that
the guard allowed.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from yarl import URL

from chalicelib import clock
from chalicelib.domain.crawl.urls import origin, serialise
from chalicelib.domain.page.headers import LINE_BREAK, content_type_of, joined
from chalicelib.net import certificates
from chalicelib.net.decoding import BodyReader, DecodingError
from chalicelib.net.failures import certificate_advice, certificate_fault, deciding, own_failure
from chalicelib.net.guard import AddressRefused, Guard, ResolveFailed, check_url
from chalicelib.net.routes import routed
from chalicelib.net.trust import trusting

DEFAULT_MAX_BYTES = 10 * 1024 * 1024
DEFAULT_TOTAL_SECONDS = 20.0
CERTIFICATE_SECONDS = 10.0
_HEADER_LIMIT = 64 * 1024
_MOST_HEADERS = 256
_READ_BUFFER = 256 * 1024
_KEEP_ALIVE_SECONDS = 15.0
_LOOK_UP_KEPT_SECONDS = 60
_MOST_ORIGINS = 4096

FetchError = Literal["timeout", "dns", "connect", "tls", "reset", "protocol", "too_large", "refused_address"]


@dataclass(slots=True)
class Answer:
    """The result of a request. ``status`` is 0 if there was no answer. If ``error`` is set, the body may be incomplete.

    - ``headers``: names in lower case. The values of a repeated header are kept as separate lines (see
      ``page.headers``).
    - ``body``: the decoded body, at most ``max_bytes`` long.
    - ``truncated``: whether the body was longer.
    - ``transfer_bytes``: the size of the body as transferred.
    - ``ttfb_ms``: the time from the start of the request to the end of the headers. It includes look-up and connection
      if a new connection was needed.
    - ``error``: timeout (the deadline passed), dns, connect, tls, reset, protocol, too_large (the headers),
      refused_address.
    """

    url: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    transfer_bytes: int = 0
    content_encoding: str | None = None
    ttfb_ms: int | None = None
    truncated: bool = False
    error: FetchError | None = None
    error_detail: str | None = None

    @property
    def content_type(self) -> str | None:
        """The media type in lower case, without parameters."""
        return content_type_of(self.headers.get("content-type", ""))[0]


class _VettedResolver(AbstractResolver):
    """A resolver that gives the HTTP client only vetted addresses of a name."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in routed(host, await self._guard.resolve(host, port))
        ]

    async def close(self) -> None:
        """Do nothing. The client requires this method."""


class Fetcher:
    """Makes requests, and reuses connections. Use it as ``async with Fetcher(...) as fetcher``.

    - ``extra_ca_file``: an additional trusted certificate authority (PEM).
    - ``answered``: called for each complete answer.

    The number of connections is not limited here; callers limit their concurrent requests.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        user_agent: str,
        extra_ca_file: str = "",
        answered: Callable[[], None] | None = None,
    ) -> None:
        self._guard = guard
        self._headers = {
            "User-Agent": user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Encoding": "gzip, br, zstd",
        }
        self._extra_ca_file = extra_ca_file
        self._answered = answered
        self._checked: set[str] = set()  # origins whose written form is valid
        self._tls: ssl.SSLContext | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._tls = trusting(self._extra_ca_file)
        connector = aiohttp.TCPConnector(
            resolver=_VettedResolver(self._guard),
            socket_factory=self._socket,
            ssl=self._tls,
            limit=0,
            keepalive_timeout=_KEEP_ALIVE_SECONDS,
            ttl_dns_cache=_LOOK_UP_KEPT_SECONDS,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            # One timer of ours covers the whole request; the client's own timers cost CPU time and cover less.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            read_bufsize=_READ_BUFFER,
            max_line_size=_HEADER_LIMIT,
            max_field_size=_HEADER_LIMIT,
            max_headers=_MOST_HEADERS,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _socket(self, address_info: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
        family, kind, protocol, _, address = address_info
        return self._guard.socket_for(family, kind, protocol, str(address[0]))

    def _target(self, url: str) -> str:
        """Return the URL in the form that browsers send. Raises ``AddressRefused`` if it cannot be requested."""
        target = serialise(url)
        if target is None:
            check_url(url)
            raise AddressRefused("the address cannot be read or is longer than 2,048 characters")
        site_origin = origin(target)
        if site_origin not in self._checked:
            check_url(site_origin)
            if len(self._checked) >= _MOST_ORIGINS:
                self._checked.clear()
            self._checked.add(site_origin)
        return target

    async def get(
        self,
        url: str,
        *,
        method: Literal["GET", "HEAD"] = "GET",
        headers: Mapping[str, str] | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        total_seconds: float = DEFAULT_TOTAL_SECONDS,
        read_body: Callable[[str], bool] | None = None,
    ) -> Answer:
        """Make one request. One deadline covers look-up, connection, handshake, headers and body.

        - ``headers``: headers to add. They replace the fetcher's own headers of the same names.
        - ``read_body``: called with the media type (lower case, "" without a valid one). If it returns False, the body
          is not read and the connection is closed.
        """
        if self._session is None:
            raise RuntimeError("the fetcher is used outside of its async with block")
        answer = Answer(url)
        response: aiohttp.ClientResponse | None = None
        reader: BodyReader | None = None
        complete = False
        try:
            target = URL(self._target(url), encoded=True)
            async with asyncio.timeout(total_seconds):
                started = clock.monotonic()
                response = await self._session.request(method, target, headers=headers, allow_redirects=False)
                answer.ttfb_ms = round((clock.monotonic() - started) * 1000)
                answer.status = response.status
                answer.headers = _headers_of(response)
                encoding = joined(answer.headers, "content-encoding")
                answer.content_encoding = encoding.strip().lower() or None if encoding else None
                if read_body is None or read_body(answer.content_type or ""):
                    reader = BodyReader(encoding, max_bytes)
                    await _read(response, reader)
                    complete = not reader.truncated
        except Exception as error:
            answer.error, answer.error_detail = _explained(error, url, total_seconds)
        finally:
            if response is not None and not complete:
                response.close()
        if reader is not None:
            answer.body = reader.body()
            answer.transfer_bytes = reader.transfer_bytes
            answer.truncated = reader.truncated
        if self._answered is not None and answer.status and answer.error is None:
            self._answered()
        return answer

    async def certificate(self, host: str, port: int = 443) -> tuple[int | None, str | None]:
        """Return the expiry of a host's certificate (epoch seconds), and the reason why it is not trusted.

        Returns ``(date, None)`` for a trusted certificate. Returns ``(date, reason)`` for a certificate that is
        expired, of another host or of an unknown authority. Returns ``(None, reason)`` if no certificate could be read.
        Never raises for network trouble.
        """
        if self._tls is None:
            raise RuntimeError("the fetcher is used outside of its async with block")
        reason: str | None = None
        try:
            async with asyncio.timeout(CERTIFICATE_SECONDS):
                try:
                    der = await self._peer_certificate(host, port, self._tls)
                except ssl.SSLCertVerificationError as error:
                    reason = f"it {certificate_fault(error, host)}"
                    # Nothing is sent over this connection: it only serves to read the rejected certificate.
                    unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                    unverified.check_hostname = False
                    unverified.verify_mode = ssl.CERT_NONE
                    der = await self._peer_certificate(host, port, unverified)
        except Exception as error:
            return None, reason or _explained(error, f"https://{host}/", CERTIFICATE_SECONDS)[1]
        return certificates.not_after(der), reason

    async def _peer_certificate(self, host: str, port: int, context: ssl.SSLContext) -> bytes:
        loop = asyncio.get_running_loop()
        failures: list[OSError] = []
        for address in routed(host, await self._guard.resolve(host, port)):
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            connection = self._guard.socket_for(family, socket.SOCK_STREAM, 0, str(address))
            try:
                connection.setblocking(False)
                await loop.sock_connect(connection, (str(address), port))
                name = host.strip("[]").rstrip(".")
                _, writer = await asyncio.open_connection(sock=connection, ssl=context, server_hostname=name)
            except ssl.SSLError:
                connection.close()
                raise
            except OSError as error:
                connection.close()
                failures.append(error)
                continue
            except BaseException:
                connection.close()
                raise
            try:
                der: bytes | None = writer.get_extra_info("ssl_object").getpeercert(True)
            finally:
                writer.transport.abort()
            return der or b""
        raise deciding(failures) if failures else ConnectionError(f"{host} cannot be reached")


async def _read(response: aiohttp.ClientResponse, reader: BodyReader) -> None:
    """Read the body to its end or to the reader's limit."""
    content = response.content
    connection = response.connection
    if connection is None or connection.protocol is None or content.is_eof():
        await _read_rest(content, reader)
        return
    # When the client closes a connection because of bad framing, it does not notify the reader of the body, who would
    # wait until the deadline. So the end of the connection is watched here.
    closed = connection.protocol.closed
    if closed is None:
        _break_off(content)
        await _read_rest(content, reader)
        return
    watch = partial(_break_off, content)
    closed.add_done_callback(watch)
    try:
        await _read_rest(content, reader)
    finally:
        closed.remove_done_callback(watch)


async def _read_rest(content: aiohttp.StreamReader, reader: BodyReader) -> None:
    while data := await content.readany():
        if not reader.add(data):
            return


def _break_off(content: aiohttp.StreamReader, _: object = None) -> None:
    if not content.is_eof() and content.exception() is None:
        content.set_exception(aiohttp.ClientPayloadError("the connection ended before the body did"))


def _headers_of(response: aiohttp.ClientResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        name = name.lower()
        if not value.isascii():
            value = _readable(value)
        headers[name] = f"{headers[name]}{LINE_BREAK}{value}" if name in headers else value
    return headers


def _readable(value: str) -> str:
    """Decode a header value. If it is not UTF-8, it is decoded as Latin-1, the web's old default, so that it can be
    stored."""
    data = value.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _explained(error: Exception, url: str, total_seconds: float) -> tuple[FetchError, str]:
    """Return the kind of failure, and the reason in words. Raises ``OwnFailure`` if this machine caused it."""
    own = own_failure(error)
    if own is not None:
        raise own from None
    text = str(error) or type(error).__name__
    if isinstance(error, AddressRefused):
        return "refused_address", text
    if isinstance(error, ResolveFailed):
        return "dns", text
    if isinstance(error, DecodingError):
        return "protocol", text
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, aiohttp.ClientSSLError):  # the client's own error does not contain the reason
            cause = cause.__cause__ or cause.__context__
            continue
        if isinstance(cause, ssl.SSLCertVerificationError):
            host = urlsplit(url).hostname or "the address"
            return "tls", f"its certificate {certificate_fault(cause, host)}{certificate_advice(cause)}"
        if isinstance(cause, ssl.SSLError):
            return "tls", f"no secure connection can be made: {cause.reason or 'it breaks off'}"
        if isinstance(cause, LineTooLong):
            return "too_large", "a header of the answer is larger than 64 KB"
        if isinstance(cause, BadHttpMessage) and "Too many headers" in cause.message:
            return "too_large", f"the answer has more than {_MOST_HEADERS} headers"
        if isinstance(cause, ConnectionResetError | BrokenPipeError):
            return "reset", "the connection was reset"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, aiohttp.ClientPayloadError):
        # The client records what ended the connection only in the text of its error.
        if "ConnectionResetError" in text:
            return "reset", "the connection was reset in the middle of the body"
        return "protocol", "the body is shorter than announced or not framed properly"
    if isinstance(error, aiohttp.ClientConnectorError):
        return ("timeout", text) if error.errno == errno.ETIMEDOUT else ("connect", text)
    if isinstance(error, TimeoutError):
        return "timeout", f"no complete answer within {total_seconds:g} seconds"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "reset", "the connection was closed without an answer"
    if isinstance(error, aiohttp.ClientOSError):
        return "reset", text
    if isinstance(error, OSError):
        return "connect", text
    return "protocol", text[:300]
