"""Finds the keys that a CMS or shop received when it was paired, and removes the scopes that a connector does not need.

A pairing now hands over a key with only ``PAIRING_SCOPES``. Earlier releases handed over keys with every scope,
although other plugins of the customer's CMS can read such a key.
"""

from typing import NamedTuple

from chalicelib.domain.accounts.rights import PAIRING_SCOPES, Actor
from chalicelib.domain.connections import WRITER_KINDS, WriterKind
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.permission import require
from chalicelib.store import api_keys, connections
from chalicelib.store.api_keys import ApiKey
from chalicelib.store.transactions import committed


class PairingKey(NamedTuple):
    """A valid key, and the website and kind of connection that received it."""

    key: ApiKey
    site_id: str
    kind: WriterKind


def wide(workspace_id: str) -> list[PairingKey]:
    """List the workspace's keys that a CMS or shop received when it was paired, and that have scopes beyond
    ``PAIRING_SCOPES``. Oldest first."""
    needed = set(PAIRING_SCOPES)
    candidates = [
        (key, site_id)
        for key in api_keys.list_all(workspace_id)
        if key.kind == "website" and key.revoked_at is None and set(key.scopes) > needed
        for site_id in key.site_ids or ()
    ]
    return [found for key, site_id in candidates if (found := _pairing_of(key, site_id)) is not None]


def narrow(actor: Actor, workspace_id: str) -> list[PairingKey]:
    """Remove every scope beyond ``PAIRING_SCOPES`` from the keys that a CMS or shop of the workspace received when it
    was paired. Returns the changed keys.

    Each key is changed in its own transaction, so after a crash the next call continues with the remaining keys. A key
    that is being revoked at the same moment is not changed. Refused: ``not_found``, ``not_allowed``.
    """
    require(actor, "manage_keys", existing_workspace(workspace_id).id)
    return [one for one in wide(workspace_id) if committed(api_keys.edited(one.key, PAIRING_SCOPES, one.key.site_ids))]


def _pairing_of(key: ApiKey, site_id: str) -> PairingKey | None:
    """Return the pairing or connection that names the key. Returns None if the key was created by hand."""
    for kind in WRITER_KINDS:
        for state in connections.STATES:
            credentials = connections.get(site_id, kind, state)
            if credentials is not None and credentials.key_id == key.id:
                return PairingKey(key, site_id, kind)
    return None
