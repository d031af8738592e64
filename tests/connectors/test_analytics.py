"""Analytics: what is asked, what is made of the answer, and how each failure is told."""

import logging
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import analytics as connector
from chalicelib.connectors import google
from chalicelib.connectors.analytics import Analytics, OwnProperty
from chalicelib.connectors.errors import NoAccess, OutsideError, Quota, Unavailable
from chalicelib.connectors.google import Account, GoogleApi
from chalicelib.domain.analytics.report import Event, Landing
from chalicelib.settings.reading import forget_settings
from local.standins import analytics as standin
from local.standins.analytics import PROPERTY, Property, Visits, demo_visits
from local.standins.google import GoogleAccounts
from tests.servers.wire import WireServer

HOSTS = ["shop.example", "www.shop.example"]
FIRST, LAST = date(2026, 10, 1), date(2026, 10, 2)
SHOP = [Visits("/tents", 10, 4, 5, purchases=2, revenue=99.5), Visits("/", 3, 3, 1, sign_ups=1)]


class Kept:
    """An account in memory."""

    id = "conn_1"

    def __init__(self, account: Account) -> None:
        self._account = account

    def account(self) -> Account:
        return self._account

    def rotated(self, before: object, after: object) -> None:
        raise AssertionError("a service account has no token that another takes the place of")


@pytest.fixture(scope="module")
def accounts() -> Iterator[GoogleAccounts]:
    found = GoogleAccounts()
    yield found
    found.stop()


@pytest.fixture
def told(accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch) -> Iterator[standin.Analytics]:
    found = standin.Analytics(accounts, Property(lambda _: SHOP, hosts=["www.shop.example"]))
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("GOOGLE_TOKEN_URL", accounts.url)
    monkeypatch.setenv("ANALYTICS_DATA_URL", found.url)
    monkeypatch.setenv("ANALYTICS_ADMIN_URL", found.url)
    forget_settings()
    google.forget_tokens()
    yield found
    found.stop()
    monkeypatch.undo()
    forget_settings()
    google.forget_tokens()


def of(accounts: GoogleAccounts, property_id: str = PROPERTY) -> Analytics:
    return Analytics(property_id, HOSTS, Kept(google.account(accounts.key_file())))


def test_the_report_contains_pages_and_key_events_of_all_visits(
    told: standin.Analytics, accounts: GoogleAccounts
) -> None:
    report = of(accounts).landing_pages(FIRST, LAST, "all")
    assert report.landings == [
        Landing("/tents", 20, 10, 4.0, 4.0, 4, 199.0, 199.0),
        Landing("/", 6, 2, 2.0, 2.0, 0, 0.0, 0.0),
    ]
    assert sorted(report.events) == [Event("/", "sign_up", 2.0), Event("/tents", "purchase", 4.0)]
    assert (report.currency, report.time_zone, report.row_count) == ("EUR", "Europe/Berlin", 2)
    assert (report.other, report.thresholded, report.sampled, report.restricted) == (False, False, None, False)


def test_only_search_visits_to_hosts_of_the_website_are_counted(
    told: standin.Analytics, accounts: GoogleAccounts
) -> None:
    assert [row.sessions for row in of(accounts).landing_pages(FIRST, FIRST, "organic").landings] == [4, 3]
    assert len(told.asked) == 2
    for body in told.asked:
        assert body["dimensionFilter"]["andGroup"]["expressions"][0]["filter"] == {
            "fieldName": "hostName",
            "inListFilter": {"values": HOSTS, "caseSensitive": False},
        }
        assert body["returnPropertyQuota"] is True
    told.known.hosts = {"blog.shop.example"}
    assert of(accounts).landing_pages(FIRST, FIRST, "all").landings == []


def test_an_empty_report_has_no_rows(told: standin.Analytics, accounts: GoogleAccounts) -> None:
    told.known.visits = lambda _: []
    report = of(accounts).landing_pages(FIRST, LAST, "organic")
    assert (report.landings, report.events, report.row_count) == ([], [], 0)


