"""Columns there and back, and in parts."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.search.columns import MOST_SUM, MonthRows, Texts, clean, day_rows, pack, unpack
from chalicelib.domain.search.rows import Stored, ranked
from tests.domain.search import naive
from tests.lengths import examples

few = settings(max_examples=examples(30))
DAY = date(2026, 11, 20)
numbers = st.integers(0, 300) | st.integers(0, MOST_SUM - 1)


@given(st.lists(numbers))
def test_packed_integers_are_unpacked_unchanged(integers: list[int]) -> None:
    assert unpack(pack(integers)).tolist() == integers


def test_small_integers_take_one_byte_each() -> None:
    assert len(pack([0, 255, 7])) == 4
    assert len(pack([0, 256, 7])) == 7


@pytest.mark.parametrize("wrong", [-1, MOST_SUM])
def test_a_value_too_large_for_a_column_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="0 to 2"):
        pack([1, wrong])


@given(st.lists(st.text(st.characters(codec="utf-8"))), st.data())
def test_packed_texts_can_be_read_split_and_joined_without_loss(texts: list[str], data: st.DataObject) -> None:
    import numpy as np

    packed = Texts.of(texts)
    assert packed.strings() == texts and len(packed) == len(texts)
    assert [text for half in packed.split() for text in half.strings()] == texts
    assert Texts.joined(packed.split()) == packed
    if texts:
        places = data.draw(st.lists(st.integers(0, len(texts) - 1)))
        assert packed.strings(np.array(places, np.int64)) == [texts[place] for place in places]


@given(st.permutations([("b", 1, 2, 3.0), ("a", 4, 5, 1.2), ("日", 0, 1, 7.0), ("é", 1, 1, 1.0)]))
def test_rows_of_a_day_are_stored_in_the_same_order_whatever_order_they_come_in(
    rows: list[tuple[str, int, int, float]],
) -> None:
    told = day_rows(DAY, *map(list, zip(*rows, strict=True)))
    assert told.keys.strings() == ["a", "b", "é", "日"]
    assert unpack(told.positions).tolist() == [6, 6, 1, 7]


def test_a_row_that_occurs_twice_in_a_day_is_counted_once() -> None:
    told = day_rows(DAY, ["a", "b", "a"], [5, 4, 5], [10, 8, 10], [1.0, 2.0, 1.0])
    assert told.keys.strings() == ["a", "b"] and unpack(told.clicks).tolist() == [5, 4]


def test_a_day_without_rows_can_be_stored() -> None:
    assert len(day_rows(DAY, [], [], [], []).keys) == 0


def test_the_exact_sum_of_positions_is_recovered_from_their_rounded_average() -> None:
    for impressions in (3, 7, 999_983, 2**31 + 1):
        for positions in (impressions, impressions + 1, impressions * 37 + 5):
            told = day_rows(DAY, ["a"], [0], [impressions], [positions / impressions])
            assert unpack(told.positions).tolist() == [positions]


@pytest.mark.parametrize("wrong", [([-1], [1], [1.0]), ([0], [1], [float("nan")]), ([0], [1, 2], [1.0])])
def test_negative_and_non_numeric_values_are_refused(wrong: tuple[list[int], list[int], list[float]]) -> None:
    with pytest.raises(ValueError, match=r"column|every row|number"):
        day_rows(DAY, ["a"], *wrong)


def test_characters_that_utf_8_cannot_store_are_replaced_in_keys() -> None:
    assert clean("a\ud800b\0c") == "a\ufffdbc"
    assert clean("日本 x") == "日本 x"
    assert day_rows(DAY, ["\ud800"], [1], [1], [1.0]).keys.strings() == ["\ufffd"]


@few
@given(naive.of_day)
def test_a_day_split_in_two_gives_the_same_result(rows: list[naive.Told]) -> None:
    whole = naive.packed(DAY, rows)
    assert ranked(Stored(days=whole.split()), DAY, DAY) == ranked(Stored(days=[whole]), DAY, DAY)


@few
@given(naive.raw)
def test_a_month_split_in_parts_gives_the_same_result(rows: dict[date, list[naive.Told]]) -> None:
    archive = naive.archived(rows)
    for months in archive.months.values():
        parts: list[MonthRows] = [half for month in months for part in month.split() for half in part.split()]
        assert ranked(Stored(archive.keys, parts), date.min, date.max) == ranked(
            Stored(archive.keys, months), date.min, date.max
        )
