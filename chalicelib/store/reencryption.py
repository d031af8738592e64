"""The progress of the walk that re-encrypts every secret (table ops): one row, deleted when the walk is done.

Access pattern: Get REENCRYPTION.
"""

from typing import Final, NamedTuple

from chalicelib.store import items, keys, secrets

TABLE: Final = "ops"


class Progress(NamedTuple):
    """The last workspace of the walk (None: at the beginning), how many it has seen, and how many secrets were
    re-encrypted, already had the current key, and could not be opened."""

    after: str | None = None
    workspaces: int = 0
    reencrypted: int = 0
    current: int = 0
    unreadable: int = 0


def load() -> Progress:
    """The progress of the walk to the current key. A walk to another key does not count."""
    row = items.get(TABLE, *keys.reencryption())
    if row is None or row["key"] != secrets.name_of_key():
        return Progress()
    return Progress(*(row[name] for name in Progress._fields))


def keep(progress: Progress) -> None:
    """Store the progress. The later write of two concurrent walks wins: each covers all workspaces after its start, so
    none is left out."""
    pk, sk = keys.reencryption()
    items.put(TABLE, {"pk": pk, "sk": sk, "key": secrets.name_of_key(), **progress._asdict()})


def forget() -> None:
    """Delete the progress of a finished walk, so that the next one starts again."""
    items.delete(TABLE, *keys.reencryption())
