"""Any range of stored rows, against sums over the rows as they were told."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.search.archive import EMPTY, Archive, extended
from chalicelib.domain.search.rows import Stored, by_day, of_rows, ranked
from tests.domain.search import naive
from tests.domain.search.naive import Raw
from tests.lengths import examples

few = settings(max_examples=examples(30))
Range = tuple[date, date]
matchings = st.sampled_from(["", "a", "日", "example", "nowhere"]).map(lambda part: lambda key: part in key)


@st.composite
def laid_out(draw: st.DrawFn) -> tuple[Raw, Stored]:
    """Rows, and how they are stored: archived step by step, in any order, with the rest as days of their own."""
    rows = draw(naive.raw)
    steps = draw(st.lists(st.lists(st.sampled_from(sorted(rows)), max_size=4, unique=True), max_size=4)) if rows else []
    archive, inside = EMPTY, set[date]()
    for step in steps:
        archive = extended(archive, [naive.packed(day, rows[day]) for day in step], date.min)
        inside.update(step)
    return rows, naive.stored(archive, [naive.packed(day, rows[day]) for day in rows.keys() - inside])


@few
@given(laid_out(), naive.ranges)
def test_a_sum_over_a_period_is_the_same_for_daily_and_archived_storage(case: tuple[Raw, Stored], asked: Range) -> None:
    rows, stored = case
    assert ranked(stored, *asked) == naive.ranked(rows, *asked)


@few
@given(laid_out(), naive.ranges, matchings)
def test_rows_that_do_not_match_the_filter_are_left_out(
    case: tuple[Raw, Stored], asked: Range, matching: Callable[[str], bool]
) -> None:
    rows, stored = case
    assert ranked(stored, *asked, matching) == naive.ranked(rows, *asked, matching)


@few
@given(laid_out(), naive.ranges, matchings)
def test_each_day_is_the_sum_of_its_matching_rows(
    case: tuple[Raw, Stored], asked: Range, matching: Callable[[str], bool]
) -> None:
    rows, stored = case
    found = by_day(stored, *asked, matching)
    assert found == naive.by_day(rows, *asked, matching)
    assert list(found) == sorted(found)


@few
@given(naive.raw, st.randoms(use_true_random=False))
def test_the_archive_is_the_same_whatever_order_rows_and_days_come_in(rows: Raw, random: object) -> None:
    shuffled = list(rows.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for _, of_day in shuffled:
        random.shuffle(of_day)  # type: ignore[attr-defined]
    assert naive.archived(dict(shuffled)) == naive.archived(rows)


@few
@given(naive.raw, st.data())
def test_archiving_in_several_steps_gives_the_same_archive(rows: Raw, data: st.DataObject) -> None:
    days = data.draw(st.permutations(sorted(rows)))
    cut = data.draw(st.integers(0, len(days)))
    archive = EMPTY
    for step in (days[:cut], days[cut:]):
        archive = extended(archive, [naive.packed(day, rows[day]) for day in step], date.min)
    assert archive == naive.archived(rows)


@few
@given(naive.raw, naive.dates)
def test_days_before_the_storage_period_are_removed_from_the_archive(rows: Raw, first: date) -> None:
    assert extended(naive.archived(rows), [], first) == naive.archived(
        {day: of_day for day, of_day in rows.items() if day >= first}
    )


@few
@given(naive.raw, naive.of_day)
def test_importing_a_day_again_replaces_its_stored_rows(rows: Raw, again: list[naive.Told]) -> None:
    for day in list(rows)[:1]:
        renewed = extended(naive.archived(rows), [naive.packed(day, again)], date.min)
        assert renewed == naive.archived({**rows, day: again})


def test_a_day_split_in_parts_can_be_archived() -> None:
    rows = {naive.FIRST: [naive.Told(key, 1, 2, 3.0) for key in naive.KEYS]}
    parts = naive.packed(naive.FIRST, rows[naive.FIRST]).split()
    assert extended(EMPTY, parts, date.min) == naive.archived(rows)


def test_an_archive_split_in_parts_gives_the_same_answer() -> None:
    rows = {
        naive.FIRST + timedelta(number): [naive.Told(key, number, number + 2, 3.0) for key in naive.KEYS]
        for number in range(40)
    }
    archive = naive.archived(rows)
    keys = [half for text in archive.keys for half in text.split()]
    months = {name: [half for part in parts for half in part.split()] for name, parts in archive.months.items()}
    halved = Archive(keys, months)
    assert ranked(naive.stored(halved), date.min, date.max) == naive.ranked(rows, date.min, date.max)
    assert extended(halved, [], date.min) == archive


def test_rows_with_equal_clicks_are_sorted_by_key() -> None:
    first, second = naive.FIRST, naive.FIRST + timedelta(1)
    rows = {
        first: [naive.Told(key, 1, 1, 1.0) for key in ("b", "日", "ä")],
        second: [naive.Told(key, 1, 1, 1.0) for key in ("a", "c", "😀", "\uffff")],
    }
    stored = naive.stored(naive.archived({first: rows[first]}), [naive.packed(second, rows[second])])
    assert [row.key for row in ranked(stored, first, second)] == ["a", "b", "c", "ä", "日", "\uffff", "😀"]


def test_sums_up_to_2_to_the_power_of_53_are_exact() -> None:
    days = [naive.FIRST + timedelta(number) for number in range(4)]
    huge = (2**53 - 8) // 4
    rows = {day: [naive.Told("a", huge - number, huge, 1.0)] for number, day in enumerate(days)}
    found = ranked(naive.stored(naive.archived(rows)), days[0], days[-1])
    assert (found[0].clicks, found[0].impressions) == (4 * huge - 6, 4 * huge)


@few
@given(naive.raw)
def test_an_answer_can_be_stored_and_read_in_parts(rows: Raw) -> None:
    answer = naive.ranked(rows, date.min, date.max)
    kept = of_rows(answer)
    assert kept.rows() == answer and len(kept) == len(answer)
    assert [row for half in kept.split() for row in half.rows()] == answer


@pytest.mark.parametrize("stored", [Stored(), naive.stored(EMPTY, [naive.packed(naive.FIRST, [])])])
def test_an_empty_block_has_no_rows(stored: Stored) -> None:
    assert ranked(stored, date.min, date.max) == []
    assert by_day(stored, date.min, date.max, lambda _: True) == {}
