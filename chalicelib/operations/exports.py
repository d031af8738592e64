"""Starts exports of a website: all of its data in the API, as files. A website has one export at a time."""

from chalicelib.domain import ids
from chalicelib.domain.jobs import Job
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import send_job
from chalicelib.randomness import random_bytes
from chalicelib.store import exports
from chalicelib.store.transactions import committed
from chalicelib.store.websites import Website


class Running(Refused):
    """Refused because an export of the website is queued or running."""

    def __init__(self, job_id: str) -> None:
        super().__init__("export_running", "An export of this website is queued or running. Follow it at `poll`.")
        self.job_id = job_id


def start(website: Website, *, now: float) -> Job:
    """Start an export. Refused: ``export_running``, ``busy``."""
    for _ in tries():
        before = exports.last(website.id)
        if before is not None and before.job is not None and not before.job.ended:
            raise Running(before.job.id)
        job = Job(
            id=ids.time_ordered(exports.ID_PREFIX, now, random_bytes(10)),
            kind="export",
            site_id=website.id,
            workspace_id=website.workspace_id,
            queued_at=now,
            due_at=now,
        )
        if committed(exports.begun(job, before)):
            send_job(job)
            return job
    raise busy("this website's exports")
