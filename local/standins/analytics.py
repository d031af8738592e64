"""A stand-in for the Data API of Analytics: reports of one property in the service's wire format, and its errors.

Its figures for the demo website depend only on the addresses of the website's pages.
"""

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from local.serving import Answer, Request, Standin
from local.standins.google import GoogleAccounts

SCOPE: Final = "https://www.googleapis.com/auth/analytics.readonly"
PROPERTY: Final = "314159265"
# access: the account may not read the property. quota: its tokens are used up. down: server error. partial: the answer
# breaks off half-way.
FAULTS: Final = ("none", "access", "quota", "down", "partial")
LONGEST_LIMIT: Final = 250_000
_KEPT: Final = 100
_METRICS: Final = {
    "sessions": "TYPE_INTEGER",
    "engagedSessions": "TYPE_INTEGER",
    "keyEvents": "TYPE_FLOAT",
    "sessionKeyEventRate": "TYPE_FLOAT",
    "ecommercePurchases": "TYPE_INTEGER",
    "purchaseRevenue": "TYPE_CURRENCY",
    "totalRevenue": "TYPE_CURRENCY",
}
Key = tuple[str, ...]  # the values of the dimensions
_DIMENSIONS: Final = frozenset({"landingPage", "eventName"})


class Visits(NamedTuple):
    """The results of the visits on one day that began on ``page``. ``organic``: how many of the visits came from
    search."""

    page: str
    sessions: int
    organic: int
    engaged: int
    purchases: int = 0
    revenue: float = 0.0
    sign_ups: int = 0


