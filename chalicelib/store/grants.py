"""Grants in progress (table sites): a person is at Google's consent page, or has just come back, to give access to a
source of data.

Access patterns
- the grant in progress of a website for a kind of source: Get SITE#s, GRANTING#kind

There is one row per website and kind; a new grant replaces an unfinished one. Only the SHA-256 of the OAuth state that
was sent to Google is stored. ``sealed`` is encrypted like the credentials of a connection. It holds the verifier (PKCE)
until the code from Google is exchanged, and from then on the granted account.
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

# asked: the person is at Google; used: the code is being exchanged; granted: the account is stored.
Phase = Literal["asked", "used", "granted"]
GRANT: Final = "grant"  # in a ``Conflict``, the name of the write that ends a grant


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A grant in progress.

    - ``state``: the SHA-256 of the OAuth state that was sent to Google, in hex.
    - ``redirect_uri``: where Google redirects to.
    - ``ttl``: when it expires (epoch seconds).
    """

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
        """Return the decrypted content of ``sealed``: the verifier (PKCE) or, after the exchange of the code, the
        account. Raises botocore's errors."""
        return secrets.unseal(self.sealed, **context(self.workspace_id, self.site_id, self.kind))


def get(site_id: str, kind: SourceKind) -> Grant | None:
    """Return the unfinished grant. Returns None if there is none, or it has expired."""
    item = items.get(TABLE, *keys.connection(site_id, kind, "granting"))
    return None if item is None else typed.convert(item, Grant)


def put(new: Grant) -> None:
    """Begin a grant, replacing an earlier unfinished one."""
    pk, sk = keys.connection(new.site_id, new.kind, "granting")
    items.put(TABLE, {"pk": pk, "sk": sk, **msgspec.structs.asdict(new)})


def use(grant: Grant) -> bool:
    """Record that the grant's code is exchanged now, which is allowed once. Returns False if the code was already
    exchanged, or another grant has replaced this one."""
    writer = random_bytes(8).hex()
    return _moved(grant, ("asked", "used"), "writer", writer)


def keep(grant: Grant, sealed: bytes) -> bool:
    """Store the account that was granted. Returns False if another grant has replaced this one."""
    return _moved(grant, ("used", "granted"), "sealed", sealed)


def renew(grant: Grant, sealed: bytes) -> bool:
    """Store a new refresh token that Google gave for the account. Returns False if another grant has replaced this
    one."""
    return _moved(grant, ("granted", "granted"), "sealed", sealed)


def _moved(grant: Grant, phases: tuple[Phase, Phase], name: str, value: object) -> bool:
    """Move the grant from the first phase to the second, setting the attribute ``name``. A repeated request recognises
    its own write by that attribute."""
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
    """Return the write that ends a grant. The write fails when another grant has replaced it, or when it has already
    ended."""
    key = keys.connection(grant.site_id, grant.kind, "granting")
    return Delete(TABLE, key, "#state = :state", {"#state": "state"}, {":state": grant.state}, GRANT)
