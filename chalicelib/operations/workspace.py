"""What a workspace has, for the screens and lists of whoever runs it: keys with their owners, people, websites, use."""

from typing import Literal, NamedTuple

from chalicelib.domain.accounts.rights import Actor, may_own_keys
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.permission import require
from chalicelib.store import accounts, api_keys, website_names
from chalicelib.store.accounts import Person
from chalicelib.store.api_keys import ApiKey
from chalicelib.store.website_names import NameRow

KeyState = Literal["active", "revoked", "owner_lost_access"]


class ListedKey(NamedTuple):
    """A key, and whom it acts as: None where that person has left."""

    key: ApiKey
    person: Person | None

    @property
    def state(self) -> KeyState:
        """Whether it works. ``owner_lost_access``: its person left, or is a client viewer."""
        if self.key.revoked_at is not None:
            return "revoked"
        return "active" if self.person is not None and may_own_keys(self.person.role) else "owner_lost_access"


def keys(actor: Actor, workspace_id: str) -> list[ListedKey]:
    """The keys of a workspace, revoked ones too, oldest first. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_keys", workspace_id)
    existing_workspace(workspace_id)
    people = {person.id: person for person in accounts.list_people(workspace_id)}
    return [ListedKey(key, people.get(key.person_id)) for key in api_keys.list_all(workspace_id)]


def people(actor: Actor, workspace_id: str) -> list[Person]:
    """The people of a workspace, oldest first. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_people", workspace_id)
    return accounts.list_people(workspace_id)


def websites(actor: Actor, workspace_id: str) -> list[NameRow]:
    """All websites of a workspace, by name. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "work", workspace_id)
    return website_names.list_all(workspace_id)
