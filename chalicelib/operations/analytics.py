"""What visits to a website's pages led to: asked of its analytics property, joined with search data, kept for a short
time. Nothing is asked twice within a request. A property whose quota is used up is not asked again within the hour, by
whomever. A request records no more than that, and whether the property refused access."""

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
    """The landing pages of a period, and whether they were kept. Refused: ``analytics_not_connected``,
    ``analytics_no_access``, ``analytics_quota``, ``analytics_unavailable``, with what the property said."""
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
    """The property's report of a period, asked for now. Raises ``OutsideError``: ``Quota`` also without asking, for an
    hour after it was told. ``retry_after`` of that one is what is left of the hour."""
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
    """Another website, another connection, other days: another question."""
    source = website.connections.analytics
    connected = "" if source is None else f"{source.name} {source.connected_at}"
    return ids.digest(website.id, connected, channel, *(day.isoformat() for day in period)).hex()


def _shown(
    website: Website, manifest: Manifest | None, period: Period
) -> tuple[dict[str, Figures] | None, date | None]:
    """What search showed of the website's pages in those days of the period that are known, by path, and the last day
    that is known; None for the first where none of the days is. Raises ``Moved``."""
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