def test_a_report_with_missing_rows_is_marked(told: standin.Analytics, accounts: GoogleAccounts) -> None:
    told.known.metadata = {
        "dataLossFromOtherRow": True,
        "subjectToThresholding": True,
        "samplingMetadatas": [{"samplesReadCount": "25", "samplingSpaceSize": "100"}],
        "schemaRestrictionResponse": {
            "activeMetricRestrictions": [{"metricName": "totalRevenue", "restrictedMetricTypes": ["REVENUE_DATA"]}]
        },
    }
    report = of(accounts).landing_pages(FIRST, LAST, "all")
    assert (report.other, report.thresholded, report.sampled, report.restricted) == (True, True, 0.25, True)
    told.known.metadata = {"schemaRestrictionResponse": {}}
    assert not of(accounts).landing_pages(FIRST, LAST, "all").restricted


def test_ten_thousand_pages_are_read_in_one_request(told: standin.Analytics, accounts: GoogleAccounts) -> None:
    many = demo_visits(lambda: [f"/shop/product-{number}/" for number in range(10_500)])
    told.known.visits = many
    report = of(accounts).landing_pages(FIRST, FIRST, "all")
    assert len(report.landings) == report.row_count > 10_000
    assert report.landings[0].sessions == max(row.sessions for row in report.landings)
    assert sum(row.sessions for row in report.landings) == sum(one.sessions for one in many(FIRST))


