"""Computes a website's topics in a period from its search data and published pages, and caches them for an hour."""

from typing import Final

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.search import pairs, rows
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.rows import Stored
from chalicelib.domain.search.topics import CrawledPage, Pair, SearchedPage, topics
from chalicelib.operations.search import Manifests
from chalicelib.store import kept_topics, pages, search
from chalicelib.store.kept_topics import Kept
from chalicelib.store.websites import Website

DATASETS: Final = ("page", "pairs")


class TooOften(Exception):
    """Raised if a website's topics were already computed twice in this minute. ``seconds``: how long until the next
    minute."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def names_of(website: Website) -> list[str]:
    """Return the website's own names, which do not count as topics."""
    host = website.host.partition(":")[0]
    return [website.name, host, host.rpartition(".")[0], host.partition(".")[0]]


def kept(website: Website, period: Period) -> Kept | None:
    """Return the cached topics of a period, or None."""
    return kept_topics.load(question_of(website, period))


def worked_out(website: Website, period: Period, manifests: Manifests) -> Kept:
    """Compute and cache the topics of a period now. Raises ``TooOften``, and ``store.search.Moved`` if an import
    replaces the data meanwhile.
    """
    now = clock.now()
    if not kept_topics.may_compute(website.id, now):
        raise TooOften(kept_topics.seconds_left(now))
    of_pairs, of_pages = manifests.get("pairs"), manifests.get("page")
    found = topics(
        _searched(website.id, of_pages, period),
        _pairs(website.id, of_pairs),
        _crawled(website),
        names_of(website),
    )
    made = Kept(
        found,
        now,
        None if of_pairs is None else of_pairs.period,
        None if of_pages is None else of_pages.final_day,
    )
    kept_topics.keep(question_of(website, period), made)
    return made


def question_of(website: Website, period: Period) -> str:
    """Return the cache key. It is different for each website, connection and period."""
    source = website.connections.search
    connected = "" if source is None else str(source.connected_at)
    return ids.digest(website.id, connected, *(day.isoformat() for day in period)).hex()


def _searched(site_id: str, manifest: Manifest | None, period: Period) -> list[SearchedPage]:
    if manifest is None or manifest.period is None:
        return []
    first, last = max(period.first, manifest.period.first), min(period.last, manifest.period.last)
    if first > last:
        return []
    found = rows.ranked(search.rows(site_id, manifest, first, last), first, last)
    return [SearchedPage(*row) for row in found]


def _pairs(site_id: str, manifest: Manifest | None) -> list[Pair]:
    known = None if manifest is None else search.pairs(site_id, manifest)
    if known is None:
        return []
    found = rows.ranked(Stored(known.keys, known.rows), known.first, known.last)
    return [Pair(*pairs.parts(row.key), row.clicks, row.impressions, row.positions) for row in found]


def _crawled(website: Website) -> list[CrawledPage]:
    summary = website.summary
    if summary is None:
        return []
    return [
        CrawledPage(row.url, row.title, row.indexable)
        for row in pages.load_list(website.id, summary.generation.crawl_id)
    ]
