"""Computes the keyword task from analytics: pages with many visitors of whom few convert.

Trigger: a job of the queue ``imports``. It repeats every week, and also runs when an Analytics property is connected or
disconnected. After a disconnection, the job resolves the task and ends.

Failure policy
- The task is written in the same way as in ``keyword_tasks``. The same transaction sets the time of the job's next run.
- The property refuses access: the connection counts as broken. The broken connection is reported once, and once more
  after seven days. If the quota is used up, or no answer comes, the connection shows the reason, and the job is
  tried again an hour later.
- Without an audit there is nothing to judge: the job runs again next week.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from chalicelib import clock
from chalicelib.connectors.errors import NoAccess, OutsideError
from chalicelib.domain.analytics.landing_pages import NO_PAGE, path_key
from chalicelib.domain.analytics.report import Report
from chalicelib.domain.connections import Source
from chalicelib.domain.jobs import Job
from chalicelib.domain.search.periods import LAG_DAYS, ending
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import access
from chalicelib.operations import analytics as analytics_operations
from chalicelib.operations import sources as source_operations
from chalicelib.operations.search import asking
from chalicelib.rules.kw.checks import OF_ANALYTICS
from chalicelib.rules.kw.model import Conversion, SearchData
from chalicelib.store import connections, issues, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.keywords.crawled import Crawled, crawled
from chalicelib.workers.keywords.publishing import left_over, publish
from chalicelib.workers.keywords.searched import DAYS, clicks_of_pages

EVERY_SECONDS: Final = 7 * 86_400.0
AGAIN_SECONDS: Final = 3_600.0
LONGEST_WAIT: Final = 86_400.0
TRIES: Final = 5
GONE: Final = "Nothing is connected any more."
STOPPED: Final = "The service was interrupted at this step several times."

_log = logging.getLogger(__name__)


def run(lease: JobLease) -> None:
    """Do the job. Raises ``FenceLost``."""
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    if website is None or website.connections.analytics is None:
        _disconnected(lease, website)
        return
    period = ending(clock.utc(clock.now()).date() - timedelta(LAG_DAYS), DAYS)
    try:
        report = analytics_operations.read(website, period, "organic")
    except OutsideError as error:
        _failed(lease, website, error)
        return
    lease.answered()
    _tell(lease, lambda source: (source.imported(len(report.landings), clock.now()), []))
    book = issues.load_state(website.id)

    def ended(at: float) -> Job:
        return lease.job.goes_on(at + EVERY_SECONDS)

    if website.summary is None or book is None:
        lease.commit(ended(clock.now()), [])
        return
    pages = crawled(website, book, ())
    data = SearchData(
        period=period,
        known=pages.known,
        pages=asking(website.id, ("page",), lambda manifests: clicks_of_pages(website, manifests)),
        conversions=_conversions(report, pages),
    )
    publish(lease, website, OF_ANALYTICS, data, pages, ended)


def _disconnected(lease: JobLease, website: Website | None) -> None:
    """End the job, and resolve the task that was based on the property."""
    book = None if website is None else issues.load_state(website.id)
    withdrawn = [] if book is None else left_over(book, OF_ANALYTICS)
    if website is None or website.summary is None or book is None or not withdrawn:
        lease.commit(lease.job.done(clock.now(), GONE), [])
        return
    period = ending(clock.utc(clock.now()).date() - timedelta(LAG_DAYS), DAYS)
    pages = crawled(website, book, ())
    data = SearchData(period=period, known=pages.known)
    publish(lease, website, {}, data, pages, lambda at: lease.job.done(at, GONE), withdrawn=withdrawn)


def give_up(lease: JobLease) -> None:
    """Postpone the job to its next run, because its workers died too often. Raises ``FenceLost``."""
    lease.commit(lease.job.goes_on(clock.now() + EVERY_SECONDS, error=STOPPED), [])


def _conversions(report: Report, crawled: Crawled) -> dict[str, Conversion]:
    """Return visits and conversions by page. Paths without a page in the audit are included, for the website's rate."""
    by_path = {path_key("/" + key.partition("/")[2]): key for key in crawled.known}
    found: dict[str, Conversion] = {}
    for landing in report.landings:
        path = landing.page if landing.page in NO_PAGE else path_key(landing.page)
        key = by_path.get(path, path)
        known = found.get(key, Conversion(0, 0.0))
        found[key] = Conversion(known.sessions + landing.sessions, known.converted + landing.converted)
    return found


def _tell(lease: JobLease, told: Callable[[Source], tuple[Source, list[Event]]], ended: Job | None = None) -> None:
    """Commit the new state of the property's connection, which ``told`` returns, and, if ``ended`` is given, the job's
    next state. Raises ``FenceLost``, and ``Conflict`` if every try met a conflict."""
    job = lease.job
    for _ in range(TRIES):
        website = websites.get(job.workspace_id, job.site_id)
        source = None if website is None else website.connections.analytics
        if website is None or source is None:
            lease.commit(ended or job.advanced(job.lease_until), [])
            return
        after, events = told(source)
        renewed = website.connections.with_source("analytics", after)
        later, stale = access.stale(website, after, ended or job.advanced(job.lease_until))
        try:
            lease.commit(later, [connections.shown(website, renewed)], [*events, *stale])
            return
        except Conflict as conflict:
            _log.info("a notice about a connection is sent again", extra={"siteId": website.id, "of": str(conflict)})
    raise Conflict({connections.SHOWN: None})


def _failed(lease: JobLease, website: Website, error: OutsideError) -> None:
    job, now = lease.job, clock.now()
    _log.warning("analytics could not be read", extra={"siteId": job.site_id, "error": error.message})

    def told(source: Source) -> tuple[Source, list[Event]]:
        if isinstance(error, NoAccess):
            return source_operations.refused(website, source, error.message)
        return source.waits(error.message), []

    wait = max(AGAIN_SECONDS, min(error.retry_after or 0.0, LONGEST_WAIT))
    _tell(lease, told, job.goes_on(now + wait, error=error.message))
