"""Workspaces and people (table accounts). ``api_keys`` stores the API keys of people.

Access patterns
- a workspace, a person: Get WS#w, META / PERSON#u
- the people of a workspace: Query WS#w, PERSON#
- all workspaces (operator): Query WORKSPACES
- the workspaces of an e-mail address: ``sessions.workspaces`` reads rows that this module writes
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from chalicelib.domain.names import sort_key
from chalicelib.store import items, keys, notices
from chalicelib.store.models import Entity, Integer, OptionalNumber, OptionalText, OptionalTexts
from chalicelib.store.transactions import Check, Delete, Put, Update, Write, committed

TABLE = "accounts"
PERSON = "person"  # in a ``Conflict``, the name of the check of a person
ADDRESS = "e-mail address"  # in a ``Conflict``, the name of the write that makes an address unique


class Workspace(Entity):
    """A customer: its plan, and how many websites and people it has. ``report_name`` and ``report_colour``: shown in
    its reports. None means the workspace's name and the colour of the app. ``removed_at``: when its removal began."""

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    name = UnicodeAttribute()
    plan = UnicodeAttribute()
    created_at = NumberAttribute(attr_name="createdAt")
    websites = Integer(default=0)
    people = Integer(default=0)
    report_name = OptionalText(attr_name="reportName")
    report_colour = OptionalText(attr_name="reportColour")
    removed_at = OptionalNumber(attr_name="removedAt")


class Person(Entity):
    """Someone who works in a workspace. ``version`` grows with each change of the person or of the set of API keys they
    own. ``site_ids``: the websites assigned to a client viewer; None for other roles, which see all websites.
    ``invited_until``: when the last invitation ends. None if no invitation was mailed, or the person has used the
    workspace since."""

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    workspace_id = UnicodeAttribute(attr_name="workspaceId")
    email = UnicodeAttribute()
    role = UnicodeAttribute()
    site_ids = OptionalTexts(attr_name="siteIds")
    created_at = NumberAttribute(attr_name="createdAt")
    version = Integer(default=0)
    invited_until = OptionalNumber(attr_name="invitedUntil")


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace in the operator's list of workspaces. ``removed``: its removal has begun but not finished."""

    id: str
    name: str
    plan: str
    removed: bool = False


def workspace(workspace_id: str) -> Workspace | None:
    """Return the workspace, or None if it does not exist or its removal has begun."""
    found = any_workspace(workspace_id)
    return None if found is None or found.removed_at is not None else found


def any_workspace(workspace_id: str) -> Workspace | None:
    """Return the workspace, even if its removal has begun. Returns None if it does not exist."""
    return Workspace.load(keys.workspace(workspace_id))


def list_workspaces() -> list[WorkspaceRow]:
    """Return all workspaces, by name."""
    rows = [
        WorkspaceRow(row["id"], row["name"], row["plan"], "removedAt" in row)
        for row in items.query_all(TABLE, keys.WORKSPACES)
    ]
    return sorted(rows, key=lambda row: (*sort_key(row.name), row.id))


def person(workspace_id: str, person_id: str) -> Person | None:
    """Return the workspace's person with this id, or None if there is none."""
    return Person.load(keys.person(workspace_id, person_id))


def list_people(workspace_id: str) -> list[Person]:
    """Return the people of a workspace, oldest first."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.PERSON_PREFIX)
    return [Person.from_item(row) for row in rows]


# -- writes, for the transactions of operations ---------------------------------------------------------


def new_workspace(workspace_id: str, name: str, plan: str, now: float) -> tuple[Workspace, list[Write]]:
    """Return a workspace and the writes that create it."""
    pk, sk = keys.workspace(workspace_id)
    created = Workspace(pk=pk, sk=sk, id=workspace_id, name=name, plan=plan, created_at=now)
    return created, [
        Put(TABLE, created.as_item(), condition="attribute_not_exists(pk)"),
        _new_row(keys.workspace_listing(workspace_id), id=workspace_id, name=name, plan=plan),
    ]


def set_plan(workspace_id: str, plan: str) -> list[Write]:
    """Return the writes that change a workspace's plan."""
    return [
        _update(key, "SET #plan = :plan", names={"#plan": "plan"}, values={":plan": plan})
        for key in (keys.workspace(workspace_id), keys.workspace_listing(workspace_id))
    ]


