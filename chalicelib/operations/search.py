"""Reads search performance from stored data: rows of any period, totals of the latest days, and the figures of each
page in 28 days."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple, TypeVar

from chalicelib.domain import ids
from chalicelib.domain.audit import searched
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.search import rows, totals
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Dataset, Manifest
from chalicelib.domain.search.periods import Period, ending, recent
from chalicelib.domain.search.questions import Question
from chalicelib.domain.search.rows import Row, Stored
from chalicelib.store import search, search_results
from chalicelib.store.search_results import Asked, Part

Manifests = Mapping[Dataset, Manifest]
T = TypeVar("T")

TRIES: Final = 3  # tries, if imports replace the data during a try
TOP_ROWS: Final = 10
PAGE_DAYS: Final = 28  # the days by which audits judge pages


class Totals(NamedTuple):
    """The figures of a period.

    - ``days``: the figures of each known day.
    - ``previous``: the figures of as many days before the period. None if one of these days is not known.
    - ``queries``, ``pages``: the queries and the pages with most clicks.
    """

    period: Period
    days: dict[date, Figures]
    figures: Figures | None
    previous: Figures | None
    queries: Sequence[Row]
    pages: Sequence[Row]


def asking(site_id: str, datasets: Sequence[Dataset], ask: Callable[[Manifests], T]) -> T:
    """Call ``ask`` with the manifests of these datasets (the lists of their stored blocks), and return its result.

    If an import replaces the data meanwhile, ``ask`` is called again with new manifests. Raises ``Moved`` if imports
    keep replacing the data.
    """
    for attempt in range(1, TRIES + 1):
        try:
            return ask(search.manifests(site_id, datasets, consistent=attempt > 1))
        except search.Moved:
            if attempt == TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def part(site_id: str, manifest: Manifest | None, question: Question, start: int, count: int | None) -> Part:
    """Return at most ``count`` rows (None: all) of search data, from ``start`` on. ``question``: which rows are wanted
    (kind, days, filters). Raises ``Moved``.

    Rankings of queries and pages are computed once and cached for an hour. There are only few totals and pairs, so they
    are read from the stored data each time.
    """
    if manifest is None:
        return Part([], 0)
    asked = Asked(_name(site_id, manifest, question), start, count)
    if not _is_kept(question):
        return asked.of(_answer(site_id, manifest, question))
    (kept,) = search_results.read([asked])
    if kept is not None:
        return kept
    answer = _answer(site_id, manifest, question)
    search_results.keep(asked.question, answer)
    return asked.of(answer)


def latest(site_id: str, manifests: Manifests, days: int, today: date) -> Totals | None:
    """Return the totals of the last known days, the totals of as many days before, and the queries and pages with most
    clicks. Returns None if no search data is known yet. Raises ``Moved``."""
    manifest = manifests.get("totals")
    if manifest is None or manifest.period is None:
        return None
    period = recent(days, today, manifest.period.last)
    of_days = totals.by_day(search.totals(site_id, manifest, period.before.first, period.last), "web")
    known = manifest.period.first <= period.before.first
    return Totals(
        period,
        {day: figures for day, figures in of_days.items() if day in period},
        totals.within(of_days, period),
        totals.within(of_days, period.before) if known else None,
        *_top(site_id, manifests, period),
    )


def by_page(site_id: str) -> dict[str, Figures] | None:
    """Return the search figures of each page, by normalised address. They cover the last 28 days whose figures Google
    no longer changes. Search data may have several addresses for one page; their figures are summed.

    If a page is missing in the result, search did not show it. Returns None if there is no search data, or if one of
    these days is not known yet. One call of the store; two or three if there is search data. Raises ``Moved``.
    """
    return asking(site_id, ("page",), lambda manifests: _by_page(site_id, manifests.get("page")))


def of_pages(site_id: str, host: str, known: Collection[str]) -> dict[str, Figures] | None:
    """Return the result of ``by_page``, with the addresses matched to the pages of the website ``host``. ``known``: the
    addresses of these pages. Raises ``Moved``."""
    found = by_page(site_id)
    return None if found is None else searched.by_page(found, host, known, lambda: known)


def _by_page(site_id: str, manifest: Manifest | None) -> dict[str, Figures] | None:
    if manifest is None or manifest.period is None:
        return None
    period = ending(manifest.period.last, PAGE_DAYS)
    if period.first < manifest.period.first:
        return None
    found: dict[str, Figures] = {}
    for row in rows.ranked(search.rows(site_id, manifest, *period), *period):
        url = normalise(row.key)
        if url is not None:
            found[url] = found.get(url, Figures()) + Figures(row.clicks, row.impressions, row.positions)
    return found


def _top(site_id: str, manifests: Manifests, period: Period) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the best queries and pages. Only as many rows as a summary shows are cached."""
    questions = [Question("query", period), Question("page", period)]
    found: dict[Question, Sequence[Row]] = dict.fromkeys(questions, ())
    stored = [(question, manifests[question.dataset]) for question in questions if question.dataset in manifests]
    asked = [Asked(_name(site_id, manifest, question, "top")) for question, manifest in stored]
    for (question, manifest), one, kept in zip(stored, asked, search_results.read(asked), strict=True):
        if kept is None:
            kept = one.of(_answer(site_id, manifest, question)[:TOP_ROWS])
            search_results.keep(one.question, kept.rows)
        found[question] = kept.rows
    return found[questions[0]], found[questions[1]]


def _name(site_id: str, manifest: Manifest, question: Question, kind: str = "rows") -> str:
    return ids.digest(kind, site_id, manifest.version, *question.parts).hex()


def _is_kept(question: Question) -> bool:
    return question.dataset in ("query", "page")


def _answer(site_id: str, manifest: Manifest, question: Question) -> list[Row]:
    """Return all rows of the answer, in order."""
    period = _known(manifest, question.period)
    if period is None:
        return []
    if question.dimension == "date":
        of_days = _days(site_id, manifest, question, period)
        return [Row(day.isoformat(), *figures) for day, figures in of_days.items()]
    if question.dimension == "query_page":
        pairs = search.pairs(site_id, manifest)
        stored = Stored() if pairs is None else Stored(pairs.keys, pairs.rows)
    else:
        stored = search.rows(site_id, manifest, *period)
    return rows.ranked(stored, *period, question.matching)


def _days(site_id: str, manifest: Manifest, question: Question, period: Period) -> dict[date, tuple[int, int, int]]:
    if question.matching is not None:
        found = rows.by_day(search.rows(site_id, manifest, *period), *period, question.matching)
    else:
        found = totals.by_day(
            search.totals(site_id, manifest, *period),
            question.search_type,
            country=question.country,
            device=question.device,
        )
    return {day: (one.clicks, one.impressions, one.positions) for day, one in found.items()}


def _known(manifest: Manifest, asked: Period) -> Period | None:
    """Limit the period to the known days. Blocks may still contain days that are no longer kept."""
    if manifest.period is None:
        return None
    first, last = max(asked.first, manifest.period.first), min(asked.last, manifest.period.last)
    return Period(first, last) if first <= last else None
