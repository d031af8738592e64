"""Workspaces and people (table accounts). Their keys are in ``api_keys``.

Access patterns
- a workspace, a person: Get WS#w, META / PERSON#u
- the people of a workspace: Query WS#w, PERSON#
- all workspaces (operator): Query WORKSPACES
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from chalicelib.domain.names import sort_key
from chalicelib.store import items, keys
from chalicelib.store.models import Entity, Integer
from chalicelib.store.transactions import Check, Delete, Put, Update, Write

TABLE = "accounts"
PERSON = "person"  # what a conflict calls the check of a person
ADDRESS = "e-mail address"  # what a conflict calls the row that makes an address unique


class Workspace(Entity):
    """A customer: its plan, and how many websites and people it has."""

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    name = UnicodeAttribute()
    plan = UnicodeAttribute()
    created_at = NumberAttribute(attr_name="createdAt")
    websites = Integer(default=0)
    people = Integer(default=0)


class Person(Entity):
    """Someone who works in a workspace. ``version`` grows with each change of the person or of their set of keys."""

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    workspace_id = UnicodeAttribute(attr_name="workspaceId")
    email = UnicodeAttribute()
    role = UnicodeAttribute()
    created_at = NumberAttribute(attr_name="createdAt")
    version = Integer(default=0)


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace in the operator's directory."""

    id: str
    name: str
    plan: str


def workspace(workspace_id: str) -> Workspace | None:
    """The workspace, or None."""
    return Workspace.load(keys.workspace(workspace_id))


def list_workspaces() -> list[WorkspaceRow]:
    """All workspaces, by name."""
    rows = [WorkspaceRow(row["id"], row["name"], row["plan"]) for row in items.query_all(TABLE, keys.WORKSPACES)]
    return sorted(rows, key=lambda row: (*sort_key(row.name), row.id))


def person(workspace_id: str, person_id: str) -> Person | None:
    """The person of the workspace, or None."""
    return Person.load(keys.person(workspace_id, person_id))


def list_people(workspace_id: str) -> list[Person]:
    """The people of a workspace, oldest first."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.PERSON_PREFIX)
    return [Person.from_item(row) for row in rows]


# -- writes, for the transactions of operations ---------------------------------------------------------


def new_workspace(workspace_id: str, name: str, plan: str, now: float) -> tuple[Workspace, list[Write]]:
    """A workspace and the writes that create it."""
    pk, sk = keys.workspace(workspace_id)
    created = Workspace(pk=pk, sk=sk, id=workspace_id, name=name, plan=plan, created_at=now)
    return created, [
        Put(TABLE, created.as_item(), condition="attribute_not_exists(pk)"),
        _new_row(keys.workspace_listing(workspace_id), id=workspace_id, name=name, plan=plan),
    ]


def set_plan(workspace_id: str, plan: str) -> list[Write]:
    """The writes that change a workspace's plan."""
    return [
        _update(key, "SET #plan = :plan", names={"#plan": "plan"}, values={":plan": plan})
        for key in (keys.workspace(workspace_id), keys.workspace_listing(workspace_id))
    ]


def count(workspace: Workspace, counter: str, limit: int | None) -> Update:
    """The write that adds one to ``websites`` or ``people``: only while the plan is what it was and below ``limit``."""
    condition = "#plan = :plan"
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
    """The write that takes one from ``websites`` or ``people``."""
    return _update(
        keys.workspace(workspace_id),
        "SET #counter = #counter - :one",
        names={"#counter": counter},
        values={":one": 1},
    )


def new_person(workspace_id: str, person_id: str, email: str, role: str, now: float) -> tuple[Person, list[Write]]:
    """A person and the writes that add them; ``ADDRESS`` fails when the workspace knows the e-mail address already."""
    pk, sk = keys.person(workspace_id, person_id)
    created = Person(pk=pk, sk=sk, id=person_id, workspace_id=workspace_id, email=email, role=role, created_at=now)
    return created, [
        Put(TABLE, created.as_item(), condition="attribute_not_exists(pk)"),
        _new_row(keys.email(workspace_id, email), ADDRESS, personId=person_id),
    ]


def changed_person(person: Person, role: str | None = None) -> Update:
    """The write that gives a person another role, or (None) only says that their set of keys changed.

    Fails when the person changed since they were read.
    """
    expression = "SET #version = #version + :one"
    names = {"#version": "version"}
    values: dict[str, Any] = {":one": 1, ":seen": person.version}
    if role is not None:
        expression += ", #role = :role"
        names["#role"] = "role"
        values[":role"] = role
    condition = "#version = :seen"
    return Update(TABLE, keys.person(person.workspace_id, person.id), expression, condition, names, values)


def has_role(workspace_id: str, person_id: str, roles: Sequence[str]) -> Check:
    """The check, in a transaction, that a person is in the workspace and has one of the roles."""
    values = {f":role{number}": role for number, role in enumerate(roles)}
    condition = f"attribute_exists(pk) AND #role IN ({', '.join(values)})"
    return Check(TABLE, keys.person(workspace_id, person_id), condition, {"#role": "role"}, values, PERSON)


def removed_person(person: Person) -> list[Write]:
    """The writes that remove a person; the first fails when the person changed since they were read."""
    return [
        Delete(
            TABLE,
            keys.person(person.workspace_id, person.id),
            condition="#version = :seen",
            names={"#version": "version"},
            values={":seen": person.version},
        ),
        Delete(TABLE, keys.email(person.workspace_id, person.email)),
        uncount(person.workspace_id, "people"),
    ]


def _new_row(key: tuple[str, str], write_name: str | None = None, /, **attributes: Any) -> Put:
    pk, sk = key
    return Put(TABLE, {"pk": pk, "sk": sk, **attributes}, condition="attribute_not_exists(pk)", name=write_name)


def _update(
    key: tuple[str, str], expression: str, *, names: dict[str, str] | None = None, values: dict[str, Any]
) -> Update:
    return Update(TABLE, key, expression, "attribute_exists(pk)", names, values)
