"""Queues rechecks of one issue. A person or a key requests a recheck; it starts when the website's crawl lock is free.

If a rule uses speed tests, the pages of its issue are tested again before the recheck. The recheck waits for these
tests, at most twelve minutes, and does not hold the lock meanwhile.
"""

from typing import Final

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue, IssueBook, is_keyword_task, next_status
from chalicelib.domain.audit.recheck import why_not
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.retests import needs_tests
from chalicelib.operations.audits import send_slice
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import send_job
from chalicelib.randomness import random_bytes
from chalicelib.rules.model import Rule
from chalicelib.store import crawls, issues, jobs
from chalicelib.store.context import request_id
from chalicelib.store.transactions import Conflict, commit
from chalicelib.store.websites import Website

TIME_LIMIT_MINUTES = 15
TESTS_SECONDS: Final = 720.0  # how long a recheck waits for speed tests


def start(
    website: Website, issue_id: str, *, person_id: str | None, now: float, book: IssueBook | None = None
) -> CrawlHeader:
    """Queue a recheck of an issue of the website. The recheck waits while another crawl holds the website's crawl lock.

    ``book``: the issues as the caller has just read them; None reads them here. Refused: ``not_found``;
    ``already_queued`` (a recheck of this issue waits or runs); ``cannot_recheck`` with the reason in words; ``busy``.
    One transaction, one queue message.
    """
    for _ in tries():
        book = book or issues.load_state(website.id)
        issue = book.by_id(issue_id) if book is not None else None
        if book is None or issue is None:
            raise Refused("not_found", "The website has no such issue.")
        reason = reason_against(issue)
        if reason is not None:
            raise Refused("cannot_recheck", reason)
        if issue.pending_recheck is not None:
            raise Refused("already_queued", "A recheck of this issue is already queued or running.")
        header, waiting = queued(website, issue, person_id=person_id, now=now)
        tests = _tests(header, issue)
        if tests is not None:
            header = msgspec.structs.replace(header, due_at=now + TESTS_SECONDS)
        try:
            commit(
                [
                    issues.put_state(website.id, book.with_issue(waiting), replaces=book.version),
                    crawls.put_new(header),
                    *([] if tests is None else [jobs.put_new(tests)]),
                ]
            )
        except Conflict:
            book = None
            continue
        if tests is None:
            send_slice(header)
        else:
            send_job(tests)
        return header
    raise Refused("busy", "The website's issues keep changing; try again in a moment.")


def tests_job_id(crawl_id: str) -> str:
    """Return the id of the job that makes the speed tests for a recheck."""
    return f"speed_recheck.{crawl_id}"


def _tests(header: CrawlHeader, issue: Issue) -> Job | None:
    """Make the job with the speed tests for which the recheck waits. Returns None if the rule needs no tests."""
    rule = _rule(issue)
    if rule is None or not needs_tests(rule.needs):
        return None
    return Job(
        id=tests_job_id(header.id),
        kind="speed_recheck",
        site_id=header.site_id,
        workspace_id=header.workspace_id,
        queued_at=header.queued_at,
        due_at=header.queued_at,
        payload={"crawlId": header.id},
    )


def _rule(issue: Issue) -> Rule | None:
    # The registry imports every rule, so only requests about rechecks load it.
    from chalicelib.rules import registry

    return registry.BY_ID.get(issue.rule_id)


def reason_against(issue: Issue) -> str | None:
    """Return why the issue cannot be rechecked, in words. Returns None if it can."""
    rule = _rule(issue)
    return why_not(
        issue, keyword_task=is_keyword_task(issue.rule_id), site_rule=rule is not None and rule.scope == "site"
    )


def queued(
    website: Website, issue: Issue, *, person_id: str | None, now: float, batch_id: str | None = None
) -> tuple[CrawlHeader, Issue]:
    """Make a recheck of the issue. Returns the recheck and the changed issue, in which ``pending_recheck`` is the id of
    the recheck. Commit both in one transaction, then call ``send_slice``.

    ``batch_id``: the undo that caused the recheck, or None. An undo may reopen a resolved issue."""
    header = CrawlHeader(
        id=ids.time_ordered("crawl", now, random_bytes(10)),
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="recheck",
        status="queued",
        stage="queued",
        queued_at=now,
        page_budget=issue.affected_pages,
        time_limit_minutes=TIME_LIMIT_MINUTES,
        person_id=person_id,
        issue_id=issue.id,
        batch_id=batch_id,
        request_id=request_id.get(),
    )
    status = next_status(issue.status, "recheck_requested", "key") or issue.status
    return header, msgspec.structs.replace(issue, status=status, pending_recheck=header.id)


def send_waiting(site_id: str) -> None:
    """Send a message for the recheck that has waited longest. Call this when the website's crawl lock has become
    free."""
    waiting = crawls.oldest_waiting_recheck(site_id)
    if waiting is not None:
        send_slice(waiting)
