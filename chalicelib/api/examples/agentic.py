"""Examples of Agentic browsing."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API, SHOP, SITE, TEST_BUDGET, WHOLE

_JOB: Final = "job_01KB3E7T5V9X1Z3B5D7F9H1K3M"
_POLL: Final = f"{API}/sites/{SITE}/agentic/runs/{_JOB}"
_TREE: Final = {
    "id": "agent-accessibility-tree",
    "title": "Accessibility tree is not well-formed",
    "state": "fail",
    "detail": "Agents read the page from its accessibility tree.",
    "items": [
        {
            "selector": "header > button.menu",
            "snippet": '<button class="menu">',
            "message": "Buttons do not have an accessible name",
        }
    ],
}
_LAYOUT: Final = {"id": "cumulative-layout-shift", "title": "Cumulative Layout Shift", "state": "pass"}
_RESULT: Final = {
    "url": f"{SHOP}/boots/",
    "template": "product",
    "strategy": "mobile",
    "testedAt": "2026-11-21T22:41:07Z",
    "lighthouseVersion": "13.5.0",
    "passed": 1,
    "applicable": 2,
    "checks": [_TREE | {"value": None}, _LAYOUT | {"value": "0.02"}],
}
_RUN: Final = {"jobId": _JOB, "url": f"{SHOP}/boots/", "strategy": "mobile", "queuedAt": "2026-11-22T09:30:00Z"}

EXAMPLES: Final[Mapping[str, Any]] = {
    "list_agentic": {
        "total": 1,
        "page": 1,
        "per": 50,
        "hasMore": False,
        **WHOLE,
        "results": [_RESULT],
        "summary": {
            "mobile": {
                "pages": 1,
                "passed": 1,
                "applicable": 2,
                "checks": [_TREE | {"pass": 0, "fail": 1}, _LAYOUT | {"pass": 1, "fail": 0}],
            },
            "desktop": None,
        },
        "running": [_RUN | {"status": "running"}],
        "budget": TEST_BUDGET,
    },
    "start_run": {
        "queued": True,
        "jobId": _JOB,
        "status": "queued",
        "url": f"{SHOP}/boots/",
        "strategy": "mobile",
        "budget": TEST_BUDGET,
        "poll": _POLL,
    },
    "start_run.body": {"url": f"{SHOP}/boots/", "strategy": "mobile"},
    "read_run": _RUN
    | {
        "status": "done",
        "startedAt": "2026-11-22T09:30:01Z",
        "finishedAt": "2026-11-22T09:30:38Z",
        "result": _RESULT,
        "error": None,
    },
}
