"""Examples for the OpenAPI document: an answer for each operation, a body where one is taken.

A test checks every one of them against the shape that it illustrates.
"""

from collections.abc import Mapping
from typing import Any, Final

_SITE: Final = "site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0"
_AUDIT: Final = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
_ISSUE: Final = "iss_3V7ZQK1M9TX4R8D2N6P0WJ5YBC"
_PAGE: Final = "page_6J2HX0T8QW4N9R5Z1K7M3VYDPB"
_APP: Final = "https://app.example.com"
_API: Final = "https://api.example.com/api/v1"
_SHOP: Final = "https://shop.example.com"

_IDENTITY: Final = {
    "id": _SITE,
    "name": "Example shop",
    "host": "shop.example.com",
    "url": f"{_SHOP}/",
    "platform": "wordpress",
    "status": "active",
    "link": f"{_APP}/sites/{_SITE}",
}
_COVERAGE: Final = {"sitemapUrls": 420, "sitemapCrawled": 412, "percent": 98.1}
_SCORE: Final = {
    "site": 81.4,
    "health": 83.0,
    "aeo": 76.6,
    "coverage": 98.1,
    "confidence": "high",
    "version": "1.4f2a9c",
    "computedAt": "2026-11-22T02:14:09Z",
    "categories": [
        {"category": "ONP", "score": 74.2, "weight": 18.0, "openIssues": 6},
        {"category": "TEC", "score": 92.5, "weight": 20.0, "openIssues": 2},
    ],
}
_PAST: Final = {"site": 78.9, "health": 80.1, "aeo": 75.3, "version": "1.4f2a9c", "computedAt": "2026-11-15T02:11:47Z"}
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
        "id": _AUDIT,
        "finishedAt": "2026-11-22T02:14:09Z",
        "pagesCrawled": 412,
        "partialReason": None,
        "coverage": _COVERAGE,
    },
    "running": False,
    "nextScheduledAuditAt": "2026-11-29T02:00:00Z",
}
_AUDIT_RECORD: Final = {
    "id": _AUDIT,
    "kind": "audit",
    "status": "done",
    "stage": "finished",
    "pagesCrawled": 412,
    "pagesDiscovered": 431,
    "pageBudget": 500,
    "timeLimitMinutes": 30,
    "cappedByPlan": False,
    "coverage": _COVERAGE,
    "partialReason": None,
    "issuesFound": 17,
    "startedBy": "schedule",
    "queuedAt": "2026-11-22T02:00:00Z",
    "startedAt": "2026-11-22T02:00:04Z",
    "finishedAt": "2026-11-22T02:14:09Z",
    "error": None,
    "link": f"{_APP}/sites/{_SITE}/audits/{_AUDIT}",
}
_ISSUE_RECORD: Final = {
    "id": _ISSUE,
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
    "link": f"{_APP}/sites/{_SITE}/issues/{_ISSUE}",
}
_EVIDENCE: Final = {
    "message": "The title has 84 characters; search results show about 60.",
    "title": "Hiking boots, winter boots, trail boots and more boots for women, men and children",
}
_PAGE_ROW: Final = {
    "id": _PAGE,
    "url": f"{_SHOP}/boots",
    "status": 200,
    "title": _EVIDENCE["title"],
    "template": "product",
    "pageScore": 88.1,
    "aeoScore": 79.0,
    "openIssues": 1,
    "inlinks": 23,
    "lastCrawled": "2026-11-22T02:03:51Z",
}
_PAGE_RECORD: Final = {
    **_PAGE_ROW,
    "facts": {
        "finalUrl": f"{_SHOP}/boots",
        "redirects": [],
        "redirectsEnd": None,
        "status": 200,
        "error": None,
        "contentType": "text/html",
        "bytes": 48120,
        "ttfbMs": 112,
        "title": _EVIDENCE["title"],
        "description": "Boots for every path.",
        "canonical": f"{_SHOP}/boots",
        "robots": [{"source": "meta", "agent": "robots", "content": "index, follow"}],
        "hreflang": [{"lang": "de", "url": f"{_SHOP}/de/boots", "source": "html"}],
        "headings": [{"level": 1, "text": "Boots"}],
        "wordCount": 512,
        "language": "en",
        "structuredDataTypes": ["Product", "BreadcrumbList"],
        "images": {"total": 14, "withoutAlt": 2},
        "links": {"incoming": 23, "internal": 61, "external": 4},
        "indexable": True,
        "notIndexableReason": None,
    },
    "scores": {"page": 88.1, "aeo": 79.0, "categories": [{"category": "ONP", "score": 91.0}]},
    "findings": [
        {
            "issueId": _ISSUE,
            "ruleId": "SEO-ONP-005",
            "title": "Title too long",
            "severity": "medium",
            "evidence": _EVIDENCE,
            "firstSeen": "2026-11-08T02:12:30Z",
        }
    ],
    "text": "Boots for every path. Questions? Write to s••••@example.com.",
}

