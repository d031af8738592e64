"""Manages a workspace's own keys for AI assistants. A workspace with a key pays the provider itself for the prompts of
its websites."""

from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.visibility.models import PROVIDERS
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.errors import Refused
from chalicelib.operations.permission import require
from chalicelib.store import accounts, acts, assistant_keys
from chalicelib.store.assistant_keys import AssistantKey
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Write

LONGEST_KEY: Final = 500


def put(actor: Actor, workspace_id: str, provider: str, key: Secret) -> AssistantKey:
    """Store the workspace's key for a provider, replacing an earlier one. The key is not tested, since a test costs
    money.

    Refused: ``not_found``, ``not_allowed``, ``bad_provider``, ``bad_credentials``.
    """
    _checked(actor, workspace_id, provider)
    text = key.reveal().strip()
    if not 8 <= len(text) <= LONGEST_KEY or not text.isascii() or not text.isprintable() or " " in text:
        raise Refused("bad_credentials", f"An API key has 8 to {LONGEST_KEY} letters, digits and marks, and no spaces.")
    note = _noted(actor, "assistant_key.kept", workspace_id, provider)
    return assistant_keys.put(workspace_id, provider, Secret(text), clock.now(), note)


def list_all(actor: Actor, workspace_id: str) -> list[AssistantKey]:
    """List the workspace's own keys. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_keys", existing_workspace(workspace_id).id)
    return assistant_keys.list_all(workspace_id)


def remove(actor: Actor, workspace_id: str, provider: str) -> None:
    """Delete the workspace's key for a provider. From then on the operator's key is used, if there is one.
    Refused: ``not_found``, ``not_allowed``, ``bad_provider``."""
    _checked(actor, workspace_id, provider)
    assistant_keys.delete(workspace_id, provider, _noted(actor, "assistant_key.removed", workspace_id, provider))


def revealed(workspace_id: str) -> dict[str, str]:
    """Return the workspace's own keys in plain text, by provider. Raises botocore's errors."""
    return {kept.provider: kept.key().reveal() for kept in assistant_keys.list_all(workspace_id)}


def _noted(actor: Actor, act: str, workspace_id: str, provider: str) -> Write:
    """Return the write that logs an act on a key."""
    return acts.done(accounts.TABLE, actor, workspace_id, act, clock.now(), provider, provider)


def _checked(actor: Actor, workspace_id: str, provider: str) -> None:
    require(actor, "manage_keys", existing_workspace(workspace_id).id)
    if provider not in PROVIDERS:
        raise Refused("bad_provider", f"{provider[:40]!r} is not a provider; the providers are {', '.join(PROVIDERS)}.")
