"""Stores the addresses of a website that no longer exist, each with its proposed redirect target, for the screen that
lists them. Computing them needs the data of all pages, which is too slow for a request.

The addresses are stored under the id of the published pages, before the transaction that ends an audit, recheck or
alert. If the worker is killed before this transaction, the next worker stores them again.
"""

from collections.abc import Mapping, Sequence

from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageRow
from chalicelib.domain.changes.missing_addresses import Offered
from chalicelib.domain.changes.redirecting import GONE
from chalicelib.operations import missing_addresses
from chalicelib.rules.engine import Failure
from chalicelib.rules.judging import SUGGESTING
from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY
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
    """Store the missing addresses for the published pages ``crawl_id``.

    - ``rows``: the rows of these pages.
    - ``affected``: the affected pages of the rules that were judged now.
    - ``known``: the list that was stored before.

    A failure is logged. Nothing is then stored, and the screen computes the addresses itself.
    """
    found: list[Offered] | None = None
    try:
        found = missing_addresses.compute(header.site_id, host, home, rows, affected, known or ())
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
    """Store the missing addresses again after a recheck, if the recheck can have changed them.

    - ``rows``: the published pages by address before the recheck.
    - ``renewed``: the rows that the recheck has renewed.

    ``rows`` does not show for certain which pages were missing before, because a killed worker may already have renewed
    the rows. So the stored list is used for this.
    """
    known = pages.load_missing(header.site_id, crawl_id)
    listed = {one.missing.url for one in known or ()}
    if {LISTED_BY, LINKED_BY}.isdisjoint(affected) and not any(
        row.status in GONE or row.url in listed for row in renewed
    ):
        return
    now = {**rows, **{row.url: row for row in renewed}}
    keep(header, crawl_id, host, home, list(now.values()), affected, known)
