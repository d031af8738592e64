"""Writes the notes shown with search performance. They say which data is left out and which days are not known."""

from collections.abc import Sequence
from typing import Final

from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.pairs import MOST
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.questions import Question

RARE: Final = "The search engine leaves out rare queries, so query rows add up to less than the daily totals."
BY_PAGE: Final = (
    "Each shown page is counted separately, so page rows may add up to more than the daily totals. The search engine "
    "reports only the first pages of a day."
)
PAIRS: Final = (
    f"Only the {MOST:,} pairs of query and page with the most clicks in `window` are stored. Their figures are for "
    "the requested days in `window`."
)
TOTALS: Final = "Daily totals include rare queries."
DAYS_OF_PAGES: Final = f"Days on which no matching page was shown are left out. {BY_PAGE}"
NOTHING: Final = "No day has been imported yet."


def of_rows(question: Question, manifest: Manifest | None) -> str:
    """Return the text of the note shown with rows."""
    if question.dimension == "query_page":
        return " ".join([PAIRS, *_outside(question.period, None if manifest is None else manifest.period)])
    if question.dimension == "date":
        known = TOTALS if question.page is None else DAYS_OF_PAGES
    else:
        known = RARE if question.dimension == "query" else BY_PAGE
    return " ".join([known, *missing(question.period, manifest)])


def _outside(asked: Period, window: Period | None) -> Sequence[str]:
    """Return the days of a question that pairs do not cover. ``window``: the days of the pairs."""
    if window is None:
        return [NOTHING]
    if asked.last < window.first or asked.first > window.last:
        return [
            RARE,
            f"None of the requested days is in `window` ({window.first} to {window.last}), so there are no rows.",
        ]
    if asked.first < window.first or asked.last > window.last:
        return [RARE, f"Days outside `window` ({window.first} to {window.last}) are left out."]
    return [RARE]


def of_summary(period: Period | None, manifest: Manifest | None) -> str:
    """Return the text of the note shown with a summary."""
    return " ".join([TOTALS, RARE, *(missing(period, manifest) if period is not None else [NOTHING])])


def missing(period: Period, manifest: Manifest | None) -> Sequence[str]:
    """Return sentences about the days of a period that are not stored."""
    known = None if manifest is None else manifest.period
    if known is None:
        return [NOTHING]
    found = []
    if period.first < known.first:
        found.append(f"Days before {known.first} are not stored.")
    if period.last > known.last:
        found.append(f"Days after {known.last} are not stored yet.")
    return found
