"""Makes speed tests and stores their results. All testing jobs of the queue ``agentic`` use this module."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from chalicelib import clock, metrics
from chalicelib.connectors.errors import OutsideError
from chalicelib.connectors.speed_tests import SpeedTester
from chalicelib.domain.ids import page_id
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.records import SpeedResult, result_after
from chalicelib.domain.speed.report import SpeedReport
from chalicelib.domain.webhooks.events import Event
from chalicelib.store import pages, speed
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

LEASE_SECONDS: Final = 600.0  # a worker that has not renewed its lease for this long is dead
_TRIES: Final = 10


class Tested(NamedTuple):
    """A finished test: its report, or its failure."""

    test: Test
    report: SpeedReport | None
    error: OutsideError | None


class Ending(NamedTuple):
    """The changes to a job after a test: the job's next state, the id of the re-run that ended (if any), and events."""

    job: Job
    run_ended: str | None = None
    events: Sequence[Event] = ()


def make(tester: SpeedTester, tests: Sequence[Test]) -> list[Tested]:
    """Make the tests concurrently. An outside system's failure is part of the result; other errors are raised."""
    with ThreadPoolExecutor(len(tests)) as threads:
        return list(threads.map(lambda test: _made(tester, test), tests))


def _made(tester: SpeedTester, test: Test) -> Tested:
    try:
        return Tested(test, tester.run(*test), None)
    except OutsideError as error:
        return Tested(test, None, error)


def template_of(website: Website, url: str) -> str | None:
    """Return the template of a published page. Returns None if no page has this address."""
    summary = website.summary
    if summary is None:
        return None
    generation = summary.generation
    row = pages.load_row(website.id, generation.crawl_id, generation.partitions, page_id(website.id, url))
    return None if row is None else row.template


def store(lease: JobLease, website: Website, tested: Tested, end: Callable[[SpeedResult | None], Ending]) -> None:
    """Commit the result of a test together with the changes to its job.

    ``end``: a function that makes these changes from the result, or from None after a failed test. Raises
    ``FenceLost``. Raises ``Conflict`` if every attempt to commit met a conflict.
    """
    (url, strategy), report, now = tested.test, tested.report, clock.now()
    if report is not None:
        lease.answered()
    template = None if report is None else template_of(website, url)
    for attempt in range(_TRIES):
        result: SpeedResult | None = None
        writes: list[Write] = []
        state = before = speed.load_state(website.id)
        if report is not None:
            block = speed.load_block(website.id, url)
            known = block.results.get((url, strategy))
            result = result_after(
                known, report, strategy=strategy, url=url, template=template, now=now, measured=state.measured
            )
            writes.append(speed.put_results(website.id, block, {**block.results, result.key: result}.values()))
            state = state.tested(now)
        ending = end(result)
        if ending.run_ended is not None:
            state = state.without_run(ending.run_ended)
        if state != before:
            writes.append(speed.put_state(website.id, state))
        try:
            lease.commit(ending.job, writes, ending.events)
            metrics.use("speed tests", website.workspace_id, 1)
            return
        except Conflict:
            if attempt == _TRIES - 1:
                raise