def branded(workspace_id: str, name: str | None, colour: str | None) -> Update:
    """Return the write that sets the name and colour shown in a workspace's reports. None restores the workspace's own
    name, or the colour of the app."""
    given = {"reportName": name, "reportColour": colour}
    kept = {attribute: value for attribute, value in given.items() if value is not None}
    gone = [attribute for attribute in given if attribute not in kept]
    parts = ["SET " + ", ".join(f"{one} = :{one}" for one in kept)] if kept else []
    parts += ["REMOVE " + ", ".join(gone)] if gone else []
    values = {f":{attribute}": value for attribute, value in kept.items()}
    return _update(keys.workspace(workspace_id), " ".join(parts), values=values)


def begin_removal(workspace_id: str, now: float) -> list[Write]:
    """Return the writes that begin the removal of a workspace. Afterwards the function ``workspace`` returns None, and
    no person or website can be added. Sessions and keys still work until they are deleted."""
    return [
        _update(key, "SET removedAt = :now", values={":now": now})
        for key in (keys.workspace(workspace_id), keys.workspace_listing(workspace_id))
    ]


def end_removal(workspace_id: str) -> list[Write]:
    """Return the writes that delete a workspace's own rows. Call it when nothing else of the workspace is left."""
    return [Delete(TABLE, keys.workspace(workspace_id)), Delete(TABLE, keys.workspace_listing(workspace_id))]


def count(workspace: Workspace, counter: str, limit: int | None) -> Update:
    """Return the write that adds one to the workspace's count ``websites`` or ``people``. The write fails if the plan
    changed, the count has reached ``limit``, or the workspace is removed."""
    condition = "#plan = :plan AND attribute_not_exists(removedAt)"
    values: dict[str, Any] = {":plan": workspace.plan, ":one": 1}
    if limit is not None:
        condition += " AND #counter < :limit"
        values[":limit"] = limit
    return Update(
        TABLE,
        keys.workspace(workspace.id),
        "SET #counter = #counter + :one",
        condition=condition,
        names={"#plan": "plan", "#counter": counter},
        values=values,
    )


def uncount(workspace_id: str, counter: str) -> Update:
    """Return the write that subtracts one from the workspace's count ``websites`` or ``people``."""
    return _update(
        keys.workspace(workspace_id),
        "SET #counter = #counter - :one",
        names={"#counter": counter},
        values={":one": 1},
    )


def new_person(
    workspace: Workspace,
    person_id: str,
    email: str,
    role: str,
    site_ids: Sequence[str] | None,
    now: float,
    invited_until: float | None = None,
) -> tuple[Person, list[Write]]:
    """Return a new person and the writes that store this person. The write named ``ADDRESS`` fails when the workspace
    already has a person with this e-mail address."""
    pk, sk = keys.person(workspace.id, person_id)
    created = Person(
        pk=pk,
        sk=sk,
        id=person_id,
        workspace_id=workspace.id,
        email=email,
        role=role,
        site_ids=None if site_ids is None else list(site_ids),
        created_at=now,
        invited_until=invited_until,
    )
    return created, [
        Put(TABLE, created.as_item(), condition="attribute_not_exists(pk)"),
        _new_row(keys.email(workspace.id, email), ADDRESS, personId=person_id),
        _listed(created, workspace.name, role, site_ids),
    ]


def invited(workspace_id: str, person_id: str, until: float | None) -> bool:
    """Store when a person's invitation ends; None: they have none. Returns False if the person does not exist."""
    if until is None:
        return arrived(workspace_id, person_id)
    write = _update(keys.person(workspace_id, person_id), "SET invitedUntil = :until", values={":until": until})
    return committed([write])


def arrived(workspace_id: str, person_id: str) -> bool:
    """Store that an invited person has used the workspace. Returns False if the person does not exist."""
    return committed([_update(keys.person(workspace_id, person_id), "REMOVE invitedUntil", values={})])


