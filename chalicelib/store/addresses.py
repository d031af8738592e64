"""The public address of this deployment (table ops).

Access patterns: Get and Put PUBLIC
"""

from typing import Final

from chalicelib.store import items, keys

TABLE: Final = "ops"


def public() -> str | None:
    """Return the deployment's public address, or None if none is stored."""
    row = items.get(TABLE, *keys.public_address())
    return None if row is None else str(row["url"])


def put_public(url: str) -> None:
    """Store the deployment's public address."""
    pk, sk = keys.public_address()
    items.put(TABLE, {"pk": pk, "sk": sk, "url": url})
