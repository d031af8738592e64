"""The connection to a shop: each way in which it fails, and that the access token is told nowhere."""

import json
import logging

import pytest

from chalicelib.connectors import shop as shop_module
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.settings.reading import forget_settings
from local.standins.shop import TOKEN
from tests.connectors.shops import CALLS, CHANGE, asking, every_call, shop
from tests.servers.wire import Connection, WireServer

DENIED = {"errors": [{"message": "Access denied", "extensions": {"code": "ACCESS_DENIED"}}], "data": None}


def failure(
    monkeypatch: pytest.MonkeyPatch, call: str, body: bytes, status: str = "200 OK", **headers: str
) -> OutsideError:
    with WireServer(lambda c: c.answer(body, status, **headers)) as server:
        asking(monkeypatch, server.url())
        with pytest.raises(OutsideError) as caught:
            CALLS[call](shop())
    forget_settings()
    assert caught.value.__cause__ is None
    return caught.value


def error(code: str) -> bytes:
    return json.dumps({"errors": [{"message": "Oops", "extensions": {"code": code}}]}).encode()


@every_call
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        ("401 Unauthorized", b'{"errors":"[API] Invalid API key"}', NoAccess),
        ("403 Forbidden", b"", NoAccess),
        ("402 Payment Required", b"", NoAccess),
        ("423 Locked", b"", NoAccess),
        ("404 Not Found", b"", Unavailable),
        ("301 Moved", b"", Unavailable),
        ("429 Too Many", b"", Quota),
        ("430 Security", b"", Quota),
        ("500 Oops", b"<html>", Unavailable),
        ("503 Down", b"", Unavailable),
        ("408 Late", b"", Unavailable),
        ("204 Nothing", b"", Unavailable),
        ("400 Bad", b"", Declined),
        ("422 Bad", b"", Declined),
        ("200 OK", b"", Unavailable),
        ("200 OK", b"<html>", Unavailable),
        ("200 OK", b"[]", Unavailable),
        ("200 OK", b"{}", Unavailable),
        ("200 OK", b'{"data":null}', Unavailable),
        ("200 OK", b'{"data":{"shop":1}}', Unavailable),
        ("200 OK", b'{"data":' + b"[" * 50_000, Unavailable),
        ("200 OK", b'{"errors":"a text"}', Unavailable),
        ("200 OK", b'{"data":{"products":{"pageInfo":{"hasNextPage":true}}}}', Unavailable),
        ("200 OK", b'{"errors":[{"message":"\xff"}]}', Unavailable),
        ("200 OK", error("SHOP_INACTIVE"), NoAccess),
        ("200 OK", error("INTERNAL_SERVER_ERROR"), Unavailable),
        ("200 OK", error("TIMEOUT"), Unavailable),
        ("200 OK", error("MAX_COST_EXCEEDED"), Declined),
        ("200 OK", error("undefinedField"), Declined),
    ],
)
def test_each_http_status_maps_to_its_error(
    monkeypatch: pytest.MonkeyPatch, call: str, status: str, body: bytes, kind: type[OutsideError]
) -> None:
    found = failure(monkeypatch, call, body, status)
    assert (type(found) is kind and found.message.endswith(".")) or kind is Declined or "Oops" in found.message


def test_a_missing_scope_means_no_access_for_reads_and_a_refusal_for_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps(DENIED).encode()
    for call in ("status", "items"):
        assert isinstance(failure(monkeypatch, call, body), NoAccess)
    with WireServer(lambda c: c.answer(body)) as server:
        asking(monkeypatch, server.url())
        assert shop().change(CHANGE).state == "refused"
    forget_settings()


@pytest.mark.parametrize(("given", "seconds"), [("20", 20.0), ("", None), ("soon", None)])
def test_the_retry_time_sent_by_a_shop_is_kept(
    monkeypatch: pytest.MonkeyPatch, given: str, seconds: float | None
) -> None:
    for status in ("429 Too Many", "503 Down"):
        headers = {"Retry_After": given} if given else {}
        assert failure(monkeypatch, "status", b"", status, **headers).retry_after == seconds


@every_call
def test_the_token_appears_in_no_error_and_no_log(
    call: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    words = f"max\n\x1b[31m {TOKEN} " + "x" * 5_000
    body = json.dumps({"errors": [{"message": words, "extensions": {"code": "other"}}]}).encode()
    for status in ("200 OK", "400 Bad", "401 No", "500 Oops"):
        found = failure(monkeypatch, call, body, status)
        assert TOKEN not in f"{found!r}{found.__dict__}{caplog.text}"
        assert found.message.isprintable() and len(found.message) < 400
    assert TOKEN not in repr(shop())


def test_a_private_address_is_not_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    with WireServer(lambda c: asked.append(c.path)) as server:
        asking(monkeypatch, server.url())
        monkeypatch.delenv("ALLOW_ADDRESSES")
        forget_settings()
        with pytest.raises(Unavailable):
            shop().status()
    forget_settings()
    assert asked == []


def test_a_slow_answer_is_aborted_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shop_module.SECONDS, "status", 0.3)  # type: ignore[index]

    def slow(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        connection.drip(b" " * 5_000, 0.02)

    with WireServer(slow) as server:
        asking(monkeypatch, server.url())
        with pytest.raises(Unavailable, match="could not be reached"):
            shop().status()
    forget_settings()
