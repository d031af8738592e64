"""The command group ``people``: add, list, set-role, remove, link, sessions, sign-out."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import PersonId, Sites, WorkspaceId, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.accounts import Person

commands = typer.Typer(help="The people of a workspace and their roles.", no_args_is_help=True)

ROLE_HELP = "owner, admin, member or client_viewer"
SESSION_CHARACTERS = 12  # characters of the hash of a session's secret, enough to distinguish sessions


def _person_text(text: str) -> str:
    return text if "@" in text else identifier(text)


Someone = Annotated[
    str, typer.Argument(metavar="PERSON", parser=_person_text, help="the person's id or e-mail address")
]


def _found(workspace_id: str, person: str) -> "Person":
    from chalicelib.operations import accounts

    return accounts.person_by(workspace_id, person)


def _shown(person: "Person") -> dict[str, Any]:
    return {
        "id": person.id,
        "workspaceId": person.workspace_id,
        "email": person.email,
        "role": person.role,
        "siteIds": person.site_ids,
        "createdAt": timestamp(person.created_at),
    }


@commands.command()
def add(
    workspace_id: WorkspaceId,
    email: Annotated[str, typer.Argument()],
    role: Annotated[str, typer.Option(help=ROLE_HELP)],
    site: Sites = None,
) -> None:
    """Add a person. A client viewer sees the websites that --site names. People with any other role see all
    websites."""
    from chalicelib.operations import accounts

    show(_shown(accounts.add_person(OPERATOR, workspace_id, email, role, site)))


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the people of a workspace."""
    from chalicelib.operations import accounts
    from chalicelib.store import accounts as store

    accounts.existing_workspace(workspace_id)
    show({"items": [_shown(person) for person in store.list_people(workspace_id)]})


@commands.command()
def set_role(
    workspace_id: WorkspaceId,
    person_id: PersonId,
    role: Annotated[str, typer.Argument(help=ROLE_HELP)],
    site: Sites = None,
) -> None:
    """Change a person's role, or the websites of a client viewer. A client viewer's keys do not work until the person
    has another role."""
    from chalicelib.operations import accounts

    show(_shown(accounts.set_role(OPERATOR, workspace_id, person_id, role, site)))


@commands.command()
def remove(workspace_id: WorkspaceId, person_id: PersonId) -> None:
    """Remove a person. Their keys stop working for good."""
    from chalicelib.operations import accounts

    accounts.remove_person(OPERATOR, workspace_id, person_id)
    show({"id": person_id, "removed": True})


@commands.command()
def link(workspace_id: WorkspaceId, person: Someone) -> None:
    """Make a link that signs a person in. The link works once, within 15 minutes. It gives access to every workspace of
    which the person is a member."""
    found = _found(workspace_id, person)
    show({"id": found.id, "email": found.email, **new_link(found)})


def new_link(person: "Person") -> dict[str, Any]:
    """Make a link that signs the person in. Returns the link and its expiry."""
    from chalicelib import clock
    from chalicelib.domain.accounts import sign_in
    from chalicelib.operations import addresses, sessions

    token = sessions.make_link(person.workspace_id, person.id)
    address = sign_in.address_of(addresses.app_address(), token)
    return {"link": address, "expiresAt": timestamp(clock.now() + sign_in.LINK_SECONDS)}


@commands.command("sessions")
def sessions_(workspace_id: WorkspaceId, person: Someone) -> None:
    """List a person's sessions in all workspaces, last used first."""
    from chalicelib.operations import sessions

    found = sessions.others(_found(workspace_id, person).email)
    show(
        {
            "items": [
                {
                    "id": one.key[:SESSION_CHARACTERS],
                    "email": one.email,
                    "createdAt": timestamp(one.created),
                    "lastUsedAt": timestamp(one.last_used),
                }
                for one in found
            ]
        }
    )


@commands.command()
def sign_out(workspace_id: WorkspaceId, person: Someone) -> None:
    """End all sessions of a person in all workspaces."""
    from chalicelib.operations import sessions

    found = _found(workspace_id, person)
    show({"id": found.id, "email": found.email, "ended": sessions.end_all(found.email)})
