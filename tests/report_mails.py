"""What tests of monthly reports share: addresses that are asked and confirm, and the months that pass."""

import re
from datetime import UTC, datetime

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.report_mails import next_mail
from chalicelib.operations import recipients
from chalicelib.store import recipients as stored
from chalicelib.store.recipients import Recipient
from chalicelib.workers import notices
from local import embedded
from local.standins.mail import Sent
from tests.api.conftest import House

APP = "https://seo.example.com/app"
SENDER = "service@demo.example"
CLIENT = "client@example.com"
DAY = 86_400.0


def mails(to: str = CLIENT) -> list[Sent]:
    return [one for one in embedded.MAILBOX.sent() if one.to == to]


def link_in(mail: Sent, path: str) -> str:
    """The path, below the host, of the one link in a mail that begins like this."""
    (found,) = re.findall(rf"https://seo\.example\.com(/app/{path}[\w.?=/-]+)", mail.text)
    return str(found)


def ask(house: House, email: str = CLIENT) -> str:
    """Ask an address; gives the token that confirms it."""
    assert recipients.ask(OPERATOR, house.site.id, email, APP) is None
    return link_in(mails(email)[-1], "reports/confirm").partition("token=")[2]


def taken(house: House, email: str = CLIENT) -> Recipient:
    """An address that confirmed."""
    recipients.confirm(ask(house, email))
    found = stored.get(house.site.id, stored.key_of(email))
    assert found is not None
    embedded.MAILBOX.clear()
    embedded.MAILBOX.verify(SENDER)
    return found


def last_of_this_month() -> None:
    """Move the service's clock to the last day of the month, so that no other work is due before the next reports,
    whichever day it is on the machine."""
    clock.set_offset(clock.offset() + next_mail(clock.now()) - clock.now() - DAY)


def first_of_next_month() -> None:
    """Move the service's clock to a moment after the next reports are due."""
    clock.set_offset(clock.offset() + next_mail(clock.now()) - clock.now() + 1)


def later(seconds: float) -> int:
    """Let time pass, and the schedule run once. Gives how many mails were sent."""
    clock.set_offset(clock.offset() + seconds)
    return notices.run()


def day(now: float) -> int:
    return datetime.fromtimestamp(now, UTC).day
