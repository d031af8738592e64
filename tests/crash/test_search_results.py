"""Keeping ranked rows, killed before and after every write: they are kept whole or not at all."""

from datetime import timedelta

import pytest

from chalicelib import clock
from chalicelib.domain.search.rows import Row
from chalicelib.store import search_results
from chalicelib.store.search_results import Asked, Part
from local import embedded
from tests import aws
from tests.crash.crashing import dies_at, killed_at, points

ROWS = [Row(f"query {number:03d}", 300 - number, 1_000, 5_000) for number in range(300)]
ALL = Part(ROWS, len(ROWS))


@pytest.fixture(autouse=True)
def small_blocks(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_results, "BLOCK_ROWS", 10)  # more than one write of blocks


def _kept(start: int = 0, most: int | None = None) -> Part | None:
    (found,) = search_results.read([Asked("question", start, most)])
    return found


def test_after_a_kill_a_cached_answer_is_either_complete_or_missing() -> None:
    with killed_at(None) as counter:
        search_results.keep("question", ROWS)
    assert counter.operations == ["BatchWriteItem", "BatchWriteItem", "PutItem"]
    for number, when in points(counter.count, 1):
        embedded.clear()
        with dies_at(number, when):
            search_results.keep("question", ROWS)
        last = (number, when) == (counter.count - 1, "after")
        assert _kept() == (ALL if last else None), (number, when)
        search_results.keep("question", ROWS)  # the next who asks
        assert _kept() == ALL
        assert len(aws.rows("ops")) == 31


def test_two_simultaneous_writers_store_a_result_once() -> None:
    for number in range(3):
        embedded.clear()
        with killed_at(number, "before", instead=lambda: search_results.keep("question", ROWS)):
            search_results.keep("question", ROWS)
        assert _kept() == ALL and len(aws.rows("ops")) == 31


@pytest.mark.parametrize(
    ("start", "most"), [(0, 1), (9, 2), (10, 10), (55, 100), (299, 5), (300, 5), (400, 5), (0, None)]
)
def test_only_the_stored_blocks_that_contain_the_requested_rows_are_read(start: int, most: int | None) -> None:
    search_results.keep("question", ROWS)
    stop = None if most is None else start + most
    with aws.counted_calls() as calls:
        assert _kept(start, most) == Part(ROWS[start:stop], 300)
    assert calls.total() <= 2


def test_an_answer_without_rows_is_cached() -> None:
    search_results.keep("question", [])
    assert _kept(0, 10) == Part([], 0)


def test_a_cached_answer_is_not_used_after_an_hour_or_without_all_its_blocks() -> None:
    search_results.keep("question", ROWS)
    pk, sk = aws.rows("ops")[3]
    from chalicelib.store import items

    items.delete("ops", pk, sk)
    assert _kept() is None and _kept(0, 10) is not None
    clock.set_offset(timedelta(hours=1).total_seconds())
    assert _kept(0, 10) is None


def test_rows_with_long_addresses_are_split_into_blocks_that_fit() -> None:
    import random

    letters = random.Random(1)
    rows = [
        Row(f"{number:04d}" + "".join(letters.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=2_000)), 1, 1, 1)
        for number in range(500)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_results, "BLOCK_ROWS", 5_000)
        search_results.keep("question", rows)
    assert len(aws.rows("ops")) > 2
    assert _kept() == Part(rows, 500)
