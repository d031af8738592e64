"""The browser's proxy: what it passes on, and that it passes on nothing else."""

import re
import socket
import threading
from collections.abc import Iterator

import pytest

from chalicelib.net import proxy as proxies
from chalicelib.net.guard import AddressRefused
from chalicelib.net.proxy import Asked, Proxy
from tests.servers.wire import Connection, WireServer

SECONDS = 20.0  # far more than anything here takes


def said(port: int, request: bytes, *, more: bytes = b"", end: bool = False) -> bytes:
    """What a proxy on this port answers to a request: until the answer is whole, or the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        connection.sendall(request)
        answer = b""
        while not whole(answer) and (piece := connection.recv(65_536)):
            answer += piece
            if more and b"established" in answer:
                connection.sendall(more)
                more = b""
                if end:
                    connection.shutdown(socket.SHUT_WR)
        return answer


def whole(answer: bytes) -> bool:
    """As a browser sees it: some websites leave the connection open."""
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(end) and length is not None and len(body) >= int(length[1])


def got(address: str) -> bytes:
    return f"GET {address} HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n".encode()


@pytest.fixture
def website() -> Iterator[WireServer]:
    def serve(connection: Connection) -> None:
        connection.answer(b"from " + connection.path.encode(), x_seen=connection.header("Connection") or "")

    with WireServer(serve) as server:
        yield server


@pytest.fixture
def local(website: WireServer) -> Iterator[Proxy]:
    """A proxy for tests of a website on the loopback address."""
    with Proxy(allow_addresses="127.0.0.0/8", own_sites=[website.url()], refused_hosts=["home.example"]) as proxy:
        yield proxy


def test_a_request_to_the_tested_website_is_forwarded(local: Proxy, website: WireServer) -> None:
    answer = said(local.port, got(f"{website.url()}a?b=c"))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK") and body == b"from /a?b=c"
    assert b"x-seen: close" in head, "the website is asked on a connection of its own"
    assert b"Connection: close" in head, "the browser's next request comes on another connection"
    assert list(local.asked) == [Asked("127.0.0.1", website.port, None)]


def test_a_connect_tunnel_carries_bytes_in_both_directions(local: Proxy, website: WireServer) -> None:
    opened = f"CONNECT 127.0.0.1:{website.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    inner = b"GET /through HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = said(local.port, opened, more=inner, end=True)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
    assert answer.endswith(b"from /through")


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:{other}/json/version",
        "http://localhost:{other}/",
        "http://[::1]:{other}/",
        "http://0.0.0.0:{other}/",
        "http://2130706433:{other}/",
        "http://10.0.0.1/",
        "http://127.0.0.1:22/",
        "http://user:pass@127.0.0.1/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
    ],
)
def test_a_page_of_a_local_website_can_reach_no_other_address(address: str, local: Proxy) -> None:
    with WireServer(lambda connection: connection.answer(b"secret")) as other:
        answer = said(local.port, got(address.format(other=other.port)))
        assert other.requests == []
    assert answer.startswith(b"HTTP/1.1 403 Forbidden") and b"secret" not in answer
    assert [asked.refused is not None for asked in local.asked] == [True]


@pytest.mark.parametrize("authority", ["169.254.169.254:80", "127.0.0.1:{other}", "metadata.test:443", "[::1]:443"])
def test_a_connect_tunnel_cannot_reach_other_addresses(authority: str, website: WireServer) -> None:
    own = {"allow_addresses": "127.0.0.0/8", "extra_hosts": "metadata.test=169.254.169.254"}
    with (
        WireServer(lambda connection: connection.answer(b"secret")) as other,
        Proxy(**own, own_sites=[website.url()]) as proxy,
    ):
        opened = f"CONNECT {authority.format(other=other.port)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        assert said(proxy.port, opened).startswith(b"HTTP/1.1 403 Forbidden")
        assert other.requests == []


def test_extra_hosts_set_by_the_operator_can_be_reached(website: WireServer) -> None:
    with Proxy(allow_addresses="127.0.0.0/8", extra_hosts="shop.test=127.0.0.1") as proxy:
        assert said(proxy.port, got(f"http://shop.test:{website.port}/x")).endswith(b"from /x")
    with Proxy(extra_hosts="shop.test=127.0.0.1") as proxy:
        assert said(proxy.port, got(f"http://shop.test:{website.port}/x")).startswith(b"HTTP/1.1 403")


def test_requests_of_the_browser_to_its_vendor_are_refused(local: Proxy) -> None:
    assert said(local.port, got("http://HOME.example/x")).startswith(b"HTTP/1.1 403 Forbidden")
    assert local.asked[-1] == Asked("home.example", 80, "a request that the browser itself sends to its vendor")


def test_the_proxy_returns_bad_gateway_for_a_name_without_an_address(local: Proxy) -> None:
    assert said(local.port, got("http://nowhere.invalid/")).startswith(b"HTTP/1.1 502 Bad Gateway")


def test_an_unreachable_website_is_reported_with_its_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
    with Proxy(allow_addresses="127.0.0.0/8", own_sites=[address]) as proxy:
        assert said(proxy.port, got(address)).startswith(b"HTTP/1.1 504 Gateway Timeout")


@pytest.mark.parametrize(
    "request_", [b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"x" * 200_000]
)
def test_bytes_that_are_not_http_end_only_their_own_connection(
    request_: bytes, local: Proxy, website: WireServer
) -> None:
    try:
        answer = said(local.port, request_)
    except ConnectionError:
        answer = b""
    assert b" 200 " not in answer
    assert said(local.port, got(website.url())).startswith(b"HTTP/1.1 200 OK")


def test_an_endless_page_is_cut_off() -> None:
    def flood(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.send(b"x" * 65_536)

    with WireServer(flood) as server:
        own = {"allow_addresses": "127.0.0.0/8", "own_sites": [server.url()]}
        with Proxy(**own, most_bytes=1_000_000) as proxy:  # type: ignore[arg-type]
            assert len(said(proxy.port, got(server.url()))) < 1_100_000


def test_endless_informational_responses_are_cut_off() -> None:
    def flood(connection: Connection) -> None:
        while True:
            connection.send(b"HTTP/1.1 103 Early Hints\r\nX: " + b"x" * 30_000 + b"\r\n\r\n")

    with WireServer(flood) as server:
        own = {"allow_addresses": "127.0.0.0/8", "own_sites": [server.url()]}
        with Proxy(**own, most_bytes=1_000_000) as proxy:  # type: ignore[arg-type]
            assert len(said(proxy.port, got(server.url()))) < 1_100_000


def test_running_transfers_end_when_the_proxy_stops(website: WireServer) -> None:
    with WireServer(lambda connection: connection.hang()) as silent:
        proxy = Proxy(allow_addresses="127.0.0.0/8", own_sites=[silent.url()])
        proxy.start()
        answers: list[bytes] = []
        asking = threading.Thread(target=lambda: answers.append(said(proxy.port, got(silent.url()))))
        asking.start()
        while not silent.requests:
            asking.join(0.01)
        proxy.stop()
        asking.join(SECONDS)
        assert not asking.is_alive() and answers == [b""]
        with pytest.raises(ConnectionError):
            said(proxy.port, got(silent.url()))


def test_connections_above_the_limit_are_refused(local: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxies, "MOST_CONNECTIONS", 1)
    with socket.create_connection(("127.0.0.1", local.port), SECONDS):
        while True:  # until the first one is counted
            answer = said(local.port, got("http://169.254.169.254/"))
            if b" 503 " in answer:
                break


def test_an_invalid_website_address_is_refused_at_once() -> None:
    with pytest.raises(AddressRefused):
        Proxy(own_sites=["ftp://shop.test/"])
