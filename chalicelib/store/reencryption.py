"""The progress of the walk that re-encrypts every secret (table ops): one row, deleted when the walk is done.

Access pattern: Get REENCRYPTION.
"""

from typing import Final, NamedTuple

from chalicelib.store import items, keys, secrets

TABLE: Final = "ops"


class Progress(NamedTuple):
    """The progress of the walk: the last workspace it has seen (None: at the beginning) and how many workspaces it has
    seen. Also how many secrets were re-encrypted, already had the current key, or could not be decrypted."""

    after: str | None = None
    workspaces: int = 0
    reencrypted: int = 0
    current: int = 0
    unreadable: int = 0


def load() -> Progress:
    """The progress of the walk to the current key. The progress of a walk to another key is ignored."""
    row = items.get(TABLE, *keys.reencryption())
    if row is None or row["key"] != secrets.name_of_key():
        return Progress()
    return Progress(*(row[name] for name in Progress._fields))


def keep(progress: Progress) -> None:
    """Store the progress. Of two concurrent walks the later write wins. Each walk covers all workspaces after its
    start, so no workspace is left out."""
    pk, sk = keys.reencryption()
    items.put(TABLE, {"pk": pk, "sk": sk, "key": secrets.name_of_key(), **progress._asdict()})


def forget() -> None:
    """Delete the progress of a finished walk, so that the next one starts again."""
    items.delete(TABLE, *keys.reencryption())
