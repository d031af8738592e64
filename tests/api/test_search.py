"""Rows of search performance and their summary, as they are asked for."""

import csv
import io
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from chalicelib.domain.search import pairs
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period, ending
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.http import answers
from chalicelib.operations import search
from chalicelib.store.websites import Website
from tests import aws, stored_search
from tests.api.client import Client, Received
from tests.api.conftest import House
from tests.domain.search import naive
from tests.domain.search.naive import Raw, Told

LAST = stored_search.today() - timedelta(3)
DAYS = ending(LAST, 120)
ASKED = ending(LAST, 100)
QUERIES = ("boots", "boots red", "schuhe für regen", "=1+1", "日本 靴", 'the "best", boots')
PAGES = tuple(f"https://acme.example/{path}" for path in ("", "boots", "boots/red", "Boots", "über"))


def _rows(keys: tuple[str, ...], days: Period = DAYS) -> Raw:
    """Other rows each day, some keys missing."""
    return {
        day: [
            Told(key, (number + day.day) % 4, 10 + number + day.day, 1.5 + number)
            for number, key in enumerate(keys)
            if (number + day.toordinal()) % 5
        ]
        for day in days.days()
    }


def _totals(days: Period) -> list[DayTotals]:
    return [
        DayTotals(
            day.isoformat(),
            TypeTotals(
                Figures(day.day, 100 + day.day, 1_000 + day.day),
                {"deu": Figures(1, 60, 240)},
                {"mobile": Figures(day.day, 50, 100)},
            ),
            TypeTotals(Figures(0, 7, 70)),
        )
        for day in days.days()
    ]


@pytest.fixture
def site(house: House) -> Website:
    """Rows by query and page, the first months archived; pairs; totals."""
    stored_search.connect(house.site)
    old = [day for day in DAYS.days() if day < LAST.replace(day=1)]
    stored_search.put_rows(house.site, "query", _rows(QUERIES), DAYS, archived=old)
    stored_search.put_rows(house.site, "page", _rows(PAGES), DAYS, archived=old)
    window = ending(LAST, 28)
    told = [pairs.key(query, page) for query in QUERIES for page in PAGES]
    stored_search.put_pairs(house.site, _rows(tuple(told), window), window)
    stored_search.put_totals(house.site, _totals(DAYS), DAYS)
    return house.site


def _path(site: Website, period: Period = ASKED, **sent: object) -> str:
    more = "".join(f"&{name}={quote(str(value), safe='')}" for name, value in sent.items())
    return f"/sites/{site.id}/search/rows?from={period.first}&to={period.last}{more}"


def _walk(api: Client, path: str) -> list[dict[str, Any]]:
    found, cursor = [], ""
    while True:
        body = api.get(path + cursor).json
        found += body["rows"]
        if body["nextCursor"] is None:
            return found
        cursor = f"&cursor={body['nextCursor']}"


def _expected(rows: Raw, period: Period = ASKED, name: str = "query", **matching: Any) -> list[dict[str, Any]]:
    return [
        {
            **({"query": row.key} if name == "query" else {"page": row.key}),
            "clicks": row.clicks,
            "impressions": row.impressions,
            "ctr": row.clicks / row.impressions,
            "position": row.positions / row.impressions,
        }
        for row in naive.ranked(rows, *period, **matching)
    ]


# ----------------------------------------------------------------------------------------------- rows


def test_queries_are_sorted_and_their_ratios_are_computed_from_sums(site: Website, api: Client) -> None:
    body = api.get(_path(site)).json
    assert body["rows"] == _expected(_rows(QUERIES))
    assert body["period"] == {"from": str(ASKED.first), "to": str(ASKED.last)}
    assert (body["dimension"], body["searchType"], body["window"], body["nextCursor"]) == ("query", "web", None, None)
    assert body["filters"] == {"country": None, "device": None, "page": None}
    assert "rare queries" in body["note"]


