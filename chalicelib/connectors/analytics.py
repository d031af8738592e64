"""Reads reports about visits to a website's pages from Google Analytics (Data API).

Two reports are requested, each by one request: figures by page, and key events by page and name. Days are in the
property's own time zone. If a property refuses a request because its quota is used up, callers must not request it
again within an hour.
"""

import re
from collections.abc import Collection, Sequence
from datetime import date
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from chalicelib import clock
from chalicelib.connectors.answers import MOST, count_in, number_in
from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.connectors.google import GoogleApi, Keeper
from chalicelib.domain.analytics.report import MOST_ROWS, PURCHASES_METRIC, Channel, Event, Landing, Report
from chalicelib.domain.printable import printable
from chalicelib.settings.analytics import analytics_settings

SCOPE: Final = "https://www.googleapis.com/auth/analytics.readonly"
SECONDS: Final = 20.0  # time limit of all requests of a report together
LONGEST: Final = 2_048  # characters of a page or the name of an event
LIST_SECONDS: Final = 10.0  # time limit of the list of properties, for which a person waits
MOST_LISTED: Final = 200  # how many properties are listed
MOST_ASKED: Final = 25  # of how many of these the web streams are requested
LONGEST_NAME: Final = 100  # characters
ORGANIC: Final = "Organic Search"
_PROPERTY: Final = re.compile(r"properties/[0-9]{1,20}")
_METRICS: Final = (
    *("sessions", "engagedSessions", "keyEvents", "sessionKeyEventRate"),
    *(PURCHASES_METRIC, "purchaseRevenue", "totalRevenue"),
)


class _Value(msgspec.Struct, gc=False):
    value: str = ""


class _Row(msgspec.Struct, gc=False, rename="camel"):
    dimension_values: list[_Value] = []
    metric_values: list[_Value] = []


class _Sampling(msgspec.Struct, rename="camel"):
    samples_read_count: str = "0"
    sampling_space_size: str = "0"


class _Restrictions(msgspec.Struct, rename="camel"):
    active_metric_restrictions: list[dict[str, Any]] = []


_Name = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z0-9_+/-]*$")]


class _Metadata(msgspec.Struct, rename="camel"):
    currency_code: _Name | None = None
    time_zone: _Name | None = None
    data_loss_from_other_row: bool = False
    subject_to_thresholding: bool = False
    sampling_metadatas: list[_Sampling] = []
    schema_restriction_response: _Restrictions | None = None


class _Report(msgspec.Struct, rename="camel"):
    rows: list[_Row] = []
    row_count: Annotated[int, Meta(ge=0, le=int(MOST))] = 0
    metadata: _Metadata | None = None


class OwnProperty(NamedTuple):
    """A property that an account may read. ``name``: a printable name. ``measures``: whether the property measures one
    of the requested hosts, by the addresses of its web streams; None if Google was not asked or gave no answer."""

    number: str
    name: str
    measures: bool | None


class _Summary(msgspec.Struct, rename="camel"):
    property: str = ""
    display_name: str = ""


class _Summaries(msgspec.Struct, rename="camel"):
    property_summaries: list[_Summary] = []


class _Listed(msgspec.Struct, rename="camel"):
    account_summaries: list[_Summaries] = []


class _WebStream(msgspec.Struct, rename="camel"):
    default_uri: str = ""


class _Stream(msgspec.Struct, rename="camel"):
    web_stream_data: _WebStream | None = None


class _Streams(msgspec.Struct, rename="camel"):
    data_streams: list[_Stream] = []


def properties(hosts: Collection[str], keeper: Keeper) -> list[OwnProperty]:
    """List the properties that an account may read, at most ``MOST_LISTED``. For the first ``MOST_ASKED`` properties,
    as far as ``LIST_SECONDS`` allow, the result also says whether they measure one of the hosts.

    Raises ``NoAccess``, ``Quota``, ``Unavailable``, ``Declined``.
    """
    deadline = clock.monotonic() + LIST_SECONDS
    api = GoogleApi("Analytics", analytics_settings().admin_url, SCOPE, keeper)
    listed = api.ask("accountSummaries?pageSize=200", _Listed, seconds=LIST_SECONDS).account_summaries
    found = [one for account in listed for one in account.property_summaries if _PROPERTY.fullmatch(one.property)]
    told = []
    for position, one in enumerate(found[:MOST_LISTED]):
        measures = None
        if position < MOST_ASKED and clock.monotonic() < deadline:
            left = max(0.1, deadline - clock.monotonic())
            try:
                streams = api.ask(f"{one.property}/dataStreams?pageSize=200", _Streams, seconds=left).data_streams
            except OutsideError:
                streams = None  # not known for this property, which can still be chosen by its name
            if streams is not None:
                measured = [stream.web_stream_data for stream in streams if stream.web_stream_data is not None]
                measures = any(_host(stream.default_uri) in hosts for stream in measured)
        number = one.property.removeprefix("properties/")
        told.append(OwnProperty(number, printable(one.display_name, LONGEST_NAME) or number, measures))
    return told


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


