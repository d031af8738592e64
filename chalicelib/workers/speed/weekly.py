"""Makes the weekly tests in the hours before a website's audit: of pages that were found slow, the home page, and one
page of each template: the page with most search visitors or, without search data, with most links.

One transaction chooses the tests and charges them to the day's budget. The tests use at most half of the budget. They
are made two at a time. Each result is committed together with the list of the remaining tests.

Failure policy
- Killed before the tests were chosen: nothing was written, and another worker chooses.
- Killed while pages are tested: committed results stay, and nothing is charged to the budget again. After ten minutes
  the next worker continues with the tests without a result. If workers died three times, the two tests in progress are
  skipped.
- A page cannot be tested: it is skipped.
- The provider has no quota: it is asked again every ten minutes for an hour.
- The provider has no quota after that hour, or does not answer three times in a row: the week's tests end. The
  remaining tests are given back to the budget.
- At the end, results of addresses that left the website 13 weeks ago are removed, block by block. If some remain, they
  are removed next week.
"""

import logging
from collections.abc import Sequence
from typing import Final

from chalicelib import clock
from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain import plans
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.speed.choosing import Test, weekly_tests
from chalicelib.domain.speed.records import KEPT_SECONDS
from chalicelib.domain.speed.retests import needs_tests
from chalicelib.domain.speed.times import next_tests
from chalicelib.operations import search
from chalicelib.operations.readiness import home_of
from chalicelib.rules import registry
from chalicelib.store import pages, speed, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.search import Moved
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.speed import series
from chalicelib.workers.speed.rerun import GONE

NOTHING_LEFT: Final = "The day's speed tests were used up before the weekly ones."
_TRIES: Final = 5

_log = logging.getLogger(__name__)


def run(lease: JobLease) -> None:
    """Choose the week's tests if they are not chosen yet, and make them until the time is up. Raises ``FenceLost``."""
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    if website is None:
        lease.commit(job.done(clock.now(), GONE), [])
        return
    if series.of(job) is None:
        reason = _begin(lease, website)
        if reason is not None:
            _until_next_week(lease, website, series.Series(left=(), taken_at=clock.now(), problem=reason))
            return
    made = series.work(lease, website)
    if made is not None:
        _forget_what_left(website)
        _until_next_week(lease, website, made)


def give_up(lease: JobLease) -> None:
    """Skip the tests in progress, because workers died repeatedly during these tests. Raises ``FenceLost``."""
    series.skip(lease)


def _begin(lease: JobLease, website: Website) -> str | None:
    """Choose the tests. Returns why there are none, in words; "" if that is normal."""
    if website.status == "paused":
        return ""
    try:
        speed_tests.connected()
    except NotConnected as error:
        return error.message
    _, workspace = websites.get_with_workspace(website.workspace_id, website.id)
    per_day = plans.plan(workspace.plan).speed_tests_per_day
    for _ in range(_TRIES):
        state = speed.load_state(website.id)
        most = min(per_day // 2, state.budget(per_day, clock.now()).left)
        tests = _chosen(website, most)
        if not tests:
            return NOTHING_LEFT
        try:
            series.begin(lease, state, tests)
            return None
        except Conflict:
            continue
    return NOTHING_LEFT


def _chosen(website: Website, most: int) -> list[Test]:
    summary = website.summary
    rows = [] if summary is None else pages.load_list(website.id, summary.generation.crawl_id)
    clicks, listed = _clicks(website, rows), _listed(website.id, rows)
    return weekly_tests(home_of(website), rows, most=most, clicks=clicks, listed=listed)


def _listed(site_id: str, rows: Sequence[PageRow]) -> dict[str, float]:
    """Return the pages that speed rules list, each with the time of its last test on a phone (epoch seconds; 0 for
    never)."""
    tested = {one.url: one.tested_at for one in speed.load(site_id).results if one.strategy == "mobile"}
    judged = {rule.id for rule in registry.RULES if needs_tests(rule.needs)}
    return {row.url: tested.get(row.url, 0.0) for row in rows if not judged.isdisjoint(row.rules)}


def _clicks(website: Website, rows: Sequence[PageRow]) -> dict[str, int] | None:
    """Return the search clicks of the published pages in 28 days. Returns None if they are unknown, or if imports keep
    replacing them.
    Without clicks, links decide which pages matter most."""
    try:
        searched = search.of_pages(website.id, website.host, {row.url: None for row in rows})
    except Moved:
        return None
    return None if searched is None else {url: figures.clicks for url, figures in searched.items()}


def _until_next_week(lease: JobLease, website: Website, made: series.Series) -> None:
    now = clock.now()
    if made.problem:
        _log.warning("weekly speed tests", extra={"siteId": lease.job.site_id, "error": made.problem})
    job = lease.job.goes_on(next_tests(website.id, now, website.weekly_hour), error=made.problem or None, series=None)
    series.end(lease, made, job)


def _forget_what_left(website: Website) -> None:
    """Remove the results of addresses that are no published page any more and were not tested for 13 weeks."""
    summary = website.summary
    if summary is None:
        return
    rows = pages.load_list(website.id, summary.generation.crawl_id)
    published = {row.url for row in rows if row.status == 200}
    before = clock.now() - KEPT_SECONDS
    for block in speed.load(website.id).blocks:
        kept = [one for one in block.results.values() if one.url in published or one.tested_at >= before]
        if len(kept) < len(block.results):
            try:
                commit([speed.put_results(website.id, block, kept)])
            except Conflict:
                _log.info(
                    "a new speed result was stored while old ones were being removed", extra={"siteId": website.id}
                )
