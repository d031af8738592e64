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
def test_integers_come_back(integers: list[int]) -> None:
    assert unpack(pack(integers)).tolist() == integers


def test_small_integers_take_a_byte_each() -> None:
    assert len(pack([0, 255, 7])) == 4
    assert len(pack([0, 256, 7])) == 7


@pytest.mark.parametrize("wrong", [-1, MOST_SUM])
def test_a_value_that_a_column_cannot_hold_exactly_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match="0 to 2"):
        pack([1, wrong])


@given(st.lists(st.text(st.characters(codec="utf-8"))), st.data())
def test_texts_come_back_all_or_some_whole_or_halved(texts: list[str], data: st.DataObject) -> None:
    import numpy as np

    packed = Texts.of(texts)
    assert packed.strings() == texts and len(packed) == len(texts)
    assert [text for half in packed.split() for text in half.strings()] == texts
    assert Texts.joined(packed.split()) == packed
    if texts:
        places = data.draw(st.lists(st.integers(0, len(texts) - 1)))
        assert packed.strings(np.array(places, np.int64)) == [texts[place] for place in places]


@given(st.permutations([("b", 1, 2, 3.0), ("a", 4, 5, 1.2), ("日", 0, 1, 7.0), ("é", 1, 1, 1.0)]))
def test_a_day_is_the_same_for_any_order_of_its_rows(rows: list[tuple[str, int, int, float]]) -> None:
    told = day_rows(DAY, *map(list, zip(*rows, strict=True)))
    assert told.keys.strings() == ["a", "b", "é", "日"]
    assert unpack(told.positions).tolist() == [6, 6, 1, 7]


def test_a_repeated_row_counts_once() -> None:
    told = day_rows(DAY, ["a", "b", "a"], [5, 4, 5], [10, 8, 10], [1.0, 2.0, 1.0])
    assert told.keys.strings() == ["a", "b"] and unpack(told.clicks).tolist() == [5, 4]


def test_a_day_without_rows_is_a_day() -> None:
    assert len(day_rows(DAY, [], [], [], []).keys) == 0


def test_averages_that_are_a_hair_off_give_the_sum_they_were_made_of() -> None:
    for impressions in (3, 7, 999_983, 2**31 + 1):
        for positions in (impressions, impressions + 1, impressions * 37 + 5):
            told = day_rows(DAY, ["a"], [0], [impressions], [positions / impressions])
            assert unpack(told.positions).tolist() == [positions]


@pytest.mark.parametrize("wrong", [([-1], [1], [1.0]), ([0], [1], [float("nan")]), ([0], [1, 2], [1.0])])
def test_figures_that_cannot_be_are_refused(wrong: tuple[list[int], list[int], list[float]]) -> None:
    with pytest.raises(ValueError, match=r"column|every row|number"):
        day_rows(DAY, ["a"], *wrong)


def test_keys_are_kept_as_utf_8_can_hold_them() -> None:
    assert clean("a\ud800b\0c") == "a\ufffdbc"
    assert clean("日本 x") == "日本 x"
    assert day_rows(DAY, ["\ud800"], [1], [1], [1.0]).keys.strings() == ["\ufffd"]


@few
@given(naive.of_day)
def test_halves_of_a_day_are_the_day(rows: list[naive.Told]) -> None:
    whole = naive.packed(DAY, rows)
    assert ranked(Stored(days=whole.split()), DAY, DAY) == ranked(Stored(days=[whole]), DAY, DAY)


@few
@given(naive.raw)
def test_halves_of_a_month_are_the_month(rows: dict[date, list[naive.Told]]) -> None:
    archive = naive.archived(rows)
    for months in archive.months.values():
        parts: list[MonthRows] = [half for month in months for part in month.split() for half in part.split()]
        assert ranked(Stored(archive.keys, parts), date.min, date.max) == ranked(
            Stored(archive.keys, months), date.min, date.max
        )
