"""Sends mail through the mail server of ``MAIL_URL``, or through Amazon SES if none is set."""

import email.utils
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from chalicelib import clock
from chalicelib.connectors import ses
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, Unavailable
from chalicelib.domain.accounts import emails
from chalicelib.domain.mails import Mail, Why
from chalicelib.net import smtp
from chalicelib.randomness import random_bytes
from chalicelib.settings.mail import mail_settings
from chalicelib.settings.network import network_settings

_SECONDS: Final = 10.0  # time limit of the conversation with a mail server
_ID_BYTES: Final = 16


class NoSuchAddress(Declined):
    """Raised if the mail server reports that the recipient's address does not exist."""


def is_set_up() -> bool:
    """Whether this deployment can send mail."""
    return bool(mail_settings().sender)


def send(mail: Mail) -> None:
    """Send one mail. Raises ``OutsideError``. The error is ``NoSuchAddress`` if a mail server reports that the address
    does not exist, and ``Declined`` if no mail may be sent to the address."""
    settings = mail_settings()
    if not settings.sender:
        raise NotConnected("MAIL_FROM is not set: this service sends no mail.")
    sender, recipient = emails.deliverable(settings.sender), emails.deliverable(mail.to)
    if sender is None:
        raise NotConnected("MAIL_FROM is not an e-mail address.")
    if recipient is None:
        raise Declined("Mail cannot be sent to this address.", sent=False)
    addressed = mail._replace(to=recipient)
    if settings.url:
        _by_smtp(settings.url, sender, addressed)
    else:
        ses.send(sender, addressed)


def _by_smtp(url: str, sender: str, mail: Mail) -> None:
    try:
        smtp.send(
            smtp.server(url),
            sender,
            mail.to,
            written(sender, mail),
            seconds=_SECONDS,
            ca_file=network_settings().extra_ca_file,
        )
    except smtp.BadServer as error:
        raise NotConnected(str(error)) from None
    except smtp.NotSent as error:
        refused = NoSuchAddress if error.unknown else Declined
        kind = NoAccess if error.login else Unavailable if error.passing else refused
        raise kind(str(error)) from None


def asks_ses() -> bool:
    """Whether mail is sent through Amazon SES, which has a suppression list."""
    return not mail_settings().url


def stopped(address: str) -> Why | None:
    """Return why Amazon SES no longer sends mail to an address. Returns None if it still does, or if this deployment
    uses another mail server. Raises ``OutsideError`` if SES does not answer."""
    recipient = emails.deliverable(address)
    return ses.suppressed(recipient) if asks_ses() and recipient is not None else None


def let_through(address: str) -> None:
    """Remove an address from the suppression list of Amazon SES, so that mail is sent to it again. Raises
    ``OutsideError``.
    """
    recipient = emails.deliverable(address)
    if is_set_up() and asks_ses() and recipient is not None:
        ses.unsuppress(recipient)


def written(sender: str, mail: Mail) -> bytes:
    """Return the mail as bytes that a mail server accepts. Raises ``ValueError`` for a line break in a header."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message["Date"] = email.utils.format_datetime(clock.utc(clock.machine()))
    message_id = mail.message_id or random_bytes(_ID_BYTES).hex()
    message["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
    for name, value in mail.headers:
        message[name] = value
    message.set_content(mail.text, cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    return message.as_bytes()
