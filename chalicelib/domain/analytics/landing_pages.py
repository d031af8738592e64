"""Landing pages of an analytics property: joined with the search figures of the same pages, sorted and added up.

A page is identified by its path. Two spellings that differ only in the last slash or in percent-encoding are one page.
A page gets the search figures of all URLs on the website's host that have the page's path, with any query. Paths that
differ in letter case are different pages, because servers distinguish them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add, attrgetter
from typing import Any, Final

import msgspec

from chalicelib import typed
from chalicelib.domain.analytics.report import Landing, Report
from chalicelib.domain.crawl.urls import encode_path
from chalicelib.domain.search.figures import Figures

SORTS: Final = (
    *("sessions", "revenue", "purchase_revenue", "purchases", "key_events", "conversion_rate"),
    *("revenue_per_session", "clicks", "impressions", "position"),
)
NOTHING: Final = Figures()
NO_PAGE: Final = frozenset({"", "(not set)", "(other)", "(data not available)"})  # values that are not a path


class LandingPages(msgspec.Struct, array_like=True, frozen=True):
    """The pages of one report as columns. They are sorted by sessions, most first. A page with several spellings is
    sorted by the sessions of its most frequent spelling.

    - ``events``: names and counts of each page's key events.
    - ``clicks``, ``impressions`` and ``positions``: None if search data was not joined.
    - ``measures_purchases``: False for a property without purchase tracking, which reports zeros for every page.
    """

    pages: list[str]
    sessions: list[int]
    engaged: list[int]
    key_events: list[float]
    converted: list[float]
    purchases: list[int]
    purchase_revenue: list[float]
    revenue: list[float]
    events: list[list[tuple[str, float]]]
    clicks: list[int | None]
    impressions: list[int | None]
    positions: list[int | None]
    measures_purchases: bool

    def __len__(self) -> int:
        return len(self.pages)

    def split(self) -> "tuple[LandingPages, LandingPages]":
        """Split the pages into two halves, because a stored item has a size limit."""
        middle = len(self) // 2
        return self._made(lambda column: column[:middle]), self._made(lambda column: column[middle:])

    def _made(self, part: Callable[[list[Any]], list[Any]]) -> "LandingPages":
        *columns, bought = msgspec.structs.astuple(self)
        return _of([part(column) for column in columns], bought)


def joined_again(parts: Sequence[LandingPages]) -> LandingPages:
    """Join the parts that ``split`` made, in their order."""
    columns = zip(*(msgspec.structs.astuple(part)[:-1] for part in parts), strict=True)
    whole = [[value for values in column for value in values] for column in columns]
    return _of(whole, any(part.measures_purchases for part in parts))


def _of(columns: Iterable[Any], measures_purchases: bool) -> LandingPages:
    return typed.convert([*columns, measures_purchases], LandingPages)


def path_key(page: str) -> str:
    """Return a key for a path. Different spellings of the same page's path have the same key."""
    path = page.partition("?")[0].partition("#")[0]
    if "%" in path or not path.isascii():
        path = encode_path(path)
    return path.rstrip("/") or "/"


def by_path(searched: Iterable[tuple[str, Figures]]) -> dict[str, Figures]:
    """Add up search figures by path.

    ``searched``: figures by page key (``addresses.page_key``), only for pages on the website's host.
    """
    found: dict[str, Figures] = {}
    for key, figures in searched:
        path = "/" + key.partition("?")[0].partition("/")[2].rstrip("/")
        known = found.get(path)
        found[path] = figures if known is None else known + figures
    return found


def joined(report: Report, searched: Mapping[str, Figures] | None) -> LandingPages:
    """Join the pages of a report with their search figures. A page that search did not show gets zero clicks and
    impressions.

    ``searched``: search figures by path; None if there is no search data for the days of the report.
    """
    rows = sorted(report.landings, key=attrgetter("page"))
    rows.sort(key=attrgetter("sessions"), reverse=True)
    keys = [_key(row.page) for row in rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    written = {row.page: numbers[key] for row, key in zip(rows, keys, strict=True)}  # most events use these spellings
    events: list[dict[str, float]] = [{} for _ in numbers]
    for page, name, count in report.events:
        number = written[page] if page in written else numbers.get(_key(page))
        if number is not None:
            events[number][name] = events[number].get(name, 0.0) + count
    shown = [None if searched is None or key in NO_PAGE else searched.get(key, NOTHING) for key in numbers]
    merged = rows if len(numbers) == len(rows) else _merged(rows, keys)
    pages, sessions, engaged, key_events, converted, purchases, purchase_revenue, revenue = (
        zip(*merged, strict=True) if merged else ((),) * 8
    )
    return LandingPages(
        pages=list(pages),
        sessions=list(sessions),
        engaged=list(engaged),
        key_events=list(key_events),
        converted=list(converted),
        purchases=list(purchases),
        purchase_revenue=list(purchase_revenue),
        revenue=list(revenue),
        events=[sorted(named.items(), key=lambda one: (-one[1], one[0])) for named in events],
        clicks=[None if one is None else one.clicks for one in shown],
        impressions=[None if one is None else one.impressions for one in shown],
        positions=[None if one is None else one.positions for one in shown],
        measures_purchases=any(purchases) or any(purchase_revenue),
    )


def _key(page: str) -> str:
    return page if page in NO_PAGE else path_key(page)


def _merged(rows: Iterable[Landing], keys: Iterable[str]) -> list[Landing]:
    """Add up the rows of each page. The sum takes the page name and the position of the first row, which has most
    sessions."""
    found: dict[str, Landing] = {}
    for row, key in zip(rows, keys, strict=True):
        known = found.get(key)
        if known is None:
            found[key] = row
        else:
            found[key] = Landing._make((known.page, *map(add, known[1:], row[1:])))
    return list(found.values())


def ordered(pages: LandingPages, sort: str, *, descending: bool) -> list[int]:
    """Return the indexes of the pages, sorted by the figure ``sort``, then by sessions. Pages without a value come
    last."""
    values = list(map(_VALUES[sort](pages), range(len(pages))))
    known = [number for number, value in enumerate(values) if value is not None]
    unknown = [number for number, value in enumerate(values) if value is None]
    known.sort(key=values.__getitem__, reverse=descending)  # type: ignore[arg-type]  # known ones
    return known + unknown


Value = Callable[[int], float | None]


def _share(above: Sequence[float], below: Sequence[float]) -> Value:
    return lambda number: above[number] / below[number] if below[number] else None


def _position(pages: LandingPages) -> Value:
    def value(number: int) -> float | None:
        impressions, positions = pages.impressions[number], pages.positions[number]
        return positions / impressions if impressions and positions is not None else None

    return value


def _purchases(column: Callable[[LandingPages], Sequence[float]]) -> Callable[[LandingPages], Value]:
    return lambda pages: column(pages).__getitem__ if pages.measures_purchases else lambda _: None


_VALUES: Final[Mapping[str, Callable[[LandingPages], Value]]] = {
    "sessions": lambda pages: pages.sessions.__getitem__,
    "revenue": lambda pages: pages.revenue.__getitem__,
    "purchase_revenue": _purchases(lambda pages: pages.purchase_revenue),
    "purchases": _purchases(lambda pages: pages.purchases),
    "key_events": lambda pages: pages.key_events.__getitem__,
    "conversion_rate": lambda pages: _share(pages.converted, pages.sessions),
    "revenue_per_session": lambda pages: _share(pages.revenue, pages.sessions),
    "clicks": lambda pages: pages.clicks.__getitem__,
    "impressions": lambda pages: pages.impressions.__getitem__,
    "position": _position,
}
