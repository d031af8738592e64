"""E-mail addresses whose mail bounced (table webhooks). Addresses are stored only as hashes.

Access patterns
- whether mail to an address bounced: Put, Get, Delete BOUNCED#hash, META; for several addresses: BatchGet. A row
  expires after 400 days.
- whether SES was asked about the address: Put BOUNCED#hash, CHECKED; read together with the other row. It expires after
  a day.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from chalicelib.domain.mails import Why
from chalicelib.store import items, keys

TABLE: Final = "webhooks"
KEPT_SECONDS: Final = 400 * 86_400
CHECKED_SECONDS: Final = 86_400


class Bounce(NamedTuple):
    """A bounce: when mail to an address was found to bounce (epoch seconds), and why."""

    at: float
    why: Why


def get(email: str) -> Bounce | None:
    """Return the bounce of an address. Returns None if no mail to it bounced. One round trip."""
    return get_all([email]).get(email)


def get_all(emails: Iterable[str]) -> dict[str, Bounce]:
    """Return the bounces of several addresses, by address. Addresses without a bounce are left out. One round trip;
    none without addresses.
    """
    wanted = {email: (TABLE, *keys.bounced(email)) for email in emails}
    found = items.batch_get(list(dict.fromkeys(wanted.values()))) if wanted else {}
    return {email: Bounce(found[key]["at"], found[key]["why"]) for email, key in wanted.items() if key in found}


def look_up(email: str) -> tuple[Bounce | None, bool]:
    """Return the bounce of an address (or None), and whether SES has said within the last day that it knows of no
    bounce. One round trip."""
    came_back, checked = (TABLE, *keys.bounced(email)), (TABLE, *keys.no_bounce(email))
    found = items.batch_get([came_back, checked])
    row = found.get(came_back)
    return None if row is None else Bounce(row["at"], row["why"]), checked in found


def put_checked(email: str, now: float) -> None:
    """Record that SES knows of no bounce of an address."""
    items.put(TABLE, {**keys.attributes(keys.no_bounce(email)), "ttl": int(now) + CHECKED_SECONDS})


def put(email: str, why: Why, now: float) -> None:
    """Record that mail to an address bounced."""
    row = {"at": now, "why": why, "ttl": int(now) + KEPT_SECONDS}
    items.put(TABLE, {**keys.attributes(keys.bounced(email)), **row})


def forget(email: str) -> None:
    """Delete the record that mail to an address bounced."""
    items.delete(TABLE, *keys.bounced(email))
