"""Lists and retries a website's jobs, for the operator."""

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.jobs import Job
from chalicelib.operations import websites
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import send_job
from chalicelib.store import jobs
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit


def list_all(actor: Actor, site_id: str) -> list[Job]:
    """List a website's jobs, including those that ended in the last 30 days. Raises ``Refused``."""
    return jobs.list_all(websites.existing(actor, site_id, "read").id)


def retry(actor: Actor, site_id: str, job_id: str) -> Job:
    """Run a waiting job now, without waiting for its next try or its scheduled time.

    Raises ``Refused`` if the job has ended, is running, or does not exist.
    """
    website = websites.existing(actor, site_id, "work")
    job = jobs.get(website.id, job_id)
    if job is None:
        raise Refused("not_found", f"There is no job {job_id} of this website.")
    now = clock.now()
    if job.ended:
        raise Refused("ended", f"The job {job_id} has ended. Start a new one instead.")
    if job.lease_until > now:
        raise Refused("busy", f"The job {job_id} is running.")
    # The lease is over: another job may have taken the slot.
    due = msgspec.structs.replace(job.goes_on(now, error=job.error), lane=None, slot=None)
    try:
        commit([jobs.put_fenced(due)])
    except Conflict:
        raise Refused("busy", f"The job {job_id} is running.") from None
    send_job(due)
    return due
