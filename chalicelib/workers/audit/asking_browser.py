"""Lets an audit request that a browser renders some of its pages, and lets it wait for the renderings.

A slice is one worker's turn at an audit. After reading, the checkpoint that ends the slice also creates one job
``render``. The next slice starts when that job's worker has rendered the pages. If this takes more than ten minutes,
the sweeper starts the next slice, and the audit continues without rendered pages. If no renderer is connected, the
audit requests nothing and does not wait.

Failure policy: one transaction creates the job and makes the audit wait. If the worker is killed before this
transaction, the next worker creates the job. If the worker is killed after it, the sweeper sends the message of the
job and, ten minutes later, that of the audit.
"""

from typing import Final

from chalicelib import clock
from chalicelib.connectors import rendering
from chalicelib.domain.jobs import Job
from chalicelib.domain.page.rendered import Candidate, candidate, sample, wanted
from chalicelib.operations.jobs import send_job
from chalicelib.store import crawls, jobs, lanes, rendered
from chalicelib.workers.audit.slices import Slice

WAIT_SECONDS: Final = 600.0


def ask(turn: Slice) -> bool:
    """Request renderings of a sample of the pages. Call this after all reading. Raises ``FenceLost``.

    Returns True if the audit now waits for the renderings. The slice has then ended.
    """
    header = turn.header
    if header.cancel_requested and header.partial_reason != "cancelled":
        turn.cancelled_after_reading()  # the user cancelled while the audit waited
        return False
    if header.render_job is not None or header.partial_reason in ("cancelled", "time_budget"):
        return False
    if not rendering.is_connected():
        return False
    try:
        urls = _sample(turn)
        if not urls:
            return False
        job = _job(turn, urls)
        header = turn.header
        freed = lanes.follow(crawls.TABLE, header.workspace_id, header.lane, header.slot, 0.0)
        header.render_job, header.lane, header.slot = job.id, None, None  # the audit waits without a worker
        header.slice += 1
        turn.checkpoint(also=[jobs.put_new(job), *freed], lease_seconds=WAIT_SECONDS)
    except crawls.CancelRequested:
        turn.header = turn.saved
        turn.cancelled_after_reading()
        return False
    send_job(job)
    return True


def _sample(turn: Slice) -> list[str]:
    candidates: list[Candidate] = []
    for _, block in turn.committed.blocks():
        turn.keep_lease()
        candidates += filter(None, map(candidate, block))
    before = rendered.load(turn.header.site_id)
    earlier = before.pages if before is not None else []
    choose = sample if turn.header.partial_reason is None else wanted
    return choose(turn.site.home_url, candidates, earlier)


def _job(turn: Slice, urls: list[str]) -> Job:
    header, now = turn.header, clock.now()
    return Job(
        id=f"render.{header.id}",
        kind="render",
        site_id=header.site_id,
        workspace_id=header.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"auditId": header.id, "slice": header.slice + 1, "host": turn.site.host, "urls": urls},
    )
