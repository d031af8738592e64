"""Loads the data with which audits and rechecks judge a website, except the pages that they read themselves.

Audits and rechecks use the same data from outside of crawls: search data, speed measurements, rendered pages and CMS
content. A recheck reads few pages, and takes the data about all other pages from the last audit.
"""

from collections.abc import Callable, Mapping

from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.content import by_address
from chalicelib.domain.speed.measured import agentic_results, page_speeds
from chalicelib.operations import search
from chalicelib.rules.known_targets import key_of
from chalicelib.rules.rechecking import PublishedAudit
from chalicelib.store import content, crawls, rendered, speed, targets
from chalicelib.workers.audit.rereading import published_facts


def load_beside(site_id: str) -> SiteInputs:
    """Load the website's data that does not come from crawls: search data, speed measurements, rendered pages and CMS
    content. Raises ``Moved`` if imports keep replacing the search data.

    This makes four calls of the store, and two or three more if there is search data.
    """
    known, tested, sample = content.load(site_id), speed.load(site_id), rendered.load(site_id)
    return SiteInputs(
        search=search.by_page(site_id),
        content=by_address(known.items.values()) if known.version else None,
        speed=page_speeds(tested.results, tested.field.book, tested.state.measured) or None,
        rendered=None if sample is None else sample.told(),
        agentic=agentic_results(tested.results, tested.state.measured) or None,
    )


def load_search(site_id: str) -> SiteInputs:
    """Load the data that a preview uses in addition to its crawl: only the website's search data. Raises ``Moved`` if
    imports keep replacing the search data.

    A preview does not use the speed tests, renderings and CMS content of the website, because they say nothing about
    the preview. This makes at most three calls of the store.
    """
    return SiteInputs(search=search.by_page(site_id))


def load_published(
    site_id: str, summary: SiteSummary, rows: Mapping[str, PageRow], keep_lease: Callable[[], None]
) -> PublishedAudit:
    """Load the last audit's data.

    - ``rows``: the published pages by address.
    - ``keep_lease``: a function that renews the lease. It is called repeatedly during the loading.
    """
    audit_id = last_audit(summary)
    header = crawls.get(site_id, audit_id)
    pages = published_facts(rows, keep_lease)
    known = {key_of(target): target for target in targets.load_known(audit_id)}
    only_asked = [target for target in known.values() if target.file or target.url not in pages]
    keep_lease()
    return PublishedAudit(
        pages=pages,
        targets=only_asked,
        unread=sorted(rows.keys() - pages.keys() - {target.url for target in only_asked}),
        coverage=None if summary.score is None else summary.score.coverage,
        links_unasked=0 if header is None else header.links_unasked or 0,
        inputs=frozenset(summary.inputs),
        known=known,
    )


def last_audit(summary: SiteSummary) -> str:
    """Return the id of the last audit. The answers of known targets, such as targets of links, are stored under it."""
    return summary.generation.crawl_id if summary.last_audit is None else summary.last_audit.id
