"""Examples of pages."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import EVIDENCE, ISSUE, PAGE, SHOP, WHOLE

_PAGE_ROW: Final = {
    "id": PAGE,
    "url": f"{SHOP}/boots",
    "status": 200,
    "title": EVIDENCE["title"],
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
        "finalUrl": f"{SHOP}/boots",
        "redirects": [],
        "redirectsEnd": None,
        "status": 200,
        "error": None,
        "contentType": "text/html",
        "bytes": 48120,
        "ttfbMs": 112,
        "title": EVIDENCE["title"],
        "description": "Boots for every path.",
        "canonical": f"{SHOP}/boots",
        "robots": [{"source": "meta", "agent": "robots", "content": "index, follow"}],
        "hreflang": [{"lang": "de", "url": f"{SHOP}/de/boots", "source": "html"}],
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
            "issueId": ISSUE,
            "ruleId": "SEO-ONP-005",
            "title": "Title too long",
            "severity": "medium",
            "evidence": EVIDENCE,
            "firstSeen": "2026-11-08T02:12:30Z",
        }
    ],
    "text": "Boots for every path. Questions? Write to s••••@example.com.",
    "rendered": {
        "renderedAt": "2026-11-08T02:12:30Z",
        "words": {"raw": 512, "rendered": 540},
        "linksAfterJavaScript": [f"{SHOP}/boots/alpine"],
        "title": {"before": EVIDENCE["title"], "after": EVIDENCE["title"]},
        "canonical": {"before": f"{SHOP}/boots", "after": f"{SHOP}/boots"},
        "robots": {"before": [], "after": []},
        "structuredDataTypes": {"before": ["BreadcrumbList", "Product"], "after": ["BreadcrumbList", "Product"]},
    },
}

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_pages": {"total": 1, "page": 1, "per": 50, "hasMore": False, **WHOLE, "pages": [_PAGE_ROW]},
    "read_page": _PAGE_RECORD,
    "read_page_by_address": _PAGE_RECORD,
}
