"""Manages workspaces, people and API keys, for a workspace's people and for the operator."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from chalicelib import clock
from chalicelib.domain import legible, plans
from chalicelib.domain.accounts import emails, rights
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.ids import time_ordered
from chalicelib.operations import cancelling
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.permission import require
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts, acts, api_keys, notices, websites
from chalicelib.store.accounts import Person, Workspace
from chalicelib.store.api_keys import ApiKey
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import MAX_WRITES, Write, commit, committed
from chalicelib.store.websites import Website

TABLE = accounts.TABLE  # the table that logs these operations
LONGEST_NAME = 100
MOST_KEYS = 200  # workspace keys that are not revoked


class NewKey(NamedTuple):
    """A key that was just created. ``secret`` is the key itself: it is not stored, and shown once."""

    secret: str
    listed: ApiKey


def create_workspace(actor: Actor, name: str, plan: str) -> Workspace:
    """Create a workspace. Only for the operator.

    Refused: ``not_allowed``, ``bad_name``, ``bad_plan``.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator creates workspaces.")
    now = clock.now()
    created, writes = accounts.new_workspace(_new_id("wsp"), checked_name(name), checked_plan(plan).id, now)
    commit([*writes, acts.done(TABLE, actor, created.id, "workspace.created", now, created.id, created.name)])
    return created


def set_plan(actor: Actor, workspace_id: str, plan: str) -> Workspace:
    """Change a workspace's plan. Changing to a smaller plan removes nothing: websites and people beyond its limits
    stay, and new ones are refused.

    Refused: ``not_found``, ``not_allowed``, ``bad_plan``.
    """
    require(actor, "change_plan", workspace_id)
    wanted = checked_plan(plan)
    try:
        done = acts.done(TABLE, actor, workspace_id, "plan.changed", clock.now(), workspace_id, wanted.name)
        commit([*accounts.set_plan(workspace_id, wanted.id), done])
    except Conflict:
        raise _no_workspace(workspace_id) from None
    return existing_workspace(workspace_id)


def add_person(
    actor: Actor,
    workspace_id: str,
    email: str,
    role: str,
    site_ids: Sequence[str] | None = None,
    *,
    invited_until: float | None = None,
) -> Person:
    """Add a person to a workspace. ``site_ids``: the websites that a client viewer sees, at least one; every other role
    sees all of them. ``invited_until``: when the invitation ends that is about to be mailed.

    Refused: ``not_found``, ``not_allowed``, ``bad_email``, ``bad_role``, ``bad_site``, ``person_exists``,
    ``plan_limit``.
    """
    require(actor, "manage_people", workspace_id)
    address = checked_email(email)
    _check_role(role)
    existing_workspace(workspace_id)
    if role == "client_viewer" and site_ids is None:
        raise Refused("bad_site", "A client viewer sees the websites that you name: name at least one.")
    sites = _websites_of_role(workspace_id, role, site_ids)
    for _ in tries():
        workspace = existing_workspace(workspace_id)
        plan = plans.plan(workspace.plan)
        if plan.people is not None and workspace.people >= plan.people:
            raise Refused(
                "plan_limit",
                f"The plan {plan.name} has room for {plan.people} people and this workspace has {workspace.people}. "
                "Remove a person first, or change the plan.",
            )
        now = clock.now()
        person, writes = accounts.new_person(workspace, _new_id("usr"), address, role, sites, now, invited_until)
        done = acts.done(TABLE, actor, workspace_id, "person.added", now, person.id, f"{address} as {role}")
        try:
            commit([*writes, accounts.count(workspace, "people", plan.people), done])
        except Conflict as conflict:
            if accounts.ADDRESS in conflict.failed:
                raise Refused("person_exists", f"{address} is already in this workspace.") from None
            continue
        return person
    raise busy()


def set_role(
    actor: Actor, workspace_id: str, person_id: str, role: str, site_ids: Sequence[str] | None = None
) -> Person:
    """Give a person another role. ``site_ids``: the websites that a client viewer sees. With None, a client viewer
    keeps their list of websites, and a person who becomes a client viewer sees no website. A client viewer's keys do
    not work until the person has another role again. Only the operator can take the role of owner from the last owner.

    If the person has more keys than one transaction holds, several transactions write them. If the person becomes a
    client viewer, the keys are written first and then the person; for any other role, the person first and then the
    keys. So even after a crash no key may do more than its person. Call this again to complete the change. Refused:
    ``not_found``, ``not_allowed``, ``bad_role``, ``bad_site``, ``last_owner``.
    """
    require(actor, "manage_people", workspace_id)
    _check_role(role)
    given = _websites_of_role(workspace_id, role, site_ids)
    state = "ok" if rights.may_own_keys(role) else "lost"
    for _ in tries():
        person = existing_person(workspace_id, person_id)
        copies = [[api_keys.owner_changed(key, role, state)] for key in _keys_of(person)]
        sites = (person.site_ids or []) if role == "client_viewer" and given is None else given
        change = [
            *accounts.changed_role(person, existing_workspace(workspace_id).name, role, sites),
            acts.done(
                TABLE, actor, workspace_id, "person.changed", clock.now(), person.id, f"{person.email} as {role}"
            ),
            *([] if role == "owner" else _another_owner(actor, person)),
        ]
        try:
            _commit_in_order([*copies, change] if state == "lost" else [change, *copies])
        except Conflict:
            continue
        return existing_person(workspace_id, person_id)
    raise busy()


