"""Encrypts all stored secrets with the current key, for the operator.

Failure policy
- The process is killed: every secret is stored in its old or its new encryption, and the key file can decrypt both. The
  next call continues with the same workspace.
- Another process changes a secret at the same moment: the other process's value stays, and is then checked too.
- No key decrypts a secret: the secret stays unchanged, and the result counts and names it.
- A process with an older key file stores a secret in a workspace that is already done: at the end, all secrets are read
  once more, and those that the current key does not decrypt are encrypted again.
- The key cannot be used (no file, no right, throttled): the call ends, and the next call continues.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts, reencryption, sealed, secrets, website_names
from chalicelib.store.reencryption import Progress
from chalicelib.store.sealed import Sealed
from chalicelib.store.secrets import CannotOpen

MOST_NAMED: Final = 20
_TRIES: Final = 5
_CHECKS: Final = 3


class Walked(NamedTuple):
    """The progress of the re-encryption, whether it is done, and the names of the secrets that no key decrypted.

    When the re-encryption is done, ``unreadable`` and its count in ``progress`` are those of a last check of all
    secrets. Before that, ``unreadable`` has only the secrets that this call tried.
    """

    progress: Progress
    done: bool
    unreadable: list[str]


def go_on(
    actor: Actor,
    most: int,
    *,
    older: str | None = None,
    told: Callable[[Progress], None] = lambda progress: None,
) -> Walked:
    """Continue the re-encryption for ``most`` workspaces.

    ``older``: another key, in the form of SECRETS_KEY. It is tried for secrets that the current key does not decrypt,
    including the secrets that earlier calls could not decrypt. ``told``: a function that is called with the progress
    after each workspace. Refused: ``not_allowed``; ``busy`` if other processes still store secrets with an older key.
    Raises ``AWS_ERRORS``.
    """
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator re-encrypts secrets.")
    secrets.check_keys(older)
    progress, unreadable = reencryption.load(), list[str]()
    for number, workspace_id in enumerate(_workspaces(progress.after)):
        if number == most:
            return Walked(progress, False, unreadable)
        for one in _of_workspace(workspace_id):
            progress = _counted(progress, one, older, unreadable)
        progress = progress._replace(after=workspace_id, workspaces=progress.workspaces + 1)
        reencryption.keep(progress)
        told(progress)
    done = _checked(progress, older)
    reencryption.forget()
    return done


def _checked(progress: Progress, older: str | None) -> Walked:
    """Read all secrets again and encrypt them where needed, until the current key opens every secret that some key
    opens."""
    for _ in range(_CHECKS):
        found, unreadable = progress._replace(unreadable=0), list[str]()
        for workspace_id in _workspaces(None):
            for one in _of_workspace(workspace_id):
                if not secrets.is_present(one.value, one.context):
                    # The secret was counted before; here only a new encryption counts.
                    found = _counted(found, one, older, unreadable)._replace(current=found.current)
        if found.reencrypted == progress.reencrypted:
            return Walked(found, True, unreadable)
        progress = found
    raise Refused(
        "busy",
        "Secrets are still being stored with an older key. Restart every process that uses SECRETS_KEY, "
        "then run the command again.",
    )


def _workspaces(after: str | None) -> list[str]:
    return sorted(row.id for row in accounts.list_workspaces() if after is None or row.id > after)


def _of_workspace(workspace_id: str) -> Iterator[Sealed]:
    yield from sealed.of_endpoints(workspace_id)
    yield from sealed.of_assistants(workspace_id)
    for website in website_names.list_all(workspace_id):
        yield from sealed.of_connections(workspace_id, website.id)
        yield from sealed.of_previews(workspace_id, website.id)


def _counted(progress: Progress, one: Sealed, older: str | None, unreadable: list[str]) -> Progress:
    try:
        written = _reencrypt(one, older)
    except CannotOpen:
        if len(unreadable) < MOST_NAMED:
            unreadable.append(one.of)
        return progress._replace(unreadable=progress.unreadable + 1)
    if written:
        return progress._replace(reencrypted=progress.reencrypted + 1)
    return progress._replace(current=progress.current + 1)


def _reencrypt(one: Sealed, older: str | None) -> bool:
    """Encrypt the secret with the current key. Returns whether a new encryption was stored: False if the secret already
    had the current key, or is gone."""
    now: Sealed | None = one
    for _ in range(_TRIES):
        if now is None:
            return False
        renewed = secrets.renewed(now.value, now.context, older)
        if renewed is None:
            return False
        if sealed.replace(now, renewed):
            return True
        now = sealed.read_again(now)
    raise Refused("busy", f"The secret of {one.of} keeps changing; run the command again.")
