"""Mails that go out by themselves: notices and monthly reports. They end where mail comes back, until a person tries
the address again.

Mails that somebody asks for at this moment, such as sign-in links, are not held back: each is one try.
"""

from collections.abc import Iterable

from chalicelib import clock
from chalicelib.domain.mails import Mail
from chalicelib.operations.errors import Refused
from chalicelib.store import bounces
from chalicelib.store.bounces import Bounce


def send(mail: Mail) -> None:
    """Hand one mail over, unless mail to its address comes back. Raises ``OutsideError``."""
    from chalicelib.connectors import mail as connector  # slow to import; only what sends mail needs it
    from chalicelib.connectors.errors import Declined

    if bounces.get(mail.to) is not None:
        raise Declined("Mail to this address came back before.", sent=False)
    why = connector.stopped(mail.to)
    if why is not None:
        bounces.put(mail.to, why, clock.now())
        raise Declined("Amazon SES sends nothing to this address any more.", sent=False)
    try:
        connector.send(mail)
    except connector.NoSuchAddress:
        bounces.put(mail.to, "bounce", clock.now())
        raise


def came_back(emails: Iterable[str]) -> dict[str, Bounce]:
    """Those of the addresses that no mail goes to by itself, because it came back."""
    return bounces.get_all(emails)


def try_again(email: str) -> None:
    """Let mails go to an address again, which the caller may decide for. Refused: ``busy``: SES does not do it now."""
    from chalicelib.connectors import mail as connector
    from chalicelib.connectors.errors import OutsideError

    try:
        connector.let_through(email)
    except OutsideError as error:
        raise Refused("busy", f"{error.message} Try again later.") from error
    bounces.forget(email)
