"""Reads, judges and keeps a preview: an audit of an address at which the website is not public yet.

A preview is read slice by slice like an audit (``crawl``), with a fetcher that treats its address as the website. It is
judged together with the issues and pages of the website's last audit, so ignored issues stay ignored. If the preview
did not read a page or cannot measure something, the results of the last audit are used. A preview changes no data of
the website: no issue, score, page or crawl lock. It causes no event.

Failure policy
- When the preview is judged, its pages are stored under its id. The facts that it read are marked for expiry a day
  later. Then one transaction stores the header for comparisons, ends the preview, and deletes its access data. If the
  worker is killed before that, the next worker judges the same facts again, and writes the same blocks. If the worker
  is killed after that, nothing is left to do.
- The website is removed meanwhile: before the removal deletes the preview, it increases the preview's fence, a number
  that a worker's writes must find unchanged. So these writes of a running worker fail. Blocks that the worker wrote
  without this check are marked for expiry.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit import preview
from chalicelib.domain.audit.issues import OPEN_STATUSES, book_after_audit, merge
from chalicelib.domain.audit.publish import counts_by_week, ended
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl.stand_ins import StandIn
from chalicelib.net.guard import Guard
from chalicelib.net.previews import PreviewFetcher
from chalicelib.rules.judging import Judgement
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.store import blocks, crawls, issues, previews, websites
from chalicelib.store.transactions import Conflict, Put, commit
from chalicelib.workers.audit.slices import PlaceLost

ROBOTS_NOTE: Final = "robots.txt and noindex were ignored, and are not judged."


def _place(header: CrawlHeader) -> StandIn:
    assert header.site_origin is not None and header.preview_origin is not None
    return StandIn(header.site_origin, header.preview_origin)


def fetcher(header: CrawlHeader, guard: Guard) -> PreviewFetcher:
    """Make a fetcher that treats the preview as the website. Raises ``AWS_ERRORS`` if its access data cannot be
    decrypted."""
    secret = previews.access(header)

    def access() -> dict[str, str]:
        return {} if secret is None else previews.headers_of(secret)

    return PreviewFetcher(
        guard,
        _place(header),
        access=access,
        ignores_robots=header.ignores_robots,
        user_agent=crawl_settings().user_agent,
        extra_ca_file=network_settings().extra_ca_file,
    )


def said(header: CrawlHeader, text: str) -> str:
    """Return a message about the crawl, for its error or notes. For a preview, the website's addresses in it are
    replaced by those of the preview, which were really requested."""
    return _place(header).named(text) if header.kind == "preview" else text


def publish(header: CrawlHeader, judgement: Judgement, keep_lease: Callable[[], None]) -> CrawlHeader:
    """Store the judged preview, and end it. Returns the header of the ended preview.

    Raises ``PlaceLost``, ``crawls.FenceLost`` and the errors of ``keep_lease``.
    """
    # Imported here, since slices that only read pages do not need the large libraries of the judges.
    from chalicelib.rules import registry
    from chalicelib.rules.outcomes import conclude
    from chalicelib.workers.audit import keeping
    from chalicelib.workers.audit.publishing import doubtful, listed_rows, score_of

    website = websites.get(header.workspace_id, header.site_id)
    if website is None:
        raise PlaceLost(header.id)
    now, before = clock.now(), issues.load_state(header.site_id)
    outcomes, counts, measured = conclude(judgement, before, doubtful(header.site_id, judgement, before))
    issue_ids = {rule.id: ids.issue_id(header.site_id, rule.id) for rule in registry.RULES}
    merged, _ = merge(before, outcomes, issue_ids=issue_ids, crawl_id=header.id, now=now, stored={})
    book = book_after_audit(
        before,
        merged,
        crawl_id=header.id,
        now=now,
        ruleset=registry.RULESET,
        counts=counts,
        measured=measured,
        weeks=counts_by_week(before, now, counts),
    )
    score = score_of(header, website, judgement, book)
    rows = [*judgement.rows, *listed_rows(header.site_id, judgement)]
    pages = keeping.pages_of(header, judgement, rows, outcomes)
    keep_lease()
    _expire(header, keep_lease)
    partitions = keeping.keep_pages(header, pages, now, crawls.PREVIEW_KEPT_SECONDS)
    after = msgspec.structs.replace(
        ended(header, "cancelled" if header.partial_reason == "cancelled" else "done", now),
        coverage=judgement.coverage.sitemap,
        notes=[said(header, note) for note in judgement.notes] + [ROBOTS_NOTE] * header.ignores_robots,
    )
    kept = keeping.kept(after, judgement, book, merged, outcomes, score, partitions, None)
    judged = {one.rule_id for one in outcomes if one.judged}
    kept.counts = {rule_id: count for rule_id, count in kept.counts.items() if rule_id in judged}
    shown, _ = preview.own(kept, pages)
    after.issues_found = sum(issue.status in OPEN_STATUSES for issue in shown.issues)
    return _committed(header, after, previews.keep(header.site_id, kept))


def end(header: CrawlHeader) -> CrawlHeader:
    """End a preview without a result. ``header``: the header with its final status. Raises ``crawls.FenceLost``."""
    _expire(header)
    after = msgspec.structs.replace(header, stage="finished", finished_at=clock.now(), lease_until=0.0)
    return _committed(header, after)


def _committed(header: CrawlHeader, after: CrawlHeader, *also: Put) -> CrawlHeader:
    writes = previews.ended(after, committed_checkpoint=header.checkpoint)
    try:
        commit([*writes, *also])
    except Conflict as conflict:
        raise crawls.why_lost(conflict, header) from None
    return after


def overtaken(header: CrawlHeader) -> None:
    """Clean up after this worker has lost the preview, because another worker has taken it over or the website was
    removed."""
    found = previews.load(header.site_id, header.id)
    if found is None or found.header.ended:
        _expire(header)


def _expire(header: CrawlHeader, keep_lease: Callable[[], None] = lambda: None) -> None:
    """Mark the facts that were read for expiry: nobody reads them once the preview has ended."""
    for key in crawls.block_keys(header.id):
        keep_lease()
        blocks.expire(crawls.TABLE, [key])
