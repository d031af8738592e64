"""How far the walk is that encrypts every secret anew (table ops): one row, which goes when the walk is through.

Access pattern: Get REENCRYPTION.
"""

from typing import Final, NamedTuple

from chalicelib.store import items, keys, secrets

TABLE: Final = "ops"


class Progress(NamedTuple):
    """After which workspace the walk is (None: at the beginning), how many it has seen, and of the secrets there: how
    many were encrypted anew, had the present key already, and could not be opened."""

    after: str | None = None
    workspaces: int = 0
    reencrypted: int = 0
    current: int = 0
    unreadable: int = 0


def load() -> Progress:
    """How far the walk to the present key is. One to another key does not count."""
    row = items.get(TABLE, *keys.reencryption())
    if row is None or row["key"] != secrets.name_of_key():
        return Progress()
    return Progress(*(row[name] for name in Progress._fields))


def keep(progress: Progress) -> None:
    """Write down how far the walk is. Of two walks at once the later write stays: each goes through all workspaces
    behind the one where it began, so none is left out."""
    pk, sk = keys.reencryption()
    items.put(TABLE, {"pk": pk, "sk": sk, "key": secrets.name_of_key(), **progress._asdict()})


def forget() -> None:
    """The walk is through: the next one begins anew."""
    items.delete(TABLE, *keys.reencryption())