class Analytics:
    """One property of Analytics. ``property_id``: its number. ``hosts``: only pages of these hosts are reported."""

    def __init__(self, property_id: str, hosts: Sequence[str], keeper: Keeper) -> None:
        self._path = f"properties/{property_id}:runReport"
        self._hosts = list(hosts)
        self._api = GoogleApi("Analytics", analytics_settings().url, SCOPE, keeper)

    def check(self) -> None:
        """Check that the account may read the property. Raises ``NoAccess``, ``Quota``, ``Unavailable``,
        ``Declined``."""
        body = {
            "dateRanges": [{"startDate": "yesterday", "endDate": "yesterday"}],
            "metrics": [{"name": "sessions"}],
            "limit": "1",
        }
        self._api.ask(self._path, _Report, body, seconds=SECONDS)

    def landing_pages(self, first: date, last: date, channel: Channel) -> Report:
        """Request the pages on which visits of these days began, and their key events by name. Raises the errors of
        ``check``, and ``Unavailable`` also if both reports together take longer than ``SECONDS``."""
        deadline = clock.monotonic() + SECONDS
        pages = self._asked(first, last, channel, ("landingPage",), _METRICS, deadline)
        events = self._asked(first, last, channel, ("landingPage", "eventName"), ("keyEvents",), deadline)
        told = pages.metadata or _Metadata()
        restrictions = told.schema_restriction_response
        try:
            return Report(
                landings=[_landing(row) for row in pages.rows],
                events=[_event(row) for row in events.rows],
                row_count=max(pages.row_count, len(pages.rows)),
                currency=told.currency_code,
                time_zone=told.time_zone,
                other=told.data_loss_from_other_row,
                thresholded=told.subject_to_thresholding,
                sampled=_share(told.sampling_metadatas),
                restricted=restrictions is not None and bool(restrictions.active_metric_restrictions),
            )
        except (ValueError, IndexError):
            raise Unavailable("Analytics answered in an unexpected form.") from None

    def _asked(
        self,
        first: date,
        last: date,
        channel: Channel,
        dimensions: Sequence[str],
        metrics: Sequence[str],
        deadline: float,
    ) -> _Report:
        filters: list[dict[str, Any]] = [
            {
                "filter": {
                    "fieldName": "hostName",
                    "inListFilter": {"values": self._hosts, "caseSensitive": False},
                }
            }
        ]
        if channel == "organic":
            filters.append(
                {
                    "filter": {
                        "fieldName": "sessionDefaultChannelGroup",
                        "stringFilter": {"matchType": "EXACT", "value": ORGANIC},
                    }
                }
            )
        body: dict[str, Any] = {
            "dateRanges": [{"startDate": first.isoformat(), "endDate": last.isoformat()}],
            "dimensions": [{"name": name} for name in dimensions],
            "metrics": [{"name": name} for name in metrics],
            "dimensionFilter": {"andGroup": {"expressions": filters}},
            "orderBys": [{"desc": True, "metric": {"metricName": metrics[0]}}],
            "limit": str(MOST_ROWS),
            "returnPropertyQuota": True,
        }
        if len(metrics) == 1:
            above = {"operation": "GREATER_THAN", "value": {"int64Value": "0"}}
            body["metricFilter"] = {"filter": {"fieldName": metrics[0], "numericFilter": above}}
        return self._api.ask(self._path, _Report, body, seconds=max(0.0, deadline - clock.monotonic()))


def _landing(row: _Row) -> Landing:
    """Read the landing page of a row. Raises ``ValueError`` or ``IndexError`` if the row has an unexpected form, or a
    number is out of range."""
    sessions, engaged, key_events, rate, purchases, purchase_revenue, revenue = (one.value for one in row.metric_values)
    visits = count_in(sessions)
    return Landing(
        printable(row.dimension_values[0].value, LONGEST),
        visits,
        count_in(engaged),
        number_in(key_events),
        number_in(rate, most=1.0) * visits,
        count_in(purchases),
        number_in(purchase_revenue, least=-MOST),  # refunds
        number_in(revenue, least=-MOST),
    )


def _event(row: _Row) -> Event:
    page, name = (one.value for one in row.dimension_values)
    return Event(printable(page, LONGEST), printable(name, LONGEST), number_in(row.metric_values[0].value))


def _share(samplings: Sequence[_Sampling]) -> float | None:
    read = sum(count_in(one.samples_read_count) for one in samplings)
    whole = sum(count_in(one.sampling_space_size) for one in samplings)
    return read / whole if 0 < read < whole else None
