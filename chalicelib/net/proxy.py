"""A proxy on the loopback address. A browser that shows other people's pages makes all its requests through it.

A page can make a browser request any address. So each address is checked as for the crawler (``net.guard``), and the
connection goes to checked addresses, never to the name. Addresses that the operator allowed although they are not
public (ALLOW_ADDRESSES) are reachable only for ``own_sites`` and the names of EXTRA_HOSTS. So a page under test at a
private address cannot reach any other private address. HTTP is forwarded request by request. Everything else (CONNECT)
is forwarded byte by byte, without inspection.

Failure policy: a request that cannot be forwarded is answered with 403, 502 or 504 and the reason. When ``most_bytes``
bytes have been forwarded, every connection is cut; ``stop`` also cuts them.
"""

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Final, NamedTuple, Self

from chalicelib.domain.crawl.hosts import is_ip_address
from chalicelib.net.guard import Address, AddressRefused, Guard, ResolveFailed, Target, check_url

MOST_BYTES: Final = 256 * 1024 * 1024  # limit on the bytes of all answers together
MOST_CONNECTIONS: Final = 256  # concurrent connections
CONNECT_SECONDS: Final = 10.0
HEAD_SECONDS: Final = 20.0  # time limit for the browser to send the head of a request
_HEAD_BYTES: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_MOST_ADDRESSES: Final = 4
_KEPT: Final = 1_000
_STOP_SECONDS: Final = 5.0
# Hop-by-hop headers, and those for the proxy: the website must not see them.
_HOP_BY_HOP: Final = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te"})


class Asked(NamedTuple):
    """One URL that the browser requested. ``refused``: the reason if it was not forwarded, otherwise None."""

    host: str
    port: int
    refused: str | None


