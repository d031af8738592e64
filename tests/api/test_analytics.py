"""Landing pages over HTTP: what the property tells, joined, sorted and kept for a quarter of an hour; how it fails."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.recent import RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.exports import worker as exporting
from chalicelib.operations import sources
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client, connections, jobs, websites
from chalicelib.store import sources as stored_sources
from chalicelib.store.transactions import commit
from local import embedded
from local.standins.analytics import PROPERTY, Analytics, Property, Visits
from local.standins.google import GoogleAccounts
from tests import aws, webhooks
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import cells_of, check_is_the_walk
from tests.topics import Shown, connect, imported, today

SITE = "https://acme.example"
VISITS = [
    Visits("/boots/", 10, 6, 5, purchases=1, revenue=50.0),
    Visits("/guides/fuel", 4, 2, 1, sign_ups=1),
    Visits("/", 8, 4, 6),
    Visits("(not set)", 2, 2, 0),
]


@pytest.fixture(scope="module")
def accounts() -> Iterator[GoogleAccounts]:
    found = GoogleAccounts()
    yield found
    found.stop()


@pytest.fixture
def told(
    house: House, accounts: GoogleAccounts, monkeypatch: pytest.MonkeyPatch, loopback_allowed: None
) -> Iterator[Analytics]:
    """The property of the house's website, connected; each day is like the other."""
    found = Analytics(accounts, Property(lambda _: VISITS, hosts=["acme.example"]))
    monkeypatch.setenv("GOOGLE_TOKEN_URL", accounts.url)
    monkeypatch.setenv("ANALYTICS_DATA_URL", found.url)
    forget_settings()
    google.forget_tokens()
    given = found.credentials()
    sources.connect_analytics(OPERATOR, house.site.id, name=given["property"], credentials=given["credentials"])
    found.asked.clear()
    yield found
    found.stop()
    google.forget_tokens()


def searched(house: House, days: int = 28) -> date:
    """Search data of the last days; gives the last of them."""
    connect(house.site)
    last = today() - timedelta(3)
    rows = [Shown("boots", f"{SITE}/boots", 3, 40), Shown("red boots", f"{SITE}/boots?colour=red", 1, 10, 9.0)]
    imported(house.site, {last - timedelta(number): rows for number in range(days)})
    return last


def path(house: House, query: str = "") -> str:
    return f"/sites/{house.site.id}/analytics/pages{query}"


def read(api: Client, house: House, query: str = "") -> dict[str, Any]:
    received = api.get(path(house, query))
    assert received.status == 200, received.json
    body: dict[str, Any] = received.json
    return body


def test_landing_pages_of_organic_search_include_search_data(house: House, api: Client, told: Analytics) -> None:
    last = searched(house)
    body = read(api, house)
    assert body["period"] == {"from": str(last - timedelta(27)), "to": str(last)}
    assert (body["channel"], body["property"], body["currency"]) == ("organic", PROPERTY, "EUR")
    assert (body["sort"], body["order"], body["offset"], body["limit"], body["total"]) == (
        *("sessions", "desc"),
        *(0, 100, 4),
    )
    assert [row["page"] for row in body["rows"]] == ["/boots/", "/", "(not set)", "/guides/fuel"]
    boots = body["rows"][0]
    assert boots["url"] == f"{SITE}/boots/"
    assert (boots["sessions"], boots["engagedSessions"]) == (168, 84)
    assert (boots["clicks"], boots["impressions"], boots["ctr"]) == (112, 1_400, 0.08)
    assert boots["position"] == (40 * 5 + 10 * 9) / 50
    assert boots["keyEventsByName"] == [{"name": "purchase", "count": 28.0}]
    assert (boots["purchases"], boots["revenue"], boots["revenuePerSession"]) == (28, 1_400.0, 1_400 / 168)
    assert body["rows"][2]["url"] is body["rows"][2]["clicks"] is None
    assert (body["rows"][1]["clicks"], body["rows"][1]["position"]) == (0, None)
    assert body["purchasesMetric"] == "ecommercePurchases"
    assert body["totals"]["sessions"] == sum(row["sessions"] for row in body["rows"]) == 28 * 14
    assert body["totals"]["clicks"] == 112
    assert body["totals"]["conversionRate"] == pytest.approx(1 / 14)
    assert body["outcomeEvents"] == [{"name": "purchase", "count": 28.0}]
    assert (body["searchData"], body["cached"]) == ("joined", False)
    assert "searchDataFinalThrough" not in body
    assert "Europe/Berlin" in body["note"] and "(not set)" in body["note"]


