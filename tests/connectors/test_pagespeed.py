"""PageSpeed Insights: what it is asked, what is taken from its answer, and how its failures are told apart."""

import json
import logging
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest

from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.pagespeed import FIELDS, PageSpeedInsights
from chalicelib.settings.reading import forget_settings
from chalicelib.settings.speed import speed_settings
from local.standins.google_keys import KEY
from local.standins.pagespeed import PageSpeed
from local.standins.partial import kept, read
from tests.servers.wire import Connection, WireServer

SECRET = "AIza-this-is-a-secret-that-stays-one"
PAGE = b"""<!doctype html><html lang=en><title>A</title><main><img src=a.jpg loading=lazy width=9 height=9>
<button><svg></svg></button><button aria-label=Menu></button><a href=/x>Read</a></main>"""


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SPEED_PROVIDER", "PAGESPEED_API_KEY", "PAGESPEED_URL", "EXTRA_HOSTS", "EXTRA_CA_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture(scope="module")
def shared() -> Iterator[PageSpeed]:
    standin = PageSpeed()
    yield standin
    standin.stop()


@pytest.fixture
def standin(shared: PageSpeed) -> PageSpeed:
    shared.misbehave("none")
    shared.asked.clear()
    return shared


@pytest.fixture
def page() -> Iterator[str]:
    """The address of a page with a fault or two, whose website has no llms.txt."""

    def serve(connection: Connection) -> None:
        if connection.path == "/":
            connection.answer(PAGE)
        else:
            connection.answer(b"", "404 Not Found")

    with WireServer(serve) as server:
        yield server.url()


Connect = Callable[..., PageSpeedInsights]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    def by_settings(url: str, key: str = KEY) -> PageSpeedInsights:
        monkeypatch.setenv("PAGESPEED_URL", url)
        monkeypatch.setenv("PAGESPEED_API_KEY", key)
        forget_settings()
        found = speed_tests.connected()
        assert isinstance(found, PageSpeedInsights) and found.provider == "psi"
        return found

    return by_settings


def test_one_request_asks_for_performance_and_agentic_checks_and_only_stored_fields(
    standin: PageSpeed, connect: Connect, page: str
) -> None:
    connect(standin.url).run(page, "desktop")
    (asked,) = standin.asked
    assert parse_qsl(urlsplit(asked.path).query) == [
        ("url", page),
        ("strategy", "desktop"),
        ("category", "performance"),
        ("category", "agentic-browsing"),
        ("fields", FIELDS),
    ]
    assert KEY not in asked.path and asked.headers["x-goog-api-key"] == KEY


def test_a_report_contains_lab_values_and_checks(standin: PageSpeed, connect: Connect, page: str) -> None:
    report = connect(standin.url).run(page, "mobile")
    assert (report.url, report.strategy, report.lighthouse_version) == (page, "mobile", "13.5.0")
    assert report.lab.lcp_ms and report.lab.lcp_ms > 2_500
    assert (report.lab.cls, report.lab.blocking_ms) == (0.0, 0.0)
    tree = report.agentic.checks["agent-accessibility-tree"]
    assert (tree.state, len(tree.items), tree.items[0].snippet) == ("fail", 1, "<button>")
    assert report.agentic.checks["llms-txt"].state == "na"
    assert report.agentic.largest_image is not None and report.agentic.largest_image.lazy


