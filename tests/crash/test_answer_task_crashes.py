"""Killed at any write, from the last answer of a week on, the task that follows from it is found once."""

import contextlib
from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.operations import keyword_tasks
from chalicelib.store import issues, jobs, websites
from chalicelib.workers import imports, sampling, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from local import embedded
from local.standins.assistants import Assistants
from local.standins.searching import BRANDS
from tests import aws
from tests.api import seed
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.visibility import Sampled, sampled

Found = list[tuple[str, str, list[str]]]


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@contextlib.contextmanager
def due(standin: Assistants) -> Iterator[Sampled]:
    """An audited website with one prompt, whose answers name others, on a Monday."""
    embedded.clear()
    with pytest.MonkeyPatch.context() as monkeypatch, sampled(monkeypatch, standin, ("openai",)) as house:
        monkeypatch.setattr(sampling, "AT_ONCE", 1)
        standin.brands = BRANDS
        website = websites.get(house.workspace_id, house.site_id)
        assert website is not None
        seed.audited(website)
        house.add("Which page of tents?")
        clock.set_offset(clock.offset() + house.job().due_at - clock.now() + 1)
        yield house


def work(house: Sampled) -> None:
    """Sample the week and judge it, with the sweeper's help where a message is lost."""
    house.until_done()
    for _ in range(10):
        job = jobs.get(house.site_id, keyword_tasks.JOB_ID)
        assert job is not None, "the week was written without the job that judges it"
        if job.ended:
            return
        for message in aws.messages("imports"):
            imports.handle(message, None)
        aws.purge("imports")
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
        sweeper.run()
    raise AssertionError("the job does not end")


def result(house: Sampled) -> Found:
    book = issues.load_state(house.site_id)
    assert book is not None
    return [
        (issue.rule_id, issue.status, [page.url for page in issues.load_affected(house.site_id, issue)])
        for issue in book.issues
        if issue.rule_id == "KW-011"
    ]


@pytest.mark.usefixtures("store")
@each_step
def test_each_gap_task_is_created_once_even_if_a_worker_is_killed_at_any_write(standin: Assistants, step: int) -> None:
    with due(standin) as house, killed_at(None) as counter:
        work(house)
        expected = result(house)
    assert [(task, status) for task, status, _ in expected] == [("KW-011", "open")]
    for point in points(counter.count, step):
        with due(standin) as house:
            with contextlib.suppress(Killed), killed_at(*point):
                work(house)
            work(house)
            assert result(house) == expected, point