def test_search_rows_grouped_by_page_are_sorted_and_have_correct_values(site: Website, api: Client) -> None:
    assert api.get(_path(site, dimension="page")).json["rows"] == _expected(_rows(PAGES), name="page")


def test_a_full_address_matches_one_page_and_a_partial_text_matches_several(site: Website, api: Client) -> None:
    def found(page: str) -> list[str]:
        return sorted(row["page"] for row in api.get(_path(site, dimension="page", page=page)).json["rows"])

    assert found("https://acme.example/boots") == ["https://acme.example/boots"]
    assert found("https://ACME.example/boots") == ["https://acme.example/boots"]
    assert found("boots") == ["https://acme.example/boots", "https://acme.example/boots/red"]
    assert found("acme.example/") == sorted(PAGES)
    assert found("https://acme.example/none") == []


def test_days_are_sorted_by_date_and_can_be_filtered_by_country_or_device(site: Website, api: Client) -> None:
    rows = api.get(_path(site, dimension="date")).json["rows"]
    assert [row["date"] for row in rows] == [str(day) for day in ASKED.days()]
    assert rows[-1] == {
        "date": str(LAST),
        "clicks": LAST.day,
        "impressions": 100 + LAST.day,
        "ctr": LAST.day / (100 + LAST.day),
        "position": (1_000 + LAST.day) / (100 + LAST.day),
    }
    german = api.get(_path(site, dimension="date", country="DEU")).json
    assert german["rows"][0]["position"] == 4.0 and german["filters"]["country"] == "deu"
    french = api.get(_path(site, dimension="date", country="fra")).json["rows"][0]
    assert (french["impressions"], french["ctr"], french["position"]) == (0, None, None)
    assert api.get(_path(site, dimension="date", device="mobile")).json["rows"][0]["impressions"] == 50
    assert api.get(_path(site, dimension="date", search_type="image")).json["rows"][0]["impressions"] == 7


def test_daily_values_filtered_by_page_are_the_sums_of_the_matching_pages(site: Website, api: Client) -> None:
    rows = api.get(_path(site, dimension="date", page="boots")).json["rows"]
    expected = naive.by_day(_rows(PAGES), *ASKED, lambda key: "boots" in key)
    assert [(row["date"], row["clicks"], row["impressions"], row["position"]) for row in rows] == [
        (str(day), one.clicks, one.impressions, one.position) for day, one in expected.items()
    ]


def test_query_page_pairs_cover_only_28_stored_days(site: Website, api: Client) -> None:
    window = ending(LAST, 28)
    told = _rows(tuple(pairs.key(query, page) for query in QUERIES for page in PAGES), window)
    body = api.get(_path(site, dimension="query_page")).json
    assert body["window"] == {"from": str(window.first), "to": str(window.last)}
    assert [(row["query"], row["page"], row["clicks"]) for row in body["rows"]] == [
        (*pairs.parts(row.key), row.clicks) for row in naive.ranked(told, *window)
    ]
    three = ending(LAST, 3)
    assert [row["impressions"] for row in api.get(_path(site, three, dimension="query_page")).json["rows"]] == [
        row.impressions for row in naive.ranked(told, *three)
    ]
    before = ending(window.first - timedelta(1), 10)
    outside = api.get(_path(site, before, dimension="query_page")).json
    assert outside["rows"] == []
    assert f"None of the requested days is in `window` ({outside['window']['from']} to" in outside["note"]
    red = api.get(_path(site, dimension="query_page", page="/red")).json["rows"]
    assert {row["page"] for row in red} == {"https://acme.example/boots/red"} and len(red) == len(QUERIES)


def test_days_without_data_are_listed(site: Website, api: Client) -> None:
    wide = Period(DAYS.first - timedelta(5), DAYS.last + timedelta(2))
    body = api.get(_path(site, wide)).json
    assert body["rows"] == _expected(_rows(QUERIES), DAYS)
    assert f"before {DAYS.first}" in body["note"] and f"after {DAYS.last}" in body["note"]
    beyond = Period(date(9999, 1, 1), date(9999, 12, 31))
    assert api.get(_path(site, beyond)).json["rows"] == []


