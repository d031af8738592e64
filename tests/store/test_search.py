"""Blocks of search data: there and back, however large; what a reader sees who comes in between; what is swept."""

from collections.abc import Iterable
from datetime import date, timedelta

import pytest

from chalicelib import clock
from chalicelib.domain.search import archive, pairs
from chalicelib.domain.search.columns import DayRows, day_rows
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Dataset, Manifest, Stored
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.rows import ranked
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.store import blocks, items, search
from chalicelib.store.blocks import TooLargeToPack
from chalicelib.store.search import Moved, NewBlocks
from chalicelib.store.transactions import commit
from tests import aws

SITE = "site_1"
ONE, TWO = date(2026, 10, 30), date(2026, 11, 1)
pytestmark = pytest.mark.usefixtures("store")


def rows(day: date, keys: Iterable[str]) -> DayRows:
    names = list(keys)
    shown = [1.0 + number * 7919 % 1_009 for number in range(len(names))]
    return day_rows(day, names, [0.0] * len(names), shown, [2.0] * len(names))


def put(manifest: Manifest, *new: NewBlocks) -> Manifest:
    search.write(new)
    commit([search.put_manifest(SITE, manifest)])
    return manifest


def with_days(dataset: Dataset, *days: DayRows) -> Manifest:
    new = NewBlocks(SITE, dataset)
    stored = {date.fromisoformat(day.day): new.add_day(day) for day in days}
    period = Period(min(stored), max(stored))
    return put(Manifest(dataset=dataset, version="").with_days(search.new_token(), stored, period), new)


def read(manifest: Manifest) -> list[str]:
    return [row.key for row in ranked(search.rows(SITE, manifest, ONE, TWO), ONE, TWO)]


def test_search_data_of_several_days_is_read_in_two_calls() -> None:
    with_days("query", rows(ONE, ["b", "日本"]), rows(TWO, ["a"]), rows(TWO - timedelta(1), []))
    with aws.counted_calls() as calls:
        manifest = search.manifests(SITE, ["query", "page"])["query"]
        assert read(manifest) == ["a", "b", "日本"]
    assert calls == {"BatchGetItem": 2}
    assert manifest.period == Period(ONE, TWO) and "page" not in search.manifests(SITE, ["query", "page"])


def test_search_data_too_large_for_one_item_is_stored_in_several_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_BLOCK_BYTES", 700)
    keys = sorted(f"https://shop.example/{number * 7919 % 10_007:x}-{number:o}" for number in range(800))
    day = rows(ONE, keys)
    manifest = with_days("page", day)
    assert manifest.days[ONE.isoformat()].chunks > 3
    assert sorted(read(manifest)) == keys
    new = NewBlocks(SITE, "page")
    whole = archive.extended(archive.EMPTY, [day], date.min)
    stored = {month: new.add_month(month, parts).chunks for month, parts in whole.months.items()}
    archived = manifest.with_archive(
        search.new_token(), new.token, new.add_keys(whole.keys).chunks, stored, kept=[], period=Period(ONE, ONE)
    )
    put(archived, new)
    assert archived.keys > 1 and stored["2026-10"] > 1
    assert sorted(read(archived)) == keys
    assert sum(map(len, search.archive(SITE, archived).keys)) == 800


def test_a_row_too_large_for_any_item_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_BLOCK_BYTES", 50)
    with pytest.raises(TooLargeToPack):
        NewBlocks(SITE, "query").add_day(rows(ONE, ["".join(map(chr, range(100, 200)))]))


def test_search_totals_and_query_page_pairs_are_read_back() -> None:
    days = [DayTotals(day.isoformat(), TypeTotals(Figures(1, 2, 3))) for day in Period(ONE, TWO).days()]
    new = NewBlocks(SITE, "totals")
    stored = {
        month: new.add_totals(month, [day for day in days if day.day[:7] == month]) for month in ("2026-10", "2026-11")
    }
    manifest = put(
        Manifest(dataset="totals", version="").with_totals(search.new_token(), stored, Period(ONE, TWO)), new
    )
    with aws.counted_calls() as calls:
        assert search.totals(SITE, manifest, ONE, TWO) == days
        assert search.totals(SITE, manifest, TWO, TWO) == days[-1:]
    assert calls == {"BatchGetItem": 2}
    assert search.pairs(SITE, Manifest(dataset="pairs", version="")) is None
    chosen = pairs.top([pairs.day_rows(TWO, ["q"], ["https://x/"], [1], [2], [3])], ONE, TWO)
    new = NewBlocks(SITE, "pairs")
    months = {"2026-11": new.add_month("2026-11", chosen.rows).chunks}
    manifest = put(
        Manifest(dataset="pairs", version="").with_archive(
            "1", new.token, new.add_keys(chosen.keys).chunks, months, kept=[], period=Period(ONE, TWO)
        ),
        new,
    )
    assert search.pairs(SITE, manifest) == chosen._replace(keys=list(chosen.keys), rows=list(chosen.rows))


def test_a_block_that_a_replica_lacks_is_read_again_but_a_missing_block_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifest = with_days("query", rows(ONE, ["a"]), rows(TWO, ["b"]))
    whole = items.batch_get

    def late(wanted: Iterable[items.Key], consistent: bool = True) -> dict[items.Key, items.Item]:
        """As a replica that lags: of the blocks it has the first only."""
        found = whole(wanted, consistent)
        return found if consistent else dict(list(found.items())[:1])

    with monkeypatch.context() as patch:
        patch.setattr(items, "batch_get", late)
        assert read(manifest) == ["a", "b"]
    search.remove(SITE, "query", list(manifest.blocks())[:1])
    with pytest.raises(Moved):
        read(manifest)


def test_blocks_of_search_data_are_deleted_only_if_no_manifest_lists_them() -> None:
    manifest = with_days("query", rows(ONE, ["a"]))
    left = NewBlocks(SITE, "query")
    left.add_day(rows(ONE, ["left behind"]))
    other = NewBlocks(SITE, "pairs")
    other.add_day(rows(ONE, ["left behind"]))
    search.write([left, other])
    clock.set_offset(clock.offset() + 1)  # tokens tell milliseconds apart, no less
    began = clock.now()
    clock.set_offset(clock.offset() + 10)
    fresh = NewBlocks(SITE, "query")
    fresh.add_day(rows(TWO, ["to be named"]))
    search.write([fresh])
    search.sweep(SITE, began)
    assert {sk.split("#")[-2] for _, sk in aws.rows("search") if sk != "MANIFEST"} == {
        fresh.token,
        manifest.days[ONE.isoformat()].token,
    }
    commit(search.forgotten(SITE))
    search.sweep(SITE, clock.now() + 1)
    assert aws.rows("search") == []


def test_replaced_blocks_are_not_deleted_before_they_expire() -> None:
    before = with_days("query", rows(ONE, ["a"]))
    new = NewBlocks(SITE, "query")
    renewed = before.with_days(search.new_token(), {ONE: new.add_day(rows(ONE, ["b"]))}, Period(ONE, ONE))
    after, gone = renewed.replacing(before, clock.now(), blocks.EXPIRY_SECONDS)
    put(after, new)
    search.sweep(SITE, clock.now() + 60)
    assert read(before) == ["a"] and read(after) == ["b"] and gone == []


def test_identifiers_of_search_blocks_are_unique_and_begin_with_the_time() -> None:
    assert search.new_token() != search.new_token()
    assert isinstance(Stored(search.new_token(), 1).token, str)
