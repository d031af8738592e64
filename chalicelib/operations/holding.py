"""Holding the workers of a restored store: nothing leaves it before the operator has looked at what is pending.

The store names the deployment that it belongs to. A deployment that finds another name there holds its workers:
messages are taken and dropped, schedules do nothing. Rows stay as they are, so after the release the sweeper finds all
work, under its ids of before. Requests are answered as ever.
"""

from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import core_settings
from chalicelib.store import ownership
from chalicelib.store.ownership import Ownership

FREE_SECONDS: Final = 20.0  # how long a process may rely on having found the store to be its own

_free_until: dict[str, float] = {}  # by the name of the deployment, on the monotonic clock


def is_held() -> bool:
    """Whether workers must leave all work alone. One read at most every ``FREE_SECONDS``, or each time while it is
    held. Raises botocore's errors."""
    own = _own_name()
    if clock.monotonic() < _free_until.get(own, 0.0):
        return False
    held = _holds(ownership.get(), own)
    if not held:
        _free_until[own] = clock.monotonic() + FREE_SECONDS
    return held


def settle() -> bool:
    """As ``is_held``, for schedules: takes a store that belongs to no deployment, and records that a store of another
    one is held. One read each time, and one write when something changes. Raises botocore's errors."""
    own, found = _own_name(), ownership.get()
    if found is None:
        ownership.take(own)
        found = ownership.get()
    held = _holds(found, own)
    if held and found is not None and found.held_since is None:
        ownership.hold(clock.now())
    return held


def state() -> Ownership | None:
    """What the store says of its deployment."""
    return ownership.get()


def hold(actor: Actor) -> Ownership:
    """Hold the workers now. Running jobs end, and other processes notice within ``FREE_SECONDS``.

    Refused: ``not_allowed``."""
    check(actor)
    ownership.hold(clock.now())
    _free_until.clear()
    found = ownership.get()
    assert found is not None
    return found


def release(actor: Actor) -> None:
    """Let the workers do everything that is pending. Refused: ``not_allowed``, ``not_held``."""
    check_held(actor)
    ownership.release()


def check_held(actor: Actor) -> None:
    """Refused: ``not_allowed``, ``not_held``."""
    check(actor)
    found = ownership.get()
    if found is None or found.held_since is None:
        raise Refused("not_held", "The workers of this store are not held. `store hold` holds them.")


def check(actor: Actor) -> None:
    """Refused: ``not_allowed``."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator holds and releases the workers.")


def _holds(found: Ownership | None, own: str) -> bool:
    return found is not None and (found.held_since is not None or found.stack != own)


def _own_name() -> str:
    core = core_settings()
    return core.stack_id or core.table_prefix
