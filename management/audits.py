"""The command group ``audits``: start, cancel, diff, weekly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import AuditId, Site, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.audit.difference import PagesDifference
    from chalicelib.domain.audit.kept import KeptAudit
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
    site: Site,
    page_budget: Annotated[int | None, typer.Option(min=1, help="the most pages that the audit reads")] = None,
) -> None:
    """Start an audit. It does not count towards the API's limit of starts in 24 hours."""
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
def diff(
    site: Site,
    audit: AuditId,
    against: Annotated[
        str | None, typer.Option(parser=identifier, help="the audit to compare with (default: the one before)")
    ] = None,
) -> None:
    """Compare two audits: their issues, pages, crawlers and scores."""
    from chalicelib.operations import comparisons, websites

    websites.existing(OPERATOR, site, "read")
    found = comparisons.compare(site, comparisons.head(site, audit), against, with_pages=True)
    difference = found.difference
    show(
        {
            "id": found.head.id,
            "audit": _kept(found.head),
            "against": _kept(found.base),
            "robotsTxtChanged": difference.robots_changed,
            "crawlers": None if difference.crawlers is None else [one._asdict() for one in difference.crawlers],
            "issues": [
                {
                    "id": one.issue_id,
                    "ruleId": one.rule_id,
                    "change": one.change,
                    "pagesBefore": one.pages_before,
                    "pagesAfter": one.pages_after,
                    "came": None if one.came is None else one.came.count,
                    "went": None if one.went is None else one.went.count,
                }
                for one in difference.issues
            ],
            "pages": None if difference.pages is None else _pages(difference.pages),
        }
    )


def _kept(audit: "KeptAudit") -> dict[str, Any]:
    return {
        "id": audit.id,
        "finishedAt": timestamp(audit.finished_at),
        "pagesCrawled": audit.pages_crawled,
        "score": None if audit.score is None else audit.score.site / 10,
        "scoreVersion": None if audit.score is None else audit.score.version,
    }


def _pages(pages: "PagesDifference") -> dict[str, Any]:
    return {
        "appeared": {"count": pages.appeared.count, "urls": [page.url for page in pages.appeared.pages]},
        "left": {"count": pages.left.count, "urls": [page.url for page in pages.left.pages]},
        "changed": {
            "count": pages.changed_count,
            "pages": [
                {"url": one.page.url, "fields": [part._asdict() for part in one.fields]} for one in pages.changed
            ],
        },
    }


@commands.command()
def weekly() -> None:
    """Start the weekly audits now, without waiting for Sunday. Paused websites are left out."""
    from chalicelib.operations.weekly import start_all

    show({"items": [_shown(audit) for audit in start_all(OPERATOR, clock.now())]})
