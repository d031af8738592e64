"""What an import of search data brings next: days that are missing, months that are finished, pairs.

Sixteen months up to the last final day are wanted. What is known is one span of days; an import first catches up behind
its last day, then goes back from its first day on, newest first.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final

from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.pairs import WINDOW_DAYS
from chalicelib.domain.search.periods import MOST_MONTHS, Period, ending, months_before

ARCHIVED_MONTHS: Final = 4  # finished months that wait while an import goes back: each archive is written whole


def wanted(final: date) -> Period:
    """The days that are kept."""
    return Period(months_before(final, MOST_MONTHS), final)


def window(final: date) -> Period:
    """The days that pairs are kept of."""
    return ending(final, WINDOW_DAYS)


def overlap(known: Period | None, kept: Period) -> Period | None:
    """What of the known days is kept; None: nothing."""
    if known is None or known.last < kept.first or known.first > kept.last:
        return None
    return Period(max(known.first, kept.first), min(known.last, kept.last))


def missing(known: Period | None, kept: Period) -> list[date]:
    """The days that are to be brought, in their order: days behind what is known, oldest first, then those before it,
    newest first. Taken in this order, any number of them leaves a span without a gap."""
    inside = overlap(known, kept)
    if inside is None:
        return sorted(kept.days(), reverse=True)
    behind = Period(inside.last + timedelta(1), kept.last).days()
    before = Period(kept.first, inside.first - timedelta(1)).days()
    return [*behind, *sorted(before, reverse=True)]


def together(days: Iterable[date], known: Period | None, most: int) -> list[date]:
    """The first of ``missing`` days that can be brought at once: they all lie on the same side of what is known."""
    chosen: list[date] = []
    for day in days:
        if len(chosen) == most or (known is not None and chosen and (day > known.last) != (chosen[0] > known.last)):
            break
        chosen.append(day)
    return chosen


def spanning(known: Period | None, kept: Period, brought: Iterable[date]) -> Period:
    """What is known once these days, the first of those that are missing, are brought."""
    inside = overlap(known, kept)
    days = [*brought, *(() if inside is None else inside)]
    return Period(min(days), max(days))


def finished_months(manifest: Manifest, kept: Period) -> list[str]:
    """Months that can be archived: they are over, and each of their days that is kept is known."""
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
    """The days of a month."""
    first = date.fromisoformat(f"{month}-01")
    return Period(first, (first + timedelta(32)).replace(day=1) - timedelta(1))


def to_archive(manifest: Manifest, kept: Period) -> list[str]:
    """The months to be archived now: all that are finished, but while older days are still to come only once some have
    gathered."""
    found = finished_months(manifest, kept)
    going_back = manifest.first_day is not None and manifest.first_day > kept.first
    return [] if going_back and len(found) < ARCHIVED_MONTHS else found


def totals_months(known: Period | None, kept: Period) -> list[str]:
    """The months whose totals are to be brought, in the order of ``missing``: each brings all of its days that are
    kept."""
    return list(dict.fromkeys(day.isoformat()[:7] for day in missing(known, kept)))


def progress(known: Period | None, kept: Period) -> tuple[int, int]:
    """How many of the days that are kept are known, and how many there are."""
    inside = overlap(known, kept)
    return (0 if inside is None else inside.length), kept.length


def pairs_missing(stored: Mapping[str, object], days: Period) -> list[date]:
    """The days of the window whose pairs are not stored."""
    return [day for day in days.days() if day.isoformat() not in stored]
