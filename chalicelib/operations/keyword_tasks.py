"""Starts the job that computes a website's keyword tasks. The job starts again whenever new search data or new answers
of assistants arrive.
"""

from dataclasses import replace
from typing import Final

from chalicelib.domain.jobs import Job
from chalicelib.store import jobs
from chalicelib.store.transactions import Write

JOB_ID: Final = "keyword_tasks"
TASKS: Final = "keyword tasks"  # the name of the job's write in a conflict


def begin(site_id: str, workspace_id: str, now: float) -> tuple[Job, Write]:
    """Return the job that computes keyword tasks, due now, and the write that queues it. An import or a sampling
    includes the write in its last transaction.

    The write is named ``TASKS``. It fails if the job has changed meanwhile; then call this again. Reads the store once.
    """
    known = jobs.get(site_id, JOB_ID)
    if known is not None and not known.ended:
        again = known.begun_again(now)
        return again, replace(jobs.put_begun_again(known, again), name=TASKS)
    job = Job(id=JOB_ID, kind="keyword_tasks", site_id=site_id, workspace_id=workspace_id, queued_at=now, due_at=now)
    return job, replace(jobs.put_new(job), name=TASKS)
