"""``issues``: list, ignore, unignore, explain."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.audit.issues import Issue

commands = typer.Typer(help="Issues of a website.", no_args_is_help=True)

SiteId = Annotated[str, typer.Argument(metavar="SITE", help="the website's id")]
IssueId = Annotated[str, typer.Argument(metavar="ISSUE", help="the issue's id")]
STATUS_HELP = "a state, such as open, ignored or resolved; repeat it (default: all)"


def _row(issue: "Issue") -> dict[str, Any]:
    return {
        "id": issue.id,
        "ruleId": issue.rule_id,
        "status": issue.status,
        "affectedPages": issue.affected_pages,
        "firstSeen": timestamp(issue.first_seen),
        "lastSeen": timestamp(issue.last_seen),
        "explained": issue.explanation is not None,
    }


def _shown(site_id: str, issue: "Issue") -> dict[str, Any]:
    return {
        **_row(issue),
        "siteId": site_id,
        "summary": issue.summary,
        "explanation": issue.explanation,
        "explainedAt": timestamp(issue.explained_at),
        "explainedBy": issue.explained_by,
    }


@commands.command("list")
def list_(site: SiteId, status: Annotated[list[str] | None, typer.Option("--status", help=STATUS_HELP)] = None) -> None:
    """List the issues of a website by rule, ignored and resolved ones too."""
    from chalicelib.domain.audit.issues import STATUSES
    from chalicelib.operations import websites
    from chalicelib.store import issues

    wanted = status or STATUSES
    for given in wanted:
        if given not in STATUSES:
            raise Refused("bad_status", f"{given!r} is no state; the states are {', '.join(STATUSES)}.")
    websites.existing(OPERATOR, site, "read")
    book = issues.load_state(site)
    found = [issue for issue in book.issues if issue.status in wanted] if book is not None else []
    show({"items": [_row(issue) for issue in sorted(found, key=lambda issue: issue.rule_id)]})


@commands.command()
def ignore(site: SiteId, issue: IssueId) -> None:
    """Ignore an open or reopened issue. It stays in the score: ignoring is no fix."""
    from chalicelib.operations import issues

    show(_shown(site, issues.ignore(OPERATOR, site, issue)))


@commands.command()
def unignore(site: SiteId, issue: IssueId) -> None:
    """Take an ignored issue back."""
    from chalicelib.operations import issues

    show(_shown(site, issues.unignore(OPERATOR, site, issue)))


@commands.command()
def explain(site: SiteId, issue: IssueId) -> None:
    """Draft the AI explanation, by the assistant that the settings name. It replaces the one before."""
    from chalicelib.operations import explanations

    show(_shown(site, explanations.explain(OPERATOR, site, issue)))
