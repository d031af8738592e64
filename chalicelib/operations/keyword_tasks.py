"""The job that works out a website's keyword tasks: begun anew whenever there are new search data or answers."""

from dataclasses import replace
from typing import Final

from chalicelib.domain.jobs import Job
from chalicelib.store import jobs
from chalicelib.store.transactions import Write

JOB_ID: Final = "keyword_tasks"
TASKS: Final = "keyword tasks"  # what a conflict calls the write of the job


def begin(site_id: str, workspace_id: str, now: float) -> tuple[Job, Write]:
    """The job, to begin now, and the write of it: for the transaction that ends an import or a sampling. One read.
    Where others begin it or work at it in the same moment, the write fails as ``TASKS``, and may be made again."""
    known = jobs.get(site_id, JOB_ID)
    if known is not None and not known.ended:
        again = known.begun_again(now)
        return again, replace(jobs.put_begun_again(known, again), name=TASKS)
    job = Job(id=JOB_ID, kind="keyword_tasks", site_id=site_id, workspace_id=workspace_id, queued_at=now, due_at=now)
    return job, replace(jobs.put_new(job), name=TASKS)