def test_before_the_first_import_there_are_no_rows_and_a_note(house: House, api: Client) -> None:
    stored_search.connect(house.site)
    body = api.get(_path(house.site)).json
    assert body["rows"] == [] and "imported" in body["note"]
    assert api.get(_path(house.site, dimension="query_page")).json["window"] is None


@pytest.mark.parametrize("path", ["rows?from=2026-01-01&to=2026-01-02", "summary"])
def test_without_a_connection_search_data_is_refused(house: House, api: Client, path: str) -> None:
    received = api.get(f"/sites/{house.site.id}/search/{path}")
    assert (received.status, received.code) == (409, "search_not_connected")


# -------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("query", "code", "param"),
    [
        ("", "bad_period", "from"),
        ("from=2026-01-01", "bad_period", "to"),
        ("from=2026-02-30&to=2026-03-01", "bad_period", "from"),
        ("from=2026-03-01&to=2026-02-01", "bad_period", "to"),
        ("from=2025-01-01&to=2026-05-02", "period_too_long", None),
        ("from=0001-01-01&to=9999-12-31", "period_too_long", None),
        ("dimension=hour", "bad_dimension", "dimension"),
        ("dimension=date&country=de", "bad_country", "country"),
        ("dimension=date&country=d%C3%A9u", "bad_country", "country"),
        ("dimension=date&device=watch", "bad_device", "device"),
        ("search_type=video", "bad_search_type", "search_type"),
        ("limit=0", "bad_limit", "limit"),
        ("limit=10001", "bad_limit", "limit"),
        ("dimension=page&page=", "bad_page", "page"),
        ("format=xml", "bad_format", "format"),
        ("cursor=nonsense", "bad_cursor", "cursor"),
        (f"cursor={'x' * 5_000}", "bad_cursor", "cursor"),
        ("country=deu", "not_stored", None),
        ("dimension=page&device=mobile", "not_stored", None),
        ("dimension=date&country=deu&device=mobile", "not_stored", None),
        ("dimension=date&country=deu&page=boots", "not_stored", None),
        ("page=boots", "not_stored", None),
        ("search_type=image", "not_stored", None),
        ("dimension=date&search_type=image&page=boots", "not_stored", None),
        ("search_types=web", "bad_parameter", "search_types"),
    ],
)
def test_invalid_search_parameters_are_refused(
    site: Website, api: Client, query: str, code: str, param: str | None
) -> None:
    given = query if "from=" in query or not query else f"from=2026-01-01&to=2026-01-02&{query}"
    received = api.get(f"/sites/{site.id}/search/rows?{given}")
    assert (received.status, received.code) == (400, code)
    assert received.json["error"].get("param") == param


def test_a_period_of_sixteen_months_is_accepted(site: Website, api: Client) -> None:
    assert api.get(f"/sites/{site.id}/search/rows?from=2025-07-20&to=2026-11-20").status == 200


# --------------------------------------------------------------------------------------------- walking


def test_following_cursors_returns_each_row_once_in_order(site: Website, api: Client) -> None:
    for dimension in ("query", "page", "query_page", "date"):
        whole = api.get(_path(site, dimension=dimension, limit=10_000)).json["rows"]
        assert _walk(api, _path(site, dimension=dimension, limit=4)) == whole


