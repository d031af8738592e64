"""Which pairs of query and page are kept."""

from datetime import date, timedelta

from hypothesis import given, settings

from chalicelib.domain.search import pairs
from chalicelib.domain.search.rows import Stored, ranked
from tests.domain.search import naive
from tests.domain.search.naive import FIRST, Raw, Told
from tests.lengths import examples

few = settings(max_examples=examples(30))


def _ranked(found: pairs.PairSet, first: date, last: date) -> list[object]:
    return list(ranked(Stored(found.keys, found.rows), first, last))


def test_pairs_are_sorted_by_query_and_then_by_page() -> None:
    ordered = [("a", "z"), ("a b", "a"), ("b", "a"), ("b", "b")]
    assert sorted(pairs.key(*pair) for pair in ordered) == [pairs.key(*pair) for pair in ordered]
    assert [pairs.parts(pairs.key(*pair)) for pair in ordered] == ordered


def test_a_separator_inside_a_query_is_removed() -> None:
    assert pairs.parts(pairs.key("a\0b", "https://x/")) == ("ab", "https://x/")


@few
@given(naive.raw, naive.ranges)
def test_if_there_are_few_query_page_pairs_all_of_them_are_stored_for_each_day(
    rows: Raw, asked: tuple[date, date]
) -> None:
    found = pairs.top([naive.packed(day, of_day) for day, of_day in rows.items()], *asked)
    assert _ranked(found, *asked) == naive.ranked(rows, *asked)
    inside = {day: of_day for day, of_day in rows.items() if asked[0] <= day <= asked[1]}
    for day in rows:
        assert _ranked(found, day, day) == naive.ranked(inside, day, day)


def test_the_pairs_with_the_most_clicks_are_kept() -> None:
    many = pairs.MOST + 50
    days = [FIRST, FIRST + timedelta(1)]
    rows = {
        days[0]: [Told(f"{number:05d}", 0, 1, 1.0) for number in range(many)],
        days[1]: [Told(f"{number:05d}", number // 100, 10, 2.0) for number in range(0, many, 2)],
    }
    found = pairs.top([naive.packed(day, of_day) for day, of_day in rows.items()], *days)
    every = naive.ranked(rows, *days)
    best = sorted(every, key=lambda row: (-row.clicks, -row.impressions, row.key))[: pairs.MOST]
    assert sorted(_ranked(found, *days)) == sorted(best)
    kept = {row.key for row in best}
    for day, of_day in rows.items():
        assert _ranked(found, day, day) == naive.ranked({day: [row for row in of_day if row.key in kept]}, day, day)


def test_without_rows_there_are_no_pairs() -> None:
    found = pairs.top([], FIRST, FIRST)
    assert found == pairs.PairSet(FIRST, FIRST, [], [])
