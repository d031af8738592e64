"""Certificates: whom the crawler believes, and what it can say about the ones it does not."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.net.certificates import not_after
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.files import in_words
from chalicelib.net.guard import Guard
from tests.servers.authority import Authority
from tests.servers.wire import Connection, WireServer

NAMES = "shop.test=127.0.0.1,other.test=127.0.0.1"
EXPIRED = datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)


def ask(url: str, ca_file: str) -> Answer:
    async def run() -> Answer:
        async with Fetcher(Guard("127.0.0.1", NAMES), user_agent="x", extra_ca_file=ca_file) as fetcher:
            return await fetcher.get(url, total_seconds=30)

    return asyncio.run(run())


def certificate(host: str, port: int, ca_file: str = "") -> tuple[int | None, str | None]:
    async def run() -> tuple[int | None, str | None]:
        async with Fetcher(Guard("127.0.0.1", NAMES), user_agent="x", extra_ca_file=ca_file) as fetcher:
            return await fetcher.certificate(host, port)

    return asyncio.run(run())


def page(connection: Connection) -> None:
    connection.answer(b"safe")


def test_a_valid_certificate_is_accepted(authority: Authority) -> None:
    with WireServer(page, tls=authority.server_context("shop.test")) as server:
        answer = ask(server.url(host="shop.test"), authority.ca_file)
    assert (answer.status, answer.body, answer.error) == (200, b"safe", None)


@pytest.mark.parametrize(
    ("host", "expired", "trusted", "reason"),
    [
        ("other.test", False, True, "its certificate is for another name than other.test"),
        ("shop.test", True, True, "its certificate has expired"),
        ("shop.test", False, False, "EXTRA_CA_FILE names a private authority"),
    ],
)
def test_an_expired_untrusted_or_wrong_certificate_is_a_tls_error(
    authority: Authority, host: str, expired: bool, trusted: bool, reason: str
) -> None:
    context = authority.server_context("shop.test", not_after=EXPIRED if expired else None)
    with WireServer(page, tls=context) as server:
        answer = ask(server.url(host=host), authority.ca_file if trusted else "")
    assert (answer.status, answer.error) == (0, "tls")
    assert reason in (answer.error_detail or "") and answer.error_detail == in_words("tls", detail=answer.error_detail)
    assert server.requests == [], "nothing was sent"


def test_a_server_without_tls_is_a_tls_error(authority: Authority) -> None:
    with WireServer(page, greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
        answer = ask(f"https://shop.test:{server.port}/", authority.ca_file)
    assert (answer.status, answer.error) == (0, "tls")


def test_the_expiry_date_of_a_valid_certificate_is_returned(authority: Authority) -> None:
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(days=10)
    with WireServer(page, tls=authority.server_context("shop.test", not_after=end)) as server:
        assert certificate("shop.test", server.port, authority.ca_file) == (int(end.timestamp()), None)


@pytest.mark.parametrize(
    ("host", "trusted", "reason"),
    [("shop.test", True, "it has expired"), ("shop.test", False, "it is not trusted"), ("other.test", True, "")],
)
def test_the_expiry_date_of_an_invalid_certificate_is_returned_with_the_reason(
    authority: Authority, host: str, trusted: bool, reason: str
) -> None:
    with WireServer(page, tls=authority.server_context("shop.test", not_after=EXPIRED)) as server:
        end, why = certificate(host, server.port, authority.ca_file if trusted else "")
    assert end == int(EXPIRED.timestamp())
    assert why and reason in why


def test_no_certificate_is_returned_without_tls_or_for_a_private_address() -> None:
    with WireServer(page) as server:
        port = server.port
    assert certificate("shop.test", port)[0] is None
    end, why = certificate("127.0.0.2", port)
    assert end is None and "not a public address" in (why or "")


@pytest.mark.parametrize("data", [b"", b"0", b"\x30\x82\xff\xff", b"\x30\x03\x02\x01\x05", b"no certificate at all"])
def test_invalid_certificate_bytes_have_no_expiry_date(data: bytes) -> None:
    assert not_after(data) is None
