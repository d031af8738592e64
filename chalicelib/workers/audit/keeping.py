"""Stores a published audit for comparisons and timelines, separately from the published pages.

For each audit, it stores a record (the kept header), and of each page the values that comparisons need (the kept
pages). The kept pages are written in blocks under the audit's id. Nothing refers to these blocks until the audit is
published. After a crash, the next worker writes the same blocks. The transaction that publishes the audit also stores
the kept header, which contains the score, and the changes since the previous audit. The changes are computed only once,
since screens show them often.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from chalicelib.domain.audit.difference import KeptDifference, difference
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleOutcome
from chalicelib.domain.audit.kept import (
    PAGES_SECONDS,
    KeptAudit,
    KeptPage,
    KeptSpeed,
    kept_issues,
    kept_pages,
    texts_of,
)
from chalicelib.domain.audit.records import CrawlHeader, PageRow
from chalicelib.domain.audit.summary import CurrentScore
from chalicelib.domain.audit.watched import Access, Look, Watched, chosen, look_at_crawlers, look_at_pages
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.speed.measured import kept_speed
from chalicelib.rules.judging import Judgement
from chalicelib.store import blocks, kept_audits, speed, watched
from chalicelib.store.websites import Website


def speed_now(site_id: str) -> KeptSpeed | None:
    """Return the website's speed at the audit's end. This takes one round trip to the store."""
    known = speed.load(site_id)
    return kept_speed(known.results, known.field.book, known.state.measured)


def watched_now(website: Website, judgement: Judgement) -> Look:
    """Return the values of the watched pages, the verdicts on crawlers, and what has changed since the last audit. This
    takes one round trip to the store.

    If the audit could read little of the website, a firewall may have answered instead. In this case, no changes of
    pages are returned.
    """
    before = watched.load(website.id)
    readiness = judgement.readiness
    access = {} if readiness is None else {one.bot: Access(one.allowed, one.line) for one in readiness.crawlers}
    crawlers, crawler_moves = look_at_crawlers(before.crawlers, access)
    if judgement.understood.little or not judgement.read_any:
        return Look(Watched(before.pages, crawlers), (), crawler_moves)
    rows = chosen(judgement.rows, judgement.home_url, judgement.search, website.watched_pages or ())
    pages, page_moves = look_at_pages(before.pages, rows, judgement.texts)
    return Look(Watched(pages, crawlers), page_moves, crawler_moves)


def watched_again(site_id: str, read: Iterable[tuple[PageRow, PageFacts]]) -> Look:
    """Return the values of the watched pages after an alert that ``read`` some of them, and what has changed.

    Other pages keep their values. This takes one round trip to the store.
    """
    before = watched.load(site_id)
    of_watched = [(row, facts) for row, facts in read if row.id in before.pages]
    texts = {row.id: texts_of(facts, None) for row, facts in of_watched}
    pages, moves = look_at_pages(before.pages, [row for row, _ in of_watched], texts)
    return Look(Watched({**before.pages, **pages}, before.crawlers), moves)


class Before(NamedTuple):
    """The stored record of the previous audit, and its stored pages. ``pages``: None if they were not stored, or have
    expired."""

    audit: KeptAudit
    pages: Sequence[KeptPage] | None


def before(header: CrawlHeader) -> Before | None:
    """Load the previous audit, to compare this audit with it.

    This takes three round trips to the store, plus one for each further 100 blocks of pages.
    """
    audit_id = kept_audits.before(header.site_id, header.id)
    audit = None if audit_id is None else kept_audits.load(header.site_id, [audit_id]).get(audit_id)
    if audit is None:
        return None
    (pages,) = kept_audits.load_pages(header.site_id, [audit])
    return Before(audit, pages)


def since(before: Before | None, kept: KeptAudit, pages: Sequence[KeptPage]) -> KeptDifference | None:
    """Return the changes from the previous audit to this one. ``pages``: all pages of this audit."""
    if before is None:
        return None
    own = None if kept.partitions is None else pages
    return KeptDifference(before.audit.id, difference(before.audit, kept, before.pages, own))


def pages_of(
    header: CrawlHeader, judgement: Judgement, rows: Sequence[PageRow], outcomes: Sequence[RuleOutcome]
) -> list[KeptPage]:
    """Return the kept pages of an audit: the values of its pages that comparisons need."""
    affected = {one.rule_id: one.affected for one in outcomes if one.judged and one.affected}
    scopes = {one.rule_id: one.ignored.scope for one in outcomes if one.ignored is not None and one.ignored.scope}
    return kept_pages(header.id, rows, judgement.texts, affected, scopes)


def keep_pages(
    header: CrawlHeader, pages: Sequence[KeptPage], now: float, seconds: float = PAGES_SECONDS
) -> int | None:
    """Store the pages of an audit. They expire after ``seconds``. Returns the number of their blocks, or None if there
    are too many pages to store."""
    writes, partitions = kept_audits.pages_writes(header.site_id, header.id, pages, now + seconds)
    blocks.write(writes)
    return partitions


def kept(
    header: CrawlHeader,
    judgement: Judgement,
    book: IssueBook,
    merged: Sequence[Issue],
    outcomes: Sequence[RuleOutcome],
    score: CurrentScore | None,
    partitions: int | None,
    measured: KeptSpeed | None,
) -> KeptAudit:
    """Make the record of an audit that is kept for comparisons (the kept header).

    - ``header``: the header after the audit's end.
    - ``merged``: the issues after the audit.
    """
    assert header.finished_at is not None
    readiness = judgement.readiness
    return KeptAudit(
        id=header.id,
        status=header.status,
        started_at=header.started_at,
        finished_at=header.finished_at,
        pages_crawled=header.pages_crawled,
        partial_reason=header.partial_reason,
        ruleset=book.ruleset,
        score=None if score is None else score.entry,
        categories=[] if score is None else score.categories,
        losses=None if score is None else score.losses,
        counts=book.counts,
        issues=kept_issues(merged, frozenset(one.rule_id for one in outcomes if not one.judged)),
        partitions=partitions,
        robots=judgement.robots,
        crawlers=None if readiness is None else {one.bot: one.allowed for one in readiness.crawlers},
        speed=measured,
        asked=header.asked_pages or None,
    )
