"""A stand-in for Search Console's API: one property, in the real service's wire format.

Like the real service, it checks the access token, the property and the query. It returns at most 25,000 rows,
compresses its answers, and leaves out days without impressions. Figures of the last days are returned only if a query
asks for fresh data.
"""

import gzip
from collections import deque
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from chalicelib import clock
from local.serving import Answer, Request, Standin
from local.standins.google import GoogleAccounts
from local.standins.search_data import COUNTRIES, DEVICES, KEPT_DAYS, Row, SearchData, by, shared_out

# access: the account may not read the property. quota: its quota is used up. down: server error. partial: answers break
# off half-way.
FAULTS: Final = ("none", "access", "quota", "down", "partial")
SCOPE: Final = "https://www.googleapis.com/auth/webmasters.readonly"
MOST_ROWS: Final = 25_000
RETRY_AFTER_SECONDS: Final = 30
_KEPT: Final = 5_000
_PATH: Final = "/webmasters/v3/sites/"


class _Refusal(Exception):
    """Raised to answer with an error: its status, reason and message."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.content = {
            "error": {
                "code": status,
                "message": message,
                "errors": [{"message": message, "domain": "global", "reason": reason}],
            }
        }


class Search(Standin):
    """A stand-in for Search Console, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``property``: the property whose data can be read.
    - ``listed``: the properties that the account sees -> its permission for each.
    - ``asked``: the bodies of the last queries, oldest first.
    - ``answers``: the number of all answered requests.
    """

    name = "search-console"
    called = "the search service"
    faults = FAULTS
    methods = ("GET", "POST")

    def __init__(self, property_: str, data: SearchData) -> None:
        self.property = property_
        self.listed = {property_: "siteFullUser"}
        self.data = data
        self.asked: deque[dict[str, Any]] = deque(maxlen=_KEPT)
        self.answers = 0
        self.accounts = GoogleAccounts()
        super().__init__()
        self.url += "/webmasters/v3"

    def credentials(self) -> dict[str, Any]:
        """Return the content of the file for ``connections set SITE search``."""
        return {"property": self.property, "credentials": self.accounts.key_file()}

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in.

        Returns {} if ``given``, the user's own settings, already has one of these settings.
        """
        accounts = self.accounts.settings(given)
        return {} if given.get("SEARCH_CONSOLE_URL") or not accounts else {"SEARCH_CONSOLE_URL": self.url, **accounts}

    def stop(self) -> None:
        super().stop()
        self.accounts.stop()

    def respond(self, request: Request) -> Answer:
        body = None if request.method == "GET" else request.json()
        try:
            found, status = self.answer(request.method, request.path, request.headers["Authorization"], body), 200
        except _Refusal as refusal:
            found, status = refusal.content, refusal.status
        packed, headers = msgspec.json.encode(found), {"Content-Type": "application/json; charset=UTF-8"}
        if "gzip" in (request.headers["Accept-Encoding"] or ""):
            packed, headers = gzip.compress(packed, 1), {"Content-Encoding": "gzip", **headers}
        return Answer(status, packed, headers, broken=self.fault == "partial")

    def answer(self, method: str, path: str, authorization: str | None, body: Any) -> dict[str, Any]:
        """Answer a request. Raises ``_Refusal``."""
        self.answers += 1
        if (method, path) == ("GET", _PATH.removesuffix("/")) and self.accounts.allows(authorization, SCOPE):
            return {"siteEntry": [{"siteUrl": name, "permissionLevel": level} for name, level in self.listed.items()]}
        if not path.startswith(_PATH):
            raise _Refusal(404, "notFound", "Not Found")
        if not self.accounts.allows(authorization, SCOPE):
            raise _Refusal(401, "authError", "Invalid Credentials")
        name, _, rest = path.removeprefix(_PATH).partition("/")
        if self.fault == "quota":
            raise _Refusal(403, "quotaExceeded", "Search Analytics load quota exceeded.")
        if self.fault == "down":
            raise _Refusal(503, "backendError", "Backend Error")
        if unquote(name) != self.property or self.fault == "access":
            raise _Refusal(403, "forbidden", f"User does not have sufficient permission for site '{unquote(name)}'.")
        if method == "GET" and not rest:
            return {"siteUrl": self.property, "permissionLevel": "siteFullUser"}
        if method != "POST" or rest != "searchAnalytics/query" or not isinstance(body, dict):
            raise _Refusal(404, "notFound", "Not Found")
        self.asked.append(body)
        return self._told(body)

    def _told(self, body: dict[str, Any]) -> dict[str, Any]:
        first, last = _day(body, "startDate"), _day(body, "endDate")
        dimensions, kind = list(body.get("dimensions", [])), body.get("type", "web")
        limit, start = body.get("rowLimit", 1_000), body.get("startRow", 0)
        if first > last or not 1 <= limit <= MOST_ROWS or start < 0 or kind not in ("web", "image"):
            raise _Refusal(400, "badRequest", "Request contains an invalid argument.")
        if "page" in dimensions and body.get("aggregationType") == "byProperty":
            raise _Refusal(400, "invalidParameter", "Cannot aggregate by property when grouping by page.")
        today = clock.utc(clock.now()).date()
        final = self.data.final_day(today)
        fresh = body.get("dataState") == "all"
        oldest = today - timedelta(KEPT_DAYS)
        days = [first + timedelta(number) for number in range((last - first).days + 1)]
        days = [day for day in days if oldest <= day <= (today if fresh else final)]
        rows = self._rows(days, dimensions, kind)
        told: dict[str, Any] = {"responseAggregationType": "byPage" if "page" in dimensions else "byProperty"}
        if rows[start : start + limit]:
            told["rows"] = [_told_row(row) for row in rows[start : start + limit]]
        if fresh and dimensions == ["date"] and days and days[-1] > final:
            told["metadata"] = {"first_incomplete_date": (final + timedelta(1)).isoformat()}
        return told

    def _rows(self, days: list[date], dimensions: list[str], kind: str) -> list[Row]:
        if not dimensions or dimensions[0] != "date":
            if len(days) > 1 or kind != "web":
                raise _Refusal(400, "badRequest", "The stand-in returns only rows of one day of web search.")
            return by(self.data.pairs(days[0]), dimensions) if days else []
        found = []
        for day in days:
            total = self.data.totals(day, kind)
            if total is None or not total[1]:
                continue
            shares = {"country": COUNTRIES, "device": DEVICES}.get(dimensions[1]) if len(dimensions) > 1 else None
            parts = [Row((), *total)] if shares is None else shared_out(total, shares)
            found += [part._replace(keys=(day.isoformat(), *part.keys)) for part in parts]
        return found


def _day(body: dict[str, Any], name: str) -> date:
    try:
        return date.fromisoformat(body[name])
    except (KeyError, TypeError, ValueError):
        raise _Refusal(400, "invalidParameter", f"Invalid value at '{name}'.") from None


def _told_row(row: Row) -> dict[str, Any]:
    ctr = row.clicks / row.impressions if row.impressions else 0.0
    return {
        "keys": row.keys,
        "clicks": float(row.clicks),
        "impressions": float(row.impressions),
        "ctr": ctr,
        "position": row.position,
    }
