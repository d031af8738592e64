"""Access to a source of data that a person is granting at Google just now (table sites).

Access patterns
- what is being granted to a website for a kind of source: Get SITE#s, GRANTING#kind

There is one row for each website and kind: who begins again takes its place. Only the SHA-256 of the state sent to
Google is stored. ``sealed`` lies under KMS like the credentials of a connection: the verifier until the code is
exchanged, the account from then on.
"""

from typing import Final, Literal

import msgspec

from chalicelib import typed
from chalicelib.domain.connections import SourceKind
from chalicelib.randomness import random_bytes
from chalicelib.store import items, keys, secrets
from chalicelib.store.connections import context
from chalicelib.store.errors import Conflict
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Delete
from chalicelib.store.websites import TABLE

# asked: the person is at Google; used: the code is being exchanged; granted: the account is there.
Phase = Literal["asked", "used", "granted"]
GRANT: Final = "grant"  # what a conflict calls the write that ends one


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """``state``: SHA-256, hex. ``redirect_uri``: where Google leads back to; ``ttl``: when it ends (epoch seconds)."""

    state: str
    kind: SourceKind
    site_id: str
    workspace_id: str
    person_id: str
    redirect_uri: str
    phase: Phase
    sealed: bytes
    ttl: int

    def secret(self) -> Secret:
        """The verifier, or the account. Raises botocore's errors."""
        return secrets.unseal(self.sealed, **context(self.workspace_id, self.site_id, self.kind))


def get(site_id: str, kind: SourceKind) -> Grant | None:
    """The unfinished grant; None without one, or after its time."""
    item = items.get(TABLE, *keys.connection(site_id, kind, "granting"))
    return None if item is None else typed.convert(item, Grant)


def put(new: Grant) -> None:
    """Begin a grant, replacing an earlier unfinished one."""
    pk, sk = keys.connection(new.site_id, new.kind, "granting")
    items.put(TABLE, {"pk": pk, "sk": sk, **msgspec.structs.asdict(new)})


def use(grant: Grant) -> bool:
    """Let the code be exchanged, which happens once. False where it was before, or another took the grant's place."""
    writer = random_bytes(8).hex()
    return _moved(grant, ("asked", "used"), "writer", writer)


def keep(grant: Grant, sealed: bytes) -> bool:
    """Keep the account that was granted. False where another took the grant's place."""
    return _moved(grant, ("used", "granted"), "sealed", sealed)


def renew(grant: Grant, sealed: bytes) -> bool:
    """Keep another refresh token that Google gave for the account. False where another took the grant's place."""
    return _moved(grant, ("granted", "granted"), "sealed", sealed)


def _moved(grant: Grant, phases: tuple[Phase, Phase], name: str, value: object) -> bool:
    """Move from the first phase to the second. The attribute lets a repeated request recognise its own write."""
    try:
        items.update(
            TABLE,
            *keys.connection(grant.site_id, grant.kind, "granting"),
            f"SET phase = :after, {name} = :value",
            condition="#state = :state AND phase = :before",
            names={"#state": "state"},
            values={":state": grant.state, ":before": phases[0], ":after": phases[1], ":value": value},
            own={name: value},
        )
    except Conflict:
        return False
    return True


def ended(grant: Grant) -> Delete:
    """The write that ends a grant. Fails when another took its place, or it has ended."""
    key = keys.connection(grant.site_id, grant.kind, "granting")
    return Delete(TABLE, key, "#state = :state", {"#state": "state"}, {":state": grant.state}, GRANT)
