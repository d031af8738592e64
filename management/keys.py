"""The command group ``keys``: create, create-site, edit, list, narrow, revoke."""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from management.arguments import KeyId, Site, Sites, WorkspaceId, identifier
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.store.api_keys import ApiKey

commands = typer.Typer(help="API keys. A key itself is shown once, when it is created.", no_args_is_help=True)

PersonOption = Annotated[str, typer.Option("--person", parser=identifier, help="id of the person that the key acts as")]
NameOption = Annotated[str | None, typer.Option("--name", help="the key's name in lists")]
ScopesOption = Annotated[
    list[str] | None,
    typer.Option("--scope", metavar="SCOPE", help="one of the scopes below (may be repeated)"),
]


def _scopes_help() -> str:
    """Return the list of all scopes that ends a command's help. Its first line, ``\\b``, keeps the line breaks."""
    lines = [
        line
        for scope, allows in SCOPES.items()
        for line in textwrap.wrap(allows, 76, initial_indent=f"  {scope:<14}  ", subsequent_indent=" " * 18)
    ]
    return "\n".join(["\b", "Scopes:", *lines])


def _shown(key: "ApiKey") -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
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


@commands.command(epilog=_scopes_help())
def create(
    workspace_id: WorkspaceId,
    person: PersonOption,
    scope: ScopesOption = None,
    site: Sites = None,
    name: NameOption = None,
) -> None:
    """Create a workspace key for all websites, or only for the websites that are named."""
    from chalicelib.operations import accounts

    new = accounts.create_workspace_key(OPERATOR, workspace_id, person, scope or [], site or None, name)
    show({**_shown(new.listed), "key": new.secret})


@commands.command(epilog=_scopes_help())
def create_site(site: Site, person: PersonOption, scope: ScopesOption = None) -> None:
    """Create the key of one website. Without named scopes, it has every scope."""
    from chalicelib.operations import accounts

    new = accounts.create_website_key(OPERATOR, site, person, scope or SCOPES)
    show({**_shown(new.listed), "key": new.secret})


@commands.command(epilog=_scopes_help())
def edit(
    key_id: KeyId,
    scope: ScopesOption = None,
    site: Sites = None,
    all_sites: Annotated[bool, typer.Option("--all-sites", help="cover every website of the workspace")] = False,
    name: NameOption = None,
) -> None:
    """Change a key's name, scopes or websites. A given value replaces the old value."""
    from chalicelib.operations import accounts

    key = accounts.edit_key(
        OPERATOR, key_id, scopes=scope or None, site_ids=site or None, all_sites=all_sites, name=name
    )
    show(_shown(key))


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the keys of a workspace, each with the hour of its last use. Revoked keys are included."""
    from chalicelib.operations import workspace
    from chalicelib.store import api_keys

    listed = workspace.keys(OPERATOR, workspace_id)
    used = api_keys.last_used([one.key for one in listed])
    show(
        {
            "items": [
                {**_shown(one.key), "state": one.state, "lastUsedAt": timestamp(used.get(one.key.id))} for one in listed
            ]
        }
    )


@commands.command()
def narrow(workspace_id: WorkspaceId) -> None:
    """Change the keys that a CMS or shop received at its pairing, so that they have only the scope content:write.

    Earlier releases gave these keys every scope. Scopes that were added to such a key by hand are removed too. Keys
    that were created by hand do not change.
    """
    from chalicelib.operations import pairing_keys

    narrowed = pairing_keys.narrow(OPERATOR, workspace_id)
    show({"items": [{"id": one.key.id, "siteId": one.site_id, "connection": one.kind} for one in narrowed]})


@commands.command()
def revoke(key_id: KeyId) -> None:
    """Revoke a key for good."""
    from chalicelib.operations import accounts

    show(_shown(accounts.revoke_key(OPERATOR, key_id)))
