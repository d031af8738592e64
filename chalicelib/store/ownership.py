"""The deployment that the store belongs to, and since when its workers are held (table ops).

Access patterns: Get, Put, Update and Delete STACK
"""

import contextlib
from dataclasses import dataclass
from typing import Final

from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"


@dataclass(frozen=True, slots=True)
class Ownership:
    """``stack``: the deployment that the store belongs to; empty: none yet. ``held_since``: since when the workers are
    held (epoch seconds); None: they are not."""

    stack: str
    held_since: float | None


def get() -> Ownership | None:
    """None: no deployment has taken the store yet. One consistent read."""
    row = items.get(TABLE, *keys.ownership())
    return None if row is None else Ownership(row["stack"], row.get("heldSince"))


def take(stack: str) -> None:
    """Let the store belong to a deployment, unless it belongs to one."""
    pk, sk = keys.ownership()
    with contextlib.suppress(Conflict):
        items.put(TABLE, {"pk": pk, "sk": sk, "stack": stack}, condition="attribute_not_exists(pk)")


def hold(now: float) -> None:
    """Hold the workers. A store that is held already keeps its time."""
    items.update(
        TABLE,
        *keys.ownership(),
        "SET heldSince = if_not_exists(heldSince, :now), #stack = if_not_exists(#stack, :none)",
        names={"#stack": "stack"},
        values={":now": now, ":none": ""},
    )


def release() -> None:
    """Let the store belong to no deployment: the first whose schedules run takes it."""
    items.delete(TABLE, *keys.ownership())
