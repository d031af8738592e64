"""What a website's summary and its search data hold, for tests of what is shown of them."""

from datetime import date, timedelta
from typing import Any

from chalicelib import clock
from chalicelib.domain.connections import Source
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.recent import RecentDays
from chalicelib.domain.search.totals import DayTotals, TypeTotals
from chalicelib.store import connections, items, keys, websites
from chalicelib.store.shapes import SITE_SUMMARY
from chalicelib.store.transactions import commit
from tests.api.conftest import House


def searched(house: House, days: int, clicks: int = 1, **connection: Any) -> None:
    """The website is connected to its search data, and so many days of it are known, with so many clicks each."""
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    final = today() - timedelta(3)
    source = Source(kind="search", name="sc-domain:acme.example", account="a@b", connected_at=clock.now(), **connection)
    totals = [
        DayTotals((final - timedelta(number)).isoformat(), TypeTotals(Figures(clicks, 10 * clicks, 20)))
        for number in range(days)
    ]
    known = RecentDays.of(totals, final) if days else None
    commit([connections.shown(website, website.connections.with_source("search", source), known)])


def today() -> date:
    return clock.utc(clock.now()).date()


def store_summary(house: House, summary: object) -> None:
    items.update(
        "sites",
        *keys.website(house.workspace_id, house.site.id),
        "SET summary = :summary",
        values={":summary": SITE_SUMMARY.pack(summary)},
    )
