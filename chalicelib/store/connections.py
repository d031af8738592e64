"""The connections of a website to its CMS and its shop, and the status of all its connections (table sites).

Access patterns
- the credentials of one connection: Get SITE#s, CONN#kind
- the credentials of a pairing in progress: Get SITE#s, PAIRING#kind
- the status of connections: attributes of the website's record, so that no second read is needed
"""

from enum import Enum
from typing import Any, Final, Literal

import msgspec

from chalicelib import typed
from chalicelib.domain.connections import Connections, WriterKind
from chalicelib.domain.search.recent import RecentDays
from chalicelib.store import items, keys, secrets, shapes
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Delete, Put, Update, Write
from chalicelib.store.websites import TABLE, Website

CREDENTIALS: Final = "credentials"  # in a ``Conflict``, the name of the write of the credentials
SHOWN: Final = "connections"  # in a ``Conflict``, the name of the write of the status

State = Literal["connected", "pairing"]
STATES: Final[tuple[State, ...]] = ("connected", "pairing")


class KeptType(Enum):
    """The type of ``KEPT``, the default of parameters. ``KEPT`` means that the stored value is not changed."""

    KEPT = "kept"


KEPT: Final = KeptType.KEPT


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """The credentials that the service and a website's CMS share. ``id`` is new with each pairing. ``sealed``: the
    encrypted secret that signs requests to the CMS. ``key_id``: the id of the API key, for this website only, that the
    CMS received."""

    id: str
    kind: WriterKind
    site_id: str
    workspace_id: str
    base_url: str
    sealed: bytes
    key_id: str
    hint: str
    created_at: float

    def secret(self) -> Secret:
        """Return the decrypted secret. Raises botocore's errors."""
        return secrets.unseal(self.sealed, **context(self.workspace_id, self.site_id, self.kind))


def seal(secret: Secret, workspace_id: str, site_id: str, kind: WriterKind) -> bytes:
    """Encrypt the secret as ``Credentials`` store it. Raises botocore's errors."""
    return secrets.seal(secret, **context(workspace_id, site_id, kind))


def context(workspace_id: str, site_id: str, kind: str) -> dict[str, str]:
    """Return the encryption context of a connection's credentials. ``kind``: the kind of connection."""
    return {"workspaceId": workspace_id, "siteId": site_id, "connection": kind}


def get(site_id: str, kind: WriterKind, state: State = "connected") -> Credentials | None:
    item = items.get(TABLE, *keys.connection(site_id, kind, state))
    return None if item is None else typed.convert(item, Credentials)


# -- writes, for the transactions of operations ---------------------------------------------------------


def begin_pairing(new: Credentials, before: Credentials | None) -> Put:
    """Return the write that starts a pairing. The write fails when another pairing started or ended since ``before``
    was read."""
    return Put(TABLE, _item(new, "pairing"), **_still(before), name=CREDENTIALS)


def end_pairing(pairing: Credentials) -> Delete:
    """Return the write that ends a pairing, whether it succeeded or not. The write fails when another pairing has
    started since."""
    return _ended(pairing, _still(pairing))


def connected(pairing: Credentials, before: Credentials | None) -> list[Write]:
    """Return the writes that turn a pairing into the connection, with the pairing's credentials. They fail when another
    pairing started or ended since ``before`` was read. They also fail when the pairing's secret was re-encrypted since
    the pairing was read."""
    same = {
        "condition": "#id = :id AND #sealed = :sealed",
        "names": {"#id": "id", "#sealed": "sealed"},
        "values": {":id": pairing.id, ":sealed": pairing.sealed},
    }
    return [Put(TABLE, _item(pairing, "connected"), **_still(before), name=CREDENTIALS), _ended(pairing, same)]


def removed(credentials: Credentials) -> Delete:
    """Return the write that removes a connection's credentials. The write fails when they were replaced or removed
    since they were read."""
    key = keys.connection(credentials.site_id, credentials.kind, "connected")
    return Delete(TABLE, key, **_still(credentials), name=CREDENTIALS)


def shown(website: Website, connections: Connections, search: RecentDays | KeptType | None = KEPT) -> Update:
    """Return the write that updates the status of a website's connections. ``search``: the search figures of the last
    days, which are stored too; None removes the stored ones. The write fails when the connections changed since the
    website was read, or when the website is gone."""
    seen = website.packed_connections
    values = {":connections": shapes.CONNECTIONS.pack(connections), **({} if seen is None else {":seen": seen})}
    names, expression = {"#connections": "connections"}, "SET #connections = :connections"
    if search is not KEPT:
        names["#search"] = "search"
        if search is None:
            expression += " REMOVE #search"
        else:
            expression += ", #search = :search"
            values[":search"] = shapes.RECENT_SEARCH.pack(search)
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        expression,
        condition="attribute_exists(pk) AND "
        + ("attribute_not_exists(#connections)" if seen is None else "#connections = :seen"),
        names=names,
        values=values,
        name=SHOWN,
    )


def _ended(pairing: Credentials, condition: dict[str, Any]) -> Delete:
    return Delete(TABLE, keys.connection(pairing.site_id, pairing.kind, "pairing"), **condition, name=CREDENTIALS)


def _item(credentials: Credentials, state: State) -> dict[str, Any]:
    pk, sk = keys.connection(credentials.site_id, credentials.kind, state)
    return {"pk": pk, "sk": sk, **msgspec.structs.asdict(credentials)}


def _still(seen: Credentials | None) -> dict[str, Any]:
    if seen is None:
        return {"condition": "attribute_not_exists(pk)"}
    return {"condition": "#id = :id", "names": {"#id": "id"}, "values": {":id": seen.id}}
