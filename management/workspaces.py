"""The command group ``workspaces``: create, list, log, usage, set-plan, export, remove."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.printable import printable
from management.arguments import WorkspaceId, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.accounts import Workspace

commands = typer.Typer(help="Customers and their plans.", no_args_is_help=True)


def _shown(workspace: "Workspace") -> dict[str, Any]:
    return {
        "id": workspace.id,
        "name": workspace.name,
        "plan": workspace.plan,
        "websites": workspace.websites,
        "people": workspace.people,
        "createdAt": timestamp(workspace.created_at),
    }


@commands.command()
def create(
    name: Annotated[str, typer.Argument()],
    plan: Annotated[str, typer.Option(help="free, starter, agency or enterprise")],
) -> None:
    """Create a workspace."""
    from chalicelib.operations import accounts

    show(_shown(accounts.create_workspace(OPERATOR, name, plan)))


@commands.command("list")
def list_() -> None:
    """List all workspaces."""
    from chalicelib.store import accounts

    rows = accounts.list_workspaces()
    show(
        {
            "items": [
                {
                    "id": row.id,
                    "name": row.name,
                    "plan": row.plan,
                    **({"state": "being removed"} if row.removed else {}),
                }
                for row in rows
            ]
        }
    )


@commands.command()
def log(
    workspace: WorkspaceId,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="how many entries of the log")] = 50,
    before: Annotated[str | None, typer.Option("--before", parser=identifier, help="only earlier entries")] = None,
) -> None:
    """Show who did what in a workspace in the last 400 days, newest first."""
    from chalicelib.domain.accounts.acts import ACTS
    from chalicelib.operations import workspace as operations

    found = operations.log(OPERATOR, workspace, limit, before)
    show(
        {
            "items": [
                {
                    "id": one.act.id,
                    "at": timestamp(one.act.at),
                    "who": one.who or one.act.person_id or "operator",
                    "keyId": one.act.key_id,
                    "did": ACTS.get(one.act.act, one.act.act),
                    "about": one.act.about,
                    "subject": one.act.subject,
                }
                for one in found
            ]
        }
    )


@commands.command()
def usage(workspace: WorkspaceId) -> None:
    """Show a workspace's use of its plan: websites, people, keys, and requests of its busiest key in this hour.

    The figures that determine the cost of a workspace, such as pages and answers, are in the functions' logs. See
    docs/runbooks.md, Metrics.
    """
    from chalicelib.operations import workspace as operations
    from chalicelib.operations.accounts import MOST_KEYS

    used = operations.use(OPERATOR, workspace)
    parts: dict[str, tuple[int | None, int | None]] = {
        "websites": (used.websites, used.plan.websites),
        "people": (used.people, used.plan.people),
        "keys": (used.keys, MOST_KEYS),
        "requests": (used.requests, used.plan.api_requests_per_hour),
    }
    rows = [{"id": part, "used": count, "limit": limit} for part, (count, limit) in parts.items()]
    show({"id": workspace, "plan": used.plan.id, "use": rows})


@commands.command()
def set_plan(
    workspace: WorkspaceId,
    plan: Annotated[str, typer.Argument(help="free, starter, agency or enterprise")],
) -> None:
    """Change a workspace's plan. Nothing is removed. If the workspace exceeds a limit of the new plan, no more can be
    added."""
    from chalicelib.operations import accounts

    show(_shown(accounts.set_plan(OPERATOR, workspace, plan)))


@commands.command()
def export(
    workspace: WorkspaceId,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="a new or empty folder")],
) -> None:
    """Write all data of a workspace's websites into a folder: one zip file for each website, and workspace.json."""
    from chalicelib.operations import accounts
    from chalicelib.store import accounts as stored
    from chalicelib.store import website_names
    from management import exports

    found = accounts.existing_workspace(workspace)
    people = [{"id": one.id, "email": one.email, "role": one.role} for one in stored.list_people(workspace)]
    with exports.new_folder(folder) as write_about:
        exported = exports.write(folder, workspace, [row.id for row in website_names.list_all(workspace)])
        write_about({**_shown(found), "people": people, "exports": exported})
    show({"id": workspace, "folder": str(folder), "items": exported})


@commands.command()
def remove(
    workspace: WorkspaceId,
    yes: Annotated[
        str | None,
        typer.Option("--yes", metavar="NAME", help="the workspace's name; without it, the command asks for the name"),
    ] = None,
) -> None:
    """Remove a workspace for good, with its websites, people, keys, endpoints and all of their stored data.

    Export the workspace first: afterwards, only a backup brings it back. The command can be interrupted at any time;
    run it again to continue.
    """
    from chalicelib.operations import departures

    found = departures.existing(OPERATOR, workspace)
    name = yes
    if name is None:
        name = typer.prompt(f"This removes {printable(found.name, 100)} for good. Type its name to continue", err=True)
    removed = departures.remove(OPERATOR, workspace, name)
    show({"id": workspace, "removed": True, **removed._asdict()})
