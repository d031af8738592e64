"""What a manifest names, and what it retires."""

from datetime import date

from chalicelib.domain.search.manifest import Block, Manifest, Stored
from chalicelib.domain.search.periods import Period

DAY = 86_400.0
ONE, TWO = date(2026, 10, 30), date(2026, 11, 1)


def named(manifest: Manifest) -> set[Block]:
    return set(manifest.blocks())


def test_a_query_reads_only_the_blocks_of_its_period() -> None:
    manifest = Manifest(dataset="page", version="1").with_days(
        "2", {ONE: Stored("a", 2), TWO: Stored("b", 1)}, Period(ONE, TWO)
    )
    assert list(manifest.rows_blocks(TWO, TWO)) == [Block("DAY#2026-11-01", "b", 0)]
    assert len(list(manifest.rows_blocks(ONE, TWO))) == 3
    archived = manifest.with_archive("3", "g", 2, {"2026-10": 1}, kept=["2026-11-01"], period=Period(ONE, TWO))
    assert set(archived.days) == {"2026-11-01"}
    assert [block.name for block in archived.rows_blocks(ONE, ONE)] == ["KEYS", "KEYS", "MONTH#2026-10"]
    assert [block.name for block in archived.rows_blocks(TWO, TWO)] == ["DAY#2026-11-01"]
    assert list(archived.rows_blocks(date(2025, 1, 1), date(2025, 2, 1))) == []


def test_a_day_without_rows_is_imported_and_has_no_blocks() -> None:
    manifest = Manifest(dataset="query", version="1").with_days("2", {ONE: Stored("a", 0)}, Period(ONE, ONE))
    assert named(manifest) == set() and manifest.period == Period(ONE, ONE)


def test_a_replaced_block_is_kept_for_a_day_and_then_deleted_once() -> None:
    first = Manifest(dataset="query", version="1").with_days("2", {ONE: Stored("a", 2)}, Period(ONE, ONE))
    second, gone = first.with_days("3", {ONE: Stored("b", 1)}, Period(ONE, ONE)).replacing(first, 0.0, DAY)
    assert gone == [] and named(second) == {Block("DAY#2026-10-30", "b", 0)}
    assert set(second.every_block()) == named(second) | named(first)
    third, gone = second.with_days("4", {TWO: Stored("c", 1)}, Period(ONE, TWO)).replacing(second, DAY - 1, DAY)
    assert gone == [] and set(third.every_block()) == named(third) | named(first)
    fourth, gone = third.with_days("5", {TWO: Stored("d", 1)}, Period(ONE, TWO)).replacing(third, DAY, DAY)
    assert set(gone) == named(first)
    assert set(fourth.every_block()) - named(fourth) == {Block("DAY#2026-11-01", "c", 0)}


def test_totals_of_months_before_the_storage_period_are_dropped() -> None:
    manifest = Manifest(dataset="totals", version="1", totals={"2025-06": Stored("a", 1), "2026-10": Stored("b", 1)})
    after = manifest.with_totals("2", {"2026-11": Stored("c", 1)}, Period(date(2025, 7, 3), TWO))
    assert set(after.totals) == {"2026-10", "2026-11"}
    assert [block.token for block in after.totals_blocks(ONE, ONE)] == ["b"]
