"""Making speed tests, and storing what they found: what all jobs of the queue ``agentic`` that test share."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from chalicelib import clock
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

LEASE_SECONDS: Final = 600.0  # a worker that gave no sign of life for so long is gone
_TRIES: Final = 10


class Tested(NamedTuple):
    """A test that was made: its report, or how it failed."""

    test: Test
    report: SpeedReport | None
    error: OutsideError | None


class Ending(NamedTuple):
    """What becomes of a job after a test: its next state, the re-run that waits no longer, and events."""

    job: Job
    run_ended: str | None = None
    events: Sequence[Event] = ()


def make(tester: SpeedTester, tests: Sequence[Test]) -> list[Tested]:
    """Make the tests, at once. Raises what is no failure of the outside system."""
    with ThreadPoolExecutor(len(tests)) as threads:
        return list(threads.map(lambda test: _made(tester, test), tests))


def _made(tester: SpeedTester, test: Test) -> Tested:
    try:
        return Tested(test, tester.run(*test), None)
    except OutsideError as error:
        return Tested(test, None, error)


def template_of(website: Website, url: str) -> str | None:
    """The template of a published page; None where the address is none."""
    summary = website.summary
    if summary is None:
        return None
    generation = summary.generation
    row = pages.load_row(website.id, generation.crawl_id, generation.partitions, page_id(website.id, url))
    return None if row is None else row.template


def store(lease: JobLease, website: Website, tested: Tested, end: Callable[[SpeedResult | None], Ending]) -> None:
    """Commit what a test came to together with what becomes of its job.

    ``end`` says that, of the result; of a test that failed there is none. Raises ``FenceLost``, and ``Conflict`` where
    others are quicker again and again.
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
            return
        except Conflict:
            if attempt == _TRIES - 1:
                raise
