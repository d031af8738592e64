"""Search performance of a website: its last days compared with the days before, and its queries and pages."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from msgspec import UNSET

from chalicelib.http.errors import ApiError
from chalicelib.web.charts import Point
from chalicelib.web.page import Page
from chalicelib.web.rendering import day
from chalicelib.web.replies import Reply

PER: Final = 50
# The figures of the chart, by member: name, decimals, and whether small values are good.
FIGURES: Final = (
    ("clicks", "Clicks", False),
    ("impressions", "Impressions", False),
    ("ctr", "Click rate in %", False),
    ("position", "Average position", True),
)
# Days per point of a line, and the most points: long periods are drawn by week, then by four weeks.
STEPS: Final = ((1, 31), (7, 31), (28, 1_000))
_FILTERS: Final = ("dimension", "country", "device", "search_type", "page", "cursor")


def data(page: Page) -> tuple[str, dict[str, str]]:
    return _rows(page, *_period(page, page.ask("read_site")))


def _rows(page: Page, first: str, last: str) -> tuple[str, dict[str, str]]:
    return "read_search_rows", {"from": first, "to": last, "limit": str(PER), **page.sent(*_FILTERS)}


def show(page: Page) -> Reply:
    site = page.ask("read_site")
    source = next(one for one in site.connections if one.kind == "search")
    if not source.connected:
        return page.view("search.html", "Search", source=source)
    first, last = _period(page, site)
    parts = page.parts(
        lines=lambda: _lines(page, first, last),
        rows=lambda: page.ask(*_rows(page, first, last)),
    )
    lines: list[tuple[str, str, bool, list[Point]]] = []
    totals: dict[str, tuple[float | None, float | None]] = {}
    if parts["lines"].ready:
        now, before = parts["lines"].value
        lines = [(name, label, low, _points(name, now, before, first, last)) for name, label, low in FIGURES]
        totals = {name: (_total(name, now), _total(name, before)) for name, _, _ in FIGURES}
    values: dict[str, Any] = {"parts": parts, "lines": lines, "totals": totals, "first": first, "last": last}
    return page.view("search.html", "Search", source=source, said=_said(first, last), **values)


def _lines(page: Page, first: str, last: str) -> tuple[list[Any], list[Any]]:
    """Return the days of the period and of the period before. Both are requested at once, unless together they are too
    long for one request."""
    days = {"dimension": "date", "limit": "10000", **page.sent("country", "device", "search_type", "page")}
    before_first, before_last = _before(first, last)
    try:
        rows: list[Any] = page.ask("read_search_rows", {"from": before_first, "to": last, **days}).rows
    except ApiError as error:
        if error.code != "period_too_long":
            raise
        before = page.ask("read_search_rows", {"from": before_first, "to": before_last, **days}).rows
        rows = [*before, *page.ask("read_search_rows", {"from": first, "to": last, **days}).rows]
    return [one for one in rows if one.date > before_last], [one for one in rows if one.date <= before_last]


def _period(page: Page, site: Any) -> tuple[str, str]:
    """Return the requested first and last day. The default is the latest 28 days with final figures."""
    sent = page.sent("from", "to")
    if len(sent) == 2:
        return sent["from"], sent["to"]
    period = UNSET if site.search is UNSET else site.search.period
    if period is not UNSET:
        return sent.get("from", period.from_), sent.get("to", period.to)
    last = datetime.fromtimestamp(page.now, UTC).date() - timedelta(days=3)
    return sent.get("from", f"{last - timedelta(days=27)}"), sent.get("to", f"{last}")


def _before(first: str, last: str) -> tuple[str, str]:
    """Return the first and last day of the period before, of equal length. The API refuses unreadable dates."""
    try:
        begin, end = date.fromisoformat(first), date.fromisoformat(last)
        return f"{begin - (end - begin) - timedelta(days=1)}", f"{begin - timedelta(days=1)}"
    except (ValueError, OverflowError):
        return first, last


def _said(first: str, last: str) -> str:
    """Return the period in words, or as sent if it is not a period."""
    try:
        return f"{day(first)} to {day(last)}"
    except ValueError:
        return f"{first} to {last}"


def _points(name: str, rows: list[Any], before: list[Any], first: str, last: str) -> list[Point]:
    """Return a value for every step of the period, with that of the same step of the period before."""
    begin = date.fromisoformat(first)
    count = (date.fromisoformat(last) - begin).days + 1
    step = next(size for size, most in STEPS if count <= most * size)
    now, then = {one.date: one for one in rows}, {one.date: one for one in before}

    def value(of: dict[str, Any], at: int, back: int) -> float | None:
        days = (begin + timedelta(days=number - back) for number in range(at, min(at + step, count)))
        found = _total(name, [of[f"{day}"] for day in days if f"{day}" in of])
        return None if found is None else round(found, 2)

    starts = [(at, begin + timedelta(days=at)) for at in range(0, count, step)]
    return [Point(f"{one.day} {one:%b}", value(now, at, 0), value(then, at, count)) for at, one in starts]


def _total(name: str, rows: list[Any]) -> float | None:
    """Return the figure over all days. Returns None if unknown."""
    if not rows:
        return None
    clicks: int = sum(one.clicks for one in rows)
    impressions: int = sum(one.impressions for one in rows)
    if name in ("clicks", "impressions"):
        return clicks if name == "clicks" else impressions
    if not impressions:
        return None
    if name == "ctr":
        return 100 * clicks / impressions
    weighted: float = sum(one.position * one.impressions for one in rows if one.position is not None)
    return weighted / impressions
