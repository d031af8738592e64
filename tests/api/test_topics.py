"""What a website is found for: topics over HTTP, what is kept of them, and what they cost."""

from datetime import timedelta
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.search import topics as pure
from chalicelib.store import kept_topics, search
from tests import aws
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import check_is_the_walk
from tests.topics import Shown, connect, imported, today

SITE = "https://acme.example"
ROWS = [
    Shown("hiking boots", f"{SITE}/boots", 3, 40),
    Shown("leather hiking boots", f"{SITE}/boots/fell", 1, 20, 9.0),
    Shown("acme", f"{SITE}/about", 9, 30, 1.0),
    Shown("stove fuel", f"{SITE}/guides/fuel", 0, 10, 12.0),
]


def told(house: House, days: int = 2) -> None:
    """The website's search data: the same on each of the last final days."""
    seed.audited(house.site, count=3)
    connect(house.site)
    last = today() - timedelta(3)
    imported(house.site, {last - timedelta(number): ROWS for number in range(days)})


def path(house: House, query: str = "") -> str:
    return f"/sites/{house.site.id}/topics{query}"


def read(api: Client, house: House, query: str = "") -> dict[str, Any]:
    received = api.get(path(house, query))
    assert received.status == 200, received.json
    body: dict[str, Any] = received.json
    return body


def test_topics_cover_the_28_days_up_to_the_last_day_with_final_data(house: House, api: Client) -> None:
    told(house)
    body = read(api, house)
    last = today() - timedelta(3)
    days = {"from": str(last - timedelta(27)), "to": str(last)}
    assert (body["period"], body["queriesWindow"]) == (days, days)
    assert (body["sort"], body["minPages"], body["pagesCapped"], body["cached"]) == ("clicks", 2, False, False)
    assert body["searchData"] == {"finalThrough": str(last), "pages": 4}
    (topic,) = body["topics"]
    assert body["totalTopics"] == 1
    assert (topic["name"], topic["nameFrom"], topic["section"]) == ("hiking boots", "queries", "boots")
    assert (topic["pageCount"], topic["pagesWithoutSearchData"], topic["pagesTruncated"]) == (2, 0, False)
    assert topic["pages"][0] == {"url": f"{SITE}/boots", "clicks": 6, "impressions": 80, "position": 5.0}
    assert (topic["clicks"], topic["impressions"], topic["ctr"]) == (8, 120, 8 / 120)
    assert topic["position"] == (80 * 5 + 40 * 9) / 120
    assert (topic["clicksPer28Days"], topic["strength"], topic["clicksShort"]) == (8.0, "weak", 2.0)
    assert [query["query"] for query in topic["topQueries"]] == ["hiking boots", "leather hiking boots"]
    assert body["link"].endswith(f"/sites/{house.site.id}/topics")


def test_pages_and_queries_without_a_topic_are_listed_separately(house: House, api: Client) -> None:
    told(house)
    body = read(api, house)
    assert [page["url"] for page in body["ungrouped"]["pages"]] == [f"{SITE}/about", f"{SITE}/guides/fuel"]
    assert {name: body["ungrouped"][name] for name in ("pageCount", "clicks", "impressions")} == {
        "pageCount": 2,
        "clicks": 18,
        "impressions": 80,
    }
    uncovered = body["uncovered"]
    assert uncovered["pageCount"] == len(uncovered["pages"]) == 3
    assert not uncovered["truncated"]
    assert {page["section"] for page in uncovered["pages"]} == {None}
    large = read(api, house, "?minPages=50")
    assert large["topics"] == []
    assert large["ungrouped"]["clicks"] == 26
    all_of_them = read(api, house, "?minPages=1")
    assert all_of_them["ungrouped"]["pageCount"] == all_of_them["uncovered"]["pageCount"] == 0
    assert sum(topic["clicks"] for topic in all_of_them["topics"]) == 26
    assert sum(topic["impressions"] for topic in all_of_them["topics"]) == 200


