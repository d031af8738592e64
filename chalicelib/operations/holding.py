"""Holding and releasing the workers, by the operator. ``store.ownership`` defines what is held and why."""

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import ownership


def hold(actor: Actor) -> float:
    """Hold the workers, and return since when they are held. Running jobs end.

    Refused: ``not_allowed``."""
    check(actor)
    now = clock.now()
    ownership.hold(now)
    found = ownership.get()
    return now if found is None or found.held_since is None else found.held_since


def release(actor: Actor) -> None:
    """Let the workers do everything that is pending. Refused: ``not_allowed``, ``not_held``."""
    check_held(actor)
    ownership.release()


def check_held(actor: Actor) -> None:
    """Refused: ``not_allowed``, ``not_held``."""
    check(actor)
    found = ownership.get()
    if found is None or (found.held_since is None and not ownership.is_strange(found)):
        raise Refused("not_held", "The workers of this store are not held. `store hold` holds them.")


def check(actor: Actor) -> None:
    """Refused: ``not_allowed``."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator holds, counts and releases the work of all workspaces.")
