"""Returns and stores when a person gets notices by mail. Each mail with notices has a link that turns them off without
a sign-in."""

import hmac
from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.webhooks.notices import CHOICES, When
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.randomness import random_bytes
from chalicelib.store import notices as store
from chalicelib.store.notices import Subscription

PATH: Final = "/notices/off"
PARAMETER: Final = "token"
_LONGEST_TOKEN: Final = 200


def current(actor: Actor) -> When:
    """Return the signed-in person's choice of when notices come."""
    workspace_id, person_id = _person(actor)
    found = store.get(workspace_id, person_id)
    return "off" if found is None else found.when


def choose(actor: Actor, when: str) -> None:
    """Store the signed-in person's choice of when notices come. Refused: ``bad_choice``, ``busy``."""
    workspace_id, person_id = _person(actor)
    chosen = next((one for one in CHOICES if one == when), None)
    if chosen is None:
        raise Refused("bad_choice", f"Choose one of {', '.join(CHOICES)}.")
    _choose(workspace_id, person_id, chosen)


def token_of(found: Subscription) -> str:
    """Return the token that turns a person's notices off. Their mails contain it."""
    return f"{found.workspace_id}.{found.person_id}.{found.secret}"


def turns_off(token: str) -> bool:
    """Whether this token is valid, so that it can turn a person's notices off. One round trip."""
    return _found(token) is not None


def turn_off(token: str) -> None:
    """Turn off the notices of the person to whom the token belongs. A repeated call changes nothing. Refused:
    ``not_found``, ``busy``."""
    found = _found(token)
    if found is None:
        raise Refused("not_found", "This link is no longer valid.")
    _choose(found.workspace_id, found.person_id, "off")


def _found(token: str) -> Subscription | None:
    workspace_id, _, rest = token.partition(".")
    person_id, _, secret = rest.partition(".")
    if len(token) > _LONGEST_TOKEN or not token.isascii() or not (workspace_id and person_id and secret):
        return None
    found = store.get(workspace_id, person_id)
    return found if found is not None and hmac.compare_digest(found.secret, secret) else None


def _choose(workspace_id: str, person_id: str, when: When) -> None:
    for _ in tries():
        secret = sign_in.written(random_bytes(sign_in.ENTROPY_BYTES))
        if store.choose(workspace_id, person_id, when, secret, clock.now()):
            return
    raise busy("your notices")


def _person(actor: Actor) -> tuple[str, str]:
    if actor.workspace_id is None or actor.person_id is None:
        raise Refused("not_allowed", "Only a signed-in person can choose notices by mail.")
    return actor.workspace_id, actor.person_id
