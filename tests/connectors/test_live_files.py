"""Files of customers' websites, read while somebody waits. What is made of the answers is tried in ``tests/api``."""

import asyncio
import gzip

import pytest

from chalicelib.connectors import live_files
from chalicelib.connectors.live_files import LiveLlms, key_at, read_llms, read_robots
from chalicelib.net import files
from chalicelib.settings.crawl import crawl_settings
from tests.servers.wire import Connection, Script, WireServer

pytestmark = pytest.mark.usefixtures("loopback_allowed")

TEXT = b"# Example\n"
OLD = b"# Old\n"


def llms(script: Script, nonce: str = "n0nce") -> tuple[LiveLlms, list[Connection]]:
    with WireServer(script) as server:
        return read_llms(server.url("/llms.txt"), nonce), server.requests


def test_a_file_is_fetched_both_bypassing_caches_and_as_a_visitor_gets_it() -> None:
    found, requests = llms(lambda c: c.answer(TEXT, content_type="text/plain"))
    fresh, plain = sorted(requests, key=lambda one: one.path, reverse=True)
    assert (fresh.path, plain.path) == ("/llms.txt?fresh=n0nce", "/llms.txt")
    assert (fresh.header("Cache-Control"), fresh.header("Pragma")) == ("no-cache", "no-cache")
    assert (plain.header("Cache-Control"), plain.header("Pragma")) == (None, None)
    for request in (fresh, plain):
        assert request.header("User-Agent") == crawl_settings().user_agent
        assert (request.header("Accept") or "").startswith("text/plain")
        assert request.header("Cookie") is None and request.header("Authorization") is None
    assert found.fresh == found.plain and found.fresh.text == TEXT.decode()


@pytest.mark.parametrize("status", ["400 Bad Request", "403 Forbidden", "404 Not Found", "500 Error"])
def test_a_website_that_rejects_a_query_string_is_asked_without_it(status: str) -> None:
    def picky(connection: Connection) -> None:
        connection.answer(b"no", status) if "?" in connection.path else connection.answer(TEXT)

    found, requests = llms(picky)
    assert (found.fresh.status, found.fresh.text) == (200, TEXT.decode())
    assert sorted(one.path for one in requests) == ["/llms.txt", "/llms.txt", "/llms.txt?fresh=n0nce"]


def test_an_html_page_returned_for_a_text_file_with_a_query_string_is_ignored() -> None:
    def routed(connection: Connection) -> None:
        if "?" in connection.path:
            connection.answer(b"<!doctype html>", content_type="text/html")
        else:
            connection.answer(TEXT)

    assert llms(routed)[0].fresh.text == TEXT.decode()


@pytest.mark.parametrize("header", [{"age": "5"}, {"x_cache": "HIT"}])
def test_an_answer_from_a_cache_is_reported_separately_from_the_fresh_answer(header: dict[str, str]) -> None:
    def behind(connection: Connection) -> None:
        connection.answer(b"", "404 Not Found") if "?" in connection.path else connection.answer(OLD, **header)

    found, _ = llms(behind)
    assert (found.fresh.status, found.plain.status, found.plain.text) == (404, 200, OLD.decode())
    assert found.plain.cache is not None


def test_both_failures_are_reported_if_both_requests_fail() -> None:
    def failing(connection: Connection) -> None:
        connection.answer(b"", "404 Not Found") if "?" in connection.path else connection.reset()

    found, _ = llms(failing)
    assert (found.fresh.status, found.fresh.error) == (404, None)
    assert (found.plain.status, found.plain.error) == (0, "the connection breaks off")


def test_all_requests_have_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_files, "SECONDS", 0.6)

    def slow_hops(connection: Connection) -> None:
        connection.server.ending.wait(0.4)
        connection.answer(b"", "302 Found", location=connection.path + "0")

    found, requests = llms(slow_hops)
    assert (found.fresh.error, found.plain.error) == ("no complete answer in 0.6 seconds",) * 2
    assert len(requests) <= 5, "the rest of the five redirects was not followed"


