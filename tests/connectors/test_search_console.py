"""Search Console: what is asked, page by page and day by day, and how its failures are told apart."""

import json
import logging
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.connectors.errors import Declined, NoAccess, OutsideError, Quota, Unavailable
from chalicelib.connectors.search_console import LOOKED_BACK_DAYS, SearchConsole, properties
from chalicelib.operations.sources import GivenAccount
from chalicelib.settings.reading import forget_settings
from chalicelib.settings.search_console import search_console_settings
from local.standins.search_console import FAULTS, MOST_ROWS, Search
from local.standins.search_data import ListSearch, PairRow
from tests.servers.wire import WireServer

PROPERTY = "https://shop.example/with space/"
TODAY = date(2026, 11, 22)
FINAL = date(2026, 11, 19)
LONG = "https://shop.example/" + "ü" * 990  # two bytes each: 2,000 bytes
ROWS = [
    PairRow("hiking boots", "https://shop.example/boots", 3, 10, 2.5),
    PairRow("hiking boots", "https://shop.example/shoes", 1, 8, 7.5),
    PairRow("登山靴 レビュー", LONG, 0, 1, 40.0),
]


@pytest.fixture(scope="module")
def shared() -> Iterator[Search]:
    standin = Search(PROPERTY, ListSearch({FINAL: ROWS}, FINAL))
    yield standin
    standin.stop()


