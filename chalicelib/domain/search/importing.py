"""Decides what an import of search data fetches next: missing days, finished months, pairs.

A day is final once the search service no longer changes its figures. The import covers sixteen months, up to the latest
final day. The known days are one span without gaps. An import first fetches the days after the span. Then it fetches
the days before the span, newest first.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final

from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.pairs import WINDOW_DAYS
from chalicelib.domain.search.periods import MOST_MONTHS, Period, ending, months_before

ARCHIVED_MONTHS: Final = 4  # archived together while older days are missing, because the whole archive is rewritten


def wanted(final: date) -> Period:
    """Return the days that the service should have data for."""
    return Period(months_before(final, MOST_MONTHS), final)


def window(final: date) -> Period:
    """Return the days for which pairs of query and page are kept."""
    return ending(final, WINDOW_DAYS)


def overlap(known: Period | None, kept: Period) -> Period | None:
    """Return the known days that are recent enough to be kept; None if there are none."""
    if known is None or known.last < kept.first or known.first > kept.last:
        return None
    return Period(max(known.first, kept.first), min(known.last, kept.last))


def missing(known: Period | None, kept: Period) -> list[date]:
    """Return the days to fetch, in order. The days after the known days come first, from the oldest to the newest. The
    days before the known days follow, from the newest to the oldest.

    In this order, the known span stays without a gap however many of these days are fetched.
    """
    inside = overlap(known, kept)
    if inside is None:
        return sorted(kept.days(), reverse=True)
    behind = Period(inside.last + timedelta(1), kept.last).days()
    before = Period(kept.first, inside.first - timedelta(1)).days()
    return [*behind, *sorted(before, reverse=True)]


def together(days: Iterable[date], known: Period | None, most: int) -> list[date]:
    """Return the first of the missing ``days``, at most ``most``, that can be fetched in one request.

    The returned days are either all before the known days or all after them.
    """
    chosen: list[date] = []
    for day in days:
        if len(chosen) == most or (known is not None and chosen and (day > known.last) != (chosen[0] > known.last)):
            break
        chosen.append(day)
    return chosen


def spanning(known: Period | None, kept: Period, brought: Iterable[date]) -> Period:
    """Return the span of known days after some missing days were fetched. ``brought``: the fetched days. They are the
    first days of the list of missing days."""
    inside = overlap(known, kept)
    days = [*brought, *(() if inside is None else inside)]
    return Period(min(days), max(days))


def finished_months(manifest: Manifest, kept: Period) -> list[str]:
    """Return the months that can be archived: the month is over, and all of its days that should have data (``wanted``)
    are known."""
    known = overlap(manifest.period, kept)
    if known is None:
        return []
    found = []
    for month in sorted({day[:7] for day in manifest.days}):
        first, last = month_days(month)
        if max(first, kept.first) >= known.first and last <= known.last:
            found.append(month)
    return found


def month_days(month: str) -> Period:
    """Return the days of a month."""
    first = date.fromisoformat(f"{month}-01")
    return Period(first, (first + timedelta(32)).replace(day=1) - timedelta(1))


def to_archive(manifest: Manifest, kept: Period) -> list[str]:
    """Return the months to archive now: all finished months.

    While older days are missing, the list stays empty until several months are ready.
    """
    found = finished_months(manifest, kept)
    going_back = manifest.first_day is not None and manifest.first_day > kept.first
    return [] if going_back and len(found) < ARCHIVED_MONTHS else found


def totals_months(known: Period | None, kept: Period) -> list[str]:
    """Return the months whose totals have to be fetched, in the order of ``missing``. One request fetches all days of a
    month that are to be stored."""
    return list(dict.fromkeys(day.isoformat()[:7] for day in missing(known, kept)))


def progress(known: Period | None, kept: Period) -> tuple[int, int]:
    """Return the progress of the import: how many days are imported, and how many there are in all."""
    inside = overlap(known, kept)
    return (0 if inside is None else inside.length), kept.length


def pairs_missing(stored: Mapping[str, object], days: Period) -> list[date]:
    """Return those of ``days`` for which no pairs of query and page are stored."""
    return [day for day in days.days() if day.isoformat() not in stored]
