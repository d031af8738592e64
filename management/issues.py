"""The command group ``issues``: list, show, history, ignore, unignore, explain."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.arguments import IssueId, Site
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.audit.issues import Issue
    from chalicelib.operations.issues import Listed

commands = typer.Typer(help="Issues of a website.", no_args_is_help=True)

MOST_PAGES: Final = 1_000
STATUS_HELP = "a state, such as open, ignored or resolved (may be repeated; default: all)"


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
        "ignored": None
        if issue.ignored is None
        else {
            "at": timestamp(issue.ignored.at),
            "by": issue.ignored.by,
            "reason": issue.ignored.reason,
            "until": timestamp(issue.ignored.until),
            "pageIds": None if issue.ignored.scope is None else issue.ignored.scope.pages,
            "patterns": None if issue.ignored.scope is None else issue.ignored.scope.patterns,
            "pages": None if issue.ignored.aside is None else issue.ignored.aside.pages,
        },
        "siteId": site_id,
        "summary": issue.summary,
        "explanation": issue.explanation,
        "explainedAt": timestamp(issue.explained_at),
        "explainedBy": issue.explained_by,
    }


@commands.command("list")
def list_(site: Site, status: Annotated[list[str] | None, typer.Option("--status", help=STATUS_HELP)] = None) -> None:
    """List the issues of a website, largest gain first. Ignored and resolved issues are included.

    The gain is the number of points that the score rises once an open issue is resolved.
    """
    from chalicelib.domain.audit.issues import STATUSES
    from chalicelib.operations import issues

    wanted = status or STATUSES
    for given in wanted:
        if given not in STATUSES:
            raise Refused("bad_status", f"{given!r} is not a state; the states are {', '.join(STATUSES)}.")
    show({"items": [_row(found) for found in issues.list_all(OPERATOR, site) if found.issue.status in wanted]})


@commands.command("show")
def show_(
    site: Site,
    issue: IssueId,
    pages: Annotated[int, typer.Option(min=0, max=MOST_PAGES, help="the most affected pages to list")] = 20,
) -> None:
    """Show an issue and its pages. The output also says by how many points a fix raises the score, why the issue
    matters, how to fix it, and which values are suggested."""
    from chalicelib.operations import issues

    found = issues.read(OPERATOR, site, issue, suggestions=max(1, pages))
    one, rule = found.listed.issue, found.rule
    suggested = found.suggestions[:pages]
    show(
        {
            **_row(found.listed),
            "siteId": site,
            "summary": one.summary,
            "what": rule.what if rule is not None else None,
            "why": rule.why if rule is not None else None,
            "fix": rule.fix if rule is not None else None,
            "notWhen": rule.not_when if rule is not None else None,
            "writableField": rule.writable_field if rule is not None else None,
            "explanation": one.explanation,
            "pagesTotal": len(found.pages),
            "pages": [{"url": page.url, "message": page.evidence.get("message")} for page in found.pages[:pages]],
            "suggestions": [
                {"url": each.url, "current": each.current, "suggested": each.suggested, "note": each.note}
                for each in suggested
            ],
        }
    )


@commands.command()
def history(site: Site, issue: IssueId) -> None:
    """Show the history of an issue in the last 400 days, newest first."""
    from chalicelib.operations import issues

    show(
        {
            "items": [
                {
                    "id": entry.issue_id,
                    "at": timestamp(entry.at),
                    "kind": entry.kind,
                    "pages": entry.pages,
                    "crawlId": entry.crawl_id,
                    "present": entry.present,
                    "checked": entry.checked,
                    "batchId": entry.batch_id,
                    "by": entry.by,
                    "reason": entry.reason,
                    "until": timestamp(entry.until),
                }
                for entry in issues.history(OPERATOR, site, issue)
            ]
        }
    )


@commands.command()
def ignore(
    site: Site,
    issue: IssueId,
    reason: Annotated[str | None, typer.Option(help="the reason for its history")] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="when the issue opens again automatically (UTC)")
    ] = None,
    pattern: Annotated[
        list[str] | None, typer.Option(help="only on pages whose path matches, such as '/tag/*' (may be repeated)")
    ] = None,
) -> None:
    """Ignore an open or reopened issue, or some pages of it. An ignored issue still lowers the score."""
    from chalicelib.domain.audit.ignoring import Scope
    from chalicelib.operations import issues

    at = None if until is None else until.replace(tzinfo=UTC).timestamp()
    if pattern:
        show(_shown(site, issues.ignore_pages(OPERATOR, site, issue, Scope((), tuple(pattern)), reason, at)))
    else:
        show(_shown(site, issues.ignore(OPERATOR, site, issue, reason, at)))


@commands.command()
def unignore(site: Site, issue: IssueId) -> None:
    """Stop ignoring an issue."""
    from chalicelib.operations import issues

    show(_shown(site, issues.unignore(OPERATOR, site, issue)))


@commands.command()
def explain(site: Site, issue: IssueId) -> None:
    """Draft the AI explanation with the assistant that the settings name. The new explanation replaces the previous
    one."""
    from chalicelib.operations import explanations

    show(_shown(site, explanations.explain(OPERATOR, site, issue)))