def remove_person(actor: Actor, workspace_id: str, person_id: str) -> None:
    """Remove a person from a workspace, and cancel the changes that they approved and that are not written yet.
    First the person becomes a client viewer, who can approve nothing, and their keys are revoked. After an
    interruption, call this again. Only the operator can remove the last owner.

    Refused: ``not_found``, ``not_allowed``, ``last_owner``, ``busy``.
    """
    require(actor, "manage_people", workspace_id)
    for _ in tries():
        person = existing_person(workspace_id, person_id)
        lost: list[Sequence[Write]] = [[api_keys.owner_changed(key, person.role, "lost")] for key in _keys_of(person)]
        if rights.may_own_keys(person.role):
            workspace = existing_workspace(workspace_id)
            change = accounts.changed_role(person, workspace.name, "client_viewer", [])
            lost.append([*change, *_another_owner(actor, person)])
        try:
            _commit_in_order(lost)
            cancelling.cancel_of_person(workspace_id, person_id)
            gone = acts.done(TABLE, actor, workspace_id, "person.removed", clock.now(), person_id, person.email)
            commit([*accounts.removed_person(existing_person(workspace_id, person_id)), gone])
        except Conflict:
            continue
        notices.forget(workspace_id, person_id)
        return
    raise busy()


def create_workspace_key(
    actor: Actor,
    workspace_id: str,
    person_id: str,
    scopes: Iterable[str],
    site_ids: Sequence[str] | None = None,
    name: str | None = None,
) -> NewKey:
    """Create a key that acts as the person. ``site_ids``: the websites that the key covers. None means all websites of
    the workspace, including those that are added later.

    Refused: ``not_found``, ``not_allowed``, ``bad_name``, ``bad_scope``, ``bad_site``, ``cannot_own_keys``,
    ``too_many_keys``.
    """
    require(actor, "manage_keys", workspace_id)
    _check_owner(actor, person_id)
    wanted = _checked_scopes(scopes)
    sites = _checked_sites(workspace_id, site_ids)
    given = None if name is None else checked_name(name)
    in_force = [one for one in api_keys.list_all(workspace_id) if one.kind == "workspace" and one.revoked_at is None]
    if len(in_force) >= MOST_KEYS:
        raise Refused("too_many_keys", f"A workspace has at most {MOST_KEYS} valid keys: revoke a key first.")
    return _create_key(actor, "workspace", workspace_id, person_id, wanted, sites, given)


def create_website_key(
    actor: Actor, site_id: str, person_id: str, scopes: Iterable[str] = tuple(rights.SCOPES)
) -> NewKey:
    """Create a key for one website. ``scopes``: every scope if not given.

    Refused: ``not_found``, ``not_allowed``, ``bad_scope``, ``cannot_own_keys``.
    """
    workspace_id = websites.workspace_of(site_id)
    if workspace_id is None:
        raise _no_website(site_id)
    require(actor, "manage_keys", workspace_id)
    _check_owner(actor, person_id)
    return _create_key(actor, "website", workspace_id, person_id, _checked_scopes(scopes), [site_id])


def edit_key(
    actor: Actor,
    key_id: str,
    *,
    scopes: Iterable[str] | None = None,
    site_ids: Sequence[str] | None = None,
    all_sites: bool = False,
    name: str | None = None,
) -> ApiKey:
    """Change a key's name, scopes or websites. None keeps the current value. A workspace key can get other websites:
    the ones in ``site_ids``, or all websites if ``all_sites`` is True. The website of a website key cannot be changed.

    Refused: ``not_found``, ``not_allowed``, ``bad_name``, ``bad_scope``, ``bad_site``, ``revoked``, ``website_key``.
    """
    key = existing_key(actor, key_id)
    if key.kind == "website" and (all_sites or site_ids is not None):
        raise Refused("website_key", "A website key covers its one website; create another key for another website.")
    wanted = list(key.scopes) if scopes is None else _checked_scopes(scopes)
    sites = key.site_ids if site_ids is None else _checked_sites(key.workspace_id, site_ids)
    called = key.name if name is None else checked_name(name)
    done = acts.done(TABLE, actor, key.workspace_id, "key.edited", clock.now(), key.id, api_keys.label(called, key))
    try:
        commit([*api_keys.edited(key, wanted, None if all_sites else sites, called), done])
    except Conflict:
        raise Refused("revoked", "The key is revoked: create another.") from None
    return existing_key(actor, key_id)