def test_sessions_of_all_channels_are_returned(house: House, api: Client, told: Analytics) -> None:
    body = read(api, house, "?channel=all")
    assert body["rows"][0]["sessions"] == 280
    assert {one["name"] for one in body["outcomeEvents"]} == {"purchase", "sign_up"}
    assert body["searchData"] == "unavailable"
    assert body["totals"]["clicks"] is None


def test_sorting_and_paging_reuse_one_request_to_google_analytics(house: House, api: Client, told: Analytics) -> None:
    searched(house)
    first = read(api, house, "?limit=2")
    asked = len(told.asked)
    assert (first["nextOffset"], first["cached"], asked) == (2, False, 2)
    rest = read(api, house, f"?limit=2&cursor={first['nextCursor']}")
    assert (rest["cached"], rest["offset"], rest["nextCursor"], rest["nextOffset"]) == (True, 2, None, None)
    assert rest["rows"] == read(api, house, "?limit=2&offset=2")["rows"]
    by_position = read(api, house, "?sort=position")
    assert (by_position["order"], by_position["rows"][0]["page"]) == ("asc", "/boots/")
    assert read(api, house, "?sort=-position")["order"] == "desc"
    assert read(api, house, "?sort=-sessions&order=asc")["order"] == "desc"
    upside = read(api, house, "?sort=sessions&order=asc")
    assert [row["sessions"] for row in upside["rows"]] == sorted(row["sessions"] for row in upside["rows"])
    for sort in ("revenue", "purchase_revenue", "purchases", "key_events", "conversion_rate", "revenue_per_session"):
        assert read(api, house, f"?sort={sort}")["rows"][0]["page"] == "/boots/"
    assert read(api, house, "?sort=clicks")["rows"][-1]["page"] == "(not set)"
    assert read(api, house, "?offset=99")["rows"] == []
    assert len(told.asked) == asked
    clock.set_offset(clock.offset() + 901)
    assert not read(api, house)["cached"]
    assert len(told.asked) == asked + 2


def test_a_cursor_is_invalid_for_another_query_or_newer_data(house: House, api: Client, told: Analytics) -> None:
    cursor = read(api, house, "?limit=1")["nextCursor"]
    for query in ("&limit=2", "&limit=1&sort=revenue", "&limit=1&channel=all"):
        assert api.get(path(house, f"?cursor={cursor}{query}")).json["error"]["code"] == "bad_cursor"
    clock.set_offset(clock.offset() + 901)
    assert api.get(path(house, f"?cursor={cursor}&limit=1")).json["error"]["code"] == "bad_cursor"


def test_the_csv_of_landing_pages_equals_the_paged_list(house: House, api: Client, told: Analytics) -> None:
    searched(house)
    file = check_is_the_walk(api, path(house, "?limit=1&sort=revenue"), "rows", len(VISITS))
    assert [row["url"] for row in file].count("") == 1  # of what is no page
    cursor = read(api, house, "?limit=2")["nextCursor"]
    rest = cells_of(api.get(path(house, f"?format=csv&cursor={cursor}")))
    assert [row["page"] for row in rest] == [row["page"] for row in read(api, house, "?offset=2")["rows"]]


def test_the_answer_shows_the_last_day_whose_search_data_is_final(house: House, api: Client, told: Analytics) -> None:
    last = searched(house)
    body = read(api, house, f"?from={last}&to={today()}")
    assert body["searchDataFinalThrough"] == str(last)
    assert body["rows"][0]["clicks"] == 4
    alone = read(api, house, f"?end={last}")
    assert alone["period"]["from"] == str(last - timedelta(27))


def test_analytics_and_search_data_cover_the_same_days(house: House, api: Client, told: Analytics) -> None:
    """Search data ends a day earlier than usual, so the request to Google Analytics ends on that day too."""
    last = searched(house) - timedelta(1)
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    known = RecentDays.of([DayTotals(last.isoformat(), TypeTotals(Figures(1, 10, 20)))], last)
    commit([connections.shown(website, website.connections, known)])
    body = api.get(path(house)).json
    assert (body["period"]["from"], body["period"]["to"]) == (str(last - timedelta(27)), str(last))
    assert "searchDataFinalThrough" not in body
    old = RecentDays.of([DayTotals(last.isoformat(), TypeTotals(Figures(1, 10, 20)))], last - timedelta(30))
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    commit([connections.shown(website, website.connections, old)])
    assert api.get(path(house)).json["period"]["to"] == str(last + timedelta(1))


