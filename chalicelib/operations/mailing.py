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

    bounce, checked = bounces.look_up(mail.to)
    if bounce is not None:
        raise Declined("Mail to this address came back before.", sent=False)
    if not checked:
        _check(mail.to)
    try:
        connector.send(mail)
    except connector.NoSuchAddress:
        bounces.put(mail.to, "bounce", clock.now())
        raise


def _check(address: str) -> None:
    """Ask SES whether it sends to an address: once a day, as it takes one question a second. Raises ``Declined`` where
    it does not. Where SES does not tell, the mail goes out, which SES drops if the address is on its list, and the next
    mail asks again."""
    from chalicelib.connectors import mail as connector
    from chalicelib.connectors.errors import Declined, OutsideError

    if not connector.asks_ses():
        return
    try:
        why = connector.stopped(address)
    except OutsideError:
        return
    if why is None:
        bounces.put_checked(address, clock.now())
        return
    bounces.put(address, why, clock.now())
    raise Declined("Amazon SES sends nothing to this address any more.", sent=False)


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
