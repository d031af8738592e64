"""Pauses the workers ("holds" them) and releases them, for the operator. See ``store.ownership``."""

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import ownership


def hold(actor: Actor) -> float:
    """Hold (pause) the workers: they drop messages, and schedules do nothing. Work that is running now continues to its
    end. Returns since when the workers are held (epoch seconds).

    Refused: ``not_allowed``.
    """
    check(actor)
    now = clock.now()
    ownership.hold(now)
    found = ownership.get()
    return now if found is None or found.held_since is None else found.held_since


def release(actor: Actor) -> None:
    """Release the held (paused) workers, which then do all pending work. Refused: ``not_allowed``, ``not_held``."""
    check_held(actor)
    ownership.release()


def check_held(actor: Actor) -> None:
    """Check that the actor is the operator and the workers are held. Refused: ``not_allowed``, ``not_held``."""
    check(actor)
    found = ownership.get()
    if found is None or (found.held_since is None and not ownership.is_strange(found)):
        raise Refused("not_held", "The workers of this store are not held (paused). `store hold` pauses them.")


def check(actor: Actor) -> None:
    """Check that the actor is the operator. Refused: ``not_allowed``."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator can pause all workers, count the waiting work, and resume it.")
