"""Examples of issues and rechecks."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API, APP, EVIDENCE, ISSUE, PAGE, SHOP, SITE

_ISSUE_RECORD: Final = {
    "id": ISSUE,
    "ruleId": "SEO-ONP-005",
    "title": "Title too long",
    "category": "ONP",
    "severity": "medium",
    "confidence": "certain",
    "status": "open",
    "affectedPages": 1,
    "template": "product",
    "summary": "1 page has a title that is cut off in search results.",
    "firstSeen": "2026-11-08T02:12:30Z",
    "lastSeen": "2026-11-22T02:14:09Z",
    "lastRecheck": {
        "at": "2026-11-20T10:31:02Z",
        "present": 1,
        "checked": 1,
        "crawlId": "crawl_01KAZ00000000000000000000A",
        "passed": False,
    },
    "link": f"{APP}/sites/{SITE}/issues/{ISSUE}",
}

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_issues": {"issues": [_ISSUE_RECORD]},
    "read_issue": {
        **_ISSUE_RECORD,
        "pages": [
            {
                "url": f"{SHOP}/boots",
                "pageId": PAGE,
                "evidence": EVIDENCE,
                "firstSeen": "2026-11-08T02:12:30Z",
                "lastSeen": "2026-11-22T02:14:09Z",
            }
        ],
        "pagesTotal": 1,
        "pagesOffset": 0,
        "pagesNextOffset": None,
        "pagesTruncated": False,
        "evidence": None,
        "explanation": None,
        "fix": "Shorten the title to about 60 characters and keep the page's topic at its beginning.",
        "writableField": "title",
        "lastChange": None,
        "suggestions": [
            {
                "url": f"{SHOP}/boots",
                "pageId": PAGE,
                "current": "Hiking boots for every path: how to choose, break in and look after them | Example shop",
                "suggested": "Hiking boots for every path | Example shop",
                "suggestedFrom": "title",
                "suggestedNote": None,
                "writable": False,
                "notWritableReason": "No CMS connection: connect the website's CMS to write values from here.",
            }
        ],
        "suggestionsTotal": 1,
        "suggestionsOffset": 0,
        "suggestionsLimit": 100,
        "suggestionsNextOffset": None,
        "suggestionsTruncated": False,
        "suggestionsNote": None,
        "titleTemplate": None,
    },
    "recheck_issue": {
        "queued": True,
        "crawlId": "crawl_01KB3D0RJ5W8YH2Q6X9T4ZC7VN",
        "poll": f"{API}/sites/{SITE}/audits/crawl_01KB3D0RJ5W8YH2Q6X9T4ZC7VN",
        "note": "It starts at once. Read its state under `poll`.",
        "link": f"{APP}/sites/{SITE}/issues/{ISSUE}",
    },
}