@pytest.mark.parametrize("min_pages", [1, 2, 4])
@pytest.mark.parametrize("days", [28, 5, 1])
def test_sums_of_topics_equal_the_sums_of_their_pages(days: int, min_pages: int, house: House, api: Client) -> None:
    """For any period, each page is in exactly one topic or listed as left over, with the values of its rows."""
    seed.audited(house.site, count=3)
    connect(house.site)
    last = today() - timedelta(3)
    paths = [*(f"boots/{n}" for n in range(4)), "boots", "guides/tents", "guides/maps", "about", "tents/two"]
    shown = {
        last - timedelta(ago): [
            Shown(f"{path.rpartition('/')[2]} {ago % 3}", f"{SITE}/{path}", (ago + n) % 4, 4 + (ago * n) % 7, 1.0 + n)
            for n, path in enumerate(paths)
            if (ago + n) % 3
        ]
        for ago in range(28)
    }
    imported(house.site, shown)
    first = last - timedelta(days - 1)
    body = read(api, house, f"?start={first}&end={last}&minPages={min_pages}&limit=200")
    told = api.get(f"/sites/{house.site.id}/search/rows?from={first}&to={last}&dimension=page&limit=10000").json["rows"]
    rows = {row["page"]: (row["clicks"], row["impressions"], row["position"]) for row in told}
    left = body["ungrouped"]
    assert bool(left["pages"]) == (min_pages > 1)
    found = [page for group in (*body["topics"], left) for page in group["pages"] if page["impressions"]]
    assert {page["url"]: (page["clicks"], page["impressions"], page["position"]) for page in found} == rows
    assert len(found) == len(rows) == body["searchData"]["pages"]
    for group in (*body["topics"], left):
        assert group["clicks"] == sum(page["clicks"] for page in group["pages"])
        assert group["impressions"] == sum(page["impressions"] for page in group["pages"])
    for topic in body["topics"]:
        assert topic["ctr"] == (topic["clicks"] / topic["impressions"] if topic["impressions"] else None)
        positions = sum(round(page["position"] * page["impressions"]) for page in topic["pages"] if page["impressions"])
        assert topic["position"] == (positions / topic["impressions"] if topic["impressions"] else None)
    for name in ("clicks", "impressions"):
        assert sum(group[name] for group in (*body["topics"], left)) == sum(row[name] for row in told)


@pytest.mark.parametrize(
    ("sort", "first"),
    [("clicks", "page"), ("opportunity", "section"), ("pages", "queries"), ("impressions", "queries")],
)
def test_topics_can_be_sorted(sort: str, first: str, house: House, api: Client) -> None:
    told(house)
    body = read(api, house, f"?minPages=1&sort={sort}&limit=2")
    assert len(body["topics"]) == 2 < body["totalTopics"]
    assert body["topics"][0]["nameFrom"] == first


def test_the_csv_of_topics_equals_the_paged_list(house: House, api: Client) -> None:
    told(house)
    file = check_is_the_walk(api, path(house, "?minPages=1&limit=1"), "topics")
    assert [row["section"] for row in file].count("boots") == 1
    assert api.get(path(house, "?format=csv&minPages=2")).text.count("\r\n") == 2  # a line of names, and one topic


def test_one_computation_answers_requests_in_every_sort_order_for_an_hour(house: House, api: Client) -> None:
    told(house)
    first = read(api, house)
    again = read(api, house, "?sort=pages&minPages=1")
    assert (first["cached"], again["cached"]) == (False, True)
    assert again["computedAt"] == first["computedAt"]
    clock.set_offset(clock.offset() + 3_700)
    later = read(api, house)
    assert not later["cached"]
    assert [topic["id"] for topic in later["topics"]] == [topic["id"] for topic in first["topics"]]


