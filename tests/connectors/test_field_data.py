"""The Chrome UX Report: what it is asked, what is taken from its answer, and how its failures are told apart."""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib import clock
from chalicelib.connectors import field_data
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.field_data import FieldData
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.settings.reading import forget_settings
from local.demo import DEMO_HOST
from local.standins.field_data import ChromeUx
from local.standins.google_keys import KEY
from tests.servers.wire import WireServer

SECRET = "AIza-this-is-a-secret-that-stays-one"
HOME = f"https://{DEMO_HOST}:8443/"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("CRUX_API_KEY", raising=False)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture(scope="module")
def shared() -> Iterator[ChromeUx]:
    standin = ChromeUx()
    yield standin
    standin.stop()


@pytest.fixture
def standin(shared: ChromeUx) -> ChromeUx:
    shared.misbehave("none")
    shared.asked.clear()
    return shared


def connect(monkeypatch: pytest.MonkeyPatch, url: str, key: str = KEY) -> FieldData:
    monkeypatch.setenv("CRUX_URL", url)
    monkeypatch.setenv("CRUX_API_KEY", key)
    forget_settings()
    return field_data.connected()


def test_a_website_is_looked_up_by_its_origin(standin: ChromeUx, monkeypatch: pytest.MonkeyPatch) -> None:
    record = connect(monkeypatch, standin.url).site(f"{HOME}shop/?a=1", "desktop")
    (asked,) = standin.asked
    assert json.loads(asked.body) == {
        "origin": f"https://{DEMO_HOST}:8443",
        "formFactor": "DESKTOP",
        "metrics": ["largest_contentful_paint", "interaction_to_next_paint", "cumulative_layout_shift"],
    }
    assert KEY not in asked.path and asked.headers["x-goog-api-key"] == KEY
    assert record.available and record.reason is None
    assert (record.lcp_ms, record.inp_ms, record.cls) == (1720.0, 96.0, 0.05)


def test_a_page_is_looked_up_by_its_address(standin: ChromeUx, monkeypatch: pytest.MonkeyPatch) -> None:
    record = connect(monkeypatch, standin.url).page(HOME, "phone")
    assert json.loads(standin.asked[0].body)["url"] == HOME
    ended = datetime.fromtimestamp(clock.now(), UTC) - timedelta(days=2)
    assert record.period_end == ended.date().isoformat()


def test_a_missing_record_is_not_an_error(standin: ChromeUx, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = connect(monkeypatch, standin.url)
    assert asked.page(f"{HOME}about/", "phone") == FieldRecord(False, field_data.NOT_ENOUGH["page"])
    assert asked.site("https://small.example/", "phone") == FieldRecord(False, field_data.NOT_ENOUGH["site"])


@pytest.mark.parametrize(
    ("fault", "error"), [("access", NoAccess), ("quota", Quota), ("down", Unavailable), ("partial", Unavailable)]
)
def test_failures_are_distinguished_and_the_key_is_not_shown(
    fault: str,
    error: type[OutsideError],
    standin: ChromeUx,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    standin.misbehave(fault)
    key = SECRET if fault == "access" else KEY
    with pytest.raises(error) as caught:
        connect(monkeypatch, standin.url, key).site(HOME, "phone")
    assert key not in f"{caught.value!r}{caught.value.__dict__}{caplog.text}"
    assert len(standin.asked) == 1, "nothing is tried twice"


def answered(body: object, monkeypatch: pytest.MonkeyPatch, status: str = "200 OK") -> FieldRecord:
    with WireServer(lambda c: c.answer(json.dumps(body).encode(), status)) as server:
        return connect(monkeypatch, server.url()).page(HOME, "phone")


@pytest.mark.parametrize(
    ("p75", "expected"),
    [("0.25", 0.25), (0, 0.0), ("0.00", 0.0), ("", None), ("nan", None), (None, None), (-1, None), (True, None)],
)
def test_a_percentile_may_be_a_number_or_a_string(
    p75: object, expected: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = {"cumulative_layout_shift": {"percentiles": {"p75": p75}}, "interaction_to_next_paint": {}}
    record = answered({"record": {"metrics": metrics}}, monkeypatch)
    assert record == FieldRecord(True, cls=expected)


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("200 OK", {}, Unavailable),
        ("200 OK", {"record": {"metrics": {}, "collectionPeriod": {"lastDate": {"year": "x"}}}}, Unavailable),
        ("302 Found", {}, Unavailable),
        ("400 Bad Request", {"error": {"message": "Invalid url", "status": "INVALID_ARGUMENT"}}, Declined),
        ("403 Forbidden", {"error": {"status": "PERMISSION_DENIED"}}, NoAccess),
        ("429 Slow", {}, Quota),
        ("500 Oops", None, Unavailable),
    ],
)
def test_each_invalid_answer_raises_the_expected_error(
    status: str, body: object, error: type[OutsideError], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error) as caught:
        answered(body, monkeypatch, status)
    assert type(caught.value) is error and caught.value.message


def test_without_a_key_no_request_is_sent() -> None:
    with pytest.raises(NotConnected, match="CRUX_API_KEY is not set"):
        field_data.connected()


def test_printing_the_connector_does_not_show_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SECRET not in repr(connect(monkeypatch, "https://a.example", SECRET))


def test_the_stand_in_is_not_used_if_a_field_data_service_is_configured(standin: ChromeUx) -> None:
    told = {"CRUX_URL": standin.url, "CRUX_API_KEY": KEY, "CRUX_REQUESTS_A_SECOND": "1000"}
    assert standin.settings({}) == told
    assert standin.settings({"CRUX_API_KEY": "x"}) == standin.settings({"CRUX_URL": "x"}) == {}
