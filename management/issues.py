"""``issues``: list, ignore, unignore, explain."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.arguments import IssueId, Site
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.audit.issues import Issue
    from chalicelib.operations.issues import Listed

commands = typer.Typer(help="Issues of a website.", no_args_is_help=True)

STATUS_HELP = "a state, such as open, ignored or resolved; repeat it (default: all)"


def _row(found: "Listed") -> dict[str, Any]:
    issue = found.issue
    return {
        "id": issue.id,
        "ruleId": issue.rule_id,
        "title": found.title,
        "severity": found.severity,
        "estimatedScoreGain": found.gain,
        "affectedPages": issue.affected_pages,
        "status": issue.status,
        "firstSeen": timestamp(issue.first_seen),
        "lastSeen": timestamp(issue.last_seen),
        "explained": issue.explanation is not None,
    }


def _shown(site_id: str, issue: "Issue") -> dict[str, Any]:
    return {
        "id": issue.id,
        "ruleId": issue.rule_id,
        "status": issue.status,
        "affectedPages": issue.affected_pages,
        "firstSeen": timestamp(issue.first_seen),
        "lastSeen": timestamp(issue.last_seen),
        "explained": issue.explanation is not None,
        "siteId": site_id,
        "summary": issue.summary,
        "explanation": issue.explanation,
        "explainedAt": timestamp(issue.explained_at),
        "explainedBy": issue.explained_by,
    }


@commands.command("list")
def list_(site: Site, status: Annotated[list[str] | None, typer.Option("--status", help=STATUS_HELP)] = None) -> None:
    """List the issues of a website, those worth most first, ignored and resolved ones too.

    The gain is by how many points the score rises once an open issue is resolved.
    """
    from chalicelib.domain.audit.issues import STATUSES
    from chalicelib.operations import issues

    wanted = status or STATUSES
    for given in wanted:
        if given not in STATUSES:
            raise Refused("bad_status", f"{given!r} is no state; the states are {', '.join(STATUSES)}.")
    show({"items": [_row(found) for found in issues.list_all(OPERATOR, site) if found.issue.status in wanted]})


@commands.command()
def ignore(site: Site, issue: IssueId) -> None:
    """Ignore an open or reopened issue. It stays in the score: ignoring is no fix."""
    from chalicelib.operations import issues

    show(_shown(site, issues.ignore(OPERATOR, site, issue)))


@commands.command()
def unignore(site: Site, issue: IssueId) -> None:
    """Take an ignored issue back."""
    from chalicelib.operations import issues

    show(_shown(site, issues.unignore(OPERATOR, site, issue)))


@commands.command()
def explain(site: Site, issue: IssueId) -> None:
    """Draft the AI explanation, by the assistant that the settings name. It replaces the one before."""
    from chalicelib.operations import explanations

    show(_shown(site, explanations.explain(OPERATOR, site, issue)))
