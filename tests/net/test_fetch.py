"""The crawler's requests, against real servers that answer well, badly, slowly or not at all."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.net.failures import OwnFailure
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.guard import Guard
from tests.servers.limits import no_sockets
from tests.servers.wire import Connection, Script, WireServer

LOCAL = "127.0.0.1"
SHORT = 0.4
ENOUGH = 30.0  # for a request that does not depend on its end


def get(url: str, guard: Guard | None = None, **options: Any) -> Answer:
    async def run() -> Answer:
        async with Fetcher(guard or Guard(LOCAL), user_agent="TestBot/1.0") as fetcher:
            return await fetcher.get(url, **options)

    return asyncio.run(run())


def get_all(urls: list[str], guard: Guard | None = None) -> list[Answer]:
    async def run() -> list[Answer]:
        async with Fetcher(guard or Guard(LOCAL), user_agent="TestBot/1.0") as fetcher:
            return [await fetcher.get(url) for url in urls]

    return asyncio.run(run())


def answer_to(script: Script, **options: Any) -> Answer:
    with WireServer(script) as server:
        return get(server.url(), **options)


def raw(data: bytes) -> Script:
    return lambda connection: connection.send(data)


# -- good answers ---------------------------------------------------------------------------------------------


def test_a_fetched_page_has_status_headers_and_body() -> None:
    started = time.monotonic()
    with WireServer(lambda c: c.answer(b"<p>hello", content_type="Text/HTML; charset=utf-8", x_a="1")) as server:
        answer = get(server.url("/page?q=1"))
    assert (answer.status, answer.body, answer.error) == (200, b"<p>hello", None)
    assert answer.url == server.url("/page?q=1")
    assert answer.headers["content-type"] == "Text/HTML; charset=utf-8" and answer.headers["x-a"] == "1"
    assert answer.content_type == "text/html"
    assert (answer.transfer_bytes, answer.content_encoding, answer.truncated) == (8, None, False)
    assert answer.ttfb_ms is not None and 0 <= answer.ttfb_ms <= (time.monotonic() - started) * 1000


def test_the_request_sends_user_agent_and_accept_headers() -> None:
    with WireServer(lambda c: c.answer()) as server:
        get(server.url("/a"))
        get(server.url("/b"), headers={"User-Agent": "Other/2.0", "If-None-Match": '"x"'})
    first, second = server.requests
    assert first.header("User-Agent") == "TestBot/1.0"
    assert first.header("Accept-Encoding") == "gzip, br, zstd"
    # Search crawlers name no language, so that is how a website that varies by language is read.
    assert first.header("Accept") and first.header("Accept-Language") is None
    assert first.header("Host") == f"127.0.0.1:{server.port}"
    assert second.header("User-Agent") == "Other/2.0" and second.header("If-None-Match") == '"x"'


def test_a_head_request_has_no_body() -> None:
    with WireServer(lambda c: c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")) as server:
        answer = get(server.url(), method="HEAD")
    assert server.requests[0].method == "HEAD"
    assert (answer.status, answer.body, answer.error) == (200, b"", None)
    assert answer.headers["content-length"] == "5000"


def test_repeated_headers_are_kept_separately() -> None:
    answer = answer_to(
        raw(
            b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: nofollow\r\n"
            b"X-Odd: caf\xe9\r\nContent-Length: 0\r\n\r\n"
        )
    )
    assert answer.headers["x-robots-tag"] == "noindex\nnofollow"
    assert answer.headers["x-odd"] == "café"


def test_request_paths_are_encoded_as_in_browsers() -> None:
    with WireServer(lambda c: c.answer()) as server:
        get(server.url("/ü/../a%2fb/%7Ec?x=ü&y= 1#part"))
    assert server.requests[0].path == "/a%2fb/%7Ec?x=%C3%BC&y=%201"


def test_connections_are_reused() -> None:
    with WireServer(lambda c: c.answer(b"x")) as server:
        answers = get_all([server.url(f"/{n}") for n in range(5)])
    assert [answer.status for answer in answers] == [200] * 5
    assert server.connections == 1


def test_a_reused_connection_that_was_closed_is_replaced() -> None:
    def once(connection: Connection) -> None:
        connection.answer(b"x")
        connection.keep_alive = False

    with WireServer(once) as server:
        answers = get_all([server.url(f"/{n}") for n in range(3)])
    assert [answer.status for answer in answers] == [200] * 3


def test_cookies_are_not_stored() -> None:
    with WireServer(lambda c: c.answer(set_cookie="session=1; Path=/")) as server:
        answers = get_all([server.url("/a"), server.url("/b")])
    assert answers[0].headers["set-cookie"].startswith("session=1")
    assert server.requests[1].header("Cookie") is None


def test_redirects_are_not_followed() -> None:
    with WireServer(lambda c: c.answer(status="302 Found", location="http://169.254.169.254/latest/")) as server:
        answer = get(server.url())
    assert (answer.status, answer.error) == (302, None)
    assert answer.headers["location"] == "http://169.254.169.254/latest/"
    assert len(server.requests) == 1


def test_proxy_settings_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9999")
    assert answer_to(lambda c: c.answer(b"direct")).body == b"direct"


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    answer = answer_to(raw(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old"))
    assert (answer.status, answer.body, answer.error) == (200, b"<p>old", None)


def test_a_chunked_body_is_joined() -> None:
    answer = answer_to(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
    assert (answer.body, answer.transfer_bytes, answer.error) == (b"abcde", 5, None)


def test_early_hints_before_the_response_are_skipped() -> None:
    answer = answer_to(
        raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    )
    assert (answer.status, answer.body) == (200, b"ok")


def test_the_body_is_not_read_if_its_content_type_is_not_wanted() -> None:
    asked: list[str] = []

    def is_text(media_type: str) -> bool:
        asked.append(media_type)
        return media_type.startswith("text/")

    def image(connection: Connection) -> None:
        connection.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: Image/PNG\r\nContent-Length: 100000000\r\n\r\n" + b"x" * 1000
        )
        connection.hang()

    with WireServer(image) as server:
        answer = get(server.url(), read_body=is_text)
    assert asked == ["image/png"]
    assert (answer.status, answer.body, answer.transfer_bytes, answer.error) == (200, b"", 0, None)
    assert not answer.truncated
    assert server.waited_out == 0
    assert answer_to(lambda c: c.answer(b"hi", content_type="text/plain"), read_body=is_text).body == b"hi"


# -- slow answers ---------------------------------------------------------------------------------------------


def drip_headers(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    connection.drip(b"x" * 1000)


def drip_body(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    connection.drip(b"x" * 1000)


def flood_of_hints(connection: Connection) -> None:
    while not connection.server.ending.wait(0.01):
        connection.send(b"HTTP/1.1 103 Early Hints\r\n\r\n")


@pytest.mark.parametrize("script", [drip_headers, flood_of_hints, Connection.hang])
def test_a_response_that_does_not_arrive_times_out(script: Script) -> None:
    started = time.monotonic()
    with WireServer(script) as server:
        answer = get(server.url(), total_seconds=SHORT)
    assert time.monotonic() - started >= SHORT and server.waited_out == 0
    assert (answer.status, answer.error, answer.ttfb_ms) == (0, "timeout", None)
    assert answer.error_detail == "no complete answer within 0.4 seconds"


def test_the_part_of_a_slowly_sent_body_that_arrives_in_time_is_kept() -> None:
    started = time.monotonic()
    with WireServer(drip_body) as server:
        answer = get(server.url(), total_seconds=SHORT)
    assert time.monotonic() - started >= SHORT and server.waited_out == 0
    assert (answer.status, answer.error) == (200, "timeout")
    assert 0 < len(answer.body) < 1000 and set(answer.body) == {ord("x")}


def test_a_stalled_tls_handshake_times_out() -> None:
    with WireServer(Connection.hang) as server:
        answer = get(f"https://127.0.0.1:{server.port}/", total_seconds=SHORT)
    assert (answer.status, answer.error) == (0, "timeout")


def test_a_stalled_dns_lookup_times_out() -> None:
    over = threading.Event()

    def slow(name: str, port: int) -> list[str]:
        over.wait(60)
        looked_up.append(name)
        return [LOCAL]

    looked_up: list[str] = []
    answer = get("http://slow.example:8080/", Guard(LOCAL, lookup=slow), total_seconds=0.2)
    assert answer.error == "timeout" and looked_up == []
    over.set()


# -- broken answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (lambda connection: None, "reset"),  # accepts, then closes
        (Connection.reset, "reset"),
        (raw(b"HTTP/1.1 20"), "reset"),
        (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "protocol"),
        (raw(b"<html>HTTP/0.9</html>\r\n\r\n"), "protocol"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n"), "protocol"),
        (raw(b"HTTP/1.1 200 OK\r\nX-Huge: " + b"x" * 200_000 + b"\r\n\r\n"), "too_large"),
        (raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 2000 + b"\r\n"), "too_large"),
    ],
)
def test_invalid_responses_are_distinguished_by_kind(script: Script, error: str) -> None:
    answer = answer_to(script, total_seconds=ENOUGH)
    assert (answer.status, answer.error, answer.body) == (0, error, b"")
    assert answer.error_detail


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", b"only this"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b"hello"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 8\r\n\r\nnot br!!", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 8\r\n\r\nnot zstd", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip,gzip,gzip,gzip\r\nContent-Length: 1\r\n\r\nx", b""),
    ],
)
def test_a_truncated_or_corrupt_body_is_reported_with_its_status(data: bytes, body: bytes) -> None:
    answer = answer_to(raw(data), total_seconds=ENOUGH)
    assert (answer.status, answer.error, answer.body) == (200, "protocol", body)


def test_invalid_bytes_between_chunks_are_a_protocol_error() -> None:
    def garbage(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        time.sleep(0.1)
        connection.send(b"zz\r\nworld\r\n")
        connection.hang()

    answer = answer_to(garbage, total_seconds=ENOUGH)
    assert (answer.status, answer.error) == (200, "protocol")


def test_the_received_part_of_a_body_is_kept_if_the_connection_is_reset() -> None:
    def half(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        time.sleep(0.1)
        connection.reset()

    answer = answer_to(half)
    assert (answer.status, answer.error, answer.body) == (200, "reset", b"half")


def test_a_closed_port_is_a_connect_error() -> None:
    with WireServer(lambda c: c.answer()) as server:
        url = server.url()
    answer = get(url)
    assert (answer.status, answer.error) == (0, "connect")


def test_an_unknown_host_name_is_a_dns_error() -> None:
    def unknown(name: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    answer = get("http://nowhere.example/", Guard(lookup=unknown))
    assert (answer.status, answer.error) == (0, "dns")
    assert "nowhere.example has no address" in (answer.error_detail or "")


def test_cancelling_a_fetch_raises_cancelled_error() -> None:
    async def run() -> None:
        async with Fetcher(Guard(LOCAL), user_agent="x") as fetcher:
            task = asyncio.create_task(fetcher.get(server.url()))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with WireServer(Connection.hang) as server:
        asyncio.run(run())


def test_a_fetcher_can_be_used_only_inside_its_context() -> None:
    with pytest.raises(RuntimeError):
        asyncio.run(Fetcher(Guard(), user_agent="x").get("http://example.com/"))
    with pytest.raises(RuntimeError):
        asyncio.run(Fetcher(Guard(), user_agent="x").certificate("example.com"))


# -- where a request may go -----------------------------------------------------------------------------------


@pytest.fixture
def inside() -> Iterator[WireServer]:
    with WireServer(lambda c: c.answer(b"secret")) as server:
        yield server


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "127.0.0.1."])
def test_a_private_address_is_refused_in_every_spelling(inside: WireServer, host: str) -> None:
    answer = get(inside.url(host=host), Guard())
    assert (answer.status, answer.error) == (0, "refused_address")
    assert inside.connections == 0


@pytest.mark.parametrize("host", ["inside.example", "localhost", "INSIDE.example."])
def test_a_name_that_resolves_to_a_private_address_is_refused(inside: WireServer, host: str) -> None:
    answer = get(inside.url(host=host), Guard(lookup=lambda name, port: [LOCAL]))
    assert (answer.status, answer.error) == (0, "refused_address")
    assert inside.connections == 0


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://user:pw@127.0.0.1:8080/", "http://127.0.0.1:22/", "x", ""]
)
def test_an_invalid_web_address_is_refused(url: str) -> None:
    answer = get(url)
    assert (answer.status, answer.error, answer.url) == (0, "refused_address", url)


def test_the_connection_uses_the_vetted_address_even_if_dns_changes() -> None:
    looked_up: list[str] = []
    with WireServer(lambda c: c.answer(b"public")) as public:

        def rebinding(name: str, port: int) -> list[str]:
            looked_up.append(name)
            return ["127.0.0.1"] if len(looked_up) == 1 else ["127.0.0.2"]

        # Only 127.0.0.1 is let through: it stands for the public address, 127.0.0.2 for the one inside.
        guard = Guard("127.0.0.1/32", lookup=rebinding)
        url = public.url(host="rebinding.example")
        answers = get_all([url, url], guard)
        assert [answer.body for answer in answers] == [b"public", b"public"]
        assert looked_up == ["rebinding.example"], "the vetted address is used, the name is not asked again"
        assert public.requests[0].header("Host") == f"rebinding.example:{public.port}"
        again = get(url, guard)
        assert (again.status, again.error) == (0, "refused_address")


def test_configured_extra_hosts_are_reached_with_their_port() -> None:
    with WireServer(lambda c: c.answer(b"demo")) as server:
        answer = get(server.url(host="demo.test"), Guard(LOCAL, "demo.test=127.0.0.1"))
    assert answer.body == b"demo"
    assert server.requests[0].header("Host") == f"demo.test:{server.port}"


# -- what is wrong on our side -------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "name.invalid"])
def test_a_lack_of_sockets_is_not_reported_as_a_fault_of_the_website(host: str) -> None:
    async def run() -> None:
        async with Fetcher(Guard(LOCAL), user_agent="TestBot/1.0") as fetcher:
            with no_sockets():
                with pytest.raises(OwnFailure):
                    await fetcher.get(f"http://{host}:8009/")
                with pytest.raises(OwnFailure):
                    await fetcher.certificate(host, 8009)

    asyncio.run(run())