EXAMPLES: Final[Mapping[str, Any]] = {
    "read_plans": {
        "trialDays": 14,
        "currency": "EUR",
        "updatedAt": "2026-11-01T00:00:00Z",
        "plans": [
            {
                "id": "starter",
                "name": "Starter",
                "priceMonthly": 29.0,
                "priceYearly": 290.0,
                "websites": 3,
                "pagesPerAudit": 500,
                "people": 5,
                "apiRequestsPerHour": 1200,
                "speedTestsPerDay": 25,
                "features": ["Everything in Free", "Search performance and topics"],
            }
        ],
    },
    "read_openapi": {
        "openapi": "3.1.0",
        "info": {"title": "Website Optimization Service", "version": "1.0.0"},
        "servers": [{"url": _API}],
        "paths": {},
    },
    "read_changelog": "# Release notes\n",
    "list_sites": {"total": 1, "websites": [_IDENTITY]},
    "read_portfolio": {
        "total": 1,
        "page": 1,
        "per": 50,
        "hasMore": False,
        "websites": [_WEBSITE],
        "searchPeriod": None,
    },
    "read_site": {
        **_WEBSITE,
        "staleInputs": ["search"],
        "cms": {"connected": False, "writable": False, "kind": None, "seoPlugin": None, "writableFields": []},
        "connections": [
            {
                "kind": "search",
                "connected": True,
                "lastImportAt": "2026-11-21T04:10:00Z",
                "rowsLastImport": 5210,
                "staleDays": 1,
                "error": None,
            }
        ],
    },
    "read_scores": {
        "current": _SCORE,
        "history": [
            {
                "week": "2026-11-16",
                "site": 81.4,
                "health": 83.0,
                "aeo": 76.6,
                "version": "1.4f2a9c",
                "auditId": _AUDIT,
                "computedAt": "2026-11-22T02:14:09Z",
            }
        ],
    },
    "read_performance": {
        "site": {"phone": None, "desktop": None},
        "pages": [],
        "budget": {"perDay": 25, "usedToday": 0, "left": 25, "nextFreeAt": None},
        "note": "No speed test of this website has been stored yet.",
        "link": f"{_APP}/sites/{_SITE}/performance",
    },
    "list_issues": {"issues": [_ISSUE_RECORD]},
    "read_issue": {
        **_ISSUE_RECORD,
        "pages": [
            {
                "url": f"{_SHOP}/boots",
                "pageId": _PAGE,
                "evidence": _EVIDENCE,
                "firstSeen": "2026-11-08T02:12:30Z",
                "lastSeen": "2026-11-22T02:14:09Z",
            }
        ],
        "pagesTruncated": False,
        "evidence": None,
        "explanation": None,
        "fix": "Shorten the title to about 60 characters and keep the page's topic at its beginning.",
        "writableField": "title",
        "lastChange": None,
        "suggestions": [
            {
                "url": f"{_SHOP}/boots",
                "pageId": _PAGE,
                "current": "Hiking boots for every path: how to choose, break in and look after them | Example shop",
                "suggested": "Hiking boots for every path | Example shop",
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
        "poll": f"{_API}/sites/{_SITE}/audits/crawl_01KB3D0RJ5W8YH2Q6X9T4ZC7VN",
        "note": "It starts at once. Read its state under `poll`.",
        "link": f"{_APP}/sites/{_SITE}/issues/{_ISSUE}",
    },
    "list_actions": {
        "waiting": 5,
        "actions": [
            {
                "rank": 1,
                "issueId": _ISSUE,
                "title": "Title too long",
                "severity": "medium",
                "effort": "low",
                "priority": 1.8,
                "estimatedScoreGain": 2.3,
                "importance": 0.41,
                "status": "open",
                "firstSeen": "2026-11-08T02:12:30Z",
                "ageDays": 14,
                "waitingWeeks": 2,
                "writableField": "title",
                "link": f"{_APP}/sites/{_SITE}/issues/{_ISSUE}",
            }
        ],
    },
    "list_pages": {"total": 1, "page": 1, "per": 50, "hasMore": False, "pages": [_PAGE_ROW]},
    "read_page": _PAGE_RECORD,
    "read_page_by_address": _PAGE_RECORD,
    "list_audits": {
        "audits": [_AUDIT_RECORD],
        "active": None,
        "busy": None,
        "nextScheduledAt": "2026-11-29T02:00:00Z",
        "pageBudget": {"default": 500, "planLimit": 500, "websiteSetting": None},
        "apiStarts": {"perDay": 3, "usedToday": 1, "left": 2},
    },
    "start_audit": {
        "queued": True,
        "auditId": _AUDIT,
        "status": "queued",
        "pageBudget": 500,
        "timeLimitMinutes": 30,
        "planLimit": 500,
        "startsLeftToday": 2,
        "poll": f"{_API}/sites/{_SITE}/audits/{_AUDIT}",
        "link": f"{_APP}/sites/{_SITE}/audits/{_AUDIT}",
    },
    "start_audit.body": {"pageBudget": 500},
    "read_audit": _AUDIT_RECORD,
}
