"""The concurrency slots of a workspace, and the two lanes of a queue, as a worker of jobs meets them."""

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, job_control, websites
from chalicelib.operations.jobs import send_job
from chalicelib.store import items, jobs, keys, slots
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import commit
from chalicelib.workers.jobs import LEASE_SECONDS, PUT_OFF_SECONDS, JobLease, at_work, take
from tests import aws
from tests.crash.crashing import dies_at

pytestmark = pytest.mark.usefixtures("now", "store")

FAST, SLOW = LANES["imports"], LANES["imports-slow"]
SLOTS = 3  # the default of the setting


def message(number: int) -> dict[str, str]:
    return {"siteId": f"site_{number}", "jobId": "field_data"}


def made(number: int) -> Job:
    """A job of a website of its own, in the one workspace."""
    at = clock.now()
    site_id = f"site_{number}"
    job = Job(id="field_data", kind="field_data", site_id=site_id, workspace_id="wsp_1", queued_at=at, due_at=at)
    commit([jobs.put_new(job)])
    return job


def stored(number: int) -> Job:
    found = jobs.get(f"site_{number}", "field_data")
    assert found is not None
    return found


def held() -> dict[int, float]:
    """The slots of the workspace in the fast lane that are taken."""
    return slots.taken(items.get("jobs", *keys.workspace_slots("wsp_1", "imports")))


def taken(number: int) -> JobLease:
    made(number)
    lease = take(message(number), FAST)
    assert lease is not None
    return lease


def is_slow(number: int) -> bool:
    return jobs.find(f"site_{number}", "field_data", FAST).slow


def test_a_worker_holds_and_releases_its_concurrency_slot_together_with_its_lease(now: list[float]) -> None:
    lease = taken(1)
    assert list(held().values()) == [now[0] + LEASE_SECONDS]
    now[0] += 70
    lease.keep()
    assert list(held().values()) == [now[0] + LEASE_SECONDS]
    now[0] += 5
    lease.checkpoint([])
    assert list(held().values()) == [now[0] + LEASE_SECONDS] and stored(1).slot is not None
    lease.commit(lease.job.goes_on(now[0] + 60), [])
    assert held() == {} and (stored(1).lane, stored(1).slot) == (None, None)


def test_a_job_above_the_concurrency_limit_of_its_workspace_is_postponed_once(now: list[float]) -> None:
    for number in range(SLOTS):
        taken(number)
    job = made(9)
    assert take(message(9), FAST) is None
    assert take(message(9), FAST) is None, "a second message of the same job"
    put_off = stored(9)
    assert (put_off.fence, put_off.stalled, put_off.slice) == (0, 0, 0)
    least, most = PUT_OFF_SECONDS
    assert least <= put_off.due_at - job.due_at <= most
    assert len(aws.messages("imports")) == 1


def test_concurrency_slots_of_dead_workers_are_free_after_their_leases_end(now: list[float]) -> None:
    for number in range(SLOTS):
        taken(number)
    made(9)
    now[0] += LEASE_SECONDS
    assert take(message(9), FAST) is not None


def test_restarting_a_job_frees_the_concurrency_slot_of_its_worker() -> None:
    lease = taken(1)
    commit([jobs.put_begun_again(lease.job, lease.job.begun_again(clock.now()))])
    assert held() == {}


def test_a_job_of_a_website_that_does_not_answer_releases_its_worker(now: list[float]) -> None:
    lease = taken(1)
    with at_work(lease):
        now[0] += FAST.patience
        lease.wait()
        now[0] += 1
        lease.wait()
        pytest.fail("it waits on")
    job = stored(1)
    assert (job.due_at, job.lease_until, job.stalled, job.ended) == (now[0], 0.0, 0, False)
    assert held() == {} and is_slow(1) and len(aws.messages("imports-slow")) == 1


def test_a_job_is_not_interrupted_while_its_website_keeps_answering(now: list[float]) -> None:
    lease = taken(1)
    with at_work(lease):
        for _ in range(30):
            now[0] += FAST.patience / FAST.answers - 1
            lease.answered()
            lease.wait()
        lease.commit(lease.job.goes_on(now[0]), [])
    assert not is_slow(1) and aws.messages("imports-slow") == []


def test_a_job_with_one_late_answer_is_completed_but_its_website_is_marked_slow(now: list[float]) -> None:
    lease = taken(1)
    now[0] += FAST.patience + 1
    lease.commit(lease.job.done(now[0]), [])
    assert stored(1).ended and is_slow(1)


def test_the_job_of_a_slow_website_moves_to_the_slow_queue_once(now: list[float]) -> None:
    commit([FAST.remember("site_1", "field_data", now[0])])
    send_job(made(1))
    assert take(message(1), FAST) is None
    assert take(message(1), FAST) is None, "a second message of the same job"
    assert stored(1).fence == 0 and len(aws.messages("imports-slow")) == 1
    assert not [job for shard in keys.job_shards() for job in jobs.overdue(shard, now[0] + 300)], "it waits there"


def test_a_website_that_is_fast_again_returns_to_the_fast_queue(now: list[float]) -> None:
    commit([FAST.remember("site_1", "field_data", now[0])])
    made(1)
    lease = take(message(1), SLOW)
    assert lease is not None and held() == {}, "the slots of the fast lane are others'"
    now[0] += 3
    lease.answered()
    lease.commit(lease.job.goes_on(now[0]), [])
    assert not is_slow(1)
    assert take(message(1), FAST) is not None


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("write", [0, 1])
def test_a_job_killed_while_it_releases_its_worker_continues(now: list[float], write: int, when: str) -> None:
    lease = taken(1)
    now[0] += FAST.patience + 1
    with dies_at(write, when), at_work(lease):  # type: ignore[arg-type]
        lease.wait()
    now[0] += LEASE_SECONDS + 1
    assert all(until <= now[0] for until in held().values())
    again = take(message(1), SLOW)
    assert again is not None and again.job.fence == 2
    again.commit(again.job.done(now[0]), [])
    assert stored(1).ended


@pytest.mark.parametrize("late", ["ends", "goes on", "renews"])
def test_a_worker_whose_lease_ended_does_not_free_the_slot_of_the_worker_after_it(now: list[float], late: str) -> None:
    lease = taken(9)
    now[0] += LEASE_SECONDS + 1
    for number in range(SLOTS):
        taken(number)
    before = held()
    assert len(before) == SLOTS
    now[0] += 5
    if late == "ends":
        lease.commit(lease.job.goes_on(now[0] + 60), [])
    elif late == "goes on":
        lease.checkpoint([])
        lease.commit(lease.job.goes_on(now[0] + 60), [])
    else:
        lease.keep()
    assert held() == before


def test_a_retry_of_a_dead_workers_job_does_not_free_the_slot_of_another_worker(now: list[float]) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    website = websites.add(OPERATOR, workspace.id, "https://shop.example")
    at = clock.now()
    job = Job(id="tasks", kind="field_data", site_id=website.id, workspace_id="wsp_1", queued_at=at, due_at=at)
    commit([jobs.put_new(job)])
    assert take({"siteId": website.id, "jobId": "tasks"}, FAST) is not None
    now[0] += LEASE_SECONDS + 1
    for number in range(SLOTS):
        taken(number)
    before = held()
    retried = job_control.retry(OPERATOR, website.id, "tasks")
    assert held() == before and (retried.lane, retried.slot) == (None, None)
