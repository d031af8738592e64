"""Examples of actions."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API, APP, BATCH, ISSUE, SHOP, SITE

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_actions": {
        "waiting": 5,
        "total": 41,
        "offset": 0,
        "nextOffset": 25,
        "truncated": False,
        "actions": [
            {
                "rank": 1,
                "issueId": ISSUE,
                "title": "Title too long",
                "severity": "medium",
                "effort": "low",
                "priority": 2.28,
                "estimatedScoreGain": 2.3,
                "importance": 0.41,
                "status": "open",
                "firstSeen": "2026-11-08T02:12:30Z",
                "ageDays": 14,
                "waitingWeeks": 2,
                "writableField": "title",
                "cause": {"kind": "template", "key": "product", "issueIds": [ISSUE, "iss_8KXW2D4QF6RN0YB3TJ7M1VC9PZ"]},
                "link": f"{APP}/sites/{SITE}/issues/{ISSUE}",
            }
        ],
    },
    "apply_changes.body": {
        "changes": [{"url": f"{SHOP}/boots", "value": "Hiking boots for every path | Example shop"}]
    },
    "apply_changes": {
        "approved": 1,
        "batchId": BATCH,
        "poll": f"{API}/sites/{SITE}/issues/{ISSUE}",
        "note": "They are written one batch after the other, and the issue is rechecked after that.",
        "link": f"{APP}/sites/{SITE}/issues/{ISSUE}",
    },
}
