"""Reads landing pages from a website's analytics property, joins them with search data, and caches them for a short
time.

If the property's quota is used up, the property is not requested again for an hour. Apart from the cache, this stores
only whether the quota is used up and whether the property refused access.
"""

import math
from datetime import date

from chalicelib import clock
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota
from chalicelib.domain import ids
from chalicelib.domain.analytics.landing_pages import by_path, joined
from chalicelib.domain.analytics.report import Channel, Report
from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.rows import ranked
from chalicelib.operations import sources as source_operations
from chalicelib.operations.errors import Refused
from chalicelib.operations.search import asking
from chalicelib.store import kept_landing_pages, search, sources
from chalicelib.store.kept_landing_pages import Kept, Told
from chalicelib.store.websites import Website


def landing_pages(website: Website, period: Period, channel: Channel) -> tuple[Kept, bool]:
    """Return the landing pages of a period, and whether they came from the cache.
    Refused, with the property's message: ``analytics_not_connected``, ``analytics_no_access``, ``analytics_quota``,
    ``analytics_unavailable``."""
    question = question_of(website, period, channel)
    kept = kept_landing_pages.load(question)
    if kept is not None:
        return kept, True
    try:
        report = read(website, period, channel)
    except OutsideError as error:
        if isinstance(error, NoAccess):
            source_operations.record(website, "analytics", error.message)
        raise _refused(error) from error
    source_operations.record(website, "analytics", None)
    shown, final = asking(website.id, ("page",), lambda manifests: _shown(website, manifests.get("page"), period))
    told = Told(
        fetched_at=clock.now(),
        row_count=report.row_count,
        currency=report.currency,
        time_zone=report.time_zone,
        other=report.other,
        thresholded=report.thresholded,
        sampled=report.sampled,
        restricted=report.restricted,
        joined=shown is not None,
        final_through=final,
    )
    return kept_landing_pages.keep(question, joined(report, shown), told), False


def read(website: Website, period: Period, channel: Channel) -> Report:
    """Read the property's report of a period now. Raises ``OutsideError``. For an hour after the property raised
    ``Quota``, this raises ``Quota`` again without asking the property. The error's ``retry_after`` is then the rest of
    the hour."""
    credentials = sources.get(website.id, "analytics")
    if credentials is None:
        raise NotConnected("The website is connected to no analytics property.")
    property_ = source_operations.analytics(credentials, website.host)
    return source_operations.not_used_up(credentials, lambda: property_.landing_pages(*period, channel))


def _refused(error: OutsideError) -> Refused:
    if isinstance(error, NotConnected):
        return Refused("analytics_not_connected", error.message)
    if isinstance(error, NoAccess | Declined):
        again = "Connect the property again, with the permission to read it."
        return Refused("analytics_no_access", f"{error.message} {again}")
    if isinstance(error, Quota):
        seconds = math.ceil(error.retry_after or source_operations.USED_UP_SECONDS)
        return Refused("analytics_quota", error.message, seconds)
    return Refused("analytics_unavailable", error.message)


def question_of(website: Website, period: Period, channel: Channel) -> str:
    """Return the cache key. It is different for each website, connection, channel and period."""
    source = website.connections.analytics
    connected = "" if source is None else f"{source.name} {source.connected_at}"
    return ids.digest(website.id, connected, channel, *(day.isoformat() for day in period)).hex()


def _shown(
    website: Website, manifest: Manifest | None, period: Period
) -> tuple[dict[str, Figures] | None, date | None]:
    """Return the search figures of the website's pages in the known days of the period, by path, and the last known
    day.
    The figures are None if no day of the period is known. Raises ``Moved``."""
    if website.connections.search is None or manifest is None or manifest.period is None:
        return None, None
    known = manifest.period
    first, last = max(period.first, known.first), min(period.last, known.last)
    if first > last:
        return None, known.last
    host = website.host
    rows = ((page_key(row.key), row) for row in ranked(search.rows(website.id, manifest, first, last), first, last))
    of_host = (
        (key, Figures(row.clicks, row.impressions, row.positions))
        for key, row in rows
        if key == host or key.startswith((f"{host}/", f"{host}?"))
    )
    return by_path(of_host), known.last
