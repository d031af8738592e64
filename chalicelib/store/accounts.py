"""Workspaces, people and API keys (table accounts).

Access patterns
- a workspace, a person, a key as listed: Get WS#w, META / PERSON#u / KEY#k
- the people or the keys of a workspace: Query WS#w, PERSON# or KEY#
- all workspaces (operator): Query WORKSPACES
- the workspace of a key id: Get KEYID#k
- authenticate a request and count it: one conditional update of KEY#sha256
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from chalicelib.domain.accounts.keys import KeyParts
from chalicelib.domain.names import sort_key
from chalicelib.store import items, keys
from chalicelib.store.errors import ITEM, Conflict
from chalicelib.store.models import Entity, Integer, OptionalNumber, OptionalTexts
from chalicelib.store.transactions import Delete, Put, Update, Write

TABLE = "accounts"
ADDRESS = "e-mail address"  # what a conflict calls the row that makes an address unique
REQUESTS_PER_HOUR = 1_200
HOUR_SECONDS = 3_600

_NOT_REVOKED = "attribute_exists(pk) AND attribute_not_exists(revokedAt)"


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


class ApiKey(Entity):
    """A key as its workspace lists it; the key itself is nowhere. ``site_ids`` None: all websites of the workspace."""

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    workspace_id = UnicodeAttribute(attr_name="workspaceId")
    kind = UnicodeAttribute()
    sha256 = UnicodeAttribute()
    prefix = UnicodeAttribute()
    last4 = UnicodeAttribute()
    scopes = ListAttribute[str]()
    site_ids = OptionalTexts(attr_name="siteIds")
    person_id = UnicodeAttribute(attr_name="personId")
    created_at = NumberAttribute(attr_name="createdAt")
    revoked_at = OptionalNumber(attr_name="revokedAt")


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace in the operator's directory."""

    id: str
    name: str
    plan: str


@dataclass(frozen=True, slots=True)
class Auth:
    """What a known key may do, and what is left of its hour. ``site_ids`` None: all websites of the workspace.

    ``owner_state``: ``ok``, or ``lost`` when the person left or may no longer use keys. ``reset_at``: epoch seconds.
    """

    key_id: str
    kind: str
    workspace_id: str
    site_ids: tuple[str, ...] | None
    scopes: tuple[str, ...]
    person_id: str
    role: str
    owner_state: str
    limit: int
    remaining: int
    reset_at: int

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Self:
        site_ids = row.get("siteIds")
        return cls(
            key_id=row["keyId"],
            kind=row["kind"],
            workspace_id=row["workspaceId"],
            site_ids=None if site_ids is None else tuple(site_ids),
            scopes=tuple(row["scopes"]),
            person_id=row["personId"],
            role=row["role"],
            owner_state=row["ownerState"],
            limit=REQUESTS_PER_HOUR,
            remaining=max(0, REQUESTS_PER_HOUR - row["used"]),
            reset_at=(row["hour"] + 1) * HOUR_SECONDS,
        )


class KeyUnknown(Exception):
    """No such key, or it is revoked."""


class LimitReached(Exception):
    """The key is known; its requests of this clock hour are used up."""

    def __init__(self, auth: Auth) -> None:
        super().__init__(auth.key_id)
        self.auth = auth


