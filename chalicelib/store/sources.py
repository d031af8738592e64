"""The credentials for sources of imported data about websites (table sites).

Access patterns
- the credentials of one connection: Get SITE#s, CONN#kind

Credentials are encrypted, bound to workspace, website and kind. ``connections`` stores the status of a connection.
"""

from typing import Final

import msgspec

from chalicelib import typed
from chalicelib.domain.connections import SourceKind
from chalicelib.store import items, keys, secrets
from chalicelib.store.connections import context
from chalicelib.store.errors import Conflict
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Delete, Put
from chalicelib.store.websites import TABLE

CREDENTIALS: Final = "credentials"  # in a ``Conflict``, the name of the write of credentials


class SourceCredentials(msgspec.Struct, frozen=True, kw_only=True):
    """The credentials for a source of data. ``id`` is new with each connection, and does not change when its secret is
    replaced.

    - ``name``: the source's name at its provider.
    - ``sealed``: the encrypted account.
    - ``used_up_until``: until when no request is made, because the quota is used up (epoch seconds). None if the quota
      was never used up.
    """

    id: str
    kind: SourceKind
    site_id: str
    workspace_id: str
    name: str
    sealed: bytes
    created_at: float
    used_up_until: float | None = None

    def secret(self) -> Secret:
        """Return the decrypted account. Raises botocore's errors."""
        return secrets.unseal(self.sealed, **context(self.workspace_id, self.site_id, self.kind))


def seal(secret: Secret, workspace_id: str, site_id: str, kind: SourceKind) -> bytes:
    """Encrypt the account as ``SourceCredentials`` store it. Raises botocore's errors."""
    return secrets.seal(secret, **context(workspace_id, site_id, kind))


def get(site_id: str, kind: SourceKind) -> SourceCredentials | None:
    item = items.get(TABLE, *keys.connection(site_id, kind, "connected"))
    return None if item is None else typed.convert(item, SourceCredentials)


def connected(new: SourceCredentials, before: SourceCredentials | None) -> Put:
    """Return the write that creates or replaces a connection. The write fails when another connection was made since
    ``before`` was read."""
    pk, sk = keys.connection(new.site_id, new.kind, "connected")
    item = {"pk": pk, "sk": sk, **msgspec.structs.asdict(new)}
    if before is None:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=CREDENTIALS)
    return Put(TABLE, item, "#id = :id", {"#id": "id"}, {":id": before.id}, CREDENTIALS)


def removed(credentials: SourceCredentials) -> Delete:
    """Return the write that removes a connection's credentials. The write fails when they were replaced or removed
    since they were read."""
    key = keys.connection(credentials.site_id, credentials.kind, "connected")
    return Delete(TABLE, key, "#id = :id", {"#id": "id"}, {":id": credentials.id}, CREDENTIALS)


def use_up(credentials: SourceCredentials, until: float) -> None:
    """Store that a connection's source must not be requested before this time (epoch seconds). Nothing is stored if the
    connection was replaced or removed since the credentials were read."""
    try:
        items.update(
            TABLE,
            *keys.connection(credentials.site_id, credentials.kind, "connected"),
            "SET used_up_until = :until",
            condition="#id = :id",
            names={"#id": "id"},
            values={":until": until, ":id": credentials.id},
        )
    except Conflict:
        return


def replace_secret(credentials: SourceCredentials, sealed: bytes) -> bool:
    """Replace the secret of the same connection. Returns False, without a write, when another process has replaced the
    secret, or the connection is gone."""
    try:
        items.update(
            TABLE,
            *keys.connection(credentials.site_id, credentials.kind, "connected"),
            "SET sealed = :sealed",
            condition="#id = :id AND sealed = :seen",
            names={"#id": "id"},
            values={":sealed": sealed, ":id": credentials.id, ":seen": credentials.sealed},
            own={"sealed": sealed},
        )
    except Conflict:
        return False
    return True
