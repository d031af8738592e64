"""Killed at any write, the removal of a website is not begun or is ended by its job, and leaves nothing."""

import contextlib
import itertools
from typing import Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, reports, websites
from chalicelib.store import items, jobs, removals
from chalicelib.store import websites as records
from chalicelib.workers import imports, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import aws
from tests.crash.crashing import Killed, killed_at

pytestmark = [
    pytest.mark.usefixtures("store"),
    pytest.mark.calm("kills at each write in turn, and counts them"),
]

When = Literal["before", "after"]
WHEN: tuple[When, ...] = ("before", "after")
TABLES = ("sites", "issues", "changes", "ai", "jobs")


def website() -> tuple[str, str]:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    site_id = websites.add(OPERATOR, workspace.id, "https://example.org").id
    for _ in range(2):
        reports.share(OPERATOR, site_id, 7)
    for table in ("issues", "changes", "ai"):
        items.put(table, {"pk": f"SITE#{site_id}", "sk": "STATE"})
    return workspace.id, site_id


def left(site_id: str) -> list[str]:
    return [table for table in TABLES if site_id in str(aws.stored(table))]


def ended_by_its_job(site_id: str) -> None:
    """As the sweeper finds the job, whoever was killed at it."""
    clock.set_offset(clock.offset() + LEASE_SECONDS + jobs.QUEUED_GRACE_SECONDS + 1)
    aws.purge("imports")
    sweeper.run()
    for message in aws.messages("imports"):
        imports.handle(message, None)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("wait", [True, False])
def test_a_killed_removal_of_a_website_is_completed_by_its_job(when: When, wait: bool) -> None:
    for number in itertools.count():
        workspace_id, site_id = website()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            websites.remove(OPERATOR, site_id, wait=wait)
        if records.get(workspace_id, site_id) is None:
            assert accounts.existing_workspace(workspace_id).websites == 0
            ended_by_its_job(site_id)
            assert left(site_id) == []
        else:
            assert number == 0 and when == "before"
            assert jobs.get(site_id, removals.JOB_ID) is None and "issues" in left(site_id)
        if counter.count <= number:
            break
    assert number >= (6 if wait else 2)


@pytest.mark.parametrize("when", WHEN)
def test_a_killed_removal_job_can_be_repeated(when: When) -> None:
    for number in itertools.count():
        _, site_id = website()
        websites.remove(OPERATOR, site_id, wait=False)
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            imports.handle({"siteId": site_id, "jobId": removals.JOB_ID}, None)
        ended_by_its_job(site_id)
        gone = [table for table in left(site_id) if table != "jobs"]
        assert gone == []
        job = jobs.get(site_id, removals.JOB_ID)
        assert job is None or job.ended, "one that has ended leaves by its time"
        if counter.count <= number:
            break
    assert number > 6
