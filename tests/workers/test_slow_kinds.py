"""A website is slow at a kind of work: only an answer in time to the same kind of work ends that."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.store import items, jobs
from chalicelib.store.lanes import LANES, Lane
from chalicelib.store.transactions import commit
from chalicelib.workers.jobs import JobLease, take

pytestmark = pytest.mark.usefixtures("now", "store")

FAST, SLOW = LANES["imports"], LANES["imports-slow"]


def made(job_id: str, kind: JobKind, **payload: Any) -> None:
    at = clock.now()
    job = Job(id=job_id, kind=kind, site_id="site_1", workspace_id="wsp_1", queued_at=at, due_at=at, payload=payload)
    commit([jobs.put_new(job)])


def taken(job_id: str, lane: Lane) -> JobLease | None:
    return take({"siteId": "site_1", "jobId": job_id}, lane)


def hangs(job_id: str, now: list[float]) -> None:
    """Let a job wait in the fast lane until it is given to the slow one."""
    lease = taken(job_id, FAST)
    assert lease is not None, "it is not known as slow"
    now[0] += FAST.patience + 1
    lease.give_back()


def answered(job_id: str, lane: Lane, now: list[float], *, answers: int = 1) -> None:
    """Let a job be done in three seconds."""
    lease = taken(job_id, lane)
    assert lease is not None, f"it does not belong in {lane.name}"
    now[0] += 3
    for _ in range(answers):
        lease.answered()
    lease.commit(lease.job.goes_on(now[0]), [])


def is_slow(job_id: str) -> bool:
    return jobs.find("site_1", job_id, FAST).slow


@pytest.mark.parametrize("other", ["keyword_tasks", "search_import", "field_data", "connection_status"])
def test_a_website_stays_marked_slow_after_a_fast_job_of_another_kind(now: list[float], other: JobKind) -> None:
    made("sync", "content_sync", connection="wordpress")
    made("other", other, connection="wordpress")
    hangs("sync", now)
    for _ in range(4):
        answered("other", FAST, now)
        assert taken("sync", FAST) is None and is_slow("sync")
        now[0] += 3_600
    answered("sync", SLOW, now)
    assert not is_slow("sync")


def test_slow_answers_of_one_connection_do_not_mark_another_connection_slow(now: list[float]) -> None:
    made("of_cms", "content_sync", connection="wordpress")
    made("of_shop", "content_sync", connection="shopify")
    hangs("of_cms", now)
    answered("of_shop", FAST, now)
    assert is_slow("of_cms") and not is_slow("of_shop")


def test_a_website_stays_marked_slow_after_a_job_that_made_no_requests(now: list[float]) -> None:
    made("sync", "content_sync", connection="wordpress")
    hangs("sync", now)
    answered("sync", SLOW, now, answers=0)
    assert is_slow("sync")
    answered("sync", SLOW, now)
    assert not is_slow("sync")


def test_a_website_is_not_marked_slow_by_a_long_job_without_requests(now: list[float]) -> None:
    made("tasks", "keyword_tasks")
    lease = taken("tasks", FAST)
    assert lease is not None
    now[0] += FAST.patience + 1
    lease.commit(lease.job.goes_on(now[0]), [])
    assert not is_slow("tasks")


def test_a_website_is_marked_slow_separately_for_each_kind_of_job(now: list[float]) -> None:
    made("sync", "content_sync", connection="wordpress")
    made("import", "search_import")
    hangs("sync", now)
    hangs("import", now)
    answered("import", SLOW, now)
    assert is_slow("sync") and not is_slow("import")
    answered("sync", SLOW, now)
    assert not is_slow("sync")
    row = items.get(*FAST.slow_key("site_1"))
    assert row is not None and row["ttl"] > now[0], "the row expires"
