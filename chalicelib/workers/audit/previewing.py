"""The differences of a preview from an audit: it reads an address at which the website is not public yet.

It is read, slice by slice, as an audit is (``crawl``), by a fetcher for which the preview is the website. It is judged
in the light of the website's issues and pages as its last audit left them: ignored issues stay ignored, and what it did
not come to, or cannot measure, counts as that audit had it. Nothing of the website is written: no issue, no score, no
page, no event, and not its crawl lock.

Failure policy
- Once it is judged its pages are kept, under the preview's id, and what was read is marked for expiry a day later; then
  one transaction writes what is kept of it, ends it, and forgets what let it in. Killed before it, the next worker
  judges again, by what was read, and writes the same blocks; killed after it, nothing is left to do.
- The website is removed meanwhile: its removal raises the preview's fence before it deletes it, so that a worker that
  is at it writes nothing more. Such a worker marks unfenced data that it has just written for expiry.
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
    """A fetcher that treats the preview as the website. Raises ``AWS_ERRORS`` if its access data cannot be
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
    """A sentence about the website, about the preview where it was that."""
    return _place(header).named(text) if header.kind == "preview" else text


def publish(header: CrawlHeader, judgement: Judgement, keep_lease: Callable[[], None]) -> CrawlHeader:
    """Keep what was judged, and end the preview. Returns the ended header.

    Raises ``PlaceLost``, ``crawls.FenceLost`` and what ``keep_lease`` raises.
    """
    # As for audits: slices that only read pages do without what judging brings along.
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
    """End a preview without a result. ``header``: with its last status. Raises ``crawls.FenceLost``."""
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
    """The last steps of a worker that has lost the preview to another one, or to the removal of the website."""
    found = previews.load(header.site_id, header.id)
    if found is None or found.header.ended:
        _expire(header)


def _expire(header: CrawlHeader, keep_lease: Callable[[], None] = lambda: None) -> None:
    """Mark what was read for expiry: nobody reads it once the preview has ended."""
    for key in crawls.block_keys(header.id):
        keep_lease()
        blocks.expire(crawls.TABLE, [key])
