"""Lists a workspace's keys with their owners, its people and websites, how much of its plan it uses, and its activity
log."""

from typing import Literal, NamedTuple

from chalicelib import clock
from chalicelib.domain import plans
from chalicelib.domain.accounts.acts import Act
from chalicelib.domain.accounts.rights import Actor, may_own_keys
from chalicelib.domain.plans import Plan
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.permission import require
from chalicelib.store import accounts, acts, api_keys, website_names
from chalicelib.store.accounts import Person
from chalicelib.store.api_keys import ApiKey
from chalicelib.store.website_names import NameRow

KeyState = Literal["active", "revoked", "owner_lost_access"]


class ListedKey(NamedTuple):
    """A key, and its owner: the person as whom it acts. ``person``: None if that person has left."""

    key: ApiKey
    person: Person | None

    @property
    def state(self) -> KeyState:
        """The state of the key. ``owner_lost_access`` means that the key's owner has left or is a client viewer."""
        if self.key.revoked_at is not None:
            return "revoked"
        return "active" if self.person is not None and may_own_keys(self.person.role) else "owner_lost_access"


class Use(NamedTuple):
    """How much of its plan a workspace uses. ``requests``: the largest number of requests that a single key has
    made in this clock hour. None if no key is valid."""

    plan: Plan
    websites: int
    people: int
    keys: int
    requests: int | None


class LoggedAct(NamedTuple):
    """An act in the activity log. ``who``: an e-mail address; None for the operator, or if the address is unknown."""

    act: Act
    who: str | None


def use(actor: Actor, workspace_id: str) -> Use:
    """Return the workspace's plan, and how much of it is used. One more round trip per 100 valid keys. Refused:
    ``not_found``, ``not_allowed``.
    """
    require(actor, "change_plan", workspace_id)
    found = existing_workspace(workspace_id)
    in_force = [key for key in api_keys.list_all(workspace_id) if key.revoked_at is None]
    used = api_keys.used_in_hour(in_force, clock.now())
    plan = plans.plan(found.plan)
    return Use(plan, found.websites, found.people, len(in_force), max(used.values(), default=None))


def log(actor: Actor, workspace_id: str, limit: int, before: str | None = None) -> list[LoggedAct]:
    """List the activity log, newest first. ``before``: only acts before this id. Acts are kept for 400 days.

    Refused: ``not_found``, ``not_allowed``.
    """
    require(actor, "read_log", workspace_id)
    existing_workspace(workspace_id)
    found = acts.latest(workspace_id, limit, before)
    people = {person.id: person.email for person in accounts.list_people(workspace_id)}
    return [LoggedAct(act, act.who or people.get(act.person_id or "")) for act in found]


def keys(actor: Actor, workspace_id: str) -> list[ListedKey]:
    """List the keys of a workspace, oldest first. Revoked keys are included. Refused: ``not_found``,
    ``not_allowed``."""
    require(actor, "manage_keys", workspace_id)
    existing_workspace(workspace_id)
    people = {person.id: person for person in accounts.list_people(workspace_id)}
    return [ListedKey(key, people.get(key.person_id)) for key in api_keys.list_all(workspace_id)]


def people(actor: Actor, workspace_id: str) -> list[Person]:
    """List the people of a workspace, oldest first. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_people", workspace_id)
    return accounts.list_people(workspace_id)


def websites(actor: Actor, workspace_id: str) -> list[NameRow]:
    """List all websites of a workspace, by name. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "work", workspace_id)
    return website_names.list_all(workspace_id)
