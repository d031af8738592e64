"""Makes the speed tests that a recheck waits for. They test the pages that the recheck's issue lists, with a simulated
phone.

The job tests as many pages as the day's budget and the recheck's waiting time allow. The transaction that ends the job
also makes the recheck due.

Failure policy
- Killed at any point: see ``series``. The recheck starts at the end of its waiting time at the latest, with the tests
  made by then.
- Killed after the job's end: the recheck is due, and the sweeper sends its message again.
- The recheck no longer exists, has begun or was cancelled: the remaining tests are given back to the budget.
"""

from typing import Final

import msgspec

from chalicelib import clock
from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain import plans
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.speed.retests import retests_of, runs_needed, to_test
from chalicelib.operations.audits import send_slice
from chalicelib.operations.readiness import home_of
from chalicelib.rules import registry
from chalicelib.rules.model import Rule
from chalicelib.store import crawls, issues, speed, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.speed import series
from chalicelib.workers.speed.series import Series

MARGIN_SECONDS: Final = 120.0  # seconds without new tests before the recheck starts, so that running tests can end
NO_BUDGET: Final = "today's speed tests are used up"
NO_TIME: Final = "there was no time for more speed tests"
_TRIES: Final = 5


def run(lease: JobLease) -> None:
    """Make the tests until the time is up, then let the recheck start. Raises ``FenceLost``."""
    job, nothing = lease.job, Series(left=(), taken_at=clock.now())
    website = websites.get(job.workspace_id, job.site_id)
    header = crawls.get(job.site_id, job.payload["crawlId"])
    if website is None or header is None or header.status != "queued" or header.cancel_requested:
        _end(lease, series.of(job) or nothing, None)
        return
    if series.of(job) is None:
        reason = _begin(lease, website, header)
        if reason is not None:
            _end(lease, msgspec.structs.replace(nothing, problem=reason), header)
            return
    made = series.work(lease, website, until=header.due_at - MARGIN_SECONDS)
    if made is not None:
        if made.left and not (made.over or made.waits):
            made = msgspec.structs.replace(made, problem=NO_TIME)
        _end(lease, made, header)


def give_up(lease: JobLease) -> None:
    """Skip the tests in progress, because workers died repeatedly during these tests. Raises ``FenceLost``."""
    series.skip(lease)


def _begin(lease: JobLease, website: Website, header: CrawlHeader) -> str | None:
    """Choose the tests. Returns why there are none, in words; "" if no test is needed."""
    book = issues.load_state(website.id)
    issue = None if book is None else book.by_id(header.issue_id or "")
    rule = None if issue is None else registry.BY_ID.get(issue.rule_id)
    if issue is None or rule is None:
        return ""
    urls = _pages(rule, website) or to_test(issues.load_affected(website.id, issue))
    if not urls:
        return ""
    try:
        speed_tests.connected()
    except NotConnected as error:
        return error.message
    _, workspace = websites.get_with_workspace(website.workspace_id, website.id)
    per_day = plans.plan(workspace.plan).speed_tests_per_day
    runs = runs_needed(rule.needs)
    for _ in range(_TRIES):
        state = speed.load_state(website.id)
        left = state.budget(per_day, clock.now()).left
        tests = retests_of(urls, runs, left)
        if not tests:
            return NO_BUDGET
        shortage = None
        if len(tests) < runs * len(urls):
            shortage = NO_BUDGET if left < runs * len(urls) else NO_TIME
        try:
            series.begin(lease, state, tests, problem=shortage)
            return None
        except Conflict:
            continue
    return NO_TIME


def _pages(rule: Rule, website: Website) -> list[str]:
    """Return the page that represents the whole website, for a rule about the whole website."""
    return [home_of(website)] if rule.scope == "site" else []


def _end(lease: JobLease, made: Series, header: CrawlHeader | None) -> None:
    """End the job. ``header``: the recheck that waits for the job, or None."""
    now = clock.now()
    job = lease.job.done(now, made.problem or None)
    if header is not None:
        try:
            series.end(lease, made, job, [crawls.due_now(header, now)])
        except Conflict as conflict:
            if crawls.HEADER not in conflict.failed:
                raise
            header = None  # the recheck has begun or was cancelled meanwhile
    if header is None:
        series.end(lease, made, job)
    else:
        send_slice(header)
