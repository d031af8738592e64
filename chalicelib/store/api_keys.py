"""API keys, and the number of requests that each may make per hour (table accounts).

Access patterns
- a key as listed: Get WS#w, KEY#k; the keys of a workspace: Query WS#w, KEY#
- the workspace of a key id: Get KEYID#k
- authenticate a request and count it: one conditional update of KEY#sha256
- the last hour in which keys were used: BatchGet of KEY#sha256, attribute ``hour``
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from chalicelib import randomness
from chalicelib.domain.accounts.keys import KeyParts
from chalicelib.store import items, keys
from chalicelib.store.errors import ITEM, Conflict
from chalicelib.store.models import Entity, OptionalNumber, OptionalText, OptionalTexts
from chalicelib.store.transactions import Check, Put, Update, Write

TABLE = "accounts"
KEY = "API key"  # in a ``Conflict``, the name of the check of a key
REQUESTS_PER_HOUR = 1_200
PERSON = "person"  # the ``kind`` of an ``Auth`` for a signed-in person, who uses no key
HOUR_SECONDS = 3_600

# A key's row holds the tokens of the latest counted requests, each in the slot that the token selects. So a request
# that is repeated because its answer was lost counts once, unless another request of the same slot came in between.
_SLOTS = 8
_TOKEN_BYTES = 6

_NOT_REVOKED = "attribute_exists(pk) AND attribute_not_exists(revokedAt)"


class ApiKey(Entity):
    """An API key as listed in its workspace; the key itself is not stored. ``site_ids``: None means all websites of the
    workspace. ``name``: None means that the key has no name."""

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
    name = OptionalText()


@dataclass(frozen=True, slots=True)
class Auth:
    """The rights of a known key, and what is left of its hourly limit.

    - ``site_ids``: None means all websites of the workspace.
    - ``owner_state``: ``ok``, or ``lost`` when the key's owner left or may no longer use keys.
    - ``reset_at``: epoch seconds.
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

    @property
    def used_key(self) -> str | None:
        """The id of the key that was used; None for a signed-in person."""
        return None if self.kind == PERSON else self.key_id

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
    """There is no such key, or it is revoked."""


class LimitReached(Exception):
    """The key is known, but its requests of this clock hour are used up."""

    def __init__(self, auth: Auth) -> None:
        super().__init__(auth.key_id)
        self.auth = auth


def authenticate(sha256: str, now: float) -> Auth:
    """Count one request of the key with this hash, and return the key's rights. One round trip; two for the first
    request of a clock hour. Raises ``KeyUnknown``, or ``LimitReached`` when the clock hour's requests are used up.
    Refused requests are not counted."""
    hour = int(now // HOUR_SECONDS)
    token = randomness.random_bytes(_TOKEN_BYTES)
    # Within the row's hour each request adds one; the first of a later hour resets the count to one. The third try is
    # for a request that loses the race when the hour turns.
    row = _count_in_hour(sha256, hour, token) or _begin_hour(sha256, hour, token) or _count_in_hour(sha256, hour, token)
    if row is None:
        raise RuntimeError(f"a request could not be counted in the row of key {sha256[:8]}…")
    return Auth._of(row)


def _count_in_hour(sha256: str, hour: int, token: bytes) -> dict[str, Any] | None:
    return _count(
        sha256,
        "SET #used = #used + :one, #slot = :token",
        f"{_NOT_REVOKED} AND #hour >= :hour AND #used < :limit AND #slot <> :token",
        {":hour": hour, ":one": 1, ":limit": REQUESTS_PER_HOUR},
        token,
    )


def _begin_hour(sha256: str, hour: int, token: bytes) -> dict[str, Any] | None:
    return _count(
        sha256,
        "SET #hour = :hour, #used = :one, #slot = :token",
        f"{_NOT_REVOKED} AND #hour < :hour",
        {":hour": hour, ":one": 1},
        token,
    )


def _count(sha256: str, expression: str, condition: str, values: dict[str, int], token: bytes) -> dict[str, Any] | None:
    """Count a request of the key, and return the key's row. Returns None if the row's hour does not meet the
    condition."""
    slot = f"last{token[0] % _SLOTS}"
    try:
        return items.update(
            TABLE,
            *keys.key_secret(sha256),
            expression,
            condition=condition,
            names={"#hour": "hour", "#used": "used", "#slot": slot},
            values={**values, ":token": token},
            own={slot: token},
            returns="ALL_NEW",
        )
    except Conflict as conflict:
        old = conflict.failed[ITEM]
        if old is None or "revokedAt" in old:
            raise KeyUnknown from None
        if old["hour"] >= values[":hour"] and old["used"] >= REQUESTS_PER_HOUR:
            raise LimitReached(Auth._of(old)) from None
        return None


def list_all(workspace_id: str) -> list[ApiKey]:
    """Return the keys of a workspace, including revoked ones, oldest first."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.KEY_PREFIX)
    return [ApiKey.from_item(row) for row in rows]


def last_used(listed: Sequence[ApiKey]) -> dict[str, float]:
    """Return the hour in which each key was last used, by the key's id. Hours are given by their beginning (epoch
    seconds). Keys that were never used are left out."""
    rows = {key.id: (TABLE, *keys.key_secret(key.sha256)) for key in listed}
    found = items.batch_get(rows.values(), attributes=["hour"])
    hours = {key_id: found[row]["hour"] for key_id, row in rows.items() if row in found}
    return {key_id: float(hour * HOUR_SECONDS) for key_id, hour in hours.items() if hour}


def used_in_hour(listed: Sequence[ApiKey], now: float) -> dict[str, int]:
    """Return how many requests each key made in this clock hour, by the key's id."""
    hour = int(now // HOUR_SECONDS)
    rows = {key.id: (TABLE, *keys.key_secret(key.sha256)) for key in listed}
    found = items.batch_get(rows.values(), attributes=["hour", "used"])
    return {
        key_id: found[row]["used"] if found[row]["hour"] == hour else 0 for key_id, row in rows.items() if row in found
    }


def label(name: str | None, key: ApiKey) -> str:
    """Return the label of a key in lists: its name, and the first and last characters of the key itself."""
    return f"{name or ''} {key.prefix}…{key.last4}".strip()


def get(key_id: str) -> ApiKey | None:
    """Return the key with this id, or None if there is none."""
    found = items.get(TABLE, *keys.key_id(key_id))
    return None if found is None else ApiKey.load(keys.listed_key(found["workspaceId"], key_id))


# -- writes, for the transactions of operations ---------------------------------------------------------


def listed(
    key_id: str,
    workspace_id: str,
    parts: KeyParts,
    scopes: Sequence[str],
    site_ids: Sequence[str] | None,
    person_id: str,
    now: float,
    name: str | None = None,
) -> ApiKey:
    """Return the entry of a new key in its workspace's list, for the transaction that stores the key."""
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
        name=name,
    )


