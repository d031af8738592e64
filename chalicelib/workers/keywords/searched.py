"""Loads the search data of a website, for keyword tasks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from chalicelib.domain.search import pairs, totals
from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.periods import Period, ending
from chalicelib.domain.search.rows import Stored, ranked
from chalicelib.domain.search.tokens import Vocabulary, language_of
from chalicelib.domain.search.topics import CrawledPage, Pair, SearchedPage, topics
from chalicelib.operations.search import Manifests
from chalicelib.operations.topics import names_of
from chalicelib.rules.kw.model import AskedQuestion, QueryPage, SearchData
from chalicelib.store import search
from chalicelib.store.websites import Website
from chalicelib.workers.keywords.crawled import Crawled

DAYS: Final = 28
YEAR: Final = timedelta(364)  # the same days of the week


class Searched(NamedTuple):
    """The search data of a website: rows by page for three periods, pairs of query and page, and totals."""

    period: Period
    pages: list[SearchedPage]
    before: list[SearchedPage] | None
    year_ago: list[SearchedPage] | None
    total: Figures
    total_before: Figures | None
    pairs: list[Pair]
    days: Callable[[set[str]], Mapping[str, Sequence[Mapping[str, Figures]]]]


def searched(website: Website, manifests: Manifests) -> Searched | None:
    """Load a website's search data of the last 28 days whose figures no longer change, and of earlier periods. Raises
    ``Moved`` if an import replaces the data meanwhile.

    Returns None if no data is stored.
    """
    of_pages, of_pairs, of_totals = (manifests.get(name) for name in ("page", "pairs", "totals"))
    if of_pages is None or of_pages.period is None:
        return None
    period = ending(of_pages.period.last, DAYS)
    known_pairs = None if of_pairs is None else search.pairs(website.id, of_pairs)
    stored = Stored() if known_pairs is None else Stored(known_pairs.keys, known_pairs.rows)
    window = period if known_pairs is None else Period(known_pairs.first, known_pairs.last)
    of_days: Mapping[date, Figures] = {}
    if of_totals is not None and of_totals.period is not None:
        of_days = totals.by_day(search.totals(website.id, of_totals, period.before.first, period.last), "web")
    whole_before = of_totals is not None and _knows(of_totals, period.before)
    return Searched(
        period,
        _rows(website.id, of_pages, period) or [],
        _rows(website.id, of_pages, period.before),
        _rows(website.id, of_pages, Period(period.first - YEAR, period.last - YEAR)),
        totals.within(dict(of_days), period) or Figures(),
        totals.within(dict(of_days), period.before) if whole_before else None,
        [Pair(*pairs.parts(row.key), row.clicks, row.impressions, row.positions) for row in ranked(stored, *window)],
        lambda queries: _by_day(stored, window, queries),
    )


def clicks_of_pages(website: Website, manifests: Manifests) -> dict[str, Figures]:
    """Return the search figures of each page, by its ``page_key``, for the last 28 days whose figures no longer change.

    The result is empty if the figures are unknown. Raises ``Moved`` if an import replaces the data meanwhile.
    """
    manifest = manifests.get("page")
    if manifest is None or manifest.period is None:
        return {}
    return _summed(_rows(website.id, manifest, ending(manifest.period.last, DAYS)) or [])


def data_of(website: Website, crawled: Crawled, found: Searched, questions: Sequence[AskedQuestion]) -> SearchData:
    """Combine all data about a website's searches, for judging keyword tasks."""
    made = topics(
        found.pages,
        found.pairs,
        [CrawledPage(row.url, row.title, row.indexable) for row in crawled.rows],
        names_of(website),
    )
    by_pair: dict[tuple[str, str], Figures] = {}
    for pair in found.pairs:
        of_pair = (pair.query, page_key(pair.url))
        by_pair[of_pair] = by_pair.get(of_pair, Figures()) + Figures(pair.clicks, pair.impressions, pair.positions)
    pages_of: dict[str, set[str]] = {}
    for query, page in by_pair:
        pages_of.setdefault(query, set()).add(page)
    return SearchData(
        period=found.period,
        known=crawled.known,
        pages=_summed(found.pages),
        before=None if found.before is None else _summed(found.before),
        year_ago=None if found.year_ago is None else _summed(found.year_ago),
        total=found.total,
        total_before=found.total_before,
        pairs=[QueryPage(query, page, figures) for (query, page), figures in by_pair.items()],
        days=found.days({query for query, shown in pages_of.items() if len(shown) > 1}),
        vocabulary=vocabulary_of(website, crawled),
        topics=made.topics,
        questions=questions,
    )


def vocabulary_of(website: Website, crawled: Crawled) -> Vocabulary:
    """Return the words of a website's pages, and the website's own names."""
    return Vocabulary(language_of(page.title for page in crawled.known.values() if page.title), names_of(website))


def _summed(rows: Iterable[SearchedPage]) -> dict[str, Figures]:
    found: dict[str, Figures] = {}
    for row in rows:
        key = page_key(row.url)
        found[key] = found.get(key, Figures()) + Figures(row.clicks, row.impressions, row.positions)
    return found


def _knows(manifest: Manifest, period: Period) -> bool:
    known = manifest.period
    return known is not None and known.first <= period.first and period.last <= known.last


def _rows(site_id: str, manifest: Manifest, period: Period) -> list[SearchedPage] | None:
    """Return the figures of the pages. Returns None if some of the days are not known."""
    if not _knows(manifest, period):
        return None
    return [SearchedPage(*row) for row in ranked(search.rows(site_id, manifest, *period), *period)]


def _by_day(stored: Stored, window: Period, queries: set[str]) -> Mapping[str, Sequence[Mapping[str, Figures]]]:
    """Return the daily figures of these queries, by page."""
    found: dict[str, list[dict[str, Figures]]] = {query: [] for query in queries}
    for day in window.days():
        of_day: dict[str, dict[str, Figures]] = {}
        for row in ranked(stored, day, day, lambda key: pairs.parts(key)[0] in queries):
            query, url = pairs.parts(row.key)
            shown = of_day.setdefault(query, {})
            page = page_key(url)
            shown[page] = shown.get(page, Figures()) + Figures(row.clicks, row.impressions, row.positions)
        for query, shown in of_day.items():
            found[query].append(shown)
    return found
