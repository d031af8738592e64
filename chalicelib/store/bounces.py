"""Addresses that mail came back from (table webhooks). Of an address only the hash is stored.

Access pattern: Get, Put, Delete BOUNCED#hash; of several: BatchGet. A row expires after 400 days.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from chalicelib.domain.mails import Why
from chalicelib.store import items, keys

TABLE: Final = "webhooks"
KEPT_SECONDS: Final = 400 * 86_400


class Bounce(NamedTuple):
    """When mail to an address was found to come back (epoch seconds), and why."""

    at: float
    why: Why


def get(email: str) -> Bounce | None:
    """What is known of an address; None: nothing came back. One round trip."""
    return get_all([email]).get(email)


def get_all(emails: Iterable[str]) -> dict[str, Bounce]:
    """The same of several addresses, without those that nothing came back from. One round trip, none without any."""
    wanted = {email: (TABLE, *keys.bounced(email)) for email in emails}
    found = items.batch_get(list(dict.fromkeys(wanted.values()))) if wanted else {}
    return {email: Bounce(found[key]["at"], found[key]["why"]) for email, key in wanted.items() if key in found}


def put(email: str, why: Why, now: float) -> None:
    """Note that mail to an address came back."""
    row = {"at": now, "why": why, "ttl": int(now) + KEPT_SECONDS}
    items.put(TABLE, {**keys.attributes(keys.bounced(email)), **row})


def forget(email: str) -> None:
    """Forget that."""
    items.delete(TABLE, *keys.bounced(email))