def authenticate(sha256: str, now: float) -> Auth:
    """Count one request of the key with this hash, and say what it may do: one round trip, two when the hour turns.

    Raises ``KeyUnknown``, or ``LimitReached`` when the clock hour's requests are used up. Refusals count nothing.
    """
    hour = int(now // HOUR_SECONDS)
    # While the row's hour lasts each request adds one; the first of a later hour begins it at one. The third try is
    # for a request that comes second when the hour turns.
    row = _count_in_hour(sha256, hour) or _begin_hour(sha256, hour) or _count_in_hour(sha256, hour)
    if row is None:
        raise RuntimeError(f"the row of key {sha256[:8]}… fits no hour")
    return Auth._of(row)


def _count_in_hour(sha256: str, hour: int) -> dict[str, Any] | None:
    return _count(
        sha256,
        "SET #used = #used + :one",
        f"{_NOT_REVOKED} AND #hour >= :hour AND #used < :limit",
        {":hour": hour, ":one": 1, ":limit": REQUESTS_PER_HOUR},
    )


def _begin_hour(sha256: str, hour: int) -> dict[str, Any] | None:
    return _count(
        sha256, "SET #hour = :hour, #used = :one", f"{_NOT_REVOKED} AND #hour < :hour", {":hour": hour, ":one": 1}
    )


def _count(sha256: str, expression: str, condition: str, values: dict[str, int]) -> dict[str, Any] | None:
    """The row after counting; None when it stands in another hour than the condition asks for."""
    names = {"#hour": "hour", "#used": "used"}
    try:
        return items.update(
            TABLE,
            *keys.key_secret(sha256),
            expression,
            condition=condition,
            names=names,
            values=values,
            returns="ALL_NEW",
        )
    except Conflict as conflict:
        old = conflict.failed[ITEM]
        if old is None or "revokedAt" in old:
            raise KeyUnknown from None
        if old["hour"] >= values[":hour"] and old["used"] >= REQUESTS_PER_HOUR:
            raise LimitReached(Auth._of(old)) from None
        return None


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


def list_keys(workspace_id: str) -> list[ApiKey]:
    """The keys of a workspace, revoked ones too, oldest first."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.KEY_PREFIX)
    return [ApiKey.from_item(row) for row in rows]


def key(key_id: str) -> ApiKey | None:
    """The key of this id, or None."""
    found = items.get(TABLE, *keys.key_id(key_id))
    return None if found is None else ApiKey.load(keys.listed_key(found["workspaceId"], key_id))


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


def listed_key(
    key_id: str,
    workspace_id: str,
    parts: KeyParts,
    scopes: Sequence[str],
    site_ids: Sequence[str] | None,
    person_id: str,
    now: float,
) -> ApiKey:
    """A key as its workspace lists it, not yet stored."""
    pk, sk = keys.listed_key(workspace_id, key_id)
    return ApiKey(
        pk=pk,
        sk=sk,
        id=key_id,
        workspace_id=workspace_id,
        kind=parts.kind,
        sha256=parts.sha256,
        prefix=parts.prefix,
        last4=parts.last4,
        scopes=list(scopes),
        site_ids=None if site_ids is None else list(site_ids),
        person_id=person_id,
        created_at=now,
    )


def new_key(created: ApiKey, role: str) -> list[Write]:
    """The writes that create a key of a person with this role."""
    secret = {
        "keyId": created.id,
        "kind": created.kind,
        "workspaceId": created.workspace_id,
        "siteIds": created.site_ids,
        "scopes": list(created.scopes),
        "personId": created.person_id,
        "ownerState": "ok",
        "role": role,
        "hour": 0,
        "used": 0,
    }
    return [
        Put(TABLE, created.as_item(), condition="attribute_not_exists(pk)"),
        _new_row(keys.key_id(created.id), workspaceId=created.workspace_id, sha256=created.sha256),
        _new_row(keys.key_secret(created.sha256), **secret),
    ]


def edited_key(key: ApiKey, scopes: Sequence[str], site_ids: Sequence[str] | None) -> list[Write]:
    """The writes that give a key these scopes and websites (None: all). They fail when the key is revoked."""
    values: dict[str, Any] = {":scopes": list(scopes)}
    if site_ids is None:
        expression = "SET #scopes = :scopes REMOVE #sites"
    else:
        expression = "SET #scopes = :scopes, #sites = :sites"
        values[":sites"] = list(site_ids)
    names = {"#scopes": "scopes", "#sites": "siteIds"}
    return [Update(TABLE, row, expression, _NOT_REVOKED, names, values) for row in _rows_of(key)]


def revoked_key(key: ApiKey, now: float) -> list[Write]:
    """The writes that revoke a key for good."""
    return [_update(row, "SET revokedAt = :now", values={":now": now}) for row in _rows_of(key)]


def owner_changed(key: ApiKey, role: str, owner_state: str) -> Update:
    """The write that copies onto a key what it needs of its person."""
    return _update(
        keys.key_secret(key.sha256),
        "SET #role = :role, ownerState = :state",
        names={"#role": "role"},
        values={":role": role, ":state": owner_state},
    )


def _rows_of(key: ApiKey) -> tuple[tuple[str, str], tuple[str, str]]:
    return keys.listed_key(key.workspace_id, key.id), keys.key_secret(key.sha256)


def _new_row(key: tuple[str, str], write_name: str | None = None, /, **attributes: Any) -> Put:
    pk, sk = key
    return Put(TABLE, {"pk": pk, "sk": sk, **attributes}, condition="attribute_not_exists(pk)", name=write_name)


def _update(
    key: tuple[str, str], expression: str, *, names: dict[str, str] | None = None, values: dict[str, Any]
) -> Update:
    return Update(TABLE, key, expression, "attribute_exists(pk)", names, values)
