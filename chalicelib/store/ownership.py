"""The deployment that the store belongs to, and whether its workers are held (table ops).

A deployment that finds another name in its store holds its workers: messages are dropped, schedules do nothing. Rows
stay as they are, so after the release the sweeper finds all work, under its old ids. So nothing leaves a restored store
before the operator has checked the pending work.

Access patterns: Get, Put, Update and Delete STACK
"""

import contextlib
from dataclasses import dataclass
from typing import Final

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict

TABLE: Final = "ops"
FREE_SECONDS: Final = 20.0  # how long a process may rely on having found the store to be its own

_free_until: dict[str, float] = {}  # by the name of the deployment, on the monotonic clock


@dataclass(frozen=True, slots=True)
class Ownership:
    """``stack``: the deployment that the store belongs to; empty: none yet. ``held_since``: since when the workers are
    known to be held (epoch seconds); None if they are not."""

    stack: str
    held_since: float | None


def get() -> Ownership | None:
    """None: no deployment has taken the store yet. One consistent read."""
    row = items.get(TABLE, *keys.ownership())
    return None if row is None else Ownership(row["stack"], row.get("heldSince"))


def is_held() -> bool:
    """Whether workers must leave all work alone. One read at most every ``FREE_SECONDS``, or each time while they are
    held. Raises botocore's errors."""
    own = _own_name()
    if clock.monotonic() < _free_until.get(own, 0.0):
        return False
    held = _holds(get(), own)
    if not held:
        _free_until[own] = clock.monotonic() + FREE_SECONDS
    return held


def is_strange(found: Ownership) -> bool:
    """Whether a store is known to belong to another deployment than this process's, so that its workers are held.
    Known only where ``STACK_ID`` says which one that is: a command line may lack it."""
    return bool(found.stack) and core_settings().stack_id not in ("", found.stack)


def settle() -> bool:
    """As ``is_held``, for schedules: takes a store that belongs to no deployment, and records that a store of another
    one is held. One read, and a write when something changes. Raises botocore's errors."""
    own, found = _own_name(), get()
    if found is None:
        take(own)
        found = get()
    held = _holds(found, own)
    if held and found is not None and found.held_since is None:
        with contextlib.suppress(Conflict):  # released just now
            _mark(clock.now(), of=found.stack)
    return held


def take(stack: str) -> None:
    """Let the store belong to a deployment, unless it belongs to one."""
    pk, sk = keys.ownership()
    with contextlib.suppress(Conflict):
        items.put(TABLE, {"pk": pk, "sk": sk, "stack": stack}, condition="attribute_not_exists(pk)")


def hold(now: float) -> None:
    """Hold the workers. A store that is held already keeps its time. Other processes notice within
    ``FREE_SECONDS``."""
    _mark(now)
    _free_until.clear()


def release() -> None:
    """Let the store belong to no deployment: the first whose schedules run takes it."""
    items.delete(TABLE, *keys.ownership())


def _mark(now: float, of: str | None = None) -> None:
    """Record since when the workers are held. ``of``: only if the store belongs to this deployment; otherwise raises
    ``Conflict``."""
    items.update(
        TABLE,
        *keys.ownership(),
        "SET heldSince = if_not_exists(heldSince, :now), #stack = if_not_exists(#stack, :stack)",
        condition=None if of is None else "#stack = :stack",
        names={"#stack": "stack"},
        values={":now": now, ":stack": of or ""},
    )


def _holds(found: Ownership | None, own: str) -> bool:
    return found is not None and (found.held_since is not None or found.stack != own)


def _own_name() -> str:
    core = core_settings()
    return core.stack_id or core.table_prefix
