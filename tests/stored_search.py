"""Search data of a website as an import leaves them, for tests of what reads them."""

from collections.abc import Iterable, Mapping
from datetime import date

from chalicelib import clock
from chalicelib.domain.connections import Source
from chalicelib.domain.search import archive, pairs
from chalicelib.domain.search.columns import DayRows
from chalicelib.domain.search.manifest import Dataset, Manifest
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.totals import DayTotals
from chalicelib.store import connections, search, websites
from chalicelib.store.search import NewBlocks
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from tests.domain.search.naive import Raw, packed


def today() -> date:
    """The day by the service's clock, as it is asked for: a run may go on past midnight, and tests move the clock."""
    return clock.utc(clock.now()).date()


def connect(site: Website) -> None:
    """Leave a connection to search data."""
    current = websites.get(site.workspace_id, site.id)
    assert current is not None
    source = Source(
        kind="search", name="sc-domain:acme.example", account="owner@acme.example", connected_at=clock.now()
    )
    commit([connections.shown(current, current.connections.with_source("search", source))])


def put_rows(site: Website, dataset: Dataset, rows: Raw, period: Period, *, archived: Iterable[date] = ()) -> Manifest:
    """Store rows by query or by page: the days ``archived`` in an archive, all others as days of their own."""
    blocks = NewBlocks(site.id, dataset)
    packed_days = {day: packed(day, of_day) for day, of_day in rows.items()}
    kept = set(archived)
    found = archive.extended(archive.EMPTY, [packed_days[day] for day in sorted(kept)], date.min)
    stored = {day: blocks.add_day(rows_of_day) for day, rows_of_day in packed_days.items() if day not in kept}
    manifest = _with_archive(Manifest(dataset=dataset, version=search.new_token()), blocks, found, period)
    return _put(site, blocks, manifest.with_days(search.new_token(), stored, period))


def put_pairs(site: Website, rows: Raw, window: Period) -> Manifest:
    """Store the pairs with most clicks; keys as ``pairs.key`` makes them."""
    blocks = NewBlocks(site.id, "pairs")
    chosen = pairs.top([_pairs_of_day(day, of_day) for day, of_day in rows.items()], *window)
    months = {window.last.isoformat()[:7]: chosen.rows}
    found = archive.Archive(chosen.keys, months)
    manifest = _with_archive(Manifest(dataset="pairs", version=search.new_token()), blocks, found, window)
    return _put(site, blocks, manifest)


def put_totals(site: Website, days: Iterable[DayTotals], period: Period) -> Manifest:
    """Store the totals of days."""
    blocks = NewBlocks(site.id, "totals")
    by_month: dict[str, list[DayTotals]] = {}
    for day in days:
        by_month.setdefault(day.day[:7], []).append(day)
    stored = {month: blocks.add_totals(month, of_month) for month, of_month in by_month.items()}
    manifest = Manifest(dataset="totals", version=search.new_token())
    return _put(site, blocks, manifest.with_totals(search.new_token(), stored, period))


def _pairs_of_day(day: date, rows: Iterable[object]) -> DayRows:
    told = list(rows)
    keys = [pairs.parts(row.key) for row in told]  # type: ignore[attr-defined]
    figures = [[getattr(row, name) for row in told] for name in ("clicks", "impressions", "position")]
    return pairs.day_rows(day, [query for query, _ in keys], [page for _, page in keys], *figures)


def _with_archive(manifest: Manifest, blocks: NewBlocks, found: archive.Archive, period: Period) -> Manifest:
    keys = blocks.add_keys(found.keys)
    months = {month: blocks.add_month(month, parts).chunks for month, parts in found.months.items()}
    return manifest.with_archive(search.new_token(), blocks.token, keys.chunks, months, kept=(), period=period)


def _put(site: Website, blocks: NewBlocks, manifest: Manifest) -> Manifest:
    search.write([blocks])
    commit([search.put_manifest(site.id, manifest)])
    return manifest


def spread(rows: Mapping[date, list[object]]) -> Period:
    """From the first day to the last."""
    return Period(min(rows), max(rows))
