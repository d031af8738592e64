"""Landing pages joined with search data: by path, exactly, in any order that is asked for."""

import json
import random
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.connectors.analytics import _landing, _Report
from chalicelib.domain.analytics.landing_pages import (
    NO_PAGE,
    SORTS,
    LandingPages,
    by_path,
    joined,
    joined_again,
    ordered,
    path_key,
)
from chalicelib.domain.analytics.report import Event, Landing, Report
from chalicelib.domain.search.figures import Figures


def landing(page: str, sessions: int = 10, *, purchases: int = 0, revenue: float = 0.0) -> Landing:
    return Landing(page, sessions, 5, 2.0, 1.0, purchases, 0.0, revenue)


def report(*landings: Landing, events: list[Event] | None = None) -> Report:
    return Report(list(landings), events or [], len(landings))


SEARCHED = by_path(
    [
        ("shop.example", Figures(9, 90, 270)),
        ("shop.example/tents", Figures(4, 40, 80)),
        ("shop.example/tents?size=2", Figures(1, 10, 90)),
        ("shop.example/b%C3%BCcher", Figures(2, 20, 20)),
    ]
)


def test_pages_are_joined_by_path_and_query_ignoring_final_slash_and_encoding() -> None:
    found = joined(report(landing("/tents/", 30), landing("/", 20), landing("/bücher"), landing("/Tents", 5)), SEARCHED)
    assert found.pages == ["/tents/", "/", "/bücher", "/Tents"]
    assert found.clicks == [5, 9, 2, 0]
    assert found.impressions == [50, 90, 20, 0]
    assert found.positions == [170, 270, 20, 0]


def test_two_spellings_of_a_page_become_one_row() -> None:
    events = [Event("/tents", "sign_up", 2), Event("/tents/", "sign_up", 1), Event("/gone", "sign_up", 7)]
    rows = [landing("/tents/", 10, revenue=5.5), landing("/tents", 30, revenue=1.0), landing("/", 35)]
    found = joined(report(*rows, events=events), SEARCHED)
    assert (found.pages, found.sessions, found.revenue) == (["/", "/tents"], [35, 40], [0.0, 6.5])
    assert found.events == [[], [("sign_up", 3)]]
    assert found.clicks == [9, 5]


@pytest.mark.parametrize("page", sorted(NO_PAGE))
def test_visits_that_belong_to_no_page_have_no_search_data(page: str) -> None:
    found = joined(report(landing(page), landing("/")), SEARCHED)
    assert dict(zip(found.pages, found.clicks, strict=True)) == {page: None, "/": 9}


def test_clicks_and_positions_are_null_without_search_data() -> None:
    found = joined(report(landing("/")), None)
    assert (found.clicks, found.impressions, found.positions) == ([None], [None], [None])
    assert ordered(found, "clicks", descending=True) == [0]


def test_an_empty_analytics_report_has_no_rows() -> None:
    assert len(joined(report(), SEARCHED)) == 0


def test_rows_without_a_value_are_sorted_last_in_both_directions() -> None:
    found = joined(report(landing("/none", 50), landing("/tents", 20), landing("/", 10)), SEARCHED)
    assert ordered(found, "position", descending=False) == [2, 1, 0]
    assert ordered(found, "position", descending=True) == [1, 2, 0]


def test_rows_cannot_be_sorted_by_purchases_if_there_are_no_purchases() -> None:
    found = joined(report(landing("/a", 3), landing("/b", 9)), None)
    assert ordered(found, "purchases", descending=False) == ordered(found, "purchases", descending=True) == [0, 1]
    bought = joined(report(landing("/a", 3, purchases=2), landing("/b", 9)), None)
    assert ordered(bought, "purchases", descending=False) == [0, 1]
    assert bought.pages == ["/b", "/a"]


LANDINGS = st.lists(
    st.builds(landing, st.sampled_from(["/", "/a", "/a/", "/b", "(not set)", "/ü"]), st.integers(0, 99)), max_size=12
)


@given(LANDINGS, st.sampled_from(SORTS), st.booleans(), st.randoms(use_true_random=False))
def test_joining_pages_keeps_their_sums_and_sorting_keeps_every_row(
    rows: list[Landing], sort: str, descending: bool, draw: random.Random
) -> None:
    found = joined(report(*rows), SEARCHED)
    assert sum(found.sessions) == sum(row.sessions for row in rows)
    assert sum(found.key_events) == sum(row.key_events for row in rows)
    assert len({page if page in NO_PAGE else path_key(page) for page in found.pages}) == len(found)
    order = ordered(found, sort, descending=descending)
    assert sorted(order) == list(range(len(found)))
    shuffled = joined(report(*draw.sample(rows, len(rows))), SEARCHED)
    assert msgspec.structs.astuple(shuffled) == msgspec.structs.astuple(found)
    if len(found) > 1:
        assert joined_again(found.split()) == found


def test_joining_10000_rows_takes_at_most_three_times_as_long_as_parsing_them() -> None:
    draw = random.Random(3)
    body = json.dumps(
        {
            "rows": [
                {
                    "dimensionValues": [{"value": f"/shop/product-{number}/"}],
                    "metricValues": [
                        {"value": f"0.{draw.randrange(900)}" if metric == 3 else str(draw.randrange(900))}
                        for metric in range(7)
                    ],
                }
                for number in range(10_000)
            ]
        }
    ).encode()
    shown = [(f"shop.example/shop/product-{number}", Figures(number, 9_000, 45_000)) for number in range(9_000)]
    searched = by_path(shown)
    decoding, joining = [], []
    for _ in range(4):
        began = time.thread_time()
        rows = [_landing(row) for row in msgspec.json.decode(body, type=_Report).rows]
        decoding.append(time.thread_time() - began)
        told = Report(rows, [], len(rows))
        began = time.thread_time()
        pages: LandingPages = joined(told, searched)
        ordered(pages, "revenue_per_session", descending=True)
        joining.append(time.thread_time() - began)
    assert min(joining) <= 3 * min(decoding), (joining, decoding)
