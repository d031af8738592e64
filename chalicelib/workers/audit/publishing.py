"""Publishes an audit: one transaction makes all of its results visible.

Failure policy

Blocks of data are written first, under keys with the crawl's id, and nothing points at them. They hold pages, affected
pages, suggestions, targets taken over from the last audit, and pages kept for comparisons. Then one transaction writes
the website's summary, its issues, its readiness for assistants, the record kept for comparisons, the end of the audit
and the events, and frees the crawl lock. Readers see the old generation until this transaction, and the new generation
after it.

If the worker is killed before this transaction, the next worker judges again from the committed facts and writes the
same blocks. If the worker is killed after it, the next worker finds that the audit has ended, and only marks the
replaced data for expiry.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.freshness import stale_inputs
from chalicelib.domain.audit.issue_log import moves
from chalicelib.domain.audit.issues import IssueBook, StoredLists, book_after_audit, merge
from chalicelib.domain.audit.kept import KeptSpeed
from chalicelib.domain.audit.publish import (
    audit_confidence,
    audit_ended,
    audited,
    counts_by_week,
    current_score,
    open_issues,
    score_entry,
    summary_after_audit,
)
from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageRow
from chalicelib.domain.audit.summary import CurrentScore, Generation
from chalicelib.domain.speed.retests import TESTED
from chalicelib.rules import registry
from chalicelib.rules.judging import Judgement, listed_row
from chalicelib.rules.outcomes import conclude, in_doubt, standing
from chalicelib.settings.core import core_settings
from chalicelib.settings.crawl import crawl_settings
from chalicelib.store import (
    blocks,
    crawls,
    generations,
    issues,
    kept_audits,
    places,
    readiness,
    speed,
    targets,
    watched,
    websites,
)
from chalicelib.store.places import Freeing
from chalicelib.store.transactions import Conflict, commit
from chalicelib.store.websites import Website
from chalicelib.workers.audit import keeping, missing_addresses
from chalicelib.workers.audit.slices import PlaceLost
from chalicelib.workers.speed import templates

TRIES = 5  # how often publishing starts over after concurrent changes of the website's issues


def tell_scoring(header: CrawlHeader) -> None:
    """Show readers that the audit has reached the stage of judging and scoring. Raises ``crawls.FenceLost``."""
    try:
        commit([crawls.stage_reached(header, "scoring")])
    except Conflict:
        raise crawls.FenceLost(header.id) from None


def publish(header: CrawlHeader, judgement: Judgement, keep_lease: Callable[[], None]) -> CrawlHeader:
    """Write the blocks, then make everything visible at once. Returns the header of the ended audit.

    ``keep_lease``: a function that renews the lease. It is called repeatedly, and its errors are passed on. Raises
    ``PlaceLost`` and ``crawls.FenceLost``.
    """
    website = websites.get(header.workspace_id, header.site_id)
    if website is None:
        raise PlaceLost(header.id)
    rows = [*judgement.rows, *listed_rows(header.site_id, judgement)]
    generation, stored = generations.write(
        header.site_id,
        header.id,
        rows,
        judgement.verdicts.findings,
        affected=judgement.verdicts.affected,
        suggested=judgement.suggested,
    )
    blocks.write(targets.carried_writes(header.id, judgement.carried_targets))
    if not judgement.inputs.isdisjoint(TESTED):
        named = {row.url: row.template for row in judgement.rows if row.facts_crawl is not None}
        templates.renew(header.site_id, named)
    published = _Published(rows, generation, stored, keeping.speed_now(header.site_id), keeping.before(header))
    freeing = places.freeing(website)
    for _ in range(TRIES):
        keep_lease()
        try:
            return _publish(header, judgement, website, published, freeing)
        except Conflict as conflict:
            again = places.freeing_again(conflict, header.site_id, header.id)
            if again is None and places.PLACE in conflict.failed:
                raise PlaceLost(header.id) from None
            if crawls.HEADER in conflict.failed:
                raise crawls.why_lost(conflict, header) from None
            # A person changed an issue or the website's name meanwhile: merge again with the current state.
            website = websites.get(header.workspace_id, header.site_id) or website
            freeing = again or freeing
    raise Conflict({issues.BOOK: None})


def listed_rows(site_id: str, judgement: Judgement) -> list[PageRow]:
    """Make rows for addresses that an issue still lists, although this audit has no row for them."""
    rows = {row.id for row in judgement.rows}
    book = issues.load_state(site_id)
    conclusion = conclude(judgement, book, doubtful(site_id, judgement, book))
    listed = {
        page.page_id: page.url
        for issue in standing(conclusion, book)
        for page in issues.load_with_ignored(site_id, issue)
        if page.page_id not in rows
    }
    return [listed_row(page_id, url) for page_id, url in sorted(listed.items())]


def doubtful(site_id: str, judgement: Judgement, book: IssueBook | None) -> dict[str, list[AffectedPage]]:
    """Load, by rule id, the pages of issues for which this audit has no finding. The audit may not have read these
    pages."""
    return {issue.rule_id: issues.load_with_ignored(site_id, issue) for issue in in_doubt(judgement, book)}


class _Published(NamedTuple):
    """Data that is the same for each try: the written rows of pages and their generation, the stored lists of issues,
    the website's speed, and the previous audit."""

    rows: Sequence[PageRow]
    generation: Generation
    stored: Mapping[str, StoredLists]
    speed: KeptSpeed | None
    before: keeping.Before | None


