"""What receivers are told of each webhook event: when it is sent, and an example of its body."""

from collections.abc import Mapping
from typing import Any, Final

SENT_WHEN: Final[Mapping[str, str]] = {
    "issue.resolved": "A recheck or audit no longer finds an issue: a fix was verified.",
    "issue.reopened": "A resolved issue came back.",
    "audit.finished": (
        "A full audit finished. One that failed tells the open issues and the score that stand; they are null when the "
        "website was never judged. `durationSeconds` runs from start to end, and is null when it never started."
    ),
    "score.changed": "The website score moved by 2 points or more after an audit.",
    "connection.broken": "A search-data or CMS connection stopped working.",
    "recheck.failed": (
        "A recheck ran and the issue is still present, a written fix is not on the live page, or the recheck could "
        "not run."
    ),
    "write.applied": "An approved change was written. One event for each approved batch, at most 50 of its changes.",
    "write.failed": "An approved change could not be written. One event for each approved batch.",
    "write.not_live": "A recheck did not find a written value on the live page. One event for each approved batch.",
    "agentic.finished": "An Agentic browsing re-run finished or failed.",
    "ping": "Test was pressed: sent at once, to see that deliveries arrive. It is about no website.",
}


def _common(event: str) -> dict[str, Any]:
    return {
        "id": "dlv_01KB2Z7Q7M8N9P0R1S2T3V4W5X",
        "event": event,
        "at": "2026-11-22T02:14:09Z",
        "workspaceId": "wsp_01KA9PZ7T1E2H4D6J8K0M3N5Q7",
    }


def _head(event: str) -> dict[str, Any]:
    """The common members of an event about a website, in the order in which they are sent."""
    return {
        **_common(event),
        "siteId": "site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0",
        "host": "shop.example.com",
        "link": "https://app.example.com/sites/site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0",
    }


_ISSUE: Final = {
    "id": "iss_3V7ZQK1M9TX4R8D2N6P0WJ5YBC",
    "ruleId": "SEO-ONP-005",
    "title": "Title too long",
    "severity": "medium",
    "pages": 4,
    "pagesBefore": None,
}
_CRAWL: Final = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
_CHANGE: Final = {
    "url": "https://shop.example.com/boots",
    "field": "title",
    "value": "Hiking boots for women and men",
    "status": "applied",
    "error": None,
}
_BATCH: Final = {"batchId": "batch_01KB2Z6A7B8C9D0E1F2G3H4J5M", "issueIds": [_ISSUE["id"]], "source": "cms"}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "issue.resolved": {
        **_head("issue.resolved"),
        "issue": {**_ISSUE, "pages": 0, "pagesBefore": 4},
        "crawlId": _CRAWL,
    },
    "issue.reopened": {**_head("issue.reopened"), "issue": _ISSUE, "crawlId": _CRAWL},
    "audit.finished": {
        **_head("audit.finished"),
        "crawlId": _CRAWL,
        "status": "done",
        "pagesCrawled": 412,
        "openIssues": 17,
        "score": {"site": 81.4, "health": 83.0, "aeo": 76.6},
        "durationSeconds": 534,
    },
    "score.changed": {
        **_head("score.changed"),
        "from": 78.9,
        "to": 81.4,
        "delta": 2.5,
        "since": "2026-11-15T02:11:47Z",
    },
    "connection.broken": {
        **_head("connection.broken"),
        "connection": "search",
        "error": "Access was refused: connect the search data again.",
    },
    "recheck.failed": {
        **_head("recheck.failed"),
        "issue": _ISSUE,
        "reason": "still_present",
        "recheck": {"present": 2, "checked": 4},
        "crawlId": _CRAWL,
    },
    "write.applied": {**_head("write.applied"), **_BATCH, "changes": [_CHANGE]},
    "write.failed": {
        **_head("write.failed"),
        **_BATCH,
        "changes": [{**_CHANGE, "status": "failed", "error": "The CMS did not answer."}],
    },
    "write.not_live": {
        **_head("write.not_live"),
        **_BATCH,
        "changes": [
            {
                **_CHANGE,
                "status": "not_live",
                "notLiveReason": "The page cache was cleared, and the page still shows the old title.",
                "liveValue": "Boots, hiking boots, winter boots and more boots for everyone",
            }
        ],
    },
    "agentic.finished": {
        **_head("agentic.finished"),
        "jobId": "job_01KB2Z6A7B8C9D0E1F2G3H4J5N",
        "url": "https://shop.example.com/",
        "strategy": "mobile",
        "status": "done",
        "passed": 3,
        "applicable": 4,
        "failing": [
            {
                "id": "agent-accessibility-tree",
                "title": "Accessibility tree is not well-formed",
                "detail": "Buttons do not have an accessible name.",
            }
        ],
        "error": None,
    },
    "ping": {**_common("ping"), "message": "A test of this endpoint, sent by a person."},
}
