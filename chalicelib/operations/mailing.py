"""Sends automatic mails: notices and monthly reports. An address gets no more automatic mail after a mail to it bounced
or was reported as spam, until a person allows it again.

Mails that a person has just requested, such as sign-in links, do not use this module.
"""

from collections.abc import Iterable

from chalicelib import clock
from chalicelib.domain.mails import Mail
from chalicelib.operations.errors import Refused
from chalicelib.store import bounces
from chalicelib.store.bounces import Bounce


def send(mail: Mail) -> None:
    """Send one automatic mail, unless an earlier mail to its address bounced. Raises ``OutsideError``."""
    from chalicelib.connectors import mail as connector  # slow to import; only code that sends mail needs it
    from chalicelib.connectors.errors import Declined

    bounce, checked = bounces.look_up(mail.to)
    if bounce is not None:
        raise Declined("Earlier mail to this address was returned.", sent=False)
    if not checked:
        _check(mail.to)
    try:
        connector.send(mail)
    except connector.NoSuchAddress:
        bounces.put(mail.to, "bounce", clock.now())
        raise


def _check(address: str) -> None:
    """Ask SES, at most once a day, whether it sends to an address. SES answers only one question a second.
    Raises ``Declined`` if SES does not send. If SES does not answer, the mail is sent, and the next mail asks again.
    SES drops the mail if the address is on its suppression list."""
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
    """Return which of these addresses get no automatic mail because a mail bounced, each with the reason."""
    return bounces.get_all(emails)


def try_again(email: str) -> None:
    """Allow automatic mails to an address again. The caller checks the right to do so. Refused: ``busy`` if SES cannot
    do this now."""
    from chalicelib.connectors import mail as connector
    from chalicelib.connectors.errors import OutsideError

    try:
        connector.let_through(email)
    except OutsideError as error:
        raise Refused("busy", f"{error.message} Try again later.") from error
    bounces.forget(email)
