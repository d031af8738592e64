"""Examples of landing pages."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.analytics_notes import JOINED
from chalicelib.api.examples.shared import SHOP, SITE

_FIGURES: Final = {
    "sessions": 200,
    "engagedSessions": 120,
    "engagementRate": 0.6,
    "keyEvents": 9.0,
    "conversionRate": 0.04,
    "purchases": 5,
    "purchaseRevenue": 480.0,
    "revenue": 480.0,
    "revenuePerSession": 2.4,
    "clicks": 120,
    "impressions": 2400,
    "ctr": 0.05,
    "position": 4.25,
}
_EVENTS: Final = [{"name": "purchase", "count": 5.0}, {"name": "sign_up", "count": 4.0}]

EXAMPLES: Final[Mapping[str, Any]] = {
    "read_landing_pages": {
        "period": {"from": "2026-10-23", "to": "2026-11-19"},
        "channel": "organic",
        "property": "123456789",
        "currency": "EUR",
        "purchasesMetric": "ecommercePurchases",
        "outcomeEvents": _EVENTS,
        "totals": _FIGURES,
        "sort": "sessions",
        "order": "desc",
        "offset": 0,
        "limit": 100,
        "total": 1,
        "nextOffset": None,
        "nextCursor": None,
        "rows": [{"page": "/boots/", "url": f"{SHOP}/boots/", "keyEventsByName": _EVENTS, **_FIGURES}],
        "searchData": "joined",
        "cached": False,
        "fetchedAt": "2026-11-22T10:00:00Z",
        "note": JOINED,
        "link": f"https://app.example.com/sites/{SITE}/analytics",
    }
}
