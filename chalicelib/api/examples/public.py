"""Examples of what needs no key."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import API

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
        "servers": [{"url": API}],
        "paths": {},
    },
    "read_changelog": "# Release notes\n",
}
