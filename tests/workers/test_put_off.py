"""Messages of work that was put off: none is lost because it comes before the work's time, and none multiplies."""

import pytest

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader, CrawlKind
from chalicelib.domain.jobs import Job
from chalicelib.store import crawls, jobs
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.workers.audit import crawl, recheck
from chalicelib.workers.jobs import EARLY_SECONDS, take
from tests import aws

pytestmark = pytest.mark.usefixtures("now", "store")

FAST = LANES["writes"]
SLOTS = 3  # the default of the setting
MESSAGE = {"siteId": "site_1", "jobId": "write.x", "kind": "write"}


class Runtime:
    """A function with much time left."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


def made(site_id: str, due_in: float = 0.0) -> dict[str, str]:
    """A job of a website of its own. Returns its message."""
    at = clock.now()
    job = Job(id="write.x", kind="write", site_id=site_id, workspace_id="wsp_1", queued_at=at, due_at=at + due_in)
    commit([jobs.put_new(job)])
    return {**MESSAGE, "siteId": site_id}


def due(site_id: str) -> float:
    job = jobs.get(site_id, "write.x")
    assert job is not None
    return job.due_at


def test_the_message_of_a_postponed_job_never_comes_early(now: list[float]) -> None:
    for number in range(SLOTS):
        assert take(made(f"site_held_{number}"), FAST) is not None
    for number in range(40):
        site_id = f"site_{number}"
        assert take(made(site_id), FAST) is None
        (delay,) = aws.delays("writes")
        assert now[0] + delay >= due(site_id)
        aws.purge("writes")


def test_a_slightly_early_message_is_queued_again_for_the_remaining_time(now: list[float]) -> None:
    made("site_1", due_in=EARLY_SECONDS)
    assert take(MESSAGE, FAST) is None
    assert aws.messages("writes") == [MESSAGE]
    assert aws.delays("writes") == [EARLY_SECONDS]
    now[0] += EARLY_SECONDS
    assert take(MESSAGE, FAST) is not None


def test_a_message_that_is_much_too_early_is_not_queued_again() -> None:
    made("site_1", due_in=EARLY_SECONDS + 0.1)
    assert take(MESSAGE, FAST) is None
    assert aws.messages("writes") == []


def test_early_copies_of_a_message_do_not_multiply(now: list[float]) -> None:
    for number in range(SLOTS):
        assert take(made(f"site_held_{number}"), FAST) is not None
    made("site_1", due_in=1.0)
    copies = [MESSAGE] * 5
    for _ in range(20):
        for message in copies:
            assert take(message, FAST) is None
        waiting = aws.messages("writes")
        assert len(waiting) <= len(copies)
        now[0] += max(aws.delays("writes"))
        copies = waiting
        aws.purge("writes")
    assert len(copies) == 1, "copies end once the job was put off"


@pytest.mark.parametrize("kind", ["audit", "recheck"])
def test_an_early_message_of_a_crawl_is_queued_again(now: list[float], kind: CrawlKind) -> None:
    header = CrawlHeader(
        id="crawl_1",
        site_id="site_1",
        workspace_id="wsp_1",
        kind=kind,
        queued_at=now[0],
        due_at=now[0] + 0.5,
        page_budget=10,
        time_limit_minutes=30,
        status="queued",
        stage="queued",
    )
    commit([crawls.put_new(header)])
    message = {"workspaceId": "wsp_1", "siteId": "site_1", "crawlId": "crawl_1", "slice": 0}
    handle = recheck.handle if kind == "recheck" else crawl.handle
    queue = "recheck" if kind == "recheck" else "crawl"
    handle(message, Runtime())
    assert aws.messages(queue) == [message]
    assert aws.delays(queue) == [1]
