"""The command group ``jobs``: list, retry."""

from typing import TYPE_CHECKING, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import JobId, Site
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.jobs import Job

commands = typer.Typer(help="A website's jobs: checks, imports, writes.", no_args_is_help=True)


def _shown(job: "Job") -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "queuedAt": timestamp(job.queued_at),
        "dueAt": None if job.ended else timestamp(job.due_at),
        "leaseUntil": timestamp(job.lease_until or None),
        "parts": job.slice,
        "takeovers": job.stalled,
        "endedAt": timestamp(job.ended_at),
        "error": job.error,
    }


@commands.command("list")
def list_(site: Site) -> None:
    """List the jobs of a website, including those that ended in the last 30 days."""
    from chalicelib.operations import job_control

    show({"items": [_shown(job) for job in job_control.list_all(OPERATOR, site)]})


@commands.command()
def retry(
    site: Site,
    job: JobId,
) -> None:
    """Run a waiting job now, instead of at its next try or at its scheduled time."""
    from chalicelib.operations import job_control

    show(_shown(job_control.retry(OPERATOR, site, job)))
