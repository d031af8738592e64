"""A workspace's own keys for AI assistants (table accounts), encrypted with KMS and bound to workspace and provider.

Access patterns
- the keys of a workspace: Query WS#w, ASSISTANT#
"""

from typing import Final, NamedTuple

from chalicelib.store import items, keys, secrets
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Delete, Put, Write, commit

TABLE: Final = "accounts"


class AssistantKey(NamedTuple):
    """A key as it is stored. ``hint``: its last four characters. ``created_at``: epoch seconds."""

    workspace_id: str
    provider: str
    sealed: bytes
    hint: str
    created_at: float

    def key(self) -> Secret:
        """Return the decrypted key. Raises botocore's errors."""
        return secrets.unseal(self.sealed, **context(self.workspace_id, self.provider))


def list_all(workspace_id: str) -> list[AssistantKey]:
    """Return the keys of a workspace, by provider."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.ASSISTANT_PREFIX)
    return [AssistantKey(**{name: row[name] for name in AssistantKey._fields}) for row in rows]


def put(workspace_id: str, provider: str, key: Secret, now: float, note: Write) -> AssistantKey:
    """Store a key, replacing the previous one. ``note``: the write that logs this in the activity log. Raises
    botocore's errors."""
    sealed = secrets.seal(key, **context(workspace_id, provider))
    kept = AssistantKey(workspace_id, provider, sealed, key.reveal()[-4:], now)
    pk, sk = keys.assistant_key(workspace_id, provider)
    commit([Put(TABLE, {"pk": pk, "sk": sk, **kept._asdict()}), note])
    return kept


def delete(workspace_id: str, provider: str, note: Write) -> None:
    """Delete a provider's key, if there is one. ``note``: the write that logs this in the activity log."""
    commit([Delete(TABLE, keys.assistant_key(workspace_id, provider)), note])


def context(workspace_id: str, provider: str) -> dict[str, str]:
    """Return the encryption context of a key."""
    return {"workspaceId": workspace_id, "assistant": provider}
