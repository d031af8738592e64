"""The worker that deletes what is left of a removed website: in slices, again after an hour, and without a trace."""

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.operations import accounts, websites
from chalicelib.store import items, jobs, removals
from chalicelib.workers import imports, removal
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import aws

pytestmark = pytest.mark.usefixtures("store")
ROWS = 60


def removed() -> str:
    """A website that was removed a moment ago, with rows in several partitions."""
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    site_id = websites.add(OPERATOR, workspace.id, "https://example.org").id
    for number in range(ROWS):
        items.put("changes", {"pk": f"SITE#{site_id}", "sk": f"BATCH#{number:04}"})
        items.put("ai", {"pk": f"SITE#{site_id}", "sk": f"WRITE#{number:04}"})
        items.put("crawls", {"pk": f"SITE#{site_id}", "sk": f"CRAWL#{number:04}"})
    websites.remove(OPERATOR, site_id, wait=False)
    return site_id


def work(site_id: str) -> None:
    job = jobs.get(site_id, removals.JOB_ID)
    assert job is not None
    clock.set_offset(clock.offset() + max(0.0, job.due_at - clock.now(), job.lease_until - clock.now()) + 1)
    imports.handle({"siteId": site_id, "jobId": job.id}, None)


def left() -> int:
    return sum(len(aws.rows(table)) for table in ("sites", "changes", "ai", "jobs", "crawls"))


def test_a_removal_at_its_time_limit_is_continued_by_the_next_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    site_id = removed()
    monkeypatch.setattr(removal, "SECONDS", 0.0)
    before = left()
    work(site_id)
    job = jobs.get(site_id, removals.JOB_ID)
    assert job is not None and job.stalled == 0 and not job.lease_until and left() >= before
    monkeypatch.undo()
    work(site_id)
    assert jobs.get(site_id, removals.JOB_ID) is None
    assert site_id not in str([aws.rows(table) for table in ("sites", "changes", "ai", "jobs", "crawls")])


def test_a_repeatedly_failing_removal_is_retried_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    site_id = removed()

    def dies(*_: object) -> None:
        raise OSError("the store is gone")

    with monkeypatch.context() as patch:
        patch.setattr(removals, "purge", dies)
        for _ in range(STALLED_TAKEOVERS):
            with pytest.raises(OSError, match="gone"):
                work(site_id)
            clock.set_offset(clock.offset() + LEASE_SECONDS)
    work(site_id)
    job = jobs.get(site_id, removals.JOB_ID)
    assert job is not None and not job.ended and 0 < job.due_at - clock.now() <= removal.AGAIN_SECONDS
    work(site_id)
    assert jobs.get(site_id, removals.JOB_ID) is None
