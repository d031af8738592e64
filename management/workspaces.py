"""``workspaces``: create, list, log, set-plan, export."""

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from chalicelib.randomness import random_bytes
from chalicelib.settings.reading import forget_settings
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
    show({"items": [{"id": row.id, "name": row.name, "plan": row.plan} for row in rows]})


@commands.command()
def log(
    workspace: WorkspaceId,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="how many acts")] = 50,
    before: Annotated[str | None, typer.Option("--before", parser=identifier, help="only acts before this one")] = None,
) -> None:
    """Show who did what in a workspace, newest first. 400 days are kept."""
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
def set_plan(
    workspace: WorkspaceId,
    plan: Annotated[str, typer.Argument(help="free, starter, agency or enterprise")],
) -> None:
    """Change a workspace's plan. Nothing is removed; what is beyond the new plan cannot grow."""
    from chalicelib.operations import accounts

    show(_shown(accounts.set_plan(OPERATOR, workspace, plan)))


@commands.command()
def export(
    workspace: WorkspaceId,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="made where there is none; files of old are replaced")
    ],
) -> None:
    """Write everything of a workspace's websites into a folder: a zip file each, as of POST /sites/{siteId}/exports."""
    from chalicelib.operations import accounts
    from chalicelib.store import accounts as stored
    from chalicelib.store import website_names

    found = accounts.existing_workspace(workspace)
    people = [{"id": one.id, "email": one.email, "role": one.role} for one in stored.list_people(workspace)]
    rows = website_names.list_all(workspace)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        exported = [_export_website(workspace, row.id, folder) for row in rows]
        about = {**_shown(found), "people": people, "exports": exported}
        (folder / "workspace.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise Refused("bad_folder", f"{folder} cannot be written: {error.strerror or error}.") from error
    show({"id": workspace, "folder": str(folder), "items": exported})


def _export_website(workspace_id: str, site_id: str, folder: Path) -> dict[str, Any]:
    """Write the zip file of a website. One that is cut off leaves no file under its name."""
    from chalicelib.exports import archive
    from chalicelib.exports.worker import CHANGING, reader_of
    from chalicelib.store import websites

    if not os.environ.get("CURSOR_SECRET"):  # of the deployment's functions; nobody else reads the cursors of this walk
        os.environ["CURSOR_SECRET"] = random_bytes(32).hex()
        forget_settings()
    website = websites.get(workspace_id, site_id)
    if website is None:
        return {"id": site_id, "file": None, "error": "It was removed meanwhile."}
    place = folder / f"{site_id}.zip"
    part = place.with_suffix(".part")
    try:
        with archive.written(reader_of(website), website, lambda: None) as (file, lists), part.open("wb") as copy:
            shutil.copyfileobj(file, copy)
    except archive.Changing:
        return {"id": site_id, "file": None, "error": CHANGING}
    part.replace(place)
    missing = [one.name for one in lists if one.rows is None]
    rows = sum(one.rows or 0 for one in lists)
    return {"id": site_id, "host": website.host, "file": place.name, "rows": rows, "notThere": missing, "error": None}