def test_pages_with_most_sessions_come_first_in_the_report(
    told: standin.Analytics, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "MOST_ROWS", 1)
    report = of(accounts).landing_pages(FIRST, LAST, "all")
    assert ([row.page for row in report.landings], report.row_count) == (["/tents"], 2)


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        ("access", NoAccess, "sufficient permissions"),
        ("quota", Quota, "quota is used up"),
        ("down", Unavailable, "503"),
        ("partial", Unavailable, "Google could not be reached"),
    ],
)
def test_each_failure_is_reported_after_a_single_request(
    fault: str,
    error: type[OutsideError],
    says: str,
    told: standin.Analytics,
    accounts: GoogleAccounts,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    told.misbehave(fault)
    before = len(told.asked)
    with pytest.raises(error, match=says) as caught:
        of(accounts).landing_pages(FIRST, LAST, "all")
    assert len(told.asked) - before <= 1
    with pytest.raises(error):
        of(accounts).check()
    key = accounts.key_file()["private_key"]
    assert "ya29." not in caplog.text + str(caught.value)
    assert key not in caplog.text + str(caught.value)


def test_a_quota_error_without_details_is_recognised(told: standin.Analytics, accounts: GoogleAccounts) -> None:
    told.misbehave("quota")
    told.quota_details = False
    with pytest.raises(Quota):
        of(accounts).check()


def test_access_to_another_property_is_refused(told: standin.Analytics, accounts: GoogleAccounts) -> None:
    of(accounts).check()
    with pytest.raises(NoAccess):
        of(accounts, "1").check()


def test_the_stand_in_refuses_an_unknown_fault(told: standin.Analytics) -> None:
    with pytest.raises(ValueError, match="not a fault of Analytics"):
        told.misbehave("tired")


def _row(**changed: str) -> dict[str, Any]:
    """A landing page of an answer, with a number or two changed."""
    metrics = {"sessions": "10", "engaged": "4", "key_events": "2.0", "rate": "0.2", "purchases": "1"}
    values = {**metrics, "purchase_revenue": "9.5", "revenue": "9.5", **changed}
    return {
        "dimensionValues": [{"value": "/"}, {"value": "purchase"}],
        "metricValues": [{"value": value} for value in values.values()],
    }


COUNTS = ("NaN", "Infinity", "-1", "1e30", "1" + "0" * 30, "9" * 5_000, "1_0", "+3", "0x10", "٣", "1.5", "")
AMOUNTS = ("NaN", "Infinity", "-Infinity", "1e30", "-1e30", "1e999", "9" * 5_000, "1_0", "+3", "")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *((member, value) for member in ("sessions", "engaged", "purchases") for value in COUNTS),
        *((member, value) for member in ("key_events", "revenue", "purchase_revenue") for value in AMOUNTS),
        *(("rate", value) for value in ("1.1", "-0.1", "NaN", "100")),
        ("key_events", "-1"),
    ],
)
def test_a_number_outside_its_range_makes_the_answer_invalid(
    member: str, value: str, told: standin.Analytics, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(told, "answer", lambda *_: (200, {"rows": [_row(**{member: value})]}))
    with pytest.raises(Unavailable, match="unexpected form"):
        of(accounts).landing_pages(FIRST, LAST, "all")


def test_refunds_may_make_revenue_negative(
    told: standin.Analytics, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [{"rows": [_row(revenue="-12.5", key_events="1e1")]}, {}]
    monkeypatch.setattr(told, "answer", lambda *_: (200, answers.pop(0)))
    (landing,) = of(accounts).landing_pages(FIRST, LAST, "all").landings
    assert (landing.revenue, landing.key_events, landing.converted) == (-12.5, 10.0, 2.0)


ODD: list[dict[str, Any]] = [
    {"rows": [{"dimensionValues": [{"value": "/"}], "metricValues": [{"value": "1"}]}]},
    {"rows": [{"dimensionValues": [], "metricValues": [{"value": "1"}] * 7}]},
    {"rows": [{"dimensionValues": [{"value": "/"}], "metricValues": [{"value": "many"}] * 7}]},
    {"rows": [{"dimensionValues": [{"value": "/"}], "metricValues": [{"value": "nan"}] * 7}]},
    {"rows": {}},
    {"rowCount": -1},
    {"rowCount": 10**30},
    {"metadata": {"currencyCode": "\x1b[31mEUR"}},
    {"metadata": {"samplingMetadatas": [{"samplesReadCount": "x"}]}},
]


@pytest.mark.parametrize("odd", ODD)
def test_an_answer_in_another_format_is_rejected(
    odd: dict[str, Any], told: standin.Analytics, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(told, "answer", lambda *_: (200, odd))
    with pytest.raises(Unavailable, match="unexpected form"):
        of(accounts).landing_pages(FIRST, LAST, "all")


def test_both_reports_share_one_time_limit(
    told: standin.Analytics, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, given = [0.0], []
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])

    def answered(_: object, path: str, wire: type[Any], body: object, *, seconds: float) -> Any:
        given.append(seconds)
        now[0] += 12.0
        return wire()

    monkeypatch.setattr(GoogleApi, "ask", answered)
    of(accounts).landing_pages(FIRST, LAST, "all")
    assert given == [20.0, 8.0]


def own_properties(accounts: GoogleAccounts) -> list[OwnProperty]:
    return connector.properties(HOSTS, Kept(google.account(accounts.key_file())))


def test_listed_properties_show_whether_they_measure_the_website(
    told: standin.Analytics, accounts: GoogleAccounts
) -> None:
    told.listed = {"1": ["https://WWW.shop.example/de"], "2": ["https://other.example", "https://[x"], "3": []}
    assert own_properties(accounts) == [
        OwnProperty("1", "Property 1", True),
        OwnProperty("2", "Property 2", False),
        OwnProperty("3", "Property 3", False),
    ]


def test_at_most_200_properties_are_listed_and_25_are_checked(
    told: standin.Analytics, accounts: GoogleAccounts
) -> None:
    told.listed = {str(number): [] for number in range(1, 300)}
    found = own_properties(accounts)
    assert [one.measures for one in found] == [False] * 25 + [None] * 175


def test_a_property_without_access_to_its_data_streams_is_still_listed(
    told: standin.Analytics, accounts: GoogleAccounts
) -> None:
    told.fault = "access"
    assert own_properties(accounts) == [OwnProperty(PROPERTY, f"Property {PROPERTY}", None)]


def test_malformed_properties_are_skipped_and_a_malformed_list_is_an_error(
    told: standin.Analytics, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = b'{"accountSummaries": [{"propertySummaries": [{"property": "properties/1/../2", "displayName": "x"}]}]}'
    for body, expected in ((odd, []), (b"{}", [])):
        with WireServer(lambda c, body=body: c.answer(body)) as server:
            monkeypatch.setenv("ANALYTICS_ADMIN_URL", server.url())
            forget_settings()
            assert own_properties(told.accounts) == expected
    with WireServer(lambda c: c.answer(b"[]")) as server:
        monkeypatch.setenv("ANALYTICS_ADMIN_URL", server.url())
        forget_settings()
        with pytest.raises(Unavailable):
            own_properties(told.accounts)
