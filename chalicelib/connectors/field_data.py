"""Reads field data: measurements of real visitors' browsers from the Chrome UX Report (CrUX)."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import msgspec

from chalicelib.connectors.answers import decoded, number_in
from chalicelib.connectors.errors import NotConnected
from chalicelib.connectors.google_api import GoogleApi
from chalicelib.domain.speed.field import FieldRecord, FormFactor
from chalicelib.settings.speed import speed_settings

SECONDS: Final = 20.0  # time limit of one request
_PATH: Final = "/v1/records:queryRecord"
_LCP: Final = "largest_contentful_paint"
_INP: Final = "interaction_to_next_paint"
_CLS: Final = "cumulative_layout_shift"
_MOST: Final = {
    _LCP: 3_600_000.0,
    _INP: 3_600_000.0,
    _CLS: 1_000.0,
}  # largest plausible values: milliseconds, and unitless (CLS)
NOT_ENOUGH: Final = {
    "page": "The Chrome UX Report has too few visits of this page to measure its speed.",
    "site": "The Chrome UX Report has too few visits of this website to measure its speed.",
}


class FieldData(Protocol):
    """Field data of real visitors. Both methods raise ``Quota``, ``NoAccess``, ``Unavailable`` and ``Declined``. If
    there is no data, they return a record that says so."""

    def site(self, url: str, form_factor: FormFactor) -> FieldRecord:
        """Request the field data of the whole website (scheme and host) of an address."""

    def page(self, url: str, form_factor: FormFactor) -> FieldRecord:
        """Request the field data of the page with this address."""


def connected() -> FieldData:
    """Make the client of the Chrome UX Report with the key of CRUX_API_KEY. Raises ``NotConnected``."""
    settings = speed_settings()
    key = settings.crux_api_key.strip()
    if not key:
        raise NotConnected("Field data is not connected: CRUX_API_KEY is not set.")
    return ChromeUxReport(GoogleApi("The Chrome UX Report", settings.crux_url, key))


class _Percentiles(msgspec.Struct):
    p75: Any = None


class _Metric(msgspec.Struct):
    percentiles: _Percentiles | None = None


class _Date(msgspec.Struct):
    year: int
    month: int
    day: int


class _Period(msgspec.Struct):
    last: _Date = msgspec.field(name="lastDate")


class _Record(msgspec.Struct):
    metrics: dict[str, _Metric]
    period: _Period | None = msgspec.field(name="collectionPeriod", default=None)


class _Answer(msgspec.Struct):
    record: _Record


@dataclass(frozen=True, slots=True)
class ChromeUxReport:
    """The CrUX API at the address of the setting CRUX_URL."""

    _api: GoogleApi

    def site(self, url: str, form_factor: FormFactor) -> FieldRecord:
        parts = urlsplit(url)
        return self._record({"origin": f"{parts.scheme}://{parts.netloc}"}, form_factor, NOT_ENOUGH["site"])

    def page(self, url: str, form_factor: FormFactor) -> FieldRecord:
        return self._record({"url": url}, form_factor, NOT_ENOUGH["page"])

    def _record(self, subject: dict[str, Any], form_factor: FormFactor, not_enough: str) -> FieldRecord:
        body = subject | {"formFactor": form_factor.upper(), "metrics": [_LCP, _INP, _CLS]}
        reply = self._api.ask("POST", _PATH, body, seconds=SECONDS)
        if reply.status == 404:
            return FieldRecord(False, not_enough)
        if reply.status != 200:
            raise self._api.failure(reply)
        try:
            record = decoded(reply.body, _Answer).record
        except ValueError:
            raise self._api.not_its_own() from None
        try:
            end = record.period and date(record.period.last.year, record.period.last.month, record.period.last.day)
        except (ValueError, OverflowError):
            raise self._api.not_its_own() from None
        return FieldRecord(
            True,
            lcp_ms=_p75(record, _LCP),
            inp_ms=_p75(record, _INP),
            cls=_p75(record, _CLS),
            period_end=end.isoformat() if end else None,
        )


def _p75(record: _Record, name: str) -> float | None:
    """Return the 75th percentile of a metric. The API sends a number, or text for unitless values (CLS). Returns None
    if it is neither, or out of range."""
    metric = record.metrics.get(name)
    value = metric.percentiles.p75 if metric and metric.percentiles else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return number_in(str(value), most=_MOST[name])
    except ValueError:
        return None
