"""The end of a batch: one transaction with everything that follows from it."""

import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib import clock
from chalicelib.domain.audit.issues import Issue, next_status
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.changes.batch import WRITTEN, Batch, Change
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.operations import content, rechecks
from chalicelib.operations.audits import send_slice
from chalicelib.operations.changes import job_id
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import tell
from chalicelib.rules.keywords import is_keyword_task
from chalicelib.settings.core import core_settings
from chalicelib.store import changes, crawls, issues, jobs
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

TRIES: Final = 20
_log = logging.getLogger(__name__)


class _Following(NamedTuple):
    """What becomes of the issue: its writes, and the recheck that follows."""

    writes: list[Write]
    recheck: CrawlHeader | None


def end(lease: JobLease, website: Website, batch: Batch, found: Sequence[Change]) -> None:
    """End a batch whose changes are all final: the batch, its issue, a recheck, the events, and the next batch.

    Raises ``FenceLost``, and ``Conflict`` where others were quicker each time.
    """
    _told(website.id, found)
    waits = True  # the next batch's job
    for _ in range(TRIES):
        now, place = clock.now(), changes.place(website.id)
        after, done = place.without_running(), msgspec.structs.replace(batch, status="done", ended_at=now)
        following = _following(website, batch, found, now)
        writes = [changes.put_place(website.id, after), changes.put_batch(done), *following.writes]
        if after.running is not None and waits:
            writes.append(jobs.put_back(website.id, job_id(after.running), now))
        events = BatchEvents(batch, website.host, core_settings().app_url, now).written(found)
        try:
            lease.commit(lease.job.done(now), writes, events)
        except Conflict as conflict:
            _log.info("a batch ends again", extra={"batch": batch.id, "of": str(conflict)})
            waits = waits and jobs.WAITING not in conflict.failed  # it stands in the index already
            continue
        if following.recheck is not None:
            send_slice(following.recheck)
        if after.running is not None:
            tell(website.id, job_id(after.running), "write")
        return
    raise Conflict({changes.PLACE: None})


def _told(site_id: str, found: Sequence[Change]) -> None:
    """What is known of the CMS's content, with what it has written. Its own list is kept by the CMS, and it is no use
    to end no batch because that list keeps changing."""
    values = {change.target: change.value or None for change in found if change.status in WRITTEN}
    try:
        if values:
            content.written(site_id, values)
    except Refused:
        _log.warning("the content does not show what was written", extra={"siteId": site_id})


def _following(website: Website, batch: Batch, found: Sequence[Change], now: float) -> _Following:
    book = issues.load_state(website.id)
    issue = book.by_id(batch.issue_id) if book is not None else None
    if book is None or issue is None:
        return _Following([], None)
    header = None
    if any(change.status in WRITTEN for change in found):
        header, moved = _recheck(website, batch, issue, now)
    else:
        moved = _nothing_written(issue, batch)
    if moved == issue:
        return _Following([], None)
    state = issues.put_state(website.id, book.with_issue(moved), replaces=book.version)
    return _Following([state] if header is None else [state, crawls.put_new(header)], header)


def _recheck(website: Website, batch: Batch, issue: Issue, now: float) -> tuple[CrawlHeader | None, Issue]:
    """The recheck that follows, and the issue as it waits for it. One that has not begun yet will do; one that runs may
    have read the pages before they were written, and comes to nothing."""
    undo = batch.id if batch.kind == "undo" else None
    returns = undo is not None and issue.status == "resolved" and not is_keyword_task(issue.rule_id)
    if rechecks.reason_against(issue) is not None and not returns:
        return None, issue
    if issue.pending_recheck is not None and undo is None:
        waiting = crawls.get(website.id, issue.pending_recheck)
        if waiting is not None and waiting.status == "queued":
            return None, issue
    return rechecks.queued(website, issue, person_id=batch.approved_by, now=now, batch_id=undo)


def _nothing_written(issue: Issue, batch: Batch) -> Issue:
    """The issue of which nothing was written opens again, unless more was approved for it since."""
    if batch.kind == "undo" or issue.change_batch != batch.id:
        return issue
    status = next_status(issue.status, "nothing_written", "write")
    return issue if status is None else msgspec.structs.replace(issue, status=status)