def new(created: ApiKey, role: str) -> list[Write]:
    """Return the writes that create a key, which acts as a person with this role."""
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


def edited(key: ApiKey, scopes: Sequence[str], site_ids: Sequence[str] | None, name: str | None = None) -> list[Write]:
    """Return the writes that change the scopes, websites and name of a key. ``site_ids``: None means all websites.
    ``name``: None keeps the name. The writes fail when the key is revoked."""
    values: dict[str, Any] = {":scopes": list(scopes)}
    if site_ids is None:
        expression, ending = "SET #scopes = :scopes", " REMOVE #sites"
    else:
        expression, ending = "SET #scopes = :scopes, #sites = :sites", ""
        values[":sites"] = list(site_ids)
    names = {"#scopes": "scopes", "#sites": "siteIds"}
    listed, secret = _rows_of(key)
    if name is None:
        changed = Update(TABLE, listed, expression + ending, _NOT_REVOKED, names, values)
    else:
        named = {**names, "#name": "name"}, {**values, ":name": name}
        changed = Update(TABLE, listed, f"{expression}, #name = :name{ending}", _NOT_REVOKED, *named)
    return [changed, Update(TABLE, secret, expression + ending, _NOT_REVOKED, names, values)]


def revoked(key: ApiKey, now: float, *, once: bool = False) -> list[Write]:
    """Return the writes that revoke a key permanently. With ``once``, they fail when the key is already revoked."""
    condition = _NOT_REVOKED if once else "attribute_exists(pk)"
    return [Update(TABLE, row, "SET revokedAt = :now", condition, values={":now": now}) for row in _rows_of(key)]


def still_allows(workspace_id: str, key_id: str, scope: str, site_id: str) -> Check:
    """Return a check that makes its transaction fail if the key is revoked, lacks this scope, or does not cover the
    website."""
    return Check(
        TABLE,
        keys.listed_key(workspace_id, key_id),
        f"{_NOT_REVOKED} AND contains(#scopes, :scope) AND (attribute_not_exists(#sites) OR contains(#sites, :site))",
        names={"#scopes": "scopes", "#sites": "siteIds"},
        values={":scope": scope, ":site": site_id},
        name=KEY,
    )


def owner_changed(key: ApiKey, role: str, owner_state: str) -> Update:
    """Return the write that copies the role and the state of a key's owner to the key's own row."""
    return Update(
        TABLE,
        keys.key_secret(key.sha256),
        "SET #role = :role, ownerState = :state",
        "attribute_exists(pk)",
        names={"#role": "role"},
        values={":role": role, ":state": owner_state},
    )


def _rows_of(key: ApiKey) -> tuple[tuple[str, str], tuple[str, str]]:
    return keys.listed_key(key.workspace_id, key.id), keys.key_secret(key.sha256)


def _new_row(key: tuple[str, str], /, **attributes: Any) -> Put:
    pk, sk = key
    return Put(TABLE, {"pk": pk, "sk": sk, **attributes}, condition="attribute_not_exists(pk)")
