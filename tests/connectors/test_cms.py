"""The connection to a CMS: what is asked of it, each way in which it fails, and that nothing secret is told."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import pytest

from chalicelib.connectors import cms as cms_module
from chalicelib.connectors.cms import HttpCms, connector_address
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import Change, FileChange
from chalicelib.net.calls import Reply
from chalicelib.settings.reading import forget_settings
from tests.servers.wire import Connection, WireServer

SECRET = signature.make_secret(b"s" * 32)
KEY = "wos_site_this-is-the-key-of-the-website"
CODE = "ABCD-EFGH-JKLM"
CHANGE = Change(change_id="c1", sequence=1, cms_id="post:1", url="https://shop.example/", field="title", value="X")
FILE = FileChange(change_id="c2", sequence=1, file="llmsTxt", value="# X")
STATUS: dict[str, Any] = {
    "protocol": 1,
    "platform": "wordpress",
    "version": "1.0.0",
    "siteUrl": "https://shop.example/",
    "writable": True,
}
ITEM: dict[str, Any] = {"cmsId": "post:1", "url": "https://SHOP.example/a b", "type": "post", "status": "published"}
ITEM |= {"title": "A", "modifiedAt": "2026-11-20T10:00:00+01:00", "fields": {"noindex": False, "title": "B"}}
CALLS: dict[str, Callable[[HttpCms], Any]] = {
    "pair": lambda cms: cms.pair(CODE, "site_1", "https://api.example/api/v1", KEY),
    "status": lambda cms: cms.status(),
    "items": lambda cms: cms.items(),
    "changes": lambda cms: cms.change(CHANGE),
    "files": lambda cms: cms.change_file(FILE),
}
every_call = pytest.mark.parametrize("operation", CALLS)


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def answered(operation: str, body: bytes, status: str = "200 OK", **headers: str) -> Any:
    with WireServer(lambda c: c.answer(body, status, **headers)) as server:
        return CALLS[operation](HttpCms(server.url().rstrip("/") + "/wp-json/wos/v1", SECRET))


def failure(operation: str, body: bytes, status: str = "200 OK", **headers: str) -> OutsideError:
    with pytest.raises(OutsideError) as caught:
        answered(operation, body, status, **headers)
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://shop.example", "https://shop.example/wp-json/wos/v1"),
        (" https://shop.example/shop/ ", "https://shop.example/shop/wp-json/wos/v1"),
        ("https://shop.example/wp-json/wos/v1/", "https://shop.example/wp-json/wos/v1"),
        ("https://shop.example/?rest_route=/wos/v1", "https://shop.example/?rest_route=/wos/v1"),
    ],
)
def test_the_connector_address_is_derived_from_the_address_of_the_website(given: str, address: str) -> None:
    assert connector_address(given) == address


@every_call
def test_a_request_is_signed_and_its_headers_contain_no_secret(operation: str) -> None:
    seen: list[tuple[str, str, dict[str, str]]] = []

    def script(connection: Connection) -> None:
        names = ("X-Wos-Time", "X-Wos-Nonce", "X-Wos-Signature")
        head = {name.lower(): connection.header(name) or "" for name in names}
        seen.append((connection.method, connection.path, head))
        sent = connection.head.partition(b"\r\n\r\n")[0].decode()
        assert SECRET not in sent and KEY not in sent
        connection.answer(b"{}", "503 Down")

    with WireServer(script) as server:
        cms = HttpCms(server.url().rstrip("/") + "/wp-json/wos/v1", SECRET)
        for _ in range(2):
            with pytest.raises(Unavailable):
                CALLS[operation](cms)
    (method, path, head), (_, _, second) = seen
    assert (method, path) == ("POST", f"/wp-json/wos/v1/{operation}") and len(seen) == 2, "nothing is tried twice"
    assert head["x-wos-nonce"] != second["x-wos-nonce"] and abs(int(head["x-wos-time"]) - time.time()) < 60
    if operation == "status":
        assert signature.fault(SECRET, head, "/wos/v1/status", b"{}", time.time()) is None


def test_requests_are_signed_with_the_real_time_even_if_tests_move_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chalicelib.clock._offset_seconds", 8 * 86_400.0)
    seen: list[str] = []

    def script(connection: Connection) -> None:
        seen.append(connection.header("X-Wos-Time") or "")
        connection.answer(json.dumps(STATUS).encode())

    with WireServer(script) as server:
        HttpCms(server.url(), SECRET).status()
    assert abs(int(seen[0]) - time.time()) < 60


def test_valid_answers_of_each_call_are_parsed() -> None:
    status = answered("status", json.dumps(STATUS | {"laterMember": 1, "fields": ["title", "later"]}).encode())
    assert status.writable and status.fields == ["title", "later"] and status.seo_plugin is None
    assert not status.redirects
    second = answered("status", json.dumps(STATUS | {"protocol": 2, "fields": ["alt"], "redirects": True}).encode())
    assert second.redirects and second.fields == ["alt"]
    page = answered("items", json.dumps({"items": [ITEM, ITEM | {"url": "ftp://x"}], "next": "post:1"}).encode())
    (item,) = page.items
    assert (item.url, item.modified_at, item.fields.noindex) == ("https://shop.example/a%20b", 1_795_165_200.0, False)
    assert item.published and page.next == "post:1"
    outcome = answered("changes", b'{"state": "refused", "reason": "No", "caches": [{"name": "X", "cleared": false}]}')
    assert (outcome.state, outcome.reason, outcome.caches[0].cleared) == ("refused", "No", False)


@pytest.mark.parametrize(("operation", "most"), [("changes", 8_000), ("files", 120_000)])
def test_a_write_succeeds_even_if_its_undo_data_is_too_long(operation: str, most: int) -> None:
    for length in (most, most + 1, 1_000_000):
        outcome = answered(operation, json.dumps({"state": "written", "after": "A", "undo": "x" * length}).encode())
        assert (outcome.state, outcome.after) == ("written", "A")
        assert outcome.undo == ("x" * most if length == most else None)


@every_call
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>maintenance</html>",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"a": "\\ud800"}',
        b"[" * 100_000,
        b'{"later": ' + b"[" * 100_000,
        b'{"platform": "\xff", "state": "\xff", "items": [{"cmsId": "\xff"}]}',
        b'{"protocol": 3, "platform": "x", "version": "1", "siteUrl": "u", "writable": true}',
        b'{"state": "perhaps"}',
        b'{"items": {}}',
        b'{"state": "written", "after": 1}',
        b'{"state": "written", "undo": 1}',
        b'{"state": "written", "caches": [' + b'{"name":"x","cleared":true},' * 60 + b"null]}",
        b'{"items": [' + json.dumps(ITEM).encode() + b', {"cmsId": "x"}]}',
        b'{"items": [' + b", ".join([json.dumps(ITEM).encode()] * 201) + b"]}",
        b" " * 5_000_000,
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_malformed_answer_is_an_unavailable_error(operation: str, body: bytes) -> None:
    assert type(failure(operation, body)) is Unavailable


@every_call
@pytest.mark.parametrize(
    ("status", "body", "error", "words"),
    [
        ("301 Moved", b"", Unavailable, "another address"),
        ("400 Bad", b'{"code": "bad_body", "message": "No id."}', Declined, "No id."),
        ("401 No", b'{"code": "not_paired", "message": "x"}', NoAccess, "connect it again"),
        ("401 No", b'{"code": "late", "message": "x"}', NoAccess, "five minutes"),
        ("401 No", b'{"code": "rest_not_logged_in", "message": "Only for users."}', NoAccess, "Only for users."),
        ("403 No", b"<html>firewall</html>", NoAccess, "no reason given"),
        ("403 No", b'{"code": "bad_code", "message": "x"}', NoAccess, "15 minutes"),
        ("404 No", b'{"code": "rest_no_route", "message": "x"}', Unavailable, "plugin is switched off"),
        ("409 Busy", b'{"code": "busy", "message": "x"}', Unavailable, "409"),
        ("413 Large", b'{"code": 1, "message": 2}', Declined, "413"),
        ("429 Slow", b"{}", Quota, "no more requests"),
        ("500 Oops", b"There has been a critical error", Unavailable, "500"),
        ("204 None", b"", Unavailable, "204"),
    ],
)
def test_each_http_status_maps_to_its_error(
    operation: str, status: str, body: bytes, error: type[OutsideError], words: str
) -> None:
    found = failure(operation, body, status, retry_after="7")
    assert type(found) is error and words in found.message
    assert not isinstance(found, Quota) or found.retry_after == 7.0


@every_call
@pytest.mark.parametrize("status", ["429 Slow", "503 Maintenance"])
def test_the_retry_after_header_of_an_error_is_read(operation: str, status: str) -> None:
    assert failure(operation, b"{}", status, retry_after="120").retry_after == 120.0
    at = formatdate(time.time() + 60, usegmt=True)
    found = failure(operation, b"{}", status, retry_after=at).retry_after
    assert found is not None and 50 < found <= 60


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("0", 0.0),
        ("999999", 999_999.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
        ("9" * 5_000, None),
        ("Thu, 99 Foo 1970 00:00:00 GMT", None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
        ("Thu, 01 Jan 2030 00:00:00", None),
        (",", None),
        ("0 0 0 0 0", None),
    ],
)
def test_an_unreadable_retry_after_header_is_ignored(given: str, seconds: float | None) -> None:
    assert Reply(429, {"retry-after": given}, b"").retry_after == seconds
    assert Reply(429, {}, b"").retry_after is None


@every_call
def test_errors_and_logs_reveal_no_secret(operation: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    words = f"max\n\x1b]52;c;ZXZpbA==\x07 \u202eevil\r {SECRET} {KEY} {CODE} " + "x" * 5_000
    hidden = [SECRET, KEY, CODE] if operation == "pair" else [SECRET]
    for status in ("400 Bad", "403 No", "500 Oops"):
        found = failure(operation, json.dumps({"code": "x", "message": words}).encode(), status)
        told = f"{found!r}{found.__dict__}{caplog.text}"
        assert not [secret for secret in hidden if secret in told]
        assert found.message.isprintable() and len(found.message) < 400
    assert SECRET not in f"{HttpCms('https://x.example', SECRET)!r}"


def test_a_website_with_a_private_address_is_not_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALLOW_ADDRESSES")
    forget_settings()
    asked: list[str] = []
    with WireServer(lambda c: asked.append(c.path)) as server:
        for address in (server.url(), "https://127.0.0.1/x", "https://169.254.169.254/x", "http://shop.example/x", "x"):
            with pytest.raises(Unavailable):
                HttpCms(address, SECRET).status()
    assert asked == []


def test_a_slow_answer_is_aborted_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cms_module.SECONDS, "status", 0.3)  # type: ignore[index]

    def slow(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        connection.drip(b" " * 5_000, 0.02)

    with WireServer(slow) as server, pytest.raises(Unavailable, match=r"within 0\.3 seconds"):
        HttpCms(server.url(), SECRET).status()
