"""Ends a batch in one transaction, which also starts all work that follows from the batch."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock, metrics
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue, IssueBook, is_keyword_task, next_status
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.changes.batch import WRITTEN, Batch, Change, ChangeStatus, FileField, job_id
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.domain.readiness.written import ended
from chalicelib.operations import content, index_now, rechecks
from chalicelib.operations.audits import send_slice
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import send_job, tell
from chalicelib.rules.missing_addresses import LINKED_BY
from chalicelib.settings.core import core_settings
from chalicelib.store import changes, crawls, issues, jobs, readiness
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

# The rules that judge a file and need nothing beyond what a recheck reads.
RULES_OF: Final[Mapping[FileField, tuple[str, ...]]] = {
    "llms_txt": ("SEO-AEO-005", "SEO-AEO-006", "SEO-AEO-007"),
    "ai_crawlers": ("SEO-AEO-001", "SEO-AEO-002", "SEO-AEO-003", "SEO-AEO-016"),
}
_COUNTED: Final[Mapping[ChangeStatus, str]] = {
    "applied": "ChangesApplied",
    "not_live": "ChangesNotLive",
    "failed": "ChangesFailed",
    "refused": "ChangesRefused",
}
_log = logging.getLogger(__name__)


class _Following(NamedTuple):
    """What follows for the issue or the file: its writes, and the rechecks to start."""

    writes: list[Write]
    rechecks: list[CrawlHeader]


def end(lease: JobLease, website: Website, batch: Batch, found: Sequence[Change]) -> None:
    """End a batch whose changes are all final, and start the work that follows from it.

    One transaction writes the batch, its issue (or the record of its file's last write), the following rechecks, the
    submission to search engines, the events, and the next batch's job. Raises ``FenceLost``. Raises ``Conflict`` if
    every attempt met a conflict.
    """
    _told(website.id, found)
    waits = True  # whether the next batch's job must still be put into the index
    for _ in tries():
        now, place = clock.now(), changes.place(website.id)
        unseen = _unseen(batch, found)
        after = place.without(batch.id)
        done = msgspec.structs.replace(batch, status="done", ended_at=now, not_live_told=bool(unseen))
        following = (_after_file if batch.is_file else _following)(website, batch, found, now)
        telling = index_now.queued(website, batch.id, found, now)
        writes = [changes.put_place(website.id, after), changes.put_batch(done), *following.writes, *telling.writes]
        if after.running is not None and waits:
            writes.append(jobs.put_back(website.id, job_id(after.running), now))
        teller = BatchEvents(batch, website.host, core_settings().app_root, now)
        events = teller.written(found) + ([teller.not_live(unseen)] if unseen else [])
        try:
            lease.commit(lease.job.done(now), writes, events)
        except Conflict as conflict:
            _log.info("a batch ends again", extra={"batch": batch.id, "of": str(conflict)})
            waits = waits and jobs.WAITING not in conflict.failed  # it is in the index already
            continue
        metrics.put(metrics.WRITES, **_counted(found))
        metrics.use("changes", website.workspace_id, sum(change.status in WRITTEN for change in found))
        for header in following.rechecks:
            send_slice(header)
        if telling.job is not None:
            send_job(telling.job, telling.job.due_at - now)
        if after.running is not None:
            tell(website.id, job_id(after.running), "write")
        return
    raise Conflict({changes.PLACE: None})


def _counted(found: Sequence[Change]) -> dict[str, int]:
    """Count the changes by outcome. The keys are metric names."""
    statuses = Counter(change.status for change in found)
    return {name: statuses[status] for status, name in _COUNTED.items()}


def _told(site_id: str, found: Sequence[Change]) -> None:
    """Add the written values to the stored CMS content. If that content keeps changing, this is skipped: the CMS has
    its own list, and the batch must end."""
    values: dict[tuple[str, str], str | None] = {
        (change.cms_id, change.field): change.value or None
        for change in found
        if change.status in WRITTEN and change.cms_id and change.key is None
    }
    try:
        if values:
            content.written(site_id, values)
    except Refused:
        _log.warning("the stored content was not updated with the written values", extra={"siteId": site_id})


def _unseen(batch: Batch, found: Sequence[Change]) -> list[Change]:
    """Return the changes that the live website did not show after the write, for a batch without an issue.
    Without an issue, no recheck checks these changes again. Returns none for an undo, since it causes no event."""
    if batch.issue_id is not None or batch.kind == "undo":
        return []
    return [change for change in found if change.status == "not_live"]


def _after_file(website: Website, batch: Batch, found: Sequence[Change], now: float) -> _Following:
    """Return the file's updated last write, and rechecks of the issues that judge the file. A write may bring a
    resolved issue back, for example by removing llms.txt."""
    field: FileField = batch.field  # type: ignore[assignment]  # of a file
    last = readiness.load_last(website.id, field)
    writes: list[Write] = []
    if last is not None:
        writes += [readiness.put_last(website.id, ended(last, batch, change)) for change in found]
    book = issues.load_state(website.id)
    if book is None or not any(change.status in WRITTEN for change in found):
        return _Following(writes, [])
    headers = []
    after = book
    for rule_id in RULES_OF[field]:
        issue = after.by_id(ids.issue_id(website.id, rule_id))
        header, moved = (None, None) if issue is None else _recheck(website, batch, issue, now)
        if header is not None and moved is not None:
            headers.append(header)
            after = after.with_issue(moved)
    if headers:
        writes.append(issues.put_state(website.id, after, replaces=book.version))
    return _Following([*writes, *map(crawls.put_new, headers)], headers)


def _following(website: Website, batch: Batch, found: Sequence[Change], now: float) -> _Following:
    book = issues.load_state(website.id)
    if book is None:
        return _Following([], [])
    after, headers = book, []
    written = any(change.status in WRITTEN for change in found)
    for issue in _judging(website.id, book, batch):
        header, moved = _recheck(website, batch, issue, now) if written else (None, _nothing_written(issue, batch))
        headers += [] if header is None else [header]
        after = after if moved == issue else after.with_issue(moved)
    if after is book:
        return _Following([], [])
    return _Following(
        [issues.put_state(website.id, after, replaces=book.version), *map(crawls.put_new, headers)], headers
    )


def _judging(site_id: str, book: IssueBook, batch: Batch) -> list[Issue]:
    """Return the issues to recheck: the batch's own and, for redirects, the issue that lists pages with links to the
    redirected addresses. An undo of redirects may bring that issue back if it was resolved."""
    own = book.by_id(batch.issue_id or "")
    linked = book.by_id(ids.issue_id(site_id, LINKED_BY)) if batch.field == "redirect" else None
    returns = linked is not None and linked.status == "resolved" and batch.kind == "undo"
    if linked is not None and rechecks.reason_against(linked) is not None and not returns:
        linked = None
    return [issue for issue in (own, linked) if issue is not None]


def _recheck(website: Website, batch: Batch, issue: Issue, now: float) -> tuple[CrawlHeader | None, Issue]:
    """Return the recheck that follows, and the issue with the recheck pending. Returns no recheck if one is queued
    already, or if the issue cannot be rechecked.
    A running recheck may have read the pages before the write, so its result is discarded."""
    undo = batch.id if batch.kind == "undo" and not batch.is_file else None
    resolved = issue.status == "resolved" and not is_keyword_task(issue.rule_id)
    returns = resolved and (undo is not None or batch.is_file)
    if rechecks.reason_against(issue) is not None and not returns:
        return None, issue
    if issue.pending_recheck is not None and undo is None:
        waiting = crawls.get(website.id, issue.pending_recheck)
        if waiting is not None and waiting.status == "queued":
            return None, issue
    batch_id = batch.id if returns else undo
    return rechecks.queued(website, issue, person_id=batch.approved_by, now=now, batch_id=batch_id)


def _nothing_written(issue: Issue, batch: Batch) -> Issue:
    """Return the issue after a batch of which nothing was written. The issue opens again, unless a later batch was
    approved for it."""
    if batch.kind == "undo" or issue.change_batch != batch.id:
        return issue
    status = next_status(issue.status, "nothing_written", "write")
    return issue if status is None else msgspec.structs.replace(issue, status=status)