def touched_person(person: Person) -> Update:
    """Return the write that records on a person's row that their set of API keys changed. The write fails when the
    person's row changed since it was read."""
    return _changed(person, "SET #version = #version + :one", {}, {})


def changed_role(person: Person, workspace_name: str, role: str, site_ids: Sequence[str] | None) -> list[Write]:
    """Return the writes that give a person another role and, for a client viewer, other websites. The first write fails
    when the person's row changed since it was read. Commit all in one transaction."""
    names = {"#role": "role", "#sites": "siteIds"}
    values: dict[str, Any] = {":role": role}
    expression = "SET #version = #version + :one, #role = :role"
    if site_ids is None:
        expression += " REMOVE #sites"
    else:
        expression += ", #sites = :sites"
        values[":sites"] = list(site_ids)
    return [_changed(person, expression, names, values), _listed(person, workspace_name, role, site_ids)]


def listed_again(person: Person, workspace_name: str) -> list[Write]:
    """Return the writes that update the entry for a person in the list of workspaces that belongs to their e-mail
    address. They fail when the person's row changed since it was read."""
    seen = Check(
        TABLE,
        keys.person(person.workspace_id, person.id),
        "#version = :seen",
        {"#version": "version"},
        {":seen": person.version},
    )
    return [seen, _listed(person, workspace_name, person.role, person.site_ids)]


def is_listed(person: Person, row: Mapping[str, Any] | None) -> bool:
    """Whether a row, from the list of workspaces that belongs to an e-mail address, is the current entry for this
    person."""
    return row is not None and (row["personId"], row["role"], row.get("siteIds")) == (
        person.id,
        person.role,
        person.site_ids,
    )


def has_role(workspace_id: str, person_id: str, roles: Sequence[str]) -> Check:
    """Return a check that makes its transaction fail if the person is not in the workspace, or has none of the
    roles."""
    values = {f":role{number}": role for number, role in enumerate(roles)}
    condition = f"attribute_exists(pk) AND #role IN ({', '.join(values)})"
    return Check(TABLE, keys.person(workspace_id, person_id), condition, {"#role": "role"}, values, PERSON)


def removed_person(person: Person) -> list[Write]:
    """Return the writes that remove a person. The first write fails when the person's row changed since it was read."""
    return [
        Delete(
            TABLE,
            keys.person(person.workspace_id, person.id),
            condition="#version = :seen",
            names={"#version": "version"},
            values={":seen": person.version},
        ),
        Delete(TABLE, keys.email(person.workspace_id, person.email)),
        Delete(TABLE, keys.workspace_of_address(person.email, person.workspace_id)),
        notices.removed(person.workspace_id, person.id),
        uncount(person.workspace_id, "people"),
    ]


def _changed(person: Person, expression: str, names: dict[str, str], values: dict[str, Any]) -> Update:
    return Update(
        TABLE,
        keys.person(person.workspace_id, person.id),
        expression,
        "#version = :seen",
        {"#version": "version", **names},
        {":one": 1, ":seen": person.version, **values},
    )


def _listed(person: Person, workspace_name: str, role: str, site_ids: Sequence[str] | None) -> Put:
    """Return the write of a person's entry in the list of workspaces that belongs to their e-mail address. Rights are
    read from the person's own row. The entry has role and websites only for ``is_listed``, and for releases that read
    them from the entry."""
    pk, sk = keys.workspace_of_address(person.email, person.workspace_id)
    row = {
        "workspaceId": person.workspace_id,
        "workspaceName": workspace_name,
        "personId": person.id,
        "email": person.email,
        "role": role,
        "siteIds": None if site_ids is None else list(site_ids),
    }
    return Put(TABLE, {"pk": pk, "sk": sk, **row})


def _new_row(key: tuple[str, str], write_name: str | None = None, /, **attributes: Any) -> Put:
    pk, sk = key
    return Put(TABLE, {"pk": pk, "sk": sk, **attributes}, condition="attribute_not_exists(pk)", name=write_name)


def _update(
    key: tuple[str, str], expression: str, *, names: dict[str, str] | None = None, values: dict[str, Any]
) -> Update:
    return Update(TABLE, key, expression, "attribute_exists(pk)", names, values)
