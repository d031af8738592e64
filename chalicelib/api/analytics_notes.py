"""Writes the notes shown with landing pages. They say which data the Google Analytics property leaves out, and in which
time zone its days are.
"""

from collections.abc import Sequence
from typing import Final

from chalicelib.domain.analytics.landing_pages import LandingPages
from chalicelib.domain.analytics.report import MOST_ROWS
from chalicelib.store.kept_landing_pages import Told

JOINED: Final = (
    "Search figures are for the same path on the website's host, including addresses with a query. Paths that differ "
    "only in the last slash are one row."
)
UNAVAILABLE: Final = "There is no search data for these days."
NO_PURCHASES: Final = "The property measures no purchases, so `purchases` is null."


def of(told: Told, pages: LandingPages) -> str:
    """Return the note for an answer with these landing pages: whether search data is joined, the time zone of the days,
    and which data is left out."""
    return " ".join([JOINED if told.joined else UNAVAILABLE, *_days(told), *_left_out(told, pages)])


def _days(told: Told) -> Sequence[str]:
    if told.time_zone is None:
        return []
    return [f"Days are those of the property's time zone, {told.time_zone}; days of search data are in Pacific time."]


def _left_out(told: Told, pages: LandingPages) -> Sequence[str]:
    found = []
    if "(not set)" in pages.pages or "" in pages.pages:
        found.append('Sessions without a page view are listed under "(not set)".')
    if told.other or "(other)" in pages.pages:
        found.append('The property has so many pages that it combines small ones under "(other)".')
    if told.thresholded:
        found.append("The property withholds rows of very few visitors.")
    if told.sampled is not None:
        found.append(f"The property counted a sample of {told.sampled:.1%} of its events.")
    if told.restricted:
        found.append("Revenue is hidden from the connected account.")
    if told.row_count > MOST_ROWS:
        found.append(f"Only the pages with the most sessions are listed, out of {told.row_count:,} pages.")
    if len(pages) and not pages.measures_purchases:
        found.append(NO_PURCHASES)
    return found
