"""Examples of search performance."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api import search_notes
from chalicelib.api.examples.shared import SHOP, SITE

_PERIOD: Final = {"from": "2026-10-23", "to": "2026-11-19"}
_FIGURES: Final = {"clicks": 412, "impressions": 10300, "ctr": 0.04, "position": 12.5}
_BOOTS: Final = {"clicks": 120, "impressions": 2400, "ctr": 0.05, "position": 4.25}

EXAMPLES: Final[Mapping[str, Any]] = {
    "read_search_summary": {
        "period": _PERIOD,
        "previousPeriod": {"from": "2026-09-25", "to": "2026-10-22"},
        "totals": _FIGURES,
        "previous": {"clicks": 400, "impressions": 8000, "ctr": 0.05, "position": 13.0},
        "change": {"clicks": 12, "impressions": 2300, "ctr": -0.01, "position": -0.5},
        "topPages": [{"page": f"{SHOP}/boots", **_BOOTS}],
        "topQueries": [{"query": "hiking boots", **_BOOTS}],
        "days": [{"date": "2026-11-19", "clicks": 15, "impressions": 375, "ctr": 0.04, "position": 12.0}],
        "finalThrough": "2026-11-19",
        "note": f"{search_notes.TOTALS} {search_notes.RARE}",
        "link": f"https://app.example.com/sites/{SITE}/search",
    },
    "read_search_rows": {
        "period": _PERIOD,
        "dimension": "query",
        "searchType": "web",
        "filters": {"country": None, "device": None, "page": None},
        "window": None,
        "rows": [{"query": "hiking boots", **_BOOTS}],
        "nextCursor": "AZLNA-jNA-gBAgMEBQYHCAkKCwwNDg8Q",
        "note": search_notes.RARE,
    },
    "read_search_rows.file": 'query,clicks,impressions,ctr,position\r\n"hiking boots",120,2400,0.05,4.25\r\n',
}