def _publish(
    header: CrawlHeader, judgement: Judgement, website: Website, published: _Published, freeing: Freeing
) -> CrawlHeader:
    """Merge the audit with the current state, and commit. Raises ``Conflict`` after a concurrent change."""
    before, now = website.summary, clock.now()
    old_book = issues.load_state(header.site_id)
    outcomes, counts, measured = conclude(judgement, old_book, doubtful(header.site_id, judgement, old_book))
    issue_ids = {rule.id: ids.issue_id(header.site_id, rule.id) for rule in registry.RULES}
    merged, moved = merge(old_book, outcomes, issue_ids=issue_ids, crawl_id=header.id, now=now, stored=published.stored)
    book = book_after_audit(
        old_book,
        merged,
        crawl_id=header.id,
        now=now,
        ruleset=registry.RULESET,
        counts=counts,
        measured=measured,
        weeks=counts_by_week(old_book, now, counts),
    )
    if not judgement.read_any:  # the results of an unread website are no real change
        moved = [move for move in moved if move.kind == "opened"]
    score = score_of(header, website, judgement, book)
    issues_found = len(open_issues(merged))
    after = audit_ended(
        header,
        before,
        now=now,
        coverage=judgement.coverage.sitemap,
        issues_found=issues_found,
        notes=judgement.notes,
    )
    summary = summary_after_audit(
        before,
        after,
        book,
        score,
        published.generation,
        registry.is_critical,
        home_url=judgement.home_url,
        inputs=judgement.inputs,
        notice=judgement.understood.told(crawl_settings().user_agent),
    )
    missing_addresses.keep(
        header,
        header.id,
        judgement.host,
        judgement.home_url or website.url,
        published.rows,
        {outcome.rule_id: outcome.affected for outcome in outcomes if outcome.judged},
    )
    kept_pages = keeping.pages_of(header, judgement, published.rows, outcomes)
    partitions = keeping.keep_pages(header, kept_pages, now)
    kept = keeping.kept(after, judgement, book, merged, outcomes, score, partitions, published.speed)
    since = keeping.since(published.before, kept, kept_pages)
    look = keeping.watched_now(website, judgement)
    events = CrawlEvents(after, judgement.host, core_settings().app_root, now, registry.TITLES_AND_SEVERITIES)
    website_write, *listing = places.published(
        website, header.id, summary, judgement.host, _platform(website, judgement), freeing
    )
    commit(
        [
            website_write,
            issues.put_state(
                header.site_id, book, replaces=book.version - 1, log=moves(old_book, book, now, header.id)
            ),
            crawls.put_fenced(after, committed_checkpoint=header.checkpoint, heed_cancel=False),
            *listing,
            *([] if judgement.readiness is None else [readiness.put(header.site_id, judgement.readiness)]),
            *kept_audits.writes(header.site_id, kept, since),
            watched.put(header.site_id, look.now),
            *freeing.writes(clock.now()),
        ],
        [*events.of_audit(moved, issues_found, audited(before), score_entry(summary)), *events.watched(look)],
    )
    return after


def score_of(header: CrawlHeader, website: Website, judgement: Judgement, book: IssueBook) -> CurrentScore | None:
    """Compute the website's score from its issues and counts after the audit (``book``)."""
    coverage = judgement.coverage.percent
    newest = {
        "search": None if website.search is None else website.search.ends_at,
        "speed": speed.load_state(header.site_id).tested_at,
    }
    stale = stale_inputs(newest, book.computed_at)
    return current_score(
        book,
        registry.shares(book.counts),
        audit_id=header.id,
        version=registry.SCORE_VERSION,
        now=book.computed_at,
        coverage=coverage,
        confidence=audit_confidence(header, coverage, stale, judgement.understood),
    )


def _platform(website: Website, judgement: Judgement) -> str:
    """Return the platform that a person chose, else the platform that the home page reveals."""
    if website.platform == "unknown" and judgement.home_read:
        return judgement.platform or "other"
    return website.platform
