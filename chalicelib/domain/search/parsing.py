"""Converts rows from the search service to the types that are stored."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from chalicelib.domain.search import columns, pairs
from chalicelib.domain.search.columns import DayRows
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.totals import DayTotals, TypeTotals


class Told(NamedTuple):
    """Rows in the order in which the search service sent them.

    ``keys``: each row's keys, one per dimension. ``positions``: each row's average position.
    """

    keys: list[tuple[str, ...]]
    clicks: list[float]
    impressions: list[float]
    positions: list[float]


class TypeTold(NamedTuple):
    """The rows of several days for one type of search: by date, by date and country, and by date and device."""

    days: Told
    countries: Told
    devices: Told


def day_rows(day: date, told: Told) -> DayRows:
    """Convert a day's rows by query or by page. Raises ``ValueError`` for impossible figures."""
    return columns.day_rows(day, [keys[0] for keys in told.keys], told.clicks, told.impressions, told.positions)


def day_pairs(day: date, told: Told) -> DayRows:
    """Convert a day's rows by query and page. Raises ``ValueError`` for impossible figures."""
    queries, pages = [keys[0] for keys in told.keys], [keys[1] for keys in told.keys]
    return pairs.day_rows(day, queries, pages, told.clicks, told.impressions, told.positions)


def day_totals(days: Period, web: TypeTold, image: TypeTold) -> list[DayTotals]:
    """Convert the totals of each of these days. Raises ``ValueError`` for impossible figures.

    The figures of all these days are final, so a day without rows gets zeros.
    """
    of_web, of_image = _by_day(web), _by_day(image)
    return [
        DayTotals(name, of_web.get(name, TypeTotals()), of_image.get(name, TypeTotals()))
        for name in map(date.isoformat, days.days())
    ]


def _by_day(told: TypeTold) -> dict[str, TypeTotals]:
    countries = _parts(told.countries)
    devices = _parts(told.devices)
    return {
        keys[0]: TypeTotals(figures, countries.get(keys[0], {}), devices.get(keys[0], {}))
        for keys, figures in _figures(told.days)
    }


def _parts(told: Told) -> dict[str, dict[str, Figures]]:
    found: dict[str, dict[str, Figures]] = {}
    for (day, part), figures in _figures(told):
        found.setdefault(day, {}).setdefault(part.lower(), figures)
    return found


def _figures(told: Told) -> Iterable[tuple[tuple[str, ...], Figures]]:
    for keys, clicks, impressions, position in zip(*told, strict=True):
        if not (0 <= clicks < columns.MOST_SUM and 0 <= position * impressions < columns.MOST_SUM):
            raise ValueError("a figure is below zero, or too large")
        yield keys, Figures.told(clicks, impressions, position)
