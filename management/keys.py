"""``keys``: create, create-site, edit, list, narrow, revoke."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR, may_own_keys
from management.arguments import KeyId, Site, Sites, WorkspaceId, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.accounts import Person
    from chalicelib.store.api_keys import ApiKey

commands = typer.Typer(help="API keys. A key itself is shown once, when it is created.", no_args_is_help=True)

PersonOption = Annotated[str, typer.Option("--person", parser=identifier, help="id of the person whom the key acts as")]
ScopesOption = Annotated[list[str] | None, typer.Option("--scope", help="a scope, such as sites:read; repeat it")]


def _shown(key: "ApiKey") -> dict[str, Any]:
    return {
        "id": key.id,
        "workspaceId": key.workspace_id,
        "kind": key.kind,
        "prefix": key.prefix,
        "last4": key.last4,
        "scopes": list(key.scopes),
        "siteIds": key.site_ids,
        "personId": key.person_id,
        "createdAt": timestamp(key.created_at),
        "revokedAt": timestamp(key.revoked_at),
    }


@commands.command()
def create(workspace_id: WorkspaceId, person: PersonOption, scope: ScopesOption = None, site: Sites = None) -> None:
    """Create a workspace key, for all websites or only those named."""
    from chalicelib.operations import accounts

    new = accounts.create_workspace_key(OPERATOR, workspace_id, person, scope or [], site or None)
    show({**_shown(new.listed), "key": new.secret})


@commands.command()
def create_site(site: Site, person: PersonOption, scope: ScopesOption = None) -> None:
    """Create the key of one website, with every scope unless some are named."""
    from chalicelib.domain.accounts.rights import SCOPES
    from chalicelib.operations import accounts

    new = accounts.create_website_key(OPERATOR, site, person, scope or SCOPES)
    show({**_shown(new.listed), "key": new.secret})


@commands.command()
def edit(
    key_id: KeyId,
    scope: ScopesOption = None,
    site: Sites = None,
    all_sites: Annotated[bool, typer.Option("--all-sites", help="cover every website of the workspace")] = False,
) -> None:
    """Give a key other scopes or websites: what is named replaces what it had."""
    from chalicelib.operations import accounts

    key = accounts.edit_key(OPERATOR, key_id, scopes=scope or None, site_ids=site or None, all_sites=all_sites)
    show(_shown(key))


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the keys of a workspace, revoked ones too."""
    from chalicelib.operations import accounts
    from chalicelib.store import accounts as store
    from chalicelib.store import api_keys

    accounts.existing_workspace(workspace_id)
    people = {person.id: person for person in store.list_people(workspace_id)}
    keys = api_keys.list_all(workspace_id)
    show({"items": [{**_shown(key), "state": _state(key, people)} for key in keys]})


@commands.command()
def narrow(workspace_id: WorkspaceId) -> None:
    """Leave the keys that pairings handed to a CMS or shop the scope content:write alone.

    Earlier releases gave them every scope. Keys that were created by hand stay as they are. What was added by hand to
    the key of a pairing goes too.
    """
    from chalicelib.operations import pairing_keys

    narrowed = pairing_keys.narrow(OPERATOR, workspace_id)
    show({"items": [{"id": one.key.id, "siteId": one.site_id, "connection": one.kind} for one in narrowed]})


@commands.command()
def revoke(key_id: KeyId) -> None:
    """Revoke a key for good."""
    from chalicelib.operations import accounts

    show(_shown(accounts.revoke_key(OPERATOR, key_id)))


def _state(key: "ApiKey", people: dict[str, "Person"]) -> str:
    if key.revoked_at is not None:
        return "revoked"
    person = people.get(key.person_id)
    return "active" if person is not None and may_own_keys(person.role) else "owner_lost_access"
