"""Jobs: made in the transaction of what they follow from, and told to their worker by a hint."""

from typing import Final

from chalicelib.domain.jobs import Job, JobKind
from chalicelib.store import queues
from chalicelib.store.queues import Queue

QUEUES: Final[dict[JobKind, Queue]] = {"connection_status": "imports"}


def send_job(job: Job, delay_seconds: float = 0) -> None:
    """Tell the worker of the job's kind that it is time. Never raises: the sweeper finds a job whose hint is lost."""
    queues.hint(QUEUES[job.kind], {"siteId": job.site_id, "jobId": job.id, "kind": job.kind}, delay_seconds)
