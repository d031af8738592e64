"""Creates the first data of a new deployment: a workspace, its owner, a website and a key, in one step."""

from typing import NamedTuple

from chalicelib.domain.accounts import rights
from chalicelib.domain.accounts.rights import SCOPES, Actor
from chalicelib.domain.crawl import urls
from chalicelib.operations import accounts, websites
from chalicelib.operations.accounts import NewKey
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts as stored
from chalicelib.store import api_keys, website_names
from chalicelib.store.accounts import Person, WorkspaceRow
from chalicelib.store.api_keys import ApiKey

KEY_NAME = "init"  # by this name, a later call finds the key


class Beginning(NamedTuple):
    """The workspace, owner, website and key that exist after ``begin``. ``secret``: the key's secret if ``begin``
    created the key, else None. ``made``: the ids of everything that ``begin`` created."""

    workspace_id: str
    person: Person
    site_id: str
    key: ApiKey
    secret: str | None
    made: tuple[str, ...]


def begin(actor: Actor, name: str, email: str, url: str, plan: str) -> Beginning:
    """Create whatever does not exist yet: the named workspace, its owner, the website, and a key with every scope.
    Existing data stays unchanged. For the operator only; do not call this twice at the same time.

    After a crash, the next call continues. If the crash happened after the key was created, its secret was never shown.
    The operator must then revoke the key, and the next call creates another. All arguments are checked before anything
    is created.

    Refused: ``not_allowed``, ``bad_name``, ``bad_plan``, ``bad_email``, ``bad_url``, ``workspace_exists`` (other
    workspaces exist and none has this name, or its removal is unfinished), ``cannot_own_keys``, ``plan_limit``.
    """
    wanted, address = accounts.checked_name(name), accounts.checked_email(email)
    accounts.checked_plan(plan)
    host = urls.host_key(websites.checked_url(url))
    found = _workspace(wanted)
    person = None if found is None else _person(found.id, address)
    if person is not None and not rights.may_own_keys(person.role):
        raise Refused("cannot_own_keys", f"{person.email} is a client viewer there: a client viewer has no keys.")
    made = []
    if found is None:
        workspace_id = accounts.create_workspace(actor, wanted, plan).id
        made.append(workspace_id)
    else:
        workspace_id = found.id
    if person is None:
        person = accounts.add_person(actor, workspace_id, address, "owner")
        made.append(person.id)
    site_id = next((row.id for row in website_names.list_all(workspace_id) if row.host == host), None)
    if site_id is None:
        site_id = websites.add(actor, workspace_id, url).id
        made.append(site_id)
    key = _key(workspace_id, person.id)
    if key is not None:
        return Beginning(workspace_id, person, site_id, key, None, tuple(made))
    new: NewKey = accounts.create_workspace_key(actor, workspace_id, person.id, SCOPES, name=KEY_NAME)
    return Beginning(workspace_id, person, site_id, new.listed, new.secret, (*made, new.listed.id))


def _workspace(name: str) -> WorkspaceRow | None:
    rows = stored.list_workspaces()
    found = next((row for row in rows if row.name.casefold() == name.casefold()), None)
    if found is None and rows:
        raise Refused(
            "workspace_exists",
            f"There are already workspaces, such as {rows[0].name!r}, but none is called {name!r}. `workspaces "
            "create` makes another one.",
        )
    if found is not None and found.removed:
        raise Refused(
            "workspace_exists",
            f"The removal of the workspace {found.name!r} is unfinished: `workspaces remove` continues it.",
        )
    return found


def _person(workspace_id: str, email: str) -> Person | None:
    people = stored.list_people(workspace_id)
    return next((one for one in people if one.email.casefold() == email.casefold()), None)


def _key(workspace_id: str, person_id: str) -> ApiKey | None:
    for key in api_keys.list_all(workspace_id):
        if (key.person_id, key.name, key.revoked_at) == (person_id, KEY_NAME, None):
            return key
    return None