@pytest.fixture
def standin(shared: Search, monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    shared.misbehave("none")
    shared.asked.clear()
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    for name, value in shared.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    clock.set_offset(clock.offset() + (TODAY - clock.utc(clock.now()).date()).days * 86_400)
    yield shared
    clock.set_offset(0.0)
    google.forget_tokens()
    monkeypatch.undo()
    forget_settings()


def console(standin: Search, name: str = PROPERTY, until: float | None = None) -> SearchConsole:
    return SearchConsole(name, GivenAccount(google.account(standin.accounts.key_file())), until=until)


def test_by_default_the_address_of_the_real_search_console_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARCH_CONSOLE_URL", raising=False)
    forget_settings()
    assert search_console_settings().url == "https://www.googleapis.com/webmasters/v3"


def test_rows_are_grouped_by_query_by_page_or_by_both(standin: Search) -> None:
    asked = console(standin)
    by_query = asked.rows(FINAL, ("query",))
    assert dict(zip(by_query.keys, by_query.impressions, strict=True)) == {
        ("hiking boots",): 10.0,  # an impression of the website, however many of its pages were shown
        ("登山靴 レビュー",): 1.0,
    }
    assert asked.rows(FINAL, ("page",)).keys[0] == ("https://shop.example/boots",)
    assert (("登山靴 レビュー", LONG)) in asked.rows(FINAL, ("query", "page")).keys
    assert [body["aggregationType"] for body in standin.asked] == ["byProperty", "byPage", "byPage"]
    assert {(body["startDate"], body["endDate"], body["dataState"], body["rowLimit"]) for body in standin.asked} == {
        ("2026-11-19", "2026-11-19", "final", 25_000)
    }


def test_50000_rows_are_read_in_three_answers(standin: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [PairRow(f"q{number}", "https://shop.example/", 1, 1, 1.0) for number in range(2 * MOST_ROWS)]
    monkeypatch.setattr(standin, "data", ListSearch({FINAL: many}, FINAL))
    found = console(standin).rows(FINAL, ("query",))
    assert len(found.keys) == len(set(found.keys)) == 50_000
    assert [body["startRow"] for body in standin.asked] == [0, 25_000, 50_000]


def test_totals_are_read_in_a_separate_request(standin: Search) -> None:
    asked = console(standin)
    first = FINAL - timedelta(30)
    days = asked.totals(first, FINAL, None, "web")
    assert (days.keys, days.impressions) == ([("2026-11-19",)], [11.0])  # a day without data is left out
    assert ("2026-11-19", "gbr") in asked.totals(first, FINAL, "country", "web").keys
    assert ("2026-11-19", "MOBILE") in asked.totals(first, FINAL, "device", "web").keys
    assert asked.totals(first, FINAL, None, "image").keys == []


def test_the_last_day_with_final_data_is_the_day_before_the_first_incomplete_day(standin: Search) -> None:
    assert console(standin).final_day(TODAY) == FINAL
    assert [body["dataState"] for body in standin.asked] == ["all"]


@pytest.mark.parametrize("spelled", ["first_incomplete_date", "firstIncompleteDate"])
@pytest.mark.parametrize(
    ("told", "final"),
    [("2026-11-20", FINAL), ("2026-12-24", TODAY), ("2026-01-01", TODAY - timedelta(LOOKED_BACK_DAYS))],
)
def test_both_spellings_of_first_incomplete_date_are_read(
    spelled: str, told: str, final: date, standin: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"metadata": {spelled: told}}).encode()
    with WireServer(lambda c: c.answer(body)) as server:
        monkeypatch.setenv("SEARCH_CONSOLE_URL", server.url())
        forget_settings()
        assert console(standin).final_day(TODAY) == final


def test_the_last_day_with_data_is_final_and_a_default_day_is_used_without_data(
    standin: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standin, "data", ListSearch({date(2026, 11, 17): ROWS}, TODAY))
    assert console(standin).final_day(TODAY) == date(2026, 11, 17)
    monkeypatch.setattr(standin, "data", ListSearch({}, TODAY))
    assert console(standin).final_day(TODAY) == TODAY - timedelta(LOOKED_BACK_DAYS)


@pytest.mark.parametrize(
    ("fault", "error"), [("access", NoAccess), ("quota", Quota), ("down", Unavailable), ("partial", Unavailable)]
)
def test_failures_are_distinguished_and_no_secret_is_shown(
    fault: str, error: type[OutsideError], standin: Search, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    standin.misbehave(fault)
    for ask in (
        lambda asked: asked.check(),
        lambda asked: asked.final_day(TODAY),
        lambda asked: asked.rows(FINAL, ("query",)),
        lambda asked: asked.totals(FINAL, FINAL, None, "web"),
    ):
        with pytest.raises(error) as caught:
            ask(console(standin))
        assert type(caught.value) is error
        assert "ya29" not in f"{caught.value!r}{caplog.text}"
    assert fault in FAULTS


def test_a_foreign_or_unverified_property_is_reported_as_no_access(
    standin: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    console(standin).check()
    with pytest.raises(NoAccess, match="sufficient permission"):
        console(standin, "sc-domain:other.example").check()
    body = b'{"siteUrl": "x", "permissionLevel": "siteUnverifiedUser"}'
    with WireServer(lambda c: c.answer(body)) as server:
        monkeypatch.setenv("SEARCH_CONSOLE_URL", server.url())
        forget_settings()
        with pytest.raises(NoAccess, match="not verified"):
            console(standin).check()
        assert server.requests[0].path == "/sites/https%3A%2F%2Fshop.example%2Fwith%20space%2F"


@pytest.mark.parametrize(
    "answer",
    [
        {"rows": [{"keys": ["a", "b"]}]},
        {"rows": [{"keys": []}]},
        {"rows": [{"keys": ["a" * 20_001]}]},
        {"rows": [{"keys": [5]}]},
        {"rows": "none"},
        {"rows": [{"keys": ["a"], "clicks": "3"}]},
        [],
    ],
)
def test_a_malformed_answer_is_an_unavailable_error(
    answer: Any, standin: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer(lambda c: c.answer(json.dumps(answer).encode())) as server:
        monkeypatch.setenv("SEARCH_CONSOLE_URL", server.url())
        forget_settings()
        with pytest.raises(Unavailable, match="unexpected form"):
            console(standin).rows(FINAL, ("query",))


def test_reading_stops_if_the_list_of_rows_never_ends(standin: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"rows": [{"keys": ["2026-11-19"], "clicks": 1}] * MOST_ROWS}).encode()
    with WireServer(lambda c: c.answer(body)) as server:
        monkeypatch.setenv("SEARCH_CONSOLE_URL", server.url())
        forget_settings()
        with pytest.raises(Unavailable, match="without an end"):
            console(standin).totals(FINAL, FINAL, None, "web")
        assert len(server.requests) == 8


def test_after_the_time_limit_no_request_is_started(standin: Search) -> None:
    with pytest.raises(Unavailable):
        console(standin, until=clock.monotonic() - 1).rows(FINAL, ("query",))
    assert not standin.asked


def test_a_refusal_quotes_the_message_of_google(standin: Search) -> None:
    with pytest.raises(Declined, match=r"refused the request \(400\): Request contains an invalid argument"):
        console(standin).totals(FINAL, FINAL - timedelta(1), None, "web")


def test_unverified_properties_are_not_listed(standin: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standin, "listed", {PROPERTY: "siteRestrictedUser", "sc-domain:x": "siteUnverifiedUser"})
    keeper = GivenAccount(google.account(standin.accounts.key_file()))
    assert properties(keeper) == [PROPERTY]
    monkeypatch.setattr(standin, "listed", {})
    assert properties(keeper) == []