def revoke_key(actor: Actor, key_id: str) -> ApiKey:
    """Revoke a key permanently, and cancel the changes that were approved with it and are not written yet. A second
    call changes nothing, or completes an interrupted call.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    key = existing_key(actor, key_id)
    if key.revoked_at is None:
        now = clock.now()
        done = acts.done(TABLE, actor, key.workspace_id, "key.revoked", now, key.id, api_keys.label(key.name, key))
        # Of two concurrent revocations, the second finds the key revoked, and logs nothing.
        committed([*api_keys.revoked(key, now, once=True), done])
    cancelling.cancel_of_key(key.workspace_id, key.id)
    return existing_key(actor, key_id)


def existing_workspace(workspace_id: str) -> Workspace:
    """Return the workspace with this id. Refused: ``not_found``."""
    workspace = accounts.workspace(workspace_id)
    if workspace is None:
        raise _no_workspace(workspace_id)
    return workspace


def existing_person(workspace_id: str, person_id: str) -> Person:
    """Return a person of the workspace. Refused: ``not_found``."""
    person = accounts.person(workspace_id, person_id)
    if person is None:
        raise Refused("not_found", f"There is no person {person_id} in the workspace {workspace_id}.")
    return person


def person_by(workspace_id: str, id_or_email: str) -> Person:
    """Find a person by id or e-mail address. Refused: ``not_found``."""
    if "@" not in id_or_email:
        return existing_person(workspace_id, id_or_email)
    existing_workspace(workspace_id)
    address = id_or_email.strip().casefold()
    for person in accounts.list_people(workspace_id):
        if person.email.casefold() == address:
            return person
    raise Refused("not_found", f"There is no person {id_or_email!r} in the workspace {workspace_id}.")


def existing_key(actor: Actor, key_id: str) -> ApiKey:
    """Return a key of a workspace in which the actor may manage keys. Refused: ``not_found``, ``not_allowed``."""
    key = api_keys.get(key_id)
    if key is None or (not actor.is_operator and actor.workspace_id != key.workspace_id):
        raise Refused("not_found", f"There is no key {key_id}.")
    require(actor, "manage_keys", key.workspace_id)
    return key


def checked_name(name: str) -> str:
    """Return the name without surrounding spaces. Refused: ``bad_name``."""
    name = legible.without_mark(name).strip()
    wrong = legible.fault(name)
    if wrong is not None:
        raise Refused("bad_name", f"The name has {wrong}; a name has 1 to {LONGEST_NAME} printable characters.")
    if len(name) > LONGEST_NAME or not legible.is_visible(name):
        raise Refused("bad_name", f"A name has 1 to {LONGEST_NAME} printable characters.")
    return name


def checked_email(email: str) -> str:
    """Return the e-mail address without surrounding spaces. Refused: ``bad_email``."""
    address = emails.cleaned(email)
    if address is None:
        raise Refused("bad_email", f"{email!r} is not an e-mail address.")
    return address


def pairing_key(actor: Actor, website: Website, person_id: str) -> tuple[NewKey, list[Write]]:
    """Return a new key with ``PAIRING_SCOPES`` for a website's CMS or shop, and the writes that store it. The writes
    fail if the person or the website has changed meanwhile. Refused: ``not_found``, ``not_allowed``,
    ``cannot_own_keys``."""
    require(actor, "manage_keys", website.workspace_id)
    _check_owner(actor, person_id)
    new, writes = _new_key(actor, "website", website.workspace_id, person_id, list(rights.PAIRING_SCOPES), [website.id])
    return new, [*writes, websites.touched(website)]


def _create_key(
    actor: Actor,
    kind: key_format.KeyKind,
    workspace_id: str,
    person_id: str,
    scopes: list[str],
    site_ids: list[str] | None,
    name: str | None = None,
) -> NewKey:
    for _ in tries():
        new, writes = _new_key(actor, kind, workspace_id, person_id, scopes, site_ids, name)
        if kind == "website" and site_ids is not None:
            writes.append(_touched(workspace_id, site_ids[0]))
        try:
            commit(writes)
        except Conflict:
            continue
        return new
    raise busy()


def _new_key(
    actor: Actor,
    kind: key_format.KeyKind,
    workspace_id: str,
    person_id: str,
    scopes: list[str],
    site_ids: list[str] | None,
    name: str | None = None,
) -> tuple[NewKey, list[Write]]:
    secret = key_format.make(kind, random_bytes(key_format.ENTROPY_BYTES))
    parts = key_format.parse(secret)
    assert parts is not None
    person = existing_person(workspace_id, person_id)
    if not rights.may_own_keys(person.role):
        raise Refused("cannot_own_keys", f"{person.email} is a client viewer: a client viewer has no keys.")
    now = clock.now()
    listed = api_keys.listed(_new_id("key"), workspace_id, parts, scopes, site_ids, person_id, now, name)
    done = acts.done(TABLE, actor, workspace_id, "key.made", now, listed.id, api_keys.label(name, listed))
    # The transaction checks the person's version, so a concurrent change of role either sees this key or makes this
    # transaction fail.
    return NewKey(secret, listed), [accounts.touched_person(person), *api_keys.new(listed, person.role), done]


def _touched(workspace_id: str, site_id: str) -> Write:
    website = websites.get(workspace_id, site_id)
    if website is None:
        raise _no_website(site_id)
    return websites.touched(website)


def _another_owner(actor: Actor, person: Person) -> list[Write]:
    """Return the check that the workspace keeps another owner, if the person is an owner. Others need no check.
    Refused: ``last_owner``, except for the operator."""
    if actor.is_operator or person.role != "owner":
        return []
    owners = [one.id for one in accounts.list_people(person.workspace_id) if one.role == "owner"]
    others = [person_id for person_id in owners if person_id != person.id]
    if not others:
        raise Refused("last_owner", f"{person.email} is the only owner. Make another person an owner first.")
    return [accounts.has_role(person.workspace_id, others[0], ["owner"])]


def _keys_of(person: Person) -> list[ApiKey]:
    return [key for key in api_keys.list_all(person.workspace_id) if key.person_id == person.id]


def _commit_in_order(groups: Sequence[Sequence[Write]]) -> None:
    """Commit groups of writes in as few transactions as possible, without splitting a group."""
    part: list[Write] = []
    for group in groups:
        if len(part) + len(group) > MAX_WRITES:
            commit(part)
            part = []
        part.extend(group)
    if part:
        commit(part)


def _check_owner(actor: Actor, person_id: str) -> None:
    if not actor.is_operator and actor.person_id != person_id:
        raise Refused(
            "not_allowed", "A key acts as the person who creates it, so you cannot create one for another person."
        )


def _check_role(role: str) -> None:
    if role not in rights.ROLES:
        raise Refused("bad_role", f"{role!r} is not a role; the roles are {', '.join(rights.ROLES)}.")


def checked_plan(plan: str) -> plans.Plan:
    """Return the plan with this id. Refused: ``bad_plan``."""
    found = plans.find(plan)
    if found is None:
        raise Refused("bad_plan", f"{plan!r} is not a plan; the plans are {', '.join(plans.plan_ids())}.")
    return found


def _checked_scopes(scopes: Iterable[str]) -> list[str]:
    try:
        ordered = rights.ordered_scopes(scopes)
    except ValueError as error:
        raise Refused("bad_scope", f"'{error}' is not a scope; the scopes are {', '.join(rights.SCOPES)}.") from None
    if not ordered:
        raise Refused("bad_scope", "A key needs at least one scope.")
    return ordered


def _websites_of_role(workspace_id: str, role: str, site_ids: Sequence[str] | None) -> list[str] | None:
    if site_ids is not None and role != "client_viewer":
        raise Refused("bad_site", f"The role {role} sees all websites. Name websites only for a client viewer.")
    return _checked_sites(workspace_id, site_ids)


def _checked_sites(workspace_id: str, site_ids: Sequence[str] | None) -> list[str] | None:
    if site_ids is None:
        return None
    wanted = list(dict.fromkeys(site_ids))
    if not wanted:
        raise Refused("bad_site", "Name at least one website. To cover all websites, leave the list out.")
    known = websites.get_many(workspace_id, wanted)
    for site_id in wanted:
        if site_id not in known:
            raise Refused("bad_site", f"There is no website {site_id} in this workspace.")
    return wanted


def _new_id(prefix: str) -> str:
    return time_ordered(prefix, clock.now(), random_bytes(10))


def _no_workspace(workspace_id: str) -> Refused:
    return Refused("not_found", f"There is no workspace {workspace_id}.")


def _no_website(site_id: str) -> Refused:
    return Refused("not_found", f"There is no website {site_id}.")
