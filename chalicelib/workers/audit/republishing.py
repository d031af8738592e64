"""Publishes the result of a recheck, and ends it.

Failure policy
- The pages' rows and findings are written before the one transaction that ends the recheck (issue, score, lock, header,
  events). After a crash in between, the next worker reads the pages and writes them again.
- Killed after that transaction: the recheck has ended.
- A person changes another issue of the website at the same moment: publishing starts again with the current issues.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from chalicelib import clock, metrics
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issue_log import LogEntry, rechecked
from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue, IssueBook
from chalicelib.domain.audit.publish import ended, score_entry, summary_after_recheck
from chalicelib.domain.audit.recheck import (
    Decision,
    abandoned,
    book_after,
    failed,
    renewed_findings,
)
from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, CrawlStatus, PageRow
from chalicelib.domain.audit.score import Standing
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.webhooks.events import Event
from chalicelib.rules import registry
from chalicelib.rules.model import Rule
from chalicelib.rules.rechecking import JudgedAgain, renewed_rows
from chalicelib.settings.core import core_settings
from chalicelib.store import blocks, crawls, issues, kept_audits, pages, places, websites
from chalicelib.store.places import Freeing
from chalicelib.store.transactions import Conflict, Write, commit
from chalicelib.store.websites import Website
from chalicelib.workers.audit.publishing import TRIES
from chalicelib.workers.audit.verifying import Effect, Looked


@dataclass(frozen=True, slots=True)
class Recheck:
    """A claimed recheck, with its issue and the published data of the website at the time of the claim.

    ``now``: the time of the claim, which is used to judge pages.
    """

    header: CrawlHeader
    website: Website
    summary: SiteSummary
    issue: Issue
    rule: Rule
    now: float

    def still_waited_for(self, issue: Issue) -> bool:
        """Whether the current issue still waits for this recheck.

        The issue no longer waits if a newer batch has requested another recheck, or if an audit or a person has closed
        it. An undo can bring a resolved issue back. So if a batch requested the recheck, a resolved issue still waits.
        """
        statuses = OPEN_STATUSES | ({"resolved"} if self.header.batch_id is not None else set())
        return issue.pending_recheck == self.header.id and issue.status in statuses

    def events(self, now: float) -> CrawlEvents:
        """Make the events that report the end of the recheck. ``now``: the time of its end."""
        return CrawlEvents(
            self.header, self.website.host, core_settings().app_root, now, registry.TITLES_AND_SEVERITIES
        )


def renew_pages(
    recheck: Recheck,
    rows: Mapping[str, PageRow],
    listed: Iterable[AffectedPage],
    judged: JudgedAgain,
    read: Sequence[PageFacts],
) -> dict[str, PageRow]:
    """Store the facts and findings of the listed pages that were ``read``, as part of the published pages. Returns the
    rows that changed, by page id.

    ``rows``: all published pages by address.
    """
    header, generation = recheck.header, recheck.summary.generation
    packed = crawls.pack_facts(read)
    writes, numbers = crawls.facts_writes(header.id, 1, packed), crawls.block_numbers(1, packed)
    blocks.write(writes)
    renewed = renewed_rows(recheck.rule, rows, zip(read, numbers, strict=True), judged, header.id)
    pages.renew(
        header.site_id,
        generation.crawl_id,
        generation.partitions,
        recheck.rule.id,
        rows=renewed,
        findings=renewed_findings(recheck.rule.id, listed, judged.outcomes),
    )
    return renewed


def finish(
    recheck: Recheck,
    decide: Callable[[Issue, float], Decision],
    looks: Callable[[Issue, Effect | None], Looked],
) -> None:
    """End the recheck with its result. Raises ``crawls.FenceLost``.

    - ``decide``: a function that decides the recheck's result, given the current issue and time.
    - ``looks``: a function that checks the written changes of the issue in their current state, given the effect of the
      recheck on the score.
    """
    header = recheck.header
    freeing = places.freeing(recheck.website)
    for _ in range(TRIES):
        book, issue = _current(header)
        if book is None or issue is None or not recheck.still_waited_for(issue):
            end_without_issue(header)
            return
        decision = decide(issue, clock.now())
        chunks = issues.affected_writes(header.site_id, issue.id, header.id, decision.affected)
        blocks.write(chunks)
        decision.issue.affected_chunks = len(chunks)
        log = rechecked(issue, decision.issue)
        try:
            _publish(recheck, book, decision, log, freeing, looks(issue, _effect(book, decision)))
            return
        except Conflict as conflict:
            freeing = freeing_again(conflict, header, freeing)
    raise Conflict({issues.BOOK: None})


def _effect(book: IssueBook, decision: Decision) -> Effect | None:
    """Return the effect of the recheck on the website's score. Returns None without a score.

    Both scores are computed with the current rules: the published one may be of an earlier version.
    """
    before, after = (Standing(registry.shares(of.counts), of.measured) for of in (book, book_after(book, decision)))
    if not before.scored or not after.scored:
        return None
    return Effect(after.score().site_tenths - before.score().site_tenths, decision.resolved)


def _publish(
    recheck: Recheck,
    book: IssueBook,
    decision: Decision,
    log: Sequence[LogEntry],
    freeing: Freeing,
    looked: Looked,
) -> None:
    """Publish the result of the recheck, in one transaction."""
    header, issue = recheck.header, decision.issue
    assert issue.last_recheck is not None
    now = issue.last_recheck.at
    after = book_after(book, decision)
    summary = summary_after_recheck(
        recheck.summary,
        after,
        registry.shares(after.counts),
        registry.is_critical,
        version=registry.SCORE_VERSION,
        now=now,
    )
    done = msgspec.structs.replace(
        ended(header, "done", now),
        pages_crawled=issue.last_recheck.checked,
        issues_found=int(not decision.resolved),
    )
    commit(
        [
            places.free_with_summary(recheck.website, header.id, summary, freeing),
            _header_write(done, header),
            issues.put_state(header.site_id, after, replaces=book.version, log=log),
            *looked.writes,
            *kept_audits.rescored(header.site_id, header.id, "recheck", score_entry(summary)),
            *freeing.writes(clock.now()),
        ],
        [
            *recheck.events(now).of_recheck(issue, recheck.issue, not_live=looked.not_live),
            *looked.events,
        ],
    )
    metrics.use("pages", header.workspace_id, done.pages_crawled)


def fail(recheck: Recheck, reason: str, status: CrawlStatus = "failed") -> None:
    """End a recheck that could not run, or was cancelled. The issue stays unchanged, and shows the reason.

    Raises ``crawls.FenceLost``.
    """
    header = recheck.header
    freeing = places.freeing(recheck.website)
    for _ in range(TRIES):
        book, issue = _current(header)
        if book is None or issue is None or issue.pending_recheck != header.id:
            end_without_issue(header)
            return
        now = clock.now()
        after = failed(issue, crawl_id=header.id, now=now, pages=issue.affected_pages, note=reason)
        log = rechecked(issue, after)
        state = issues.put_state(header.site_id, book.with_issue(after), replaces=book.version, log=log)
        end = msgspec.structs.replace(ended(header, status, now), error=reason)
        try:
            _end(header, end, [state], [recheck.events(now).recheck_failed(after, "error", 0, 0)], freeing)
            return
        except Conflict as conflict:
            freeing = freeing_again(conflict, header, freeing)
    raise Conflict({issues.BOOK: None})


def end_without_issue(header: CrawlHeader) -> None:
    """End a recheck whose issue no longer exists, or was resolved by an audit meanwhile. Nothing is left to check.

    A resolved issue may still name this recheck as pending. This entry is removed.
    """
    website = websites.get(header.workspace_id, header.site_id)
    if website is None:  # the website was removed, with all of its data
        return
    freeing = places.freeing(website)
    for _ in range(TRIES):
        book, issue = _current(header)
        writes: list[Write] = []
        if book is not None and issue is not None and issue.pending_recheck == header.id:
            writes = [issues.put_state(header.site_id, book.with_issue(abandoned(issue)), replaces=book.version)]
        try:
            _end(header, ended(header, "done", clock.now()), writes, [], freeing)
            return
        except Conflict as conflict:
            freeing = freeing_again(conflict, header, freeing)
    raise Conflict({issues.BOOK: None})


def _end(
    header: CrawlHeader, end: CrawlHeader, writes: Sequence[Write], events: Sequence[Event], freeing: Freeing
) -> None:
    """End a recheck that changes no score. One transaction frees the website's crawl lock, and stores the header, the
    ``writes`` and the events."""
    free = places.free(header.workspace_id, header.site_id, header.id, freeing)
    commit([free, _header_write(end, header), *writes, *freeing.writes(clock.now())], events)


def _header_write(end: CrawlHeader, header: CrawlHeader) -> Write:
    return crawls.put_fenced(end, committed_checkpoint=header.checkpoint, heed_cancel=False)


def _current(header: CrawlHeader) -> tuple[IssueBook | None, Issue | None]:
    """Load the website's current issues, and the rechecked issue among them."""
    book = issues.load_state(header.site_id)
    return book, book.by_id(header.issue_id or "") if book is not None else None


def freeing_again(conflict: Conflict, header: CrawlHeader, freeing: Freeing) -> Freeing:
    """Return the data with which to free the website's crawl lock when the transaction is repeated after a conflict.

    Raises ``FenceLost`` if anything other than the issues or the waiting rechecks has changed.
    """
    again = places.freeing_again(conflict, header.site_id, header.id)
    if crawls.HEADER in conflict.failed or (again is None and places.PLACE in conflict.failed):
        raise crawls.FenceLost(header.id) from None
    return again or freeing
