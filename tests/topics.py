"""Search data of a website as an import leaves it, for tests of what is made of it."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain.connections import Source
from chalicelib.domain.search import pairs
from chalicelib.domain.search.columns import DayRows, day_rows
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.periods import Period, ending
from chalicelib.store import connections, search, websites
from chalicelib.store.search import NewBlocks
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website


class Shown(NamedTuple):
    """A page that was shown for a query on one day."""

    query: str
    page: str
    clicks: int
    impressions: int
    position: float = 5.0


def today() -> date:
    return clock.utc(clock.now()).date()


def connect(site: Website) -> Website:
    """The website, connected to search data."""
    found = websites.get(site.workspace_id, site.id)
    assert found is not None
    source = Source(kind="search", name="sc-domain:acme.example", account="a@b", connected_at=clock.now())
    commit([connections.shown(found, found.connections.with_source("search", source))])
    found = websites.get(site.workspace_id, site.id)
    assert found is not None
    return found


def imported(site: Website, days: Mapping[date, Iterable[Shown]], known: Period | None = None) -> None:
    """Store what days brought, by page and by pair. ``known``: the days that are known, by default 28 to the last."""
    period = known or ending(max(days), 28)
    of_pages: list[tuple[date, DayRows]] = []
    of_pairs: list[DayRows] = []
    for day, shown in days.items():
        rows = list(shown)
        pages: dict[str, list[Shown]] = {}
        for row in rows:
            pages.setdefault(row.page, []).append(row)
        impressions = {page: sum(row.impressions for row in found) for page, found in pages.items()}
        of_pages.append(
            (
                day,
                day_rows(
                    day,
                    list(pages),
                    [sum(row.clicks for row in found) for found in pages.values()],
                    list(impressions.values()),
                    [
                        sum(row.position * row.impressions for row in found) / max(1, impressions[page])
                        for page, found in pages.items()
                    ],
                ),
            )
        )
        of_pairs.append(
            pairs.day_rows(
                day,
                [row.query for row in rows],
                [row.page for row in rows],
                [row.clicks for row in rows],
                [row.impressions for row in rows],
                [row.position for row in rows],
            )
        )
    new = NewBlocks(site.id, "page")
    stored = {day: new.add_day(rows) for day, rows in of_pages}
    _publish(site, new, Manifest(dataset="page", version="").with_days(search.new_token(), stored, period))
    window = ending(period.last, pairs.WINDOW_DAYS)
    best = pairs.top(of_pairs, *window)
    new = NewBlocks(site.id, "pairs")
    keys = new.add_keys(best.keys)
    months: dict[str, int] = {}
    for part in best.rows:
        month = part.days[0][:7]
        months[month] = new.add_month(month, [part]).chunks
    manifest = Manifest(dataset="pairs", version="").with_archive(
        search.new_token(), new.token, keys.chunks, months, kept=(), period=window
    )
    _publish(site, new, manifest)


def _publish(site: Website, new: NewBlocks, manifest: Manifest) -> None:
    search.write([new])
    commit([search.put_manifest(site.id, manifest)])