def test_a_body_that_arrives_byte_by_byte_is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_files, "SECONDS", 0.6)

    def slow(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n")
        connection.drip(b"# " + b"a" * 9_000)

    with WireServer(slow) as server:
        found = read_llms(server.url("/llms.txt"), "n0nce")
        robots = read_robots(server.url("/robots.txt"))
    assert server.waited_out == 0
    assert {found.fresh.error, found.plain.error, robots.error} == {"no complete answer in 0.6 seconds"}


def test_a_redirect_loop_ends() -> None:
    def loop(connection: Connection) -> None:
        connection.answer(b"", "302 Found", location="/llms.txt")

    found, requests = llms(loop)
    assert (found.fresh.status, found.fresh.error, found.plain.status) == (302, None, 302)
    assert len(requests) == 3 * (1 + files.MOST_REDIRECTS)


def test_a_decompression_bomb_is_read_only_up_to_the_limit() -> None:
    bomb = gzip.compress(b"# a\n" * 25_000_000, 1)
    found, _ = llms(lambda c: c.answer(bomb, content_encoding="gzip"))
    assert (found.fresh.truncated, found.fresh.bytes) == (True, live_files.LLMS_BYTES)


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "file:///etc/passwd"]
)
def test_redirects_to_private_addresses_are_refused(target: str) -> None:
    def away(connection: Connection) -> None:
        connection.answer(b"", "301 Moved", location=target)

    found, _ = llms(away)
    assert found.fresh.text == "" and (found.fresh.error == "its address is not a public one" or target[:4] != "http")
    with WireServer(away) as server:
        robots = read_robots(server.url("/robots.txt"))
    assert robots.body == b"" and robots.error == found.fresh.error


def test_robots_txt_is_fetched_without_caches() -> None:
    with WireServer(lambda c: c.answer(b"User-agent: *\n", content_type="Text/Plain; charset=utf-8")) as server:
        found = read_robots(server.url("/robots.txt"))
    assert found == (200, b"User-agent: *\n", "text/plain", None)
    assert [(one.path, one.header("Cache-Control")) for one in server.requests] == [("/robots.txt", "no-cache")]


def test_an_endless_robots_txt_is_read_up_to_the_size_limit_of_crawlers() -> None:
    def endless(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(5_000):
            connection.send(b"Disallow: /a\n" * 1_000)

    with WireServer(endless) as server:
        found = read_robots(server.url("/robots.txt"))
    assert (len(found.body), found.error) == (live_files.FILE_BYTES, None)


KEY = "0123456789abcdef"


def why_no_key(script: Script) -> tuple[str | None, list[Connection]]:
    with WireServer(script) as server:
        return asyncio.run(key_at(server.url(f"/{KEY}.txt"), KEY)), server.requests


def test_the_indexnow_key_is_fetched_bypassing_caches_and_may_end_with_a_newline() -> None:
    why, (asked,) = why_no_key(lambda c: c.answer(f"{KEY}\n".encode(), content_type="text/plain"))
    assert why is None
    assert (asked.path, asked.header("Cache-Control")) == (f"/{KEY}.txt", "no-cache")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda c: c.answer(b"", "404 Not Found"), "it answers 404"),
        (lambda c: c.answer(b"", "302 Found", location="/elsewhere.txt"), "it answers 302"),
        (lambda c: c.answer(b"another-key-01234"), "another text is there"),
        (lambda c: c.answer(f"{KEY}{KEY}".encode()), "another text is there"),
        (lambda c: c.answer(KEY.encode() + b"x" * 5_000), "another text is there"),
    ],
)
def test_a_missing_or_wrong_indexnow_key_is_reported(script: Script, said: str) -> None:
    why, requests = why_no_key(script)
    assert why == said and len(requests) == 1
