"""A stand-in for the Chrome UX Report. It has records only for the demo websites as a whole and for the home page of
the first one."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib import clock
from local.demo import CLEAN_HOST, DEMO_HOST
from local.standins.google_keys import KEY, Asked, GoogleStandin, Misstep

_PATH: Final = "/v1/records:queryRecord"
_DAYS: Final = 28
_DAYS_LATE: Final = 2


class Values(NamedTuple):
    """75th percentiles, in milliseconds. The layout shift is written as in the real service's answers."""

    largest_contentful_paint: int
    interaction_to_next_paint: int
    cumulative_layout_shift: str
    experimental_time_to_first_byte: int


# Slow on phones, so that the demo website has something to fix.
_SITES: Final = {
    (DEMO_HOST, "PHONE"): Values(3180, 245, "0.14", 910),
    (DEMO_HOST, "DESKTOP"): Values(1720, 96, "0.05", 520),
    (CLEAN_HOST, "PHONE"): Values(1650, 110, "0.02", 430),
    (CLEAN_HOST, "DESKTOP"): Values(980, 60, "0.01", 300),
}
_HOME: Final = {(DEMO_HOST, "PHONE"): Values(2640, 180, "0.08", 760)}


class ChromeUx(GoogleStandin):
    """A stand-in for the Chrome UX Report, as an HTTP server on a free port. It runs from its creation until
    ``stop``."""

    name = called = "crux"

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in. Returns {} if ``given`` connects the real
        service."""
        if given.get("CRUX_API_KEY") or given.get("CRUX_URL"):
            return {}
        return {"CRUX_URL": self.url, "CRUX_API_KEY": KEY, "CRUX_REQUESTS_A_SECOND": "1000"}  # no quota here

    def answer(self, method: str, asked: Asked) -> dict[str, Any]:
        if method != "POST" or urlsplit(asked.path).path != _PATH:
            raise Misstep(404, "Not Found")
        try:
            query = json.loads(asked.body)
            (kind,) = {"origin", "url"} & query.keys()
            address = urlsplit(query[kind])
            wanted = query.get("metrics") or Values._fields
            device = query.get("formFactor", "PHONE")
        except (ValueError, AttributeError):
            raise Misstep(400, "Exactly one of url or origin must be given.") from None
        unknown = [name for name in wanted if name not in Values._fields]
        if unknown or device not in ("PHONE", "DESKTOP", "TABLET"):
            raise Misstep(400, f"Invalid value: {unknown or device}")
        known = _SITES if kind == "origin" else _HOME if address.path in ("", "/") else {}
        values = known.get((address.hostname or "", device))
        if values is None:
            raise Misstep(404, "chrome ux report data not found")
        metrics = {name: _metric(value) for name, value in values._asdict().items() if name in wanted}
        record = {"key": {kind: query[kind], "formFactor": device}, "metrics": metrics, "collectionPeriod": _period()}
        return {"record": record}


def _metric(p75: int | str) -> dict[str, Any]:
    return {"percentiles": {"p75": p75}}


def _period() -> dict[str, dict[str, int]]:
    last = datetime.fromtimestamp(clock.now(), UTC) - timedelta(days=_DAYS_LATE)
    return {"firstDate": _date(last - timedelta(days=_DAYS - 1)), "lastDate": _date(last)}


def _date(day: datetime) -> dict[str, int]:
    return {"year": day.year, "month": day.month, "day": day.day}
