"""``people``: add, list, set-role, remove."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import PersonId, WorkspaceId
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.accounts import Person

commands = typer.Typer(help="The people of a workspace and their roles.", no_args_is_help=True)

ROLE_HELP = "owner, admin, member or client_viewer"


def _shown(person: "Person") -> dict[str, Any]:
    return {
        "id": person.id,
        "workspaceId": person.workspace_id,
        "email": person.email,
        "role": person.role,
        "createdAt": timestamp(person.created_at),
    }


@commands.command()
def add(
    workspace_id: WorkspaceId,
    email: Annotated[str, typer.Argument()],
    role: Annotated[str, typer.Option(help=ROLE_HELP)],
) -> None:
    """Add a person."""
    from chalicelib.operations import accounts

    show(_shown(accounts.add_person(OPERATOR, workspace_id, email, role)))


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the people of a workspace."""
    from chalicelib.operations import accounts
    from chalicelib.store import accounts as store

    accounts.existing_workspace(workspace_id)
    show({"items": [_shown(person) for person in store.list_people(workspace_id)]})


@commands.command()
def set_role(
    workspace_id: WorkspaceId, person_id: PersonId, role: Annotated[str, typer.Argument(help=ROLE_HELP)]
) -> None:
    """Give a person another role. Keys of a client viewer stop working, and work again with another role."""
    from chalicelib.operations import accounts

    show(_shown(accounts.set_role(OPERATOR, workspace_id, person_id, role)))


@commands.command()
def remove(workspace_id: WorkspaceId, person_id: PersonId) -> None:
    """Remove a person. Their keys stop working for good."""
    from chalicelib.operations import accounts

    accounts.remove_person(OPERATOR, workspace_id, person_id)
    show({"id": person_id, "removed": True})
