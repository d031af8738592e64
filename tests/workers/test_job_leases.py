"""The lease that a worker has on its job: taken once, renewed in time, and what comes of a commit without it."""

import pytest

from chalicelib.domain.jobs import Job
from chalicelib.store import jobs
from chalicelib.store.errors import Conflict, FenceLost
from chalicelib.store.lanes import LANES
from chalicelib.store.transactions import Check, commit
from chalicelib.workers.jobs import JobLease, take
from tests import aws

pytestmark = pytest.mark.usefixtures("store")

IMPORTS = LANES["imports"]
MESSAGE = {"siteId": "site_1", "jobId": "field_data"}


@pytest.fixture
def lease(now: list[float]) -> JobLease:
    made = Job(
        id="field_data", kind="field_data", site_id="site_1", workspace_id="wsp_1", queued_at=now[0], due_at=now[0]
    )
    commit([jobs.put_new(made)])
    taken = take(MESSAGE, IMPORTS)
    assert taken is not None
    return taken


def stored() -> Job:
    found = jobs.get("site_1", "field_data")
    assert found is not None
    return found


def test_a_job_is_leased_by_one_worker_at_a_time(lease: JobLease, now: list[float]) -> None:
    assert stored() == lease.job
    assert lease.job.lease_until == now[0] + 240
    assert take(MESSAGE, IMPORTS) is None
    now[0] += 240
    assert take(MESSAGE, IMPORTS) is None
    now[0] += 1
    other = take(MESSAGE, IMPORTS, 30)
    assert other is not None
    assert other.job.lease_until == now[0] + 30 == other.until()
    assert take({"siteId": "site_1", "jobId": "of nobody"}, IMPORTS) is None


def test_a_lease_is_renewed_only_when_needed(lease: JobLease, now: list[float]) -> None:
    begun = now[0]
    with aws.counted_calls() as calls:
        now[0] += 59
        lease.keep()
        assert calls.total() == 0
        now[0] += 1
        lease.keep()
        lease.keep()
        assert calls.total() == 1
    assert stored().lease_until == begun + 60 + 240


def test_a_checkpoint_renews_the_lease_and_stores_the_progress(lease: JobLease, now: list[float]) -> None:
    now[0] += 60
    lease.checkpoint([], tries=2)
    assert stored() == lease.job
    assert (lease.job.slice, lease.job.payload, lease.job.lease_until) == (1, {"tries": 2}, now[0] + 240)
    with aws.counted_calls() as calls:
        lease.keep()
    assert calls.total() == 0


def test_a_worker_that_lost_its_lease_gets_a_separate_error(lease: JobLease, now: list[float]) -> None:
    now[0] += 241
    assert take(MESSAGE, IMPORTS) is not None
    with pytest.raises(FenceLost):
        lease.checkpoint([])
    with pytest.raises(FenceLost):
        lease.keep()


def test_a_job_does_not_change_if_another_write_of_its_checkpoint_fails(lease: JobLease) -> None:
    before = lease.job
    missing = Check("jobs", ("SITE#site_1", "JOB#other"), "attribute_exists(pk)", name="the other")
    with pytest.raises(Conflict) as conflict:
        lease.checkpoint([missing])
    assert list(conflict.value.failed) == ["the other"]
    assert stored() == before == lease.job