def test_a_property_without_purchases_has_no_revenue(house: House, api: Client, told: Analytics) -> None:
    told.known.visits = lambda _: [Visits("/", 8, 4, 6)]
    body = read(api, house)
    assert body["purchasesMetric"] is body["totals"]["purchases"] is body["rows"][0]["purchaseRevenue"] is None
    assert body["rows"][0]["revenue"] == 0.0
    assert "no purchases" in body["note"]


def test_an_empty_report_is_an_empty_list(house: House, api: Client, told: Analytics) -> None:
    told.known.visits = lambda _: []
    told.known.metadata = {
        "dataLossFromOtherRow": True,
        "subjectToThresholding": True,
        "samplingMetadatas": [{"samplesReadCount": "25", "samplingSpaceSize": "100"}],
        "schemaRestrictionResponse": {"activeMetricRestrictions": [{"metricName": "totalRevenue"}]},
    }
    body = read(api, house)
    assert (body["rows"], body["total"], body["nextCursor"]) == ([], 0, None)
    assert body["totals"]["sessions"] == 0 and body["totals"]["engagementRate"] is None
    for said in ('"(other)"', "withholds", "25.0%", "hidden"):
        assert said in body["note"]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("access", 409, "analytics_no_access"),
        ("quota", 429, "analytics_quota"),
        ("down", 502, "analytics_unavailable"),
        ("partial", 502, "analytics_unavailable"),
    ],
)
def test_each_failure_of_google_analytics_has_its_error_code(
    fault: str, status: int, code: str, house: House, api: Client, told: Analytics
) -> None:
    told.misbehave(fault)
    received = api.get(path(house))
    assert (received.status, received.json["error"]["code"]) == (status, code)
    assert ("retry-after" in received.headers) == (code == "analytics_quota")
    assert len(told.asked) <= 1
    found = websites.get(house.workspace_id, house.site.id)
    assert found is not None and found.connections.analytics is not None
    assert found.connections.analytics.broken == (fault == "access")
    told.misbehave("none")
    clock.set_offset(clock.offset() + (3_600 if code == "analytics_quota" else 0))
    assert read(api, house)["total"] == 4
    assert [event.kind for event in webhooks.pending()] == (["connection.broken"] if fault == "access" else [])
    found = websites.get(house.workspace_id, house.site.id)
    assert found is not None and found.connections.analytics is not None
    assert not found.connections.analytics.broken, "the answer says that access is back"


def test_a_property_over_its_quota_gets_no_second_request_within_the_hour(
    house: House, api: Client, told: Analytics
) -> None:
    kept = read(api, house)
    asked = len(told.asked)
    told.misbehave("quota")
    first = api.get(path(house, "?channel=all"))
    assert (first.status, first.code, first.headers["retry-after"]) == (429, "analytics_quota", "3600")
    assert told.used_up == 1
    began = clock.offset()
    for later, left in ((1, 3_599), (1_000, 2_600), (3_580, 20)):
        client.reset()  # as a new process: nothing is remembered but what is stored
        google.forget_tokens()
        clock.set_offset(began + later)
        again = api.get(path(house, "?channel=all"))
        assert (again.status, again.code) == (429, "analytics_quota")
        assert left - 15 <= int(again.headers["retry-after"]) <= left
    assert told.used_up == 1, "nothing was asked while it lasts"
    told.misbehave("none")
    assert api.get(path(house, "?start=2026-10-01&end=2026-10-02")).status == 429, "whatever the question"
    assert len(told.asked) == asked
    clock.set_offset(began + 10)
    assert read(api, house)["rows"] == kept["rows"], "what is kept is answered meanwhile"
    clock.set_offset(began + 3_600)
    assert read(api, house, "?channel=all")["cached"] is False
    assert len(told.asked) == asked + 2


def test_a_connection_check_sends_no_request_while_googles_quota_is_used_up(
    house: House, api: Client, told: Analytics
) -> None:
    told.misbehave("quota")
    sources.check(OPERATOR, house.site.id)
    assert told.used_up == 1
    answer = api.get(path(house))
    assert (answer.status, answer.code) == (429, "analytics_quota")
    client.reset()  # as a new process: nothing is remembered but what is stored
    google.forget_tokens()
    clock.set_offset(clock.offset() + 1_790)
    (source,) = sources.check(OPERATOR, house.site.id)
    assert told.used_up == 1, "nothing was asked while it lasts"
    assert not source.broken
    assert source.trouble is not None and source.trouble.endswith("used up. It is asked again in 31 minutes.")
    told.misbehave("none")
    clock.set_offset(clock.offset() + 1_815)
    (source,) = sources.check(OPERATOR, house.site.id)
    assert source.trouble is None