def test_long_parts_of_a_real_report_are_left_out_of_the_answer() -> None:
    table = {"type": "table", "headings": [1], "debugData": {"x": 1}, "items": [{"a": {"deep": 1}}]}
    audit = {"id": "a", "score": 1, "warnings": [], "details": table}
    report = {
        "lighthouseVersion": "13.5.0",
        "configSettings": {"formFactor": "mobile", "locale": "en"},
        "categories": {"x": {"title": "X", "auditRefs": [{"id": "a", "weight": 1, "group": "g"}]}},
        "audits": {"a": audit},
        "i18n": {"big": 1},
        "fullPageScreenshot": {"data": "…"},
    }
    assert kept({"lighthouseResult": report, "loadingExperience": {}}, read(FIELDS)) == {
        "lighthouseResult": {
            "lighthouseVersion": "13.5.0",
            "configSettings": {"formFactor": "mobile"},
            "categories": {"x": {"auditRefs": [{"id": "a", "group": "g"}]}},
            "audits": {"a": {"id": "a", "score": 1, "details": {"type": "table", "items": [{"a": {"deep": 1}}]}}},
        }
    }


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("access", NoAccess, "refused the API key"),
        ("quota", Quota, "quota is used up"),
        ("down", Unavailable, "503"),
        ("partial", Unavailable, "shorter than its headers say"),
        ("hollow", Unavailable, "unexpected form"),
        ("page_error", Declined, r"The page painted nothing \(NO_FCP\)"),
        ("broken_page", Declined, r"The page painted nothing \(NO_FCP\)"),
    ],
)
def test_failures_are_distinguished_and_the_key_is_not_shown(
    fault: str,
    error: type[OutsideError],
    words: str,
    standin: PageSpeed,
    connect: Connect,
    page: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    standin.misbehave(fault)
    key = SECRET if fault == "access" else KEY
    with pytest.raises(error, match=words) as caught:
        connect(standin.url, key).run(page, "mobile")
    assert type(caught.value) is error and caught.value.retry_after is None
    assert key not in f"{caught.value!r}{caught.value.__dict__}{caplog.text}"
    assert len(standin.asked) == 1, "nothing is tried twice"


def test_an_error_status_of_the_tested_page_is_reported(standin: PageSpeed, connect: Connect, page: str) -> None:
    with pytest.raises(Declined, match=r"The page answered with an error .*404"):
        connect(standin.url).run(f"{page}gone", "mobile")


RUNTIME_ERROR = {"runtimeError": {"code": "PROTOCOL_TIMEOUT", "message": "Waiting took too long"}}


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("200 OK", {"lighthouseResult": RUNTIME_ERROR}, Unavailable),
        ("500 Oops", {"lighthouseResult": {"runtimeError": {"code": "NO_FCP"}}}, Declined),
        ("400 Bad Request", {"error": {"message": "Lighthouse returned error: NOT_HTML. x"}}, Declined),
        ("400 Bad Request", {"error": {"message": "Invalid value", "code": 400}}, Declined),
        ("500 Oops", {"error": {"message": "Lighthouse returned error: TARGET_CRASHED"}}, Unavailable),
        ("500 Oops", {"error": {"message": "Unable to process request."}}, Unavailable),
        ("200 OK", {"lighthouseResult": {}}, Unavailable),
        ("200 OK", {"lighthouseResult": None}, Unavailable),
        ("200 OK", [], Unavailable),
        ("200 OK", {"error": {"message": None}}, Unavailable),
        ("302 Found", {}, Unavailable),
        ("403 Forbidden", {"error": {"status": "PERMISSION_DENIED"}}, NoAccess),
        ("429 Slow", {}, Quota),
    ],
)
def test_each_invalid_answer_raises_the_expected_error(
    status: str, body: object, error: type[OutsideError], connect: Connect
) -> None:
    with WireServer(lambda c: c.answer(json.dumps(body).encode(), status)) as server, pytest.raises(error) as caught:
        connect(server.url()).run("https://shop.test/", "mobile")
    assert type(caught.value) is error and caught.value.message


@pytest.mark.parametrize("body", [b"<html>", b"\xff\xfe", b"[" * 50_000])
def test_an_answer_that_is_not_json_is_an_unavailable_error(body: bytes, connect: Connect) -> None:
    with WireServer(lambda c: c.answer(body)) as server, pytest.raises(Unavailable, match="unexpected form"):
        connect(server.url()).run("https://shop.test/", "mobile")


def test_a_slow_test_is_aborted_at_the_time_limit(connect: Connect) -> None:
    with WireServer(lambda c: c.hang()) as server, pytest.raises(Unavailable, match=r"within 0\.3 seconds"):
        connect(server.url()).run("https://shop.test/", "mobile", seconds=0.3)


def test_printing_the_connector_does_not_show_the_key(connect: Connect) -> None:
    assert SECRET not in f"{connect('https://a.example', SECRET)!r}{speed_settings()!r}"


def test_no_speed_test_is_connected_without_a_key_or_with_an_unknown_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotConnected, match="PAGESPEED_API_KEY is not set"):
        speed_tests.connected()
    monkeypatch.setenv("SPEED_PROVIDER", "hal")
    forget_settings()
    with pytest.raises(NotConnected, match="SPEED_PROVIDER is 'hal'"):
        speed_tests.connected()


def test_the_stand_in_tests_only_local_websites(standin: PageSpeed, connect: Connect) -> None:
    with pytest.raises(Declined, match="local service only"):
        connect(standin.url).run("https://example.org/", "mobile")


def test_the_stand_in_is_not_used_if_pagespeed_is_configured(standin: PageSpeed) -> None:
    assert standin.settings({}) == {"PAGESPEED_URL": standin.url, "PAGESPEED_API_KEY": KEY}
    for own in ("PAGESPEED_API_KEY", "PAGESPEED_URL", "SPEED_PROVIDER"):
        assert standin.settings({own: "x"}) == {}
    with pytest.raises(ValueError, match="not a fault"):
        standin.misbehave("tired")
