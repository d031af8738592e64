"""The progress of the re-encryption of every secret (table ops): one row, deleted at the end.

Access pattern: Get REENCRYPTION.
"""

from typing import Final, NamedTuple

from chalicelib.store import items, keys, secrets

TABLE: Final = "ops"


class Progress(NamedTuple):
    """The progress of the re-encryption. ``after``: the last workspace that is done; None at the beginning.

    The other members are counts: of workspaces, of secrets that were re-encrypted, of secrets that already had the
    current key, and of secrets that could not be decrypted."""

    after: str | None = None
    workspaces: int = 0
    reencrypted: int = 0
    current: int = 0
    unreadable: int = 0


def load() -> Progress:
    """Load the progress of the re-encryption with the current key. Progress with another key is ignored."""
    row = items.get(TABLE, *keys.reencryption())
    if row is None or row["key"] != secrets.name_of_key():
        return Progress()
    return Progress(*(row[name] for name in Progress._fields))


def keep(progress: Progress) -> None:
    """Store the progress. If two processes re-encrypt at the same time, the later write wins. No workspace is skipped,
    since all workspaces before either stored position are done."""
    pk, sk = keys.reencryption()
    items.put(TABLE, {"pk": pk, "sk": sk, "key": secrets.name_of_key(), **progress._asdict()})


def forget() -> None:
    """Delete the progress at the end, so that the next re-encryption starts from the beginning."""
    items.delete(TABLE, *keys.reencryption())