def test_a_cursor_is_invalid_for_another_query_or_newer_data(site: Website, api: Client, house: House) -> None:
    cursor = api.get(_path(site, limit=2)).json["nextCursor"]
    assert api.get(_path(site, limit=2, cursor=cursor)).status == 200
    stored_search.connect(house.other_site)
    for other in (
        _path(site, limit=3, cursor=cursor),
        _path(site, ending(LAST, 99), limit=2, cursor=cursor),
        _path(site, limit=2, dimension="page", cursor=cursor),
        _path(house.other_site, limit=2, cursor=cursor),
        _path(site, limit=2, cursor=cursor[:-1] + ("A" if cursor[-1] != "A" else "B")),
    ):
        assert api.get(other).code == "bad_cursor", other
    stored_search.put_rows(site, "query", _rows(QUERIES), DAYS)
    assert api.get(_path(site, limit=2, cursor=cursor)).code == "bad_cursor"


def test_reading_all_rows_in_sixty_portions_computes_the_result_once(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_search.connect(house.site)
    keys = tuple(f"query {number:05d}" for number in range(300))
    stored_search.put_rows(house.site, "query", _rows(keys, ending(LAST, 3)), ending(LAST, 3), archived=[LAST])
    monkeypatch.setattr("chalicelib.store.search_results.BLOCK_ROWS", 40)
    worked_out = []
    answer = search._answer
    monkeypatch.setattr(search, "_answer", lambda *asked: worked_out.append(asked) or answer(*asked))
    api.get("/sites")  # the hour's first request makes one call more
    path, cursor, costs = _path(house.site, limit=5), "", []
    while cursor is not None:
        with aws.counted_calls() as calls:
            cursor = api.get(path + (f"&cursor={cursor}" if cursor else "")).json["nextCursor"]
        costs.append(calls.total())
    assert len(costs) == 60 and len(worked_out) == 1
    assert costs[0] <= 12 and set(costs[1:]) == {5}


def test_a_portion_of_rows_ends_before_the_answer_gets_too_large(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_search.connect(house.site)
    keys = tuple(f"{number:04d} 日本" + '"' * 1_000 for number in range(300))
    rows = {LAST: [Told(key, 1, 2, 3.0) for key in keys]}
    stored_search.put_rows(house.site, "query", rows, Period(LAST, LAST))
    monkeypatch.setattr(answers, "LARGEST_BYTES", 400_000)
    path = _path(house.site, limit=10_000)
    first = api.get(path)
    assert 100 < len(first.json["rows"]) < 300 and len(first.text.encode()) <= 400_000
    assert [row["query"] for row in _walk(api, path)] == list(keys)


# ------------------------------------------------------------------------------------------------- tags


def test_after_the_search_data_changed_answers_have_a_new_etag(site: Website, api: Client) -> None:
    for path in (_path(site), _path(site, format="csv"), f"/sites/{site.id}/search/summary"):
        first = api.get(path)
        again = api.get(path, If_None_Match=first.headers["etag"])
        assert (again.status, again.text, again.headers["etag"]) == (304, "", first.headers["etag"])
    tag = api.get(_path(site)).headers["etag"]
    assert api.get(_path(site, limit=1)).headers["etag"] != tag
    stored_search.put_rows(site, "query", _rows(QUERIES), DAYS)
    assert api.get(_path(site), If_None_Match=tag).status == 200


def test_a_summary_is_computed_once_and_then_cached(site: Website, api: Client) -> None:
    first = api.get(f"/sites/{site.id}/search/summary").json
    with aws.counted_calls() as calls:
        assert api.get(f"/sites/{site.id}/search/summary").json == first
    assert calls.total() == 6


def test_answering_304_takes_three_aws_calls(site: Website, api: Client) -> None:
    tag = api.get(_path(site)).headers["etag"]
    with aws.counted_calls() as calls:
        assert api.get(_path(site), If_None_Match=tag).status == 304
    assert calls.total() == 3


# -------------------------------------------------------------------------------------------------- csv


def _table(received: Received) -> list[dict[str, str]]:
    assert received.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(received.text, newline="")))


