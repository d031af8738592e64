"""The command group ``websites``: add, list, edit, pause, resume, index-now, remove."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.crawl.weekly import hour_of, in_words
from chalicelib.operations.errors import Refused
from management.arguments import Site, WorkspaceId
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.websites import Website

commands = typer.Typer(help="The websites of a workspace.", no_args_is_help=True)

PLATFORM_HELP = "wordpress, shopify, other or unknown"


def _shown(website: "Website") -> dict[str, Any]:
    return {
        "id": website.id,
        "workspaceId": website.workspace_id,
        "name": website.name,
        "host": website.host,
        "url": website.url,
        "platform": website.platform,
        "status": website.status,
        "pageBudget": website.page_budget,
        "aliases": list(website.aliases),
        "weeklyAudit": in_words(website.weekly_hour),
        "nextScheduledAuditAt": timestamp(website.next_audit_at),
        "createdAt": timestamp(website.created_at),
    }


@commands.command()
def add(
    workspace_id: WorkspaceId,
    url: Annotated[str, typer.Argument(help="address of its home page")],
    name: Annotated[str | None, typer.Option(help="the website's name (default: its host)")] = None,
    platform: Annotated[str, typer.Option(help=PLATFORM_HELP)] = "unknown",
    page_budget: Annotated[int | None, typer.Option(help="pages an audit reads")] = None,
) -> None:
    """Add a website. No audit is started."""
    from chalicelib.operations import websites

    show(_shown(websites.add(OPERATOR, workspace_id, url, name=name, platform=platform, page_budget=page_budget)))


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the websites of a workspace, sorted by name."""
    from dataclasses import asdict

    from chalicelib.operations import accounts
    from chalicelib.store import website_names

    accounts.existing_workspace(workspace_id)
    show({"items": [asdict(row) for row in website_names.list_all(workspace_id)]})


@commands.command()
def edit(
    site: Site,
    name: Annotated[str | None, typer.Option()] = None,
    platform: Annotated[str | None, typer.Option(help=PLATFORM_HELP)] = None,
    page_budget: Annotated[int | None, typer.Option(help="pages an audit reads")] = None,
    default_page_budget: Annotated[
        bool, typer.Option("--default-page-budget", help="remove the website's own budget")
    ] = False,
    alias: Annotated[
        list[str] | None,
        typer.Option(help="other names of the website, for AI visibility; names that you do not give are removed"),
    ] = None,
    no_alias: Annotated[bool, typer.Option("--no-alias", help="remove all aliases")] = False,
    url: Annotated[str | None, typer.Option(help="address of its home page")] = None,
    weekly: Annotated[
        str | None, typer.Option(help="the weekly audit: a day and an hour (UTC), such as mon-14, or default")
    ] = None,
) -> None:
    """Change a website's name, platform, page budget, aliases, address or the time of its weekly audit."""
    from chalicelib.operations import websites

    changes: dict[str, Any] = {"name": name, "platform": platform}
    if page_budget is not None or default_page_budget:
        if page_budget is not None and default_page_budget:
            raise Refused("bad_page_budget", "Give either --page-budget or --default-page-budget.")
        changes["page_budget"] = page_budget
    if alias or no_alias:
        if alias and no_alias:
            raise Refused("bad_alias", "Give either --alias or --no-alias.")
        changes["aliases"] = alias or []
    if url is not None:
        changes["url"] = url
    if weekly is not None:
        changes["weekly_hour"] = None if weekly == "default" else hour_of(weekly)
        if weekly != "default" and changes["weekly_hour"] is None:
            raise Refused(
                "bad_weekly_hour", "--weekly must be a day and an hour (UTC), such as mon-14 or sun-02, or default."
            )
    show(_shown(websites.edit(OPERATOR, site, **changes)))


@commands.command()
def pause(site: Site) -> None:
    """Stop a website's weekly audits."""
    from chalicelib.operations import websites

    show(_shown(websites.pause(OPERATOR, site)))


@commands.command()
def resume(site: Site) -> None:
    """Let a website's weekly audits run again."""
    from chalicelib.operations import websites

    show(_shown(websites.resume(OPERATOR, site)))


@commands.command()
def index_now(
    site: Site,
    turn: Annotated[
        bool | None, typer.Option("--on/--off", help="turn it on or off; without this option, it is only shown")
    ] = None,
) -> None:
    """Show whether changed pages are submitted to search engines (IndexNow), or turn the submission on or off."""
    from chalicelib.operations import index_now as telling
    from chalicelib.operations import websites

    if turn is not None:
        (telling.turn_on if turn else telling.turn_off)(OPERATOR, site)
    state, unavailable = telling.look(websites.existing(OPERATOR, site, "read"))
    show(
        {
            "id": site,
            "on": state.on_since is not None,
            "unavailable": unavailable,
            "problem": state.problem,
            "waiting": state.waiting,
            "pendingBatches": len(state.pending),
            "sentAt": timestamp(state.sent_at),
            "keyLocation": state.location,
        }
    )


@commands.command()
def remove(site: Site) -> None:
    """Remove a website, its keys and all of its stored data."""
    from chalicelib.operations import websites

    websites.remove(OPERATOR, site)
    show({"id": site, "removed": True})
