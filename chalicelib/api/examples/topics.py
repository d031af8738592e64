"""Examples of topics."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import SHOP, SITE, WHOLE
from chalicelib.api.topics import NOTE

_PERIOD: Final = {"from": "2026-10-23", "to": "2026-11-19"}

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_topics": {
        "period": _PERIOD,
        "queriesWindow": _PERIOD,
        "sort": "clicks",
        "minPages": 2,
        "searchData": {"finalThrough": "2026-11-19", "pages": 3},
        "pagesCapped": False,
        "totalTopics": 1,
        **WHOLE,
        "topics": [
            {
                "id": "topic_4Q8J3V9Z2M5T7X1B6N0C8R4K2D",
                "name": "hiking boots",
                "nameFrom": "queries",
                "section": "boots",
                "words": ["boots", "hiking"],
                "pageCount": 3,
                "pagesWithoutSearchData": 1,
                "pages": [
                    {"url": f"{SHOP}/boots", "clicks": 9, "impressions": 360, "position": 6.5},
                    {"url": f"{SHOP}/boots/fell", "clicks": 3, "impressions": 120, "position": 9.0},
                    {"url": f"{SHOP}/boots/care", "clicks": 0, "impressions": 0, "position": None},
                ],
                "pagesTruncated": False,
                "clicks": 12,
                "impressions": 480,
                "ctr": 0.025,
                "position": 7.125,
                "clicksPer28Days": 12.0,
                "strength": "weak",
                "clicksShort": 3.0,
                "topQueries": [
                    {"query": "hiking boots", "clicks": 7, "impressions": 280, "ctr": 0.025, "position": 6.0}
                ],
            }
        ],
        "ungrouped": {
            "pageCount": 1,
            "clicks": 2,
            "impressions": 40,
            "pages": [{"url": f"{SHOP}/about", "clicks": 2, "impressions": 40, "position": 3.0}],
            "truncated": False,
        },
        "uncovered": {
            "pageCount": 1,
            "pages": [{"url": f"{SHOP}/guides/maps", "section": "guides"}],
            "truncated": False,
        },
        "cached": False,
        "computedAt": "2026-11-22T10:00:00Z",
        "note": NOTE,
        "link": f"https://app.example.com/sites/{SITE}/topics",
    }
}
