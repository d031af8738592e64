"""The event of a re-run that ended. The event's id is derived from the job, so that the event is sent only once."""

from chalicelib.domain import ids
from chalicelib.domain.agentic import counts
from chalicelib.domain.audit.publish import site_link
from chalicelib.domain.jobs import Job
from chalicelib.domain.speed.records import SpeedResult
from chalicelib.domain.webhooks import kinds
from chalicelib.domain.webhooks.events import Event

FINISHED = "agentic.finished"


def finished(job: Job, host: str, app_url: str, now: float, *, result: SpeedResult | None, error: str | None) -> Event:
    """Make the event agentic.finished for a re-run that ended with a ``result`` or an ``error``. If the test made no
    Agentic Browsing checks, the counts are null."""
    checks = {} if result is None else result.agentic.checks
    total = counts(checks.values())
    failing = [
        kinds.FailingCheck(check_id, check.title, check.detail or None)
        for check_id, check in checks.items()
        if check.state == "fail"
    ]
    told = kinds.AgenticFinished(
        job_id=job.id,
        url=job.payload["url"],
        strategy=job.payload["strategy"],
        status="done" if error is None else "failed",
        passed=total.passed if checks else None,
        applicable=total.applicable if checks else None,
        failing=failing,
        error=error,
    )
    return Event(
        id=ids.hashed("evt", FINISHED, job.site_id, job.id),
        kind=FINISHED,
        at=now,
        workspace_id=job.workspace_id,
        site_id=job.site_id,
        host=host,
        link=site_link(app_url, job.site_id, "agentic"),
        fields=kinds.fields(told),
    )