class Property:
    """The data and settings of an analytics property. ``visits(day)`` returns the visits of a day."""

    def __init__(
        self,
        visits: Callable[[date], Iterable[Visits]],
        *,
        hosts: Iterable[str],
        currency: str = "EUR",
        time_zone: str = "Europe/Berlin",
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.visits = visits
        self.hosts = {host.lower() for host in hosts}
        self.currency = currency
        self.time_zone = time_zone
        self.metadata = dict(metadata or {})


def demo_visits(paths: Callable[[], Iterable[str]]) -> Callable[[date], list[Visits]]:
    """Make up visits of a website's pages. For the same day and page, the visits are always the same; product pages
    have purchases.

    ``paths``: a function that returns the pages. It is called when the first visits are read.
    """
    known: list[str] = []

    def of_day(day: date) -> list[Visits]:
        if not known:
            known.extend(sorted(path for path in paths() if "?" not in path))
        found = []
        for path in known:
            draw = zlib.crc32(f"{path} {day.isoformat()}".encode())
            popular = zlib.crc32(path.encode()) % 40
            sessions = popular // 2 + draw % 7
            if not sessions:
                continue
            purchases = int(draw % 11 == 0) if "/shop/" in path or "/products/" in path else 0
            found.append(
                Visits(
                    path,
                    sessions,
                    sessions * 2 // 3,
                    sessions * (40 + draw % 50) // 100,
                    purchases,
                    purchases * (19.0 + draw % 300),
                    int(draw % 5 == 0 and popular % 3 > 0),
                )
            )
        found.append(Visits("(not set)", 2, 1, 0))
        return found

    return of_day


class Analytics(Standin):
    """A stand-in for Analytics, as an HTTP server on a free port. It runs from its creation until ``stop``.

    - ``asked``: bodies of the last accepted requests, oldest first.
    - ``used_up``: how many requests were refused because of the quota.
    - ``listed``: the properties that the account sees, each with the addresses of its web streams.
    - ``quota_details``: whether an error about a used-up quota names the quota.
    """

    name = "analytics"
    called = "Analytics"
    faults = FAULTS
    json_type = "application/json; charset=UTF-8"
    methods = ("GET", "POST")

    def __init__(self, accounts: GoogleAccounts, known: Property) -> None:
        self.listed = {PROPERTY: [f"https://{host}/" for host in sorted(known.hosts)]}
        self.known = known
        self.quota_details = True
        self.used_up = 0
        self.asked: deque[dict[str, Any]] = deque(maxlen=_KEPT)
        self.accounts = accounts
        super().__init__()
        self.url += "/v1beta"

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in.

        Returns {} if ``given``, the user's own settings, already has one of these settings.
        """
        told = {"ANALYTICS_DATA_URL": self.url, "ANALYTICS_ADMIN_URL": self.url}
        return {} if any(given.get(name) for name in told) else told

    def credentials(self) -> dict[str, Any]:
        """Return the credentials that connect the demo website."""
        return {"property": PROPERTY, "credentials": self.accounts.key_file()}

    def respond(self, request: Request) -> Answer:
        if request.method == "GET":
            return self.json_answer(*self._listed(request.path, request.headers["Authorization"]))
        status, content = self.answer(request.path, request.headers["Authorization"], request.json())
        return self.json_answer(status, content, broken=status == 200 and self.fault == "partial")

    def _listed(self, path: str, authorization: str | None) -> tuple[int, dict[str, Any]]:
        """Answer a request to the Admin API: the properties that the account sees, or the streams of one property."""
        if not self.accounts.allows(authorization, SCOPE):
            return _fault(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        asked = path.partition("?")[0].removeprefix("/v1beta/")
        if asked == "accountSummaries":
            told = [{"property": f"properties/{one}", "displayName": f"Property {one}"} for one in self.listed]
            return 200, {"accountSummaries": [{"account": "accounts/1", "propertySummaries": told}]} if told else {}
        number = asked.removeprefix("properties/").removesuffix("/dataStreams")
        if asked != f"properties/{number}/dataStreams" or number not in self.listed or self.fault == "access":
            return _fault(403, "PERMISSION_DENIED", "The caller does not have permission")
        streams = [{"type": "WEB_DATA_STREAM", "webStreamData": {"defaultUri": one}} for one in self.listed[number]]
        return 200, {"dataStreams": [*streams, {"type": "ANDROID_APP_DATA_STREAM"}]}

    def answer(self, path: str, authorization: str | None, body: Any) -> tuple[int, dict[str, Any]]:
        """Answer one request. Returns status and content."""
        if not self.accounts.allows(authorization, SCOPE):
            return _fault(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        if path != f"/v1beta/properties/{PROPERTY}:runReport" or self.fault == "access":
            return _fault(
                403, "PERMISSION_DENIED", "User does not have sufficient permissions for this property. To learn more"
                " about Property ID, see the documentation."
            )  # fmt: skip
        if self.fault == "down":
            return _fault(503, "UNAVAILABLE", "The service is currently unavailable.")
        if self.fault == "quota":
            self.used_up += 1
            said = (
                "Exhausted property tokens for a project per hour. These quota tokens will return in under an hour."
                if self.quota_details
                else "Resource has been exhausted (e.g. check quota)."
            )
            return _fault(429, "RESOURCE_EXHAUSTED", said, details=self.quota_details)
        if not isinstance(body, dict):
            return _fault(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")
        self.asked.append(body)
        try:
            return 200, _report(self.known, body)
        except _Wrong as wrong:
            return _fault(400, "INVALID_ARGUMENT", str(wrong))


class _Wrong(Exception):
    """Raised if the real service would not understand the request."""


def _report(known: Property, body: dict[str, Any]) -> dict[str, Any]:
    dimensions = [one["name"] for one in body.get("dimensions", [])]
    metrics = [one["name"] for one in body.get("metrics", [])]
    for name in dimensions:
        if name not in _DIMENSIONS:
            raise _Wrong(f"Field {name} is not a valid dimension.")
    for name in metrics:
        if name not in _METRICS:
            raise _Wrong(f"Field {name} is not a valid metric.")
    limit = int(body.get("limit", "10000"))
    if not 0 < limit <= LONGEST_LIMIT:
        raise _Wrong(f"The limit {limit} is not between 1 and {LONGEST_LIMIT}.")
    hosts, organic = _filters(body)
    rows: dict[tuple[str, ...], dict[str, float]] = {}
    for day in _days(body["dateRanges"]):
        for visits in known.visits(day) if hosts is None or hosts & known.hosts else ():
            for key, values in _counted(visits, dimensions, organic):
                row = rows.setdefault(key, dict.fromkeys([*_METRICS, "converted"], 0.0))
                for name, value in values.items():
                    row[name] += value
    for row in rows.values():
        row["sessionKeyEventRate"] = row["converted"] / row["sessions"] if row["sessions"] else 0.0
    if "metricFilter" in body:
        name = body["metricFilter"]["filter"]["fieldName"]
        rows = {key: row for key, row in rows.items() if row[name] > 0}
    # Rows with equal figures come in an order without meaning, as in the real service.
    found = sorted(rows.items(), key=lambda item: (-item[1][metrics[0]], zlib.crc32(repr(item[0]).encode())))
    start = int(body.get("offset", "0"))
    answer: dict[str, Any] = {
        "dimensionHeaders": [{"name": name} for name in dimensions],
        "metricHeaders": [{"name": name, "type": _METRICS[name]} for name in metrics],
        "rows": [
            {
                "dimensionValues": [{"value": value} for value in key],
                "metricValues": [{"value": _text(name, row[name])} for name in metrics],
            }
            for key, row in found[start : start + limit]
        ],
        "rowCount": len(found),
        "metadata": {"currencyCode": known.currency, "timeZone": known.time_zone, **known.metadata},
        "kind": "analyticsData#runReport",
    }
    if body.get("returnPropertyQuota"):
        answer["propertyQuota"] = {"tokensPerDay": {"consumed": 7, "remaining": 199_993}}
    # An empty report has no rows and no count of them.
    return answer if found else {name: value for name, value in answer.items() if name not in ("rows", "rowCount")}


def _counted(visits: Visits, dimensions: list[str], organic: bool) -> Iterable[tuple[Key, dict[str, float]]]:
    share = visits.organic / visits.sessions if organic and visits.sessions else 1.0
    events = {"purchase": round(visits.purchases * share), "sign_up": round(visits.sign_ups * share)}
    if dimensions == ["landingPage", "eventName"]:
        for name, count in {"page_view": 0, **events}.items():
            yield (visits.page, name), {"keyEvents": count}
        return
    sessions = visits.organic if organic else visits.sessions
    yield (
        (visits.page,) if dimensions else (),
        {
            "sessions": sessions,
            "engagedSessions": min(sessions, round(visits.engaged * share)),
            "keyEvents": sum(events.values()),
            "converted": min(sessions, sum(events.values())),
            "ecommercePurchases": events["purchase"],
            "purchaseRevenue": visits.revenue if events["purchase"] else 0.0,
            "totalRevenue": visits.revenue if events["purchase"] else 0.0,
        },
    )


def _filters(body: dict[str, Any]) -> tuple[set[str] | None, bool]:
    """Return the requested hosts (None: all), and whether only visits from search are requested."""
    hosts, organic = None, False
    for one in body.get("dimensionFilter", {}).get("andGroup", {}).get("expressions", []):
        wanted = one["filter"]
        if wanted["fieldName"] == "hostName":
            hosts = {value.lower() for value in wanted["inListFilter"]["values"]}
        elif wanted["fieldName"] == "sessionDefaultChannelGroup":
            organic = wanted["stringFilter"] == {"matchType": "EXACT", "value": "Organic Search"}
        else:
            raise _Wrong(f"Field {wanted['fieldName']} is not a valid dimension.")
    return hosts, organic


def _days(ranges: list[dict[str, str]]) -> Iterable[date]:
    (asked,) = ranges
    if asked["startDate"] == "yesterday":
        return []
    first, last = date.fromisoformat(asked["startDate"]), date.fromisoformat(asked["endDate"])
    return [first + timedelta(number) for number in range((last - first).days + 1)]


def _text(name: str, value: float) -> str:
    return str(int(value)) if _METRICS[name] in ("TYPE_INTEGER",) else repr(value)


def _fault(status: int, token: str, message: str, *, details: bool = False) -> tuple[int, dict[str, Any]]:
    error: dict[str, Any] = {"code": status, "message": message, "status": token}
    if details:
        error["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "RATE_LIMIT_EXCEEDED",
            }
        ]
    return status, {"error": error}
