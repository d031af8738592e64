"""The deployment that owns the store, and whether the store's workers are held, that is, paused (table ops).

A deployment may find another deployment's name in its store, for example after a backup was restored. Then it holds its
workers: messages are dropped, and schedules do nothing. So a restored store sends nothing before the operator has
checked the pending work. Rows do not change, so when the operator releases the workers, the sweeper (a schedule that
finds overdue work) finds all pending work.

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
FREE_SECONDS: Final = 20.0  # how long a process does not check the owner again after it found its own name

_free_until: dict[str, float] = {}  # by the deployment's name: until when no check is needed (monotonic seconds)


@dataclass(frozen=True, slots=True)
class Ownership:
    """The store's owner. ``stack``: the name of the deployment that owns the store; empty if none does yet.
    ``held_since``: since when the workers are held, that is, paused (epoch seconds); None if they are not held."""

    stack: str
    held_since: float | None


def get() -> Ownership | None:
    """Return the store's owner, in one consistent read. Returns None if no deployment has claimed the store yet."""
    row = items.get(TABLE, *keys.ownership())
    return None if row is None else Ownership(row["stack"], row.get("heldSince"))


def is_held() -> bool:
    """Whether the workers are held, so that they may do no work. A result of False is cached for ``FREE_SECONDS``.
    While the workers are held, each call reads the stored owner. Raises botocore's errors."""
    own = _own_name()
    if clock.monotonic() < _free_until.get(own, 0.0):
        return False
    held = _holds(get(), own)
    if not held:
        _free_until[own] = clock.monotonic() + FREE_SECONDS
    return held


def is_strange(found: Ownership) -> bool:
    """Whether the setting ``STACK_ID`` shows that the store belongs to another deployment. The workers are then held
    (paused).

    Returns False if the setting is missing, which is allowed on the command line.
    """
    return bool(found.stack) and core_settings().stack_id not in ("", found.stack)


def settle() -> bool:
    """Claim the store for this deployment if no deployment owns it. Returns whether the workers are held (paused), so
    that schedules must do nothing. If another deployment owns the store, this also records since when they are held.

    One read, and a write when something changes. Raises botocore's errors."""
    own, found = _own_name(), get()
    if found is None:
        take(own)
        found = get()
    held = _holds(found, own)
    if held and found is not None and found.held_since is None:
        with contextlib.suppress(Conflict):  # an operator has just released the store
            _mark(clock.now(), of=found.stack)
    return held


def take(stack: str) -> None:
    """Claim the store for a deployment, unless a deployment already owns it."""
    pk, sk = keys.ownership()
    with contextlib.suppress(Conflict):
        items.put(TABLE, {"pk": pk, "sk": sk, "stack": stack}, condition="attribute_not_exists(pk)")


def hold(now: float) -> None:
    """Hold (pause) the workers. If they are already held, the recorded time is not changed. Other processes notice
    within ``FREE_SECONDS``."""
    _mark(now)
    _free_until.clear()


def release() -> None:
    """Delete the store's owner. The first deployment that runs a schedule then claims the store."""
    items.delete(TABLE, *keys.ownership())


def _mark(now: float, of: str | None = None) -> None:
    """Record when the workers were first held. ``of``: only if this deployment owns the store; otherwise ``Conflict``
    is raised."""
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
