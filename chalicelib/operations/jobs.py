"""Sends queue messages that tell workers about jobs. A job itself is created in the transaction that needs it."""

from typing import Final

from chalicelib.domain.jobs import Job, JobKind
from chalicelib.store import queues
from chalicelib.store.queues import Queue

QUEUES: Final[dict[JobKind, Queue]] = {
    "connection_status": "imports",
    "content_sync": "imports",
    "search_import": "imports",
    "keyword_tasks": "imports",
    "analytics_tasks": "imports",
    "sampling": "sampling",
    "write": "writes",
    "agentic_run": "agentic",
    "speed_tests": "agentic",
    "speed_recheck": "agentic",
    "render": "agentic",
    "field_data": "imports",
    "index_now": "imports",
    "export": "exports",
    "removal": "imports",
    "drafts": "sampling",
}


def send_job(job: Job, delay_seconds: float = 0, *, lane: Queue | None = None) -> None:
    """Send a message about a job to the worker of its kind. Never raises: if the message is lost, the sweeper (a
    schedule that finds overdue work) sends another.

    ``lane``: the queue. None means the fast queue, whose worker forwards jobs of slow websites to the slow queue.
    """
    tell(job.site_id, job.id, job.kind, delay_seconds, lane=lane)


def tell(site_id: str, job_id: str, kind: JobKind, delay_seconds: float = 0, *, lane: Queue | None = None) -> None:
    """Send a message about the job with this id, as ``send_job`` does."""
    queues.hint(lane or QUEUES[kind], {"siteId": site_id, "jobId": job_id, "kind": kind}, delay_seconds)