def test_the_csv_equals_the_paged_list_and_follows_rfc_4180(site: Website, api: Client) -> None:
    for dimension in ("query", "page", "query_page", "date"):
        rows = api.get(_path(site, dimension=dimension, limit=10_000)).json["rows"]
        file = api.get(_path(site, dimension=dimension, format="csv", limit=2))
        assert file.text.endswith("\r\n") and file.text.count("\r\n") == len(rows) + 1
        for cells, row in zip(_table(file), rows, strict=True):
            told = {name: "" if value is None else str(value) for name, value in row.items()}
            assert {name: value.removeprefix("'") for name, value in cells.items()} == told
        assert f"search-{dimension}-{ASKED.first}" in file.headers["content-disposition"]


def test_cells_that_a_spreadsheet_would_run_as_formulas_are_quoted(site: Website, api: Client) -> None:
    queries = [cells["query"] for cells in _table(api.get(_path(site, format="csv")))]
    assert "'=1+1" in queries and 'the "best", boots' in queries
    assert '"the ""best"", boots"' in api.get(_path(site, format="csv")).text


def test_a_file_can_start_at_a_cursor(site: Website, api: Client) -> None:
    first = api.get(_path(site, limit=2)).json
    rest = [
        cells["query"].removeprefix("'")
        for cells in _table(api.get(_path(site, format="csv", cursor=first["nextCursor"])))
    ]
    assert [row["query"] for row in first["rows"]] + rest == [row["query"] for row in _expected(_rows(QUERIES))]


# ---------------------------------------------------------------------------------------------- summary


def test_the_summary_compares_the_period_with_the_previous_one(site: Website, api: Client) -> None:
    body = api.get(f"/sites/{site.id}/search/summary").json
    period, before = ending(LAST, 28), ending(LAST - timedelta(28), 28)
    assert body["period"] == {"from": str(period.first), "to": str(LAST)}
    assert body["previousPeriod"] == {"from": str(before.first), "to": str(before.last)}
    clicks = sum(day.day for day in period.days())
    assert body["totals"]["clicks"] == clicks and body["totals"]["impressions"] == 2_800 + clicks
    assert body["change"]["clicks"] == clicks - sum(day.day for day in before.days())
    assert body["change"]["ctr"] == body["totals"]["ctr"] - body["previous"]["ctr"]
    assert body["topQueries"] == _expected(_rows(QUERIES), period)
    assert body["topPages"] == _expected(_rows(PAGES), period, "page")
    assert [day["date"] for day in body["days"]] == [str(day) for day in period.days()]
    assert body["finalThrough"] == str(LAST)


@pytest.mark.parametrize("days", [7, 28, 90])
def test_a_summary_covers_7_28_or_90_days(site: Website, api: Client, days: int) -> None:
    assert len(api.get(f"/sites/{site.id}/search/summary?days={days}").json["days"]) == days
    received = api.get(f"/sites/{site.id}/search/summary?days={days + 1}")
    assert (received.status, received.code) == (400, "bad_days")


def test_an_incomplete_period_is_not_compared(site: Website, api: Client) -> None:
    body = api.get(f"/sites/{site.id}/search/summary?days=90").json
    assert body["previous"] is None and body["change"] is None and body["totals"] is not None


def test_a_summary_before_the_first_import_is_empty(house: House, api: Client) -> None:
    stored_search.connect(house.site)
    body = api.get(f"/sites/{house.site.id}/search/summary").json
    assert (body["period"], body["totals"], body["days"], body["finalThrough"]) == (None, None, [], None)


def test_if_the_import_is_late_the_summary_ends_on_the_last_day_with_final_data(house: House, api: Client) -> None:
    stored_search.connect(house.site)
    late = ending(LAST - timedelta(10), 60)
    stored_search.put_totals(house.site, _totals(late), late)
    body = api.get(f"/sites/{house.site.id}/search/summary?days=7").json
    assert body["period"]["to"] == str(late.last) == body["finalThrough"]
    assert body["previous"] is not None and body["topQueries"] == []
