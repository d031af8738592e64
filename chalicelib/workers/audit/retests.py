"""Finds pages that were not tested again, although a recheck waited for their speed tests."""

from collections.abc import Iterable
from typing import NamedTuple

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.speed.retests import needs_tests, runs_needed, to_test, was_tested_since
from chalicelib.operations.readiness import home_of
from chalicelib.operations.rechecks import tests_job_id
from chalicelib.rules.wording import counted
from chalicelib.store import jobs, speed
from chalicelib.workers.audit.republishing import Recheck


class Retested(NamedTuple):
    """The listed pages that were not tested again for a rule about speed, and a note that says so."""

    untested: frozenset[str] = frozenset()
    note: str | None = None


def of(recheck: Recheck, listed: Iterable[AffectedPage]) -> Retested:
    """Return the listed pages that have not been tested again since the recheck was queued. ``listed``: the issue's
    pages.

    This makes three calls of the store, or no call if the rule needs no speed tests.
    """
    rule, header = recheck.rule, recheck.header
    if not needs_tests(rule.needs):
        return Retested()
    urls = [home_of(recheck.website)] if rule.scope == "site" else to_test(listed)
    phones = {one.url: one for one in speed.load(header.site_id).results if one.strategy == "mobile"}
    runs = runs_needed(rule.needs)
    untested = frozenset(url for url in urls if not was_tested_since(phones.get(url), runs, header.queued_at))
    if not untested:
        return Retested()
    job = jobs.get(header.site_id, tests_job_id(header.id))
    reason = "" if job is None or not job.error else f" ({job.error.rstrip('.')})"
    were = "was" if len(untested) == 1 else "were"
    they = "it stays" if len(untested) == 1 else "they stay"
    return Retested(
        untested,
        f"{counted(len(untested), 'page')} {were} not tested again{reason}; {they} as the last check saw "
        f"{'it' if len(untested) == 1 else 'them'}.",
    )
