"""Killed at any write, a speed test ends as if nothing had happened: no result twice, no test of the budget lost or
counted twice, one event."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.times import DAY_SECONDS, next_collection, next_tests
from chalicelib.operations import accounts, speed, websites
from chalicelib.store import jobs, rate_limits
from chalicelib.store import speed as store
from chalicelib.store.websites import Website
from chalicelib.workers import agentic, field_data, imports, sweeper
from chalicelib.workers.speed import series
from chalicelib.workers.speed.testing import LEASE_SECONDS
from local import embedded
from tests import aws, webhooks
from tests import speed as made
from tests.api import seed
from tests.crash.crashing import dies_at, killed_at

TURNS = 40
WHEN: tuple[Literal["before", "after"], ...] = ("before", "after")


class House:
    """An audited website with two tested pages, whose provider and visitors answer at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
        self.site: Website = websites.add(OPERATOR, workspace.id, "https://shop.example/")
        _far_from_its_times(self.site.id)
        seed.audited(self.site)
        self.engine = made.engine(monkeypatch)
        self.visitors = made.visitors(monkeypatch, {seed.url(self.site, 0): FieldRecord(True, lcp_ms=1_500.0)})
        monkeypatch.setattr(series, "LAST_START_SECONDS", -1.0)  # each worker makes two tests, and hands on;
        # Whose turn it is hangs on the clock, and leaves nothing but the next one's.
        monkeypatch.setattr(rate_limits, "wait", lambda name, step: None)
        monkeypatch.setattr(field_data, "SLICE_SECONDS", -1.0)  # and asks for the data of one page

    def work(self, done: Callable[[], bool]) -> None:
        """Work the queues until it is done, with the sweeper's help where a message was lost."""
        for _ in range(TURNS):
            if done():
                return
            if made.work("agentic", agentic.handle) + made.work("imports", imports.handle) == 0:
                clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
                sweeper.run()
        raise AssertionError("it does not end")

    def outcome(self) -> dict[str, Any]:
        """Everything that a reader can see, without times and ids that are made at random."""
        known = store.load(self.site.id)
        return {
            "results": sorted((one.key, len(one.runs), one.template) for one in known.results),
            "state": (known.state.used, len(known.state.waiting), known.state.tested_at is not None),
            "field": sorted(known.field.book.pages),
            "jobs": sorted(
                (job.kind, job.ended, job.error, job.lease_until, job.payload)
                for job in jobs.list_all(self.site.id)
                if job.id != seed.RUN
            ),
            "events": [event.fields["status"] for event in webhooks.pending()],
        }


def _far_from_its_times(site_id: str) -> None:
    """Go to a moment half a day before the website's own times of the day and week, which hang on its id: nothing of
    them is to come due while the sweeper is waited for."""
    at = next_collection(site_id, clock.now()) + DAY_SECONDS / 2
    while next_tests(site_id, at) - at < DAY_SECONDS / 2:
        at += DAY_SECONDS
    clock.set_offset(clock.offset() + at - clock.now())


@contextmanager
def house() -> Iterator[House]:
    embedded.clear()
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield House(monkeypatch)


def a_run(site: House) -> Callable[[], bool]:
    job = speed.queue_run(site.site, site.site.url, "mobile", per_day=200, now=clock.now()).job
    return lambda: bool((found := jobs.get(job.site_id, job.id)) and found.ended)


def weekly_tests(site: House) -> Callable[[], bool]:
    speed.begin_tests(OPERATOR, site.site.id, None)
    return _waits(site, "speed_tests")


def field_data_of_a_day(site: House) -> Callable[[], bool]:
    made.stored(site.site.id, [made.result(seed.url(site.site, number), at=5.0) for number in range(2)])
    speed.begin_collecting(OPERATOR, site.site.id)
    return _waits(site, "field_data")


def _waits(site: House, job_id: str) -> Callable[[], bool]:
    def waits() -> bool:
        job = jobs.get(site.site.id, job_id)
        return job is not None and job.slice > 0 and not job.lease_until and job.due_at - clock.now() > 3_600

    return waits


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("work", [a_run, weekly_tests, field_data_of_a_day])
def test_a_worker_killed_at_any_write_gives_the_same_result(
    work: Callable[[House], Callable[[], bool]],
) -> None:
    with house() as site:
        done = work(site)
        with killed_at(None) as counter:
            site.work(done)
        undisturbed, asked = site.outcome(), len(site.engine.made)
    assert counter.operations.count("TransactWriteItems") >= 1
    for number in range(counter.count):
        for when in WHEN:
            with house() as site:
                done = work(site)
                with dies_at(number, when):
                    site.work(done)
                site.work(done)
                assert site.outcome() == undisturbed, (when, number, counter.operations[number])
                assert len(site.engine.made) <= asked + 2, "no test that was committed is made again"


@pytest.mark.usefixtures("store")
def test_a_killed_start_of_a_test_counts_it_once_or_not_at_all() -> None:
    for when in WHEN:
        with house() as site:
            with dies_at(0, when):
                a_run(site)
            state = store.load_state(site.site.id)
            assert (state.used, len(state.waiting)) == ((0, 0) if when == "before" else (1, 1))
            if when == "after":
                run = state.waiting[0].job_id
                site.work(lambda run=run, site=site: bool((job := jobs.get(site.site.id, run)) and job.ended))  # type: ignore[misc]
                assert store.load_state(site.site.id).waiting == ()


@pytest.mark.usefixtures("store")
def test_a_lost_queue_message_only_delays_the_run() -> None:
    with house() as site:
        done = a_run(site)
        aws.purge("agentic")
        site.work(done)
        assert site.outcome()["events"] == ["done"]