def test_topics_of_a_website_are_computed_at_most_twice_a_minute(house: House, api: Client) -> None:
    told(house)
    last = today() - timedelta(4)
    assert [api.get(path(house, f"?end={last - timedelta(n)}")).status for n in range(3)] == [200, 200, 429]
    refused = api.get(path(house, f"?end={last - timedelta(2)}"))
    assert refused.json["error"]["code"] == "rate_limited"
    assert "computed twice" in refused.json["error"]["message"]
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert read(api, house, f"?end={last}")["cached"]
    clock.set_offset(clock.offset() + int(refused.headers["retry-after"]) + 1)
    assert api.get(path(house, f"?end={last - timedelta(2)}")).status == 200


def test_topics_of_a_requested_period_are_returned(house: House, api: Client) -> None:
    told(house, days=3)
    last = today() - timedelta(3)
    body = read(api, house, f"?start={last - timedelta(1)}&end={last}&minPages=1")
    assert body["period"] == {"from": str(last - timedelta(1)), "to": str(last)}
    assert sum(topic["clicks"] for topic in body["topics"]) == 26
    assert next(topic for topic in body["topics"] if topic["section"] == "boots")["clicksPer28Days"] == 8 * 14
    alone = read(api, house, f"?end={last}")
    assert alone["period"]["from"] == str(last - timedelta(27))


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?end=2099-01-01", "bad_period"),
        ("?end=yesterday", "bad_period"),
        ("?start=2026-10-01", "bad_period"),
        ("?start=2026-10-02&end=2026-10-01", "bad_period"),
        ("?start=2025-01-01&end=2026-10-01", "period_too_long"),
        ("?sort=name", "bad_sort"),
        ("?limit=201", "bad_limit"),
        ("?minPages=51", "bad_min_pages"),
        ("?minPages=0", "bad_min_pages"),
        ("?page=2", "bad_parameter"),
    ],
)
def test_invalid_parameters_are_refused_before_any_computation(
    query: str, code: str, house: House, api: Client
) -> None:
    told(house)
    received = api.get(path(house, query))
    assert (received.status, received.json["error"]["code"]) == (400, code)


def test_topics_without_a_search_connection_are_refused(house: House, api: Client) -> None:
    received = api.get(path(house))
    assert (received.status, received.json["error"]["code"]) == (409, "search_not_connected")


def test_before_the_first_import_there_are_no_topics(house: House, api: Client) -> None:
    connect(house.site)
    body = read(api, house)
    assert (body["topics"], body["queriesWindow"], body["searchData"]["finalThrough"]) == ([], None, None)
    assert "No day has been imported yet" in body["note"]


def test_topics_are_returned_in_several_pages_if_their_addresses_are_very_long(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pure, "MOST_GROUPED", 300)
    connect(house.site)
    long = "x" * 1_900
    last = today() - timedelta(3)
    rows = [
        Shown(f"thing{folder}", f"{SITE}/f{folder}/{long}{page}", 1, 9) for folder in range(60) for page in range(60)
    ]
    imported(house.site, {last: rows})
    monkeypatch.setattr(pure, "MOST_GROUPED", 20_000)
    first = api.get(path(house, "?limit=200"))
    assert len(first.text.encode()) < 5_000_000
    body = first.json
    assert (body["totalTopics"], body["truncated"], body["nextOffset"]) == (60, True, len(body["topics"]))
    rest = read(api, house, f"?limit=200&offset={body['nextOffset']}")
    assert len({topic["id"] for topic in body["topics"] + rest["topics"]}) == 60
    assert {len(topic["pages"]) for topic in body["topics"] + rest["topics"]} == {50}


def test_computing_topics_takes_at_most_12_aws_calls(house: House, api: Client) -> None:
    told(house)
    api.get("/sites")
    with aws.counted_calls() as calls:
        read(api, house)
    assert calls.total() <= 12, dict(calls)


def test_a_request_waits_while_an_import_replaces_the_search_data(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(house)
    asked = []

    def moved(*_: object, **__: object) -> Any:
        asked.append(1)
        raise search.Moved

    monkeypatch.setattr(search, "rows", moved)
    monkeypatch.setattr(kept_topics, "may_compute", lambda *_: True)
    assert api.get(path(house)).status == 500
    assert len(asked) == 3
