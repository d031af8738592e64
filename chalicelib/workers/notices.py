"""The worker of the schedule ``notices`` (every minute): mails the notices of each person whose next mail is due, and
then the monthly reports (``report_mails``).

Claim: a mail that is taken up is due again some minutes later, by a write on the condition that the row is unchanged.
So of two runs one sends it.

Failure policy: at least once. A notice waits until its mail was taken by the mail server.
- Killed before the mail was handed over, or the server did not take it: it is tried again, eight times in two days,
  with longer and longer waits. Then its notices are given up, and the log says so.
- Killed between handing the mail over and writing that down: the same mail goes out once more, with the same notices
  and, by a mail server of one's own, the same Message-ID, by which mail programs show it once. Amazon SES gives each
  mail an id of its own.
- An address that the server refuses, or that mail came back from: its notices are given up at once.

Notices that a person may not (or no longer) see are left out when the mail is made: websites that are gone or not the
viewer's. All data of a removed person is deleted.
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

SECONDS: Final = 30.0  # after which no further mail is begun: the next run comes in a minute
TRIES: Final = 8
FIRST_WAIT_SECONDS: Final = 600.0  # each is twice the one before

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
    first = int(clock.now() // 60) % len(shards)  # another comes first each minute
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
    """Those of the notices that a person may see, of websites that exist, since notices were turned on."""
    told = list(told)
    # A client viewer whom release 1.0.0 made has no list, and sees none.
    seen = person.site_ids or [] if person.role == "client_viewer" else None
    wanted = {one.site_id for one in told if seen is None or one.site_id in seen}
    there = websites.get_many(person.workspace_id, sorted(wanted)) if wanted else {}
    return [one for one in told if one.site_id in there and one.at >= begun.since]


def _sent(person: Person, begun: Subscription, told: Sequence[Notice], more: bool, app: str) -> bool | None:
    """Whether the mail was taken; False if it never will be; None if it is tried again later."""
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
    """The whole address of a link that may be a path of the app."""
    return app + link.removeprefix(APP_PATH) if link is not None and link.startswith(APP_PATH) else link