class _Refused(Exception):
    """Raised to answer the request with this status and reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Proxy:
    """A proxy on a free port of 127.0.0.1. It runs from ``start`` to ``stop``, or during a ``with`` block. Raises
    ``AddressRefused`` for an invalid address in ``own_sites``.

    - ``allow_addresses`` and ``extra_hosts``: the values of these settings.
    - ``own_sites``: URLs of the websites under test.
    - ``refused_hosts``: hosts that are always refused.
    - ``asked``: the requests, oldest first.
    """

    def __init__(
        self,
        *,
        allow_addresses: str = "",
        extra_hosts: str = "",
        own_sites: Iterable[str] = (),
        refused_hosts: Iterable[str] = (),
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.asked: deque[Asked] = deque(maxlen=_KEPT)
        self.port = 0
        self._own = Guard(allow_addresses, extra_hosts)
        self._public = Guard()
        self._own_sites = {check_url(url)[1:] for url in own_sites}
        self._refused_hosts = frozenset(refused_hosts)
        self._bytes_left = most_bytes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._started = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._failed: OSError | None = None

    def start(self) -> None:
        """Start listening. Raises ``OSError``."""
        self._thread.start()
        self._started.wait()
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        """Stop listening, and cut every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_STOP_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            listening = asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_BYTES)
            server = self._loop.run_until_complete(listening)
        except OSError as error:
            self._failed = error
            self._started.set()
            self._loop.close()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*self._connections, return_exceptions=True))
            self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > MOST_CONNECTIONS:
                raise _Refused("503 Service Unavailable", "too many connections")
            await self._serve(reader, writer)
        except _Refused as refused:
            _answer(writer, refused)
        except (OSError, EOFError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass  # one side disconnected, or did not speak HTTP
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
        method, target, *_ = head.split(b"\r\n", 1)[0].decode("ascii", "replace").split(" ")
        tunnel = method == "CONNECT"
        where = self._target(f"https://{target}" if tunnel else target)
        outer, outward = await self._connect(where)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await self._both_ways(reader, writer, outer, outward)
            else:
                outward.write(_passed_on(head, target))
                await self._one_answer(reader, writer, outer, outward)
        finally:
            outward.close()

    def _target(self, url: str) -> Target:
        try:
            target = check_url(url)
        except AddressRefused as reason:
            self.asked.append(Asked(url[:100], 0, str(reason)))
            raise _Refused("403 Forbidden", str(reason)) from None
        if target.host in self._refused_hosts:
            self.asked.append(Asked(target.host, target.port, "a request that the browser itself sends to its vendor"))
            raise _Refused("403 Forbidden", f"{target.host} is not asked")
        return target

    async def _connect(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        guard = self._guard(target)
        try:
            addresses = await guard.resolve(target.host, target.port)
        except AddressRefused as reason:
            self.asked.append(Asked(target.host, target.port, str(reason)))
            raise _Refused("403 Forbidden", str(reason)) from None
        except ResolveFailed as reason:
            self.asked.append(Asked(target.host, target.port, str(reason)))
            raise _Refused("502 Bad Gateway", str(reason)) from None
        self.asked.append(Asked(target.host, target.port, None))
        for address in addresses[:_MOST_ADDRESSES]:
            try:
                return await asyncio.wait_for(self._open(guard, address, target.port), CONNECT_SECONDS)
            except (OSError, TimeoutError):
                continue
        raise _Refused("504 Gateway Timeout", f"no connection to {target.host}")

    def _guard(self, target: Target) -> Guard:
        if target[1:] in self._own_sites:
            return self._own
        try:
            named = not is_ip_address(target.host) and self._own.known(target.host) is not None
        except AddressRefused:
            named = True
        return self._own if named else self._public

    async def _open(
        self, guard: Guard, address: Address, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        connection = guard.socket_for(family, socket.SOCK_STREAM, 0, str(address))
        try:
            connection.setblocking(False)
            await self._loop.sock_connect(connection, (str(address), port))
            return await asyncio.open_connection(sock=connection, limit=_HEAD_BYTES)
        except BaseException:
            connection.close()
            raise

    async def _one_answer(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        outer: asyncio.StreamReader,
        outward: asyncio.StreamWriter,
    ) -> None:
        """Forward the rest of the request, and its answer. Then the connection ends, since the browser's next request
        may be for another host."""
        sending = asyncio.ensure_future(self._copy(reader, outward))
        try:
            while True:
                head = await outer.readuntil(b"\r\n\r\n")
                self._count(len(head))
                interim = head[9:10] == b"1"
                writer.write(head if interim else _without_hops(head))
                if not interim:
                    break
            await self._copy(outer, writer)
        finally:
            sending.cancel()

    async def _both_ways(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        outer: asyncio.StreamReader,
        outward: asyncio.StreamWriter,
    ) -> None:
        ways = [asyncio.ensure_future(self._copy(*way)) for way in ((reader, outward), (outer, writer))]
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while piece := await source.read(_CHUNK):
            self._count(len(piece))
            target.write(piece)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()

    def _count(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise OSError("this test has used up its limit of bytes")


def _passed_on(head: bytes, url: str) -> bytes:
    """Return the head of a request in the form for the website: with the path only, and with ``Connection: close``."""
    line, _, fields = head.partition(b"\r\n")
    method, _, version = line.split(b" ", 2)
    rest = url.partition("://")[2]
    start = next((position for position, character in enumerate(rest) if character in "/?#"), len(rest))
    path = rest[start:] if rest[start : start + 1] == "/" else f"/{rest[start:]}"
    return _without_hops(b" ".join((method, path.encode("ascii", "replace"), version)) + b"\r\n" + fields)


def _without_hops(head: bytes) -> bytes:
    first, *fields = head[:-4].split(b"\r\n")
    kept = [field for field in fields if field.partition(b":")[0].strip().lower() not in _HOP_BY_HOP]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])


def _answer(writer: asyncio.StreamWriter, refused: _Refused) -> None:
    body = str(refused).encode()
    length = f"Content-Length: {len(body)}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    writer.write(f"HTTP/1.1 {refused.status}\r\n{length}\r\n".encode() + body)
