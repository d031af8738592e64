"""Examples of websites, scores and speed."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import APP, AUDIT, COVERAGE, ISSUE, SHOP, SITE, TEST_BUDGET, WHOLE

_IDENTITY: Final = {
    "id": SITE,
    "name": "Example shop",
    "host": "shop.example.com",
    "url": f"{SHOP}/",
    "platform": "wordpress",
    "status": "active",
    "link": f"{APP}/sites/{SITE}",
}
_SCORE: Final = {
    "site": 81.4,
    "health": 83.0,
    "aeo": 76.6,
    "coverage": 98.1,
    "confidence": "high",
    "version": "2-4f2a9c31d07b",
    "computedAt": "2026-11-22T02:14:09Z",
    "categories": [
        {"category": "ONP", "score": 74.2, "weight": 18.0, "openIssues": 6},
        {"category": "TEC", "score": 92.5, "weight": 20.0, "openIssues": 2},
    ],
}
_PAST: Final = {
    "site": 78.9,
    "health": 80.1,
    "aeo": 75.3,
    "version": "2-4f2a9c31d07b",
    "computedAt": "2026-11-15T02:11:47Z",
}
_CHANGE: Final = {"site": 2.5, "health": 2.9, "aeo": 1.3}
_WEBSITE: Final = {
    **_IDENTITY,
    "score": _SCORE,
    "previousAudit": _PAST,
    "lastWeek": _PAST,
    "change": {"sincePreviousAudit": _CHANGE, "sinceLastWeek": _CHANGE},
    "issues": {"open": 17, "critical": 1, "newThisWeek": 3},
    "actions": {"open": 17, "waiting": 5},
    "lastAudit": {
        "id": AUDIT,
        "finishedAt": "2026-11-22T02:14:09Z",
        "pagesCrawled": 412,
        "partialReason": None,
        "coverage": COVERAGE,
    },
    "running": False,
    "nextScheduledAuditAt": "2026-11-29T02:00:00Z",
}

_SEARCH: Final = {
    "connected": True,
    "period": {"from": "2026-10-23", "to": "2026-11-19"},
    "previousPeriod": {"from": "2026-09-25", "to": "2026-10-22"},
    "clicks": 1204,
    "impressions": 48210,
    "previousClicks": 1130,
    "previousImpressions": 47006,
}

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_sites": {"total": 1, **WHOLE, "websites": [_IDENTITY]},
    "read_portfolio": {
        "total": 1,
        "page": 1,
        "per": 50,
        "hasMore": False,
        "websites": [{**_WEBSITE, "search": _SEARCH}],
        "searchPeriod": {
            "from": "2026-10-23",
            "to": "2026-11-19",
            "previousFrom": "2026-09-25",
            "previousTo": "2026-10-22",
        },
    },
    "read_site": {
        **_WEBSITE,
        "search": _SEARCH,
        "staleInputs": [],
        "cms": {"connected": False, "writable": False, "kind": None, "seoPlugin": None, "writableFields": []},
        "connections": [
            {
                "kind": "search",
                "connected": True,
                "lastImportAt": "2026-11-21T04:10:00Z",
                "rowsLastImport": 5210,
                "staleDays": 1,
                "error": None,
                "importing": None,
            }
        ],
    },
    "read_scores": {
        "current": {
            **_SCORE,
            "losses": [
                {"ruleId": "SEO-ONP-001", "issueId": ISSUE, "points": 12.4},
                {"ruleId": "SEO-LNK-001", "issueId": "iss_8KXW2D4QF6RN0YB3TJ7M1VC9PZ", "points": 6.2},
            ],
        },
        "history": [
            {
                "week": "2026-11-16",
                "site": 81.4,
                "health": 83.0,
                "aeo": 76.6,
                "version": "2-4f2a9c31d07b",
                "auditId": AUDIT,
                "computedAt": "2026-11-22T02:14:09Z",
            }
        ],
    },
    "read_performance": {
        "site": {
            "phone": {
                "available": True,
                "reason": None,
                "lcpMs": 2310.0,
                "inpMs": 148.0,
                "cls": 0.06,
                "periodEnd": "2026-11-19",
                "collectedAt": "2026-11-21T09:12:30Z",
            },
            "desktop": {
                "available": False,
                "reason": "The Chrome UX Report has too few visits of this website to tell its speed.",
                "lcpMs": None,
                "inpMs": None,
                "cls": None,
                "periodEnd": None,
                "collectedAt": "2026-11-21T09:12:31Z",
            },
        },
        "pages": [
            {
                "url": f"{SHOP}/",
                "template": "home",
                "testedAt": "2026-11-21T22:41:07Z",
                "lighthouseVersion": "13.5.0",
                "lab": {"lcpMs": 3120.4, "cls": 0.02, "runs": 4, "desktopLcpMs": 1180.0},
                "field": {
                    "scope": "site",
                    "lcpMs": 2310.0,
                    "inpMs": 148.0,
                    "cls": 0.06,
                    "periodEnd": "2026-11-19",
                },
                "findingsUse": {"lcp": "field_site", "cls": "lab", "inp": None},
            }
        ],
        "budget": TEST_BUDGET,
        "note": None,
        "total": 1,
        **WHOLE,
        "link": f"{APP}/sites/{SITE}/performance",
    },
}
