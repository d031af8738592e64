"""The worker of the queues ``recheck`` and ``recheck-slow``: reads the pages of one issue again, and judges them by the
issue's rule only. Alerts use the same queues; the module ``alert`` does their work.

Trigger: a message {workspaceId, siteId, crawlId, slice}, sent when a recheck is requested, when the website's crawl
lock becomes free, and by the sweeper.

Claim: one transaction takes the website's crawl lock, the recheck and a concurrency slot (see ``lease``). While
another crawl holds the lock, the recheck waits. When the lock is freed, the message of the next recheck is sent. The
lease is renewed while pages are read and judged.

Failure policy
- Killed before the end: the pages that were read are not kept. When the lease is over, the next worker reads them
  again.
- Killed while publishing: see ``republishing``.
- Killed after the end: the repeated message starts the next waiting recheck.
- If a recheck is taken over three times without an end, it fails, and the issue says that the recheck could not run.
- A recheck that reads too long in the fast queue releases its worker, and starts again in the slow queue.
"""

import asyncio
import contextlib
from collections.abc import Container, Mapping
from typing import Any

from chalicelib import clock
from chalicelib.domain.audit.ignoring import left
from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.recheck import Decision, Reread, decide, decide_site
from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageRow
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.changes.batch import WRITTEN
from chalicelib.domain.page.facts import PageFacts
from chalicelib.operations.readiness import home_of
from chalicelib.operations.rechecks import send_waiting
from chalicelib.rules import registry
from chalicelib.rules.missing_addresses import LINKED_BY
from chalicelib.rules.model import Rule
from chalicelib.rules.rechecking import PublishedAudit, judge_again, judge_site_again, linking_pages, linking_to
from chalicelib.settings.crawl import crawl_settings
from chalicelib.store import changes, crawl_turns, crawls, issues, pages, places, websites
from chalicelib.store.context import request_id
from chalicelib.store.lanes import LANES, Lane
from chalicelib.store.slots import NoSlot
from chalicelib.store.transactions import Conflict, commit, committed
from chalicelib.workers.audit import alert, learning, missing_addresses, republishing, retests, verifying
from chalicelib.workers.audit.crawl import MARGIN_SECONDS, STALLED_TAKEOVERS, Context
from chalicelib.workers.audit.discovering import WebsiteUnreadable
from chalicelib.workers.audit.inputs import load_beside, load_published
from chalicelib.workers.audit.judging import log_failures
from chalicelib.workers.audit.lease import Lease, Turn, belongs_elsewhere, claim, comes_early, during
from chalicelib.workers.audit.republishing import Recheck
from chalicelib.workers.audit.rereading import read_again
from chalicelib.workers.patience import OutOfPatience

CANCELLED = "The recheck was cancelled."
TRIES = 5  # tries to take the website's crawl lock, if another crawl frees it at the same moment

# Why a rule about the website as a whole could not be judged.
NEEDS_EVERY_PAGE = "This rule judges every page of the website; a recheck reads the home page and the website's files."
NEEDS_EVERY_PAGE += " The issue stays until an audit has read the pages again."
LACKS = "The audit used data that is now missing ({}), so the recheck decided nothing. The issue is unchanged."
DID_NOT_ANSWER = "The home page, or the file that the rule judges, did not answer. The issue is unchanged."


def handle(message: Mapping[str, Any], context: Context) -> None:
    """Run the recheck that the message names. Does nothing if the recheck is not due yet, or has ended."""
    _handle(message, context, LANES["recheck"])


def handle_slow(message: Mapping[str, Any], context: Context) -> None:
    """Run the recheck that the message names. Used for the slow queue, which has the work of websites that do not
    answer in time."""
    _handle(message, context, LANES["recheck-slow"])


def _handle(message: Mapping[str, Any], context: Context, lane: Lane) -> None:
    token = request_id.set(message.get("requestId"))
    try:
        _take(message, context, lane)
    finally:
        request_id.reset(token)


def _take(message: Mapping[str, Any], context: Context, lane: Lane) -> None:
    header, slow = crawl_turns.find(message["siteId"], message["crawlId"], lane)
    if header is None:
        return
    if header.ended:
        if header.alert:
            alert.clean_up(header)
        send_waiting(header.site_id)
        return
    if comes_early(header, lane):
        return
    if belongs_elsewhere(header, lane, slow=slow):
        return
    try:
        turn = _claim(header, lane, slow=slow)
    except NoSlot:
        return
    if turn is None:
        return
    try:
        _do(turn, context)
    except OutOfPatience:
        with contextlib.suppress(crawls.FenceLost):
            turn.give_back()
        return
    send_waiting(header.site_id)


