"""Keeps the addresses of a website that no longer exist, each with the page that it should redirect to, as a screen
lists them. To compute them takes all pages, so that a request does not.

They are stored under the published pages' id before the transaction that ends an audit, recheck or alert. Killed in
between, the next worker stores them again.
"""

from collections.abc import Mapping, Sequence

from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageRow
from chalicelib.domain.changes.missing import Offered
from chalicelib.domain.changes.redirecting import GONE
from chalicelib.operations import missing
from chalicelib.rules.engine import Failure
from chalicelib.rules.judging import SUGGESTING
from chalicelib.rules.missing import LINKED_BY, LISTED_BY
from chalicelib.store import pages
from chalicelib.workers.audit.judging import log_failures


def keep(
    header: CrawlHeader,
    crawl_id: str,
    host: str,
    home: str,
    rows: Sequence[PageRow],
    affected: Mapping[str, Sequence[AffectedPage]],
    known: Sequence[Offered] | None = None,
) -> None:
    """Store them for the published pages ``crawl_id``. ``rows``: those pages; ``affected``: the affected pages of the
    rules that were judged now; ``known``: what was stored before. A failure is logged, and nothing stays stored: the
    screen then computes them itself."""
    found: list[Offered] | None = None
    try:
        found = missing.compute(header.site_id, host, home, rows, affected, known or ())
    except Exception as error:
        log_failures(header.id, [Failure(SUGGESTING, None, f"{type(error).__name__}: {error}")])
    pages.keep_missing(header.site_id, crawl_id, found)


def keep_again(
    header: CrawlHeader,
    crawl_id: str,
    host: str,
    home: str,
    rows: Mapping[str, PageRow],
    renewed: Sequence[PageRow],
    affected: Mapping[str, Sequence[AffectedPage]],
) -> None:
    """The same after a recheck that ``renewed`` some of the ``rows`` (by address, as before), if it can have changed
    anything. The stored list, not the ``rows``, tells which of them did not exist before: a worker that was killed may
    have renewed the rows already."""
    known = pages.load_missing(header.site_id, crawl_id)
    listed = {one.missing.url for one in known or ()}
    if {LISTED_BY, LINKED_BY}.isdisjoint(affected) and not any(
        row.status in GONE or row.url in listed for row in renewed
    ):
        return
    now = {**rows, **{row.url: row for row in renewed}}
    keep(header, crawl_id, host, home, list(now.values()), affected, known)
