"""The worker of the schedule ``notices`` (every minute): mails the notices of each person whose next mail is due, and
then the monthly reports (``report_mails``).

Claim: before a mail is sent, a conditional write moves the mail's next try some minutes into the future. The write
succeeds only if the row has not changed since it was read. If two runs overlap, only one of them sends the mail.

Failure policy: at least once. A notice waits until the mail server has accepted its mail.
- Killed before the mail was sent, or the server did not accept it: the mail is tried again eight times in two days,
  with growing waits. Then its notices are dropped, and the log says so.
- Killed after the mail was sent and before that was recorded: the mail is sent once more with the same notices. If the
  operator's own mail server sends it, both mails have the same Message-ID, so that mail programs show the mail once.
  Amazon SES gives each mail a new id.
- The server refuses an address, or mails to the address were returned: the notices for this address are dropped at
  once.

When a mail is made, notices that its person may not see are left out: those of removed websites, and of websites that a
client viewer does not see. All data of a removed person is deleted.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlencode

from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Declined, OutsideError
from chalicelib.domain.ids import digest
from chalicelib.domain.webhooks.notices import MOST_TOLD, Notice, notices_mail
from chalicelib.operations import addresses, mailing
from chalicelib.operations import notices as choosing
from chalicelib.settings.core import APP_PATH
from chalicelib.store import accounts, keys, websites
from chalicelib.store import notices as store
from chalicelib.store.accounts import Person
from chalicelib.store.notices import Subscription
from chalicelib.workers import report_mails

SECONDS: Final = 30.0  # after this no further mail starts; the next run comes in a minute
TRIES: Final = 8
FIRST_WAIT_SECONDS: Final = 600.0  # each further wait is twice as long

_log = logging.getLogger(__name__)


def run() -> int:
    """Send the mails that are due. Returns how many were sent."""
    if not mail.is_set_up():
        return 0
    app = addresses.app_address()
    if app.startswith(APP_PATH):
        _log.warning("no notices and reports are mailed: this service does not know its public address")
        return 0
    until, sent = clock.monotonic() + SECONDS, 0
    shards = keys.due_mails_shards()
    first = int(clock.now() // 60) % len(shards)  # another shard comes first each minute
    for shard in shards[first:] + shards[:first]:
        for workspace_id, person_id in store.due(shard, clock.now()):
            if clock.monotonic() >= until:
                return sent
            try:
                sent += _mailed(workspace_id, person_id, app)
            except Exception:
                _log.exception("the notices of a person could not be mailed", extra={"personId": person_id})
    return sent + report_mails.run(app, until)


def _mailed(workspace_id: str, person_id: str, app: str) -> bool:
    """Send one person's mail, if it is still due and has anything to report. Returns whether it was sent."""
    found, now = store.get(workspace_id, person_id), clock.now()
    if found is None or found.due is None or found.due > now:
        return False
    person = accounts.person(workspace_id, person_id)
    if person is None:
        store.forget(workspace_id, person_id)
        return False
    begun = store.begin(found, now, now + FIRST_WAIT_SECONDS * 2**found.tries)
    if begun is None:
        return False
    waiting, more = store.waiting(begun, MOST_TOLD)
    given_up = begun.tries > TRIES
    if given_up:
        _log.warning("notices are given up", extra={"personId": person.id, "givenUp": len(waiting)})
    told = [] if given_up else _seen_by(person, begun, waiting.values())
    sent = bool(told) and _sent(person, begun, told, more, app)
    if sent is None:
        return False
    store.end(begun, waiting, more, now, sent=sent)
    return sent


def _seen_by(person: Person, begun: Subscription, told: Iterable[Notice]) -> list[Notice]:
    """Return the notices that a person may see: those of existing websites, made since the person turned notices on."""
    told = list(told)
    # A client viewer from release 1.0.0 has no list of websites, and sees none.
    seen = person.site_ids or [] if person.role == "client_viewer" else None
    wanted = {one.site_id for one in told if seen is None or one.site_id in seen}
    there = websites.get_many(person.workspace_id, sorted(wanted)) if wanted else {}
    return [one for one in told if one.site_id in there and one.at >= begun.since]


def _sent(person: Person, begun: Subscription, told: Sequence[Notice], more: bool, app: str) -> bool | None:
    """Send the mail. Returns True if the mail was accepted, False if it never will be, None if it is tried again
    later."""
    stop = f"{app}{choosing.PATH}?{urlencode({choosing.PARAMETER: choosing.token_of(begun)})}"
    message_id = digest("notices", begun.workspace_id, begun.person_id, *(one.id for one in told)).hex()
    linked = [one._replace(link=_linked(one.link, app)) for one in told]
    try:
        mailing.send(notices_mail(person.email, linked, more, f"{app}/notices", stop, message_id))
    except OutsideError as error:
        _log.warning("notices could not be mailed: %s", error.message, extra={"personId": person.id})
        return False if isinstance(error, Declined) else None
    return True


def _linked(link: str | None, app: str) -> str | None:
    """Return the full URL of a link that may be a path of the app."""
    return app + link.removeprefix(APP_PATH) if link is not None and link.startswith(APP_PATH) else link