def _do(turn: Turn, context: Context) -> None:
    """Run a claimed recheck or alert. Raises ``OutOfPatience`` in the fast queue."""
    claimed = turn.header
    seconds = min(float(crawl_settings().slice_seconds), context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS)
    if claimed.alert:
        alert.run(turn, clock.monotonic() + seconds)
        return
    recheck = _load(claimed)
    try:
        if recheck is None:
            republishing.end_without_issue(claimed)
        elif claimed.cancel_requested:
            republishing.fail(recheck, CANCELLED, "cancelled")
        elif claimed.stalled >= STALLED_TAKEOVERS:
            republishing.fail(recheck, "The recheck was restarted three times and did not finish.")
        else:
            _run(recheck, clock.monotonic() + seconds, Lease(claimed, turn.watch))
            committed(turn.remembered())
    except crawls.FenceLost:
        return
    except crawls.CancelRequested:
        if recheck is not None:
            republishing.fail(recheck, CANCELLED, "cancelled")
    except WebsiteUnreadable as reason:
        if recheck is not None:
            republishing.fail(recheck, str(reason))


def _claim(header: CrawlHeader, lane: Lane, *, slow: bool) -> Turn | None:
    """Claim the recheck and the website's crawl lock. Returns None if another worker has the recheck, or if the recheck
    must wait for the lock. If the state keeps changing, returns None too: the recheck stays overdue, and is tried again
    within two minutes. Raises ``NoSlot``."""
    for _ in range(TRIES):
        place = places.take_running(header.workspace_id, header.site_id, header.id, header.kind)
        turn = claim(header, lane, place, slow=slow)
        if turn is not None or _waits(header):
            return turn
    return None


def _waits(header: CrawlHeader) -> bool:
    """If another crawl holds the lock, record that the recheck waits. Freeing the lock then sends the recheck again.
    Returns False if the lock has become free at this moment."""
    website = websites.get(header.workspace_id, header.site_id)
    if website is None:
        return True
    if website.place is None:
        return False
    if website.place.crawl_id != header.id:
        waiting_for = places.wait_for(header.workspace_id, header.site_id, website.place.crawl_id)
        try:
            commit([waiting_for, crawls.waits(header)])
        except Conflict:
            return False
    return True


def _load(header: CrawlHeader) -> Recheck | None:
    """Load the recheck of a header. Returns None if the issue no longer waits for the recheck, for example because an
    audit resolved the issue."""
    website = websites.get(header.workspace_id, header.site_id)
    book = issues.load_state(header.site_id)
    issue = book.by_id(header.issue_id or "") if book is not None else None
    summary = website.summary if website is not None else None
    if website is None or summary is None or issue is None:
        return None
    rule = registry.BY_ID.get(issue.rule_id)
    recheck = None if rule is None else Recheck(header, website, summary, issue, rule, clock.now())
    # If an audit resolved the issue meanwhile, or a person ignored it, there is nothing to check.
    return recheck if recheck is not None and recheck.still_waited_for(issue) else None


def _run(recheck: Recheck, stop_at: float, lease: Lease) -> None:
    """Read, judge and publish. ``stop_at``: when reading ends (monotonic seconds).

    Raises ``FenceLost``, ``CancelRequested`` and ``WebsiteUnreadable``.
    """
    header = recheck.header
    rows = {row.url: row for row in pages.load_list(header.site_id, recheck.summary.generation.crawl_id)}
    audit = load_published(header.site_id, recheck.summary, rows, lease.keep)
    beside = load_beside(header.site_id)
    if recheck.rule.scope == "site":
        _run_site(recheck, audit, beside, stop_at, lease)
    else:
        _run_pages(recheck, rows, audit, beside, stop_at, lease)


