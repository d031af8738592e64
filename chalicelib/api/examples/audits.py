"""Examples of audits."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API, APP, AUDIT, COVERAGE, SITE

_AUDIT_RECORD: Final = {
    "id": AUDIT,
    "kind": "audit",
    "status": "done",
    "stage": "finished",
    "pagesCrawled": 412,
    "pagesDiscovered": 431,
    "pageBudget": 500,
    "timeLimitMinutes": 30,
    "cappedByPlan": False,
    "coverage": COVERAGE,
    "partialReason": None,
    "issuesFound": 17,
    "startedBy": "schedule",
    "queuedAt": "2026-11-22T02:00:00Z",
    "startedAt": "2026-11-22T02:00:04Z",
    "finishedAt": "2026-11-22T02:14:09Z",
    "error": None,
    "notes": [],
    "link": f"{APP}/sites/{SITE}/audits/{AUDIT}",
}

EXAMPLES: Final[Mapping[str, Any]] = {
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
        "auditId": AUDIT,
        "status": "queued",
        "pageBudget": 500,
        "timeLimitMinutes": 30,
        "planLimit": 500,
        "startsLeftToday": 2,
        "poll": f"{API}/sites/{SITE}/audits/{AUDIT}",
        "link": f"{APP}/sites/{SITE}/audits/{AUDIT}",
    },
    "start_audit.body": {"pageBudget": 500},
    "read_audit": _AUDIT_RECORD,
}