def test_a_reconnected_property_is_requested_again_at_once(house: House, api: Client, told: Analytics) -> None:
    told.misbehave("quota")
    assert api.get(path(house)).status == 429
    told.misbehave("none")
    given = told.credentials()
    sources.connect_analytics(OPERATOR, house.site.id, name=given["property"], credentials=given["credentials"])
    assert read(api, house)["total"] == 4


def test_analytics_of_a_website_without_a_connection_are_refused(house: House, api: Client) -> None:
    received = api.get(path(house))
    assert (received.status, received.json["error"]["code"]) == (409, "analytics_not_connected")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?end=2099-01-01", "bad_period"),
        ("?start=2026-10-01", "bad_period"),
        ("?start=2026-10-02&end=2026-10-01", "bad_period"),
        ("?start=first&end=2026-10-01", "bad_period"),
        ("?start=2025-01-01&end=2026-10-01", "period_too_long"),
        ("?start=2026-10-01&from=2026-10-03&end=2026-10-02", "bad_parameter"),
        ("?channel=paid", "bad_channel"),
        ("?sort=name", "bad_sort"),
        ("?order=up", "bad_order"),
        ("?limit=1001", "bad_limit"),
        ("?offset=-1", "bad_offset"),
        ("?offset=1&cursor=abc", "bad_offset"),
        ("?cursor=abc", "bad_cursor"),
    ],
)
def test_an_invalid_request_is_refused(query: str, code: str, house: House, api: Client, told: Analytics) -> None:
    received = api.get(path(house, query))
    assert (received.status, received.json["error"]["code"]) == (400, code)


@pytest.mark.parametrize("given", ["", "abc", "UA-1234-1", None, "1" * 21, ["1"]])
def test_a_property_id_must_be_a_number(given: object, house: House, told: Analytics) -> None:
    with pytest.raises(Refused) as caught:
        sources.connect_analytics(OPERATOR, house.site.id, name=given, credentials=told.credentials()["credentials"])
    assert caught.value.code == "bad_credentials"


def test_a_property_that_refuses_access_is_not_connected(house: House, told: Analytics) -> None:
    told.misbehave("access")
    with pytest.raises(Refused) as caught:
        sources.connect_analytics(
            OPERATOR, house.other_site.id, name=PROPERTY, credentials=told.credentials()["credentials"]
        )
    assert caught.value.code == "cannot_connect"
    sources.remove(OPERATOR, house.site.id, "analytics")
    found = websites.get(house.workspace_id, house.site.id)
    assert found is not None and found.connections.analytics is None


def test_the_new_refresh_token_from_google_is_stored(
    house: House, api: Client, told: Analytics, accounts: GoogleAccounts
) -> None:
    accounts.rotates = True
    try:
        sources.connect_analytics(OPERATOR, house.site.id, name=PROPERTY, credentials=accounts.grant_file())
        google.forget_tokens()
        read(api, house)
    finally:
        accounts.rotates = False
    credentials = stored_sources.get(house.site.id, "analytics")
    assert credentials is not None
    assert sources.StoredAccount(credentials).account() == google.account(accounts.grant_file())


def test_a_cached_answer_takes_five_aws_calls_at_most(house: House, api: Client, told: Analytics) -> None:
    searched(house)
    read(api, house)
    with aws.counted_calls() as calls:
        read(api, house, "?sort=revenue")
    assert calls.total() <= 5, dict(calls)


def test_an_export_reads_analytics_and_stores_the_new_refresh_token(
    told: Analytics, house: House, api: Client, accounts: GoogleAccounts, bucket: embedded.Endpoint
) -> None:
    sources.connect_analytics(OPERATOR, house.site.id, name=PROPERTY, credentials=accounts.grant_file())
    google.forget_tokens()
    many = [Visits(f"/page-{number}", 4, 2, 1) for number in range(1_001)]  # more than an answer has
    told.known = Property(lambda _: many, hosts=["acme.example"])
    accounts.rotates = True
    try:
        queued = api.request("POST", f"/sites/{house.site.id}/exports")
        (message,) = aws.messages("exports")
        exporting.handle(message, None)
    finally:
        accounts.rotates = False
    made = jobs.get(house.site.id, queued.json["exportId"])
    assert made is not None and made.error is None
    rows = {one["name"]: one["rows"] for one in made.payload["lists"]}
    assert rows["landing_pages"] == len(many)
