"""``audits``: start, cancel, weekly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import AuditId, Site
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.audit.records import CrawlHeader

commands = typer.Typer(help="Audits.", no_args_is_help=True)


def _shown(audit: "CrawlHeader") -> dict[str, Any]:
    return {
        "id": audit.id,
        "siteId": audit.site_id,
        "kind": audit.kind,
        "status": audit.status,
        "stage": audit.stage,
        "pageBudget": audit.page_budget,
        "timeLimitMinutes": audit.time_limit_minutes,
        "queuedAt": timestamp(audit.queued_at),
        "cancelRequested": audit.cancel_requested,
    }


@commands.command()
def start(
    site: Site, page_budget: Annotated[int | None, typer.Option(min=1, help="pages that it reads at most")] = None
) -> None:
    """Start an audit. It does not count to the starts of 24 hours through the API."""
    from chalicelib.domain import plans
    from chalicelib.operations import accounts, audits, websites

    website = websites.existing(OPERATOR, site, "work")
    plan = plans.plan(accounts.existing_workspace(website.workspace_id).plan)
    started = audits.start(
        website,
        plan.pages_per_audit,
        page_budget=page_budget,
        person_id=None,
        through_api=False,
        now=clock.now(),
    )
    show(_shown(started.header))


@commands.command()
def cancel(site: Site, audit: AuditId) -> None:
    """Ask a queued or running audit to stop."""
    from chalicelib.operations import audits, websites

    websites.existing(OPERATOR, site, "work")
    show(_shown(audits.cancel(site, audit, now=clock.now())))


@commands.command()
def weekly() -> None:
    """The Sunday run, now: start the weekly audit of every website that is not paused."""
    from chalicelib.operations.weekly import start_all

    show({"items": [_shown(audit) for audit in start_all(OPERATOR, clock.now())]})
