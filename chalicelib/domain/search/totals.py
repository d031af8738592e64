"""Totals of days. The search service reports them separately from its rows: rows leave out rare queries, totals do not.

Totals are never computed from rows or from other totals.
"""

from collections.abc import Iterable
from datetime import date

import msgspec

from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period


class TypeTotals(msgspec.Struct, array_like=True, frozen=True):
    """A day's totals for one type of search.

    - ``countries``: totals by country code, in three small letters.
    - ``devices``: totals by device name, in small letters.

    A missing country or device had no impressions.
    """

    total: Figures = Figures()
    countries: dict[str, Figures] = {}
    devices: dict[str, Figures] = {}


class DayTotals(msgspec.Struct, array_like=True, frozen=True):
    """The totals of a day whose figures no longer change. If they are zeros, the search service reported zeros.
    ``image``: None if unknown."""

    day: str
    web: TypeTotals
    image: TypeTotals | None = None


def of_type(day: DayTotals, search_type: str) -> TypeTotals | None:
    return day.web if search_type == "web" else day.image


def by_day(
    days: Iterable[DayTotals], search_type: str, *, country: str | None = None, device: str | None = None
) -> dict[date, Figures]:
    """Return the figures of each day, in order. The figures are of all searches, of one country, or of one kind of
    device."""
    found: dict[date, Figures] = {}
    for day in sorted(days, key=lambda day: day.day):
        totals = of_type(day, search_type)
        if totals is None:
            continue
        figures = totals.total
        if country is not None:
            figures = totals.countries.get(country, Figures())
        elif device is not None:
            figures = totals.devices.get(device, Figures())
        found[date.fromisoformat(day.day)] = figures
    return found


def total(figures: Iterable[Figures]) -> Figures:
    clicks = impressions = positions = 0
    for one in figures:
        clicks += one.clicks
        impressions += one.impressions
        positions += one.positions
    return Figures(clicks, impressions, positions)


def within(days: dict[date, Figures], period: Period) -> Figures | None:
    """Return the sum of a period's days; None if no day is known."""
    inside = [figures for day, figures in days.items() if day in period]
    return total(inside) if inside else None
