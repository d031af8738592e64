"""Reads daily search data of a property (Google's term for a website) from Search Console.

Days are days in Pacific time, as in Search Console. Only days whose figures are final are requested. Search Console
returns the first 50,000 rows of a day, in no fixed order among rows with equal clicks.

Rows omit rare queries, so totals are requested separately. If one search shows several pages
of the property, totals count the search once, but rows by page count it for each of these pages.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import chain
from typing import Annotated, Final, Literal
from urllib.parse import quote

import msgspec
from msgspec import Meta

from chalicelib import clock
from chalicelib.connectors.answers import MOST
from chalicelib.connectors.errors import NoAccess, Unavailable
from chalicelib.connectors.google import GoogleApi, Keeper
from chalicelib.domain.search.parsing import Told
from chalicelib.settings.search_console import search_console_settings

SCOPE: Final = "https://www.googleapis.com/auth/webmasters.readonly"
SECONDS: Final = 40.0  # time limit of one request
CHECK_SECONDS: Final = 20.0  # time limit of the request of a check, for which a person waits
LIST_SECONDS: Final = 10.0  # time limit of the list of properties, for which a person waits
MOST_ROWS: Final = 25_000  # rows of one answer
MOST_REQUESTS: Final = 8  # requests for one call: the service returns at most 50,000 rows of a day
LOOKED_BACK_DAYS: Final = 10  # days in which to look for the last final day, which is two to three days old
LONGEST_KEY: Final = 20_000  # characters

SearchType = Literal["web", "image"]
Dimension = Literal["date", "query", "page", "country", "device"]
_UNVERIFIED: Final = "siteUnverifiedUser"


_Number = Annotated[float, Meta(ge=0, le=MOST)]


class _Row(msgspec.Struct, gc=False):
    keys: tuple[str, ...] = ()
    clicks: _Number = 0.0
    impressions: _Number = 0.0
    position: _Number = 0.0


class _Metadata(msgspec.Struct):
    first_incomplete_date: str | None = None
    other: str | None = msgspec.field(default=None, name="firstIncompleteDate")  # Google uses two spellings


class _Rows(msgspec.Struct):
    rows: list[_Row] = []
    metadata: _Metadata | None = None


class _Site(msgspec.Struct, rename="camel"):
    site_url: str = ""
    permission_level: str = ""


class _Sites(msgspec.Struct, rename="camel"):
    site_entry: list[_Site] = []


def properties(keeper: Keeper) -> list[str]:
    """List the names of the properties that an account may read. Raises ``NoAccess``, ``Quota``, ``Unavailable``,
    ``Declined``."""
    api = GoogleApi("Search Console", search_console_settings().url, SCOPE, keeper)
    found = api.ask("sites", _Sites, seconds=LIST_SECONDS).site_entry
    return [site.site_url for site in found if site.site_url and site.permission_level != _UNVERIFIED]


class SearchConsole:
    """One property of Search Console. ``name``: ``sc-domain:example.com``, or the text with which all addresses of the
    property begin, such as ``https://example.com/shop/``."""

    def __init__(self, name: str, keeper: Keeper, *, until: float | None = None) -> None:
        """``until``: all requests end by this time (``clock.monotonic``)."""
        self._path = f"sites/{quote(name, safe='')}"
        self._name = name
        self._until = until
        self._api = GoogleApi("Search Console", search_console_settings().url, SCOPE, keeper)

    def check(self) -> None:
        """Check that the account may read the property.

        Raises ``NoAccess``, ``Quota``, ``Unavailable`` or ``Declined``.
        """
        seconds = min(CHECK_SECONDS, self._seconds())
        level = self._api.ask(self._path, _Site, seconds=seconds).permission_level
        if level == _UNVERIFIED:
            raise NoAccess(f"Search Console refused access: {self._name} is not verified for this account.")

    def final_day(self, today: date) -> date:
        """Return the last day with final figures. Raises the errors of ``check``.

        Search Console names the first day whose figures may still change; the result is the day before. If it names
        none, the result is the last day with figures.
        """
        first = today - timedelta(LOOKED_BACK_DAYS)
        fresh = self._asked(first, today, ("date",), "web", "byProperty", state="all").metadata
        told = fresh and (fresh.first_incomplete_date or fresh.other)
        if told:
            return min(max(first + timedelta(1), _day(told)) - timedelta(1), today)
        final = self._asked(first, today, ("date",), "web", "byProperty").rows
        return max((_day(key) for (key,) in self._told([final], 1).keys), default=first)

    def rows(self, day: date, dimensions: tuple[Dimension, ...]) -> Told:
        """Request the rows of web search on one day, by query, by page or by both. Raises the errors of ``check``."""
        aggregation = "byPage" if "page" in dimensions else "byProperty"
        return self._all(day, day, dimensions, "web", aggregation)

    def totals(self, first: date, last: date, by: Literal["country", "device"] | None, search_type: SearchType) -> Told:
        """Request the totals of the days: by date, by date and country, or by date and device. If a day with final
        figures is missing in the result, it had no searches. Raises the errors of ``check``."""
        dimensions: tuple[Dimension, ...] = ("date",) if by is None else ("date", by)
        return self._all(first, last, dimensions, search_type, "byProperty")

    def _all(
        self, first: date, last: date, dimensions: tuple[Dimension, ...], search_type: SearchType, aggregation: str
    ) -> Told:
        answers: list[list[_Row]] = []
        for number in range(MOST_REQUESTS):
            found = self._asked(first, last, dimensions, search_type, aggregation, start=number * MOST_ROWS).rows
            answers.append(found)
            if len(found) < MOST_ROWS:
                return self._told(answers, len(dimensions))
        raise Unavailable("Search Console kept sending rows without an end.")

    def _asked(
        self,
        first: date,
        last: date,
        dimensions: tuple[Dimension, ...],
        search_type: SearchType,
        aggregation: str,
        *,
        state: Literal["final", "all"] = "final",
        start: int = 0,
    ) -> _Rows:
        body = {
            "startDate": first.isoformat(),
            "endDate": last.isoformat(),
            "dimensions": dimensions,
            "type": search_type,
            "aggregationType": aggregation,
            "dataState": state,
            "rowLimit": MOST_ROWS,
            "startRow": start,
        }
        return self._api.ask(f"{self._path}/searchAnalytics/query", _Rows, body, seconds=self._seconds())

    def _seconds(self) -> float:
        return SECONDS if self._until is None else min(SECONDS, self._until - clock.monotonic())

    def _told(self, answers: Iterable[list[_Row]], dimensions: int) -> Told:
        rows = [row for answer in answers for row in answer]
        keys = [row.keys for row in rows]
        longest = max(map(len, chain.from_iterable(keys)), default=0)
        if not set(map(len, keys)) <= {dimensions} or longest > LONGEST_KEY:
            raise Unavailable("Search Console answered in an unexpected form.")
        return Told(
            keys,
            [row.clicks for row in rows],
            [row.impressions for row in rows],
            [row.position for row in rows],
        )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Unavailable("Search Console answered with an invalid day.") from None