def _run_pages(
    recheck: Recheck,
    rows: dict[str, PageRow],
    audit: PublishedAudit,
    beside: SiteInputs,
    stop_at: float,
    lease: Lease,
) -> None:
    header, rule = recheck.header, recheck.rule
    whole = issues.load_with_ignored(header.site_id, recheck.issue)
    stored = left(recheck.issue.ignored, whole)
    known = {page.url for page in stored}
    aside = [page for page in whole if page.url not in known]
    candidates = [*stored, *left(recheck.issue.ignored, _taken_back(recheck, known, rows, audit.pages))]
    addresses = [page.url for page in candidates]
    written = verifying.addresses(recheck.issue, header.site_id)
    linking = linking_pages(rule, addresses, audit.pages)
    reading = read_again(
        recheck.website.url,
        header.id,
        addresses,
        written=written,
        linking=linking or (),
        images=rule.asks_images,
        resources=rule.asks_resources,
        published=audit.pages,
        stop_at=stop_at,
        answered=lease.answered,
    )
    fresh = asyncio.run(during(reading, lease.wait))
    retested = retests.of(recheck, stored)
    judged = judge_again(
        rule,
        fresh.site,
        listed=addresses,
        audit=audit,
        fresh=fresh.pages,
        images=fresh.files,
        now=recheck.now,
        beside=beside,
        untested=retested.untested,
    )
    lease.keep()
    learning.keep(header, recheck.summary, audit, fresh.pages, fresh.files)
    log_failures(header.id, judged.failures)
    # A page that an undo wrote is listed if it shows the issue.
    listed = [page for page in candidates if page.url in known or judged.outcomes[page.url].outcome == "present"]
    answering = {url: facts for url, facts in fresh.pages.items() if answered(facts)}
    read = [answering[url] for url in addresses if url in answering]
    renewed = republishing.renew_pages(recheck, rows, listed, judged, read)
    linking_read = None if linking is None else sum(url in answering for url in linking)

    def decided(issue: Issue, now: float) -> Decision:
        return decide(
            issue,
            listed,
            judged.outcomes,
            crawl_id=header.id,
            now=now,
            rows={**rows, **{row.url: row for row in renewed.values()}},
            evidence=judged.evidence,
            searched=judged.searched,
            linking_pages=linking_read,
            lacking=retested.note or _lacking(rule, audit, beside),
            aside=aside,
        )

    missing_addresses.keep_again(
        header,
        recheck.summary.generation.crawl_id,
        recheck.website.host,
        home_of(recheck.website),
        rows,
        list(renewed.values()),
        {rule.id: decided(recheck.issue, clock.now()).affected},
    )
    republishing.finish(
        recheck, decided, lambda issue, effect: verifying.look_again(recheck.website, issue, fresh.pages, effect)
    )


def _taken_back(
    recheck: Recheck, listed: Container[str], rows: Mapping[str, PageRow], audited: Mapping[str, PageFacts]
) -> list[AffectedPage]:
    """Return pages that the issue does not list, but that the undo before this recheck may affect again.

    These are the pages that the undo wrote, and pages that the audit listed together with them, such as copies. For an
    issue of pages with links, they are the pages that link to an address that the undo wrote.
    """
    header, now = recheck.header, int(recheck.now)
    undo = None if header.batch_id is None else changes.load(header.site_id, header.batch_id)
    if undo is None:
        return []
    written = [change.url for change in undo.changes if change.status in WRITTEN]
    of_audit = [one.url for one in issues.load_suggested(header.site_id, recheck.issue)]
    if recheck.issue.rule_id == LINKED_BY:
        written = linking_to(written, audited)
    urls = dict.fromkeys([*written, *of_audit])
    return [AffectedPage(url, rows[url].id, {}, now, now) for url in urls if url not in listed and url in rows]


def _run_site(recheck: Recheck, audit: PublishedAudit, beside: SiteInputs, stop_at: float, lease: Lease) -> None:
    header, rule = recheck.header, recheck.rule
    reading = read_again(
        recheck.website.url,
        header.id,
        (),
        whole=True,
        written=verifying.addresses(recheck.issue, header.site_id),
        linking=(),
        images=False,
        resources=False,
        published=audit.pages,
        stop_at=stop_at,
        answered=lease.answered,
    )
    fresh = asyncio.run(during(reading, lease.wait))
    reread = judge_site_again(
        rule,
        fresh.site,
        audit=audit,
        fresh=fresh.pages,
        now=recheck.now,
        beside=beside,
    )
    lease.keep()
    learning.keep(header, recheck.summary, audit, fresh.pages, fresh.files)
    retested = retests.of(recheck, [])
    if retested.untested:
        reread = Reread("unread", why=retested.note)
    note = NEEDS_EVERY_PAGE if rule.whole_website else _lacking(rule, audit, beside) or reread.why or DID_NOT_ANSWER
    republishing.finish(
        recheck,
        lambda issue, now: decide_site(issue, reread, crawl_id=header.id, now=now, note=note),
        lambda issue, effect: verifying.look_again(recheck.website, issue, fresh.pages, effect),
    )


def _lacking(rule: Rule, audit: PublishedAudit, beside: SiteInputs) -> str | None:
    """Return in words why a rule cannot decide: an input that the audit had is missing now. Returns None if no input is
    missing."""
    lacks = sorted((audit.inputs - beside.names).intersection(rule.needs))
    return LACKS.format(", ".join(lacks)) if lacks else None
