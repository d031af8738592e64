"""Mails the monthly reports that are due: a part of the schedule ``notices``.

Claim: before a mail is sent, a conditional write moves the mail's next try some minutes into the future. The write
succeeds only if the row has not changed since it was read. The same transaction creates the mail's link. If two runs
overlap, only one of them sends the mail.

Failure policy: at least once, and for one month only: the next mail is due in the next month.
- Killed before the mail was sent, or the server did not accept it: the mail is tried again with the same link, eight
  times in two days. Then the mail is dropped, its link is revoked, and the log says so.
- Killed after the mail was sent and before that was recorded: the mail is sent once more with the same link and current
  figures. If the operator's own mail server sends it, both mails have the same Message-ID.
- The server refuses an address: this month's mail is dropped at once.
- The website of an address no longer exists: the address is deleted.
"""

import logging
from dataclasses import replace
from typing import Final

from chalicelib import clock
from chalicelib.connectors.errors import Declined, OutsideError
from chalicelib.domain import report_figures, report_mails
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.audit.issues import is_keyword_task
from chalicelib.domain.ids import digest
from chalicelib.domain.mails import Mail
from chalicelib.domain.report_figures import Figure
from chalicelib.domain.reports import address_of
from chalicelib.domain.search.periods import recent
from chalicelib.operations import mailing
from chalicelib.operations import recipients as asking
from chalicelib.randomness import random_bytes
from chalicelib.store import issues, kept_audits, recipients, reports, websites
from chalicelib.store.accounts import Workspace
from chalicelib.store.recipients import Recipient
from chalicelib.store.reports import ReportLink
from chalicelib.store.transactions import committed
from chalicelib.store.websites import Website

TRIES: Final = 8
FIRST_WAIT_SECONDS: Final = 600.0  # each further wait is twice as long
_DAY_SECONDS: Final = 86_400

_log = logging.getLogger(__name__)


def run(app: str, until: float) -> int:
    """Send the reports that are due. Returns how many were sent.

    - ``until``: no mail is started after this time (monotonic seconds).
    - ``app``: the address of the app.
    """
    sent = 0
    for site_id, key in recipients.due(clock.now()):
        if clock.monotonic() >= until:
            break
        try:
            sent += _mailed(site_id, key, app)
        except Exception:
            _log.exception("a monthly report could not be mailed", extra={"siteId": site_id})
    return sent


def _mailed(site_id: str, key: str, app: str) -> bool:
    """Send one report, if it is still due. Returns whether it was sent."""
    found, now = recipients.get(site_id, key), clock.now()
    if found is None or found.due is None or found.due > now:
        return False
    website, workspace = websites.get_with_workspace(found.workspace_id, site_id)
    if website is None:
        committed([recipients.gone(found)])
        return False
    begun = _begun(found, website, now)
    if begun is None:
        return False
    given_up = begun.tries > TRIES
    sent = False if given_up else _sent(begun, website, workspace, app, now)
    if sent is None:
        return False
    over = recipients.ended(begun, report_mails.next_mail(now), now if sent else None)
    if not sent:
        _log.warning("a monthly report is given up", extra={"siteId": site_id})
    # Writes nothing if somebody has ended the mails meanwhile.
    committed([over] if sent else [over, *reports.taken_back(site_id, _hash(begun))])
    return sent


def _begun(found: Recipient, website: Website, now: float) -> Recipient | None:
    """Claim the mail, with its own link. Returns None after a concurrent write."""
    again = now + FIRST_WAIT_SECONDS * 2**found.tries
    if found.token is not None:
        begun = replace(found, due=again, tries=found.tries + 1, version=found.version + 1)
        return begun if committed([recipients.begun(found, again, found.token)]) else None
    token = sign_in.written(random_bytes(sign_in.ENTROPY_BYTES))
    begun = replace(found, due=again, tries=found.tries + 1, token=token, version=found.version + 1)
    ends_at = int(now) + report_mails.LINK_DAYS * _DAY_SECONDS
    link = ReportLink(_hash(begun), website.workspace_id, website.id, now, found.added_by, ends_at, found.email)
    # The transaction fails if the website was removed meanwhile; else the link would be left behind.
    writes = [websites.still_there(website), recipients.begun(found, again, token), *reports.put(link)]
    return begun if committed(writes) else None


def _sent(begun: Recipient, website: Website, workspace: Workspace, app: str, now: float) -> bool | None:
    """Send the mail. Returns True if the mail was accepted, False if it never will be, None if it is tried again
    later."""
    try:
        mailing.send(_made(begun, website, workspace, app, now))
    except OutsideError as error:
        _log.warning("a monthly report could not be mailed: %s", error.message, extra={"siteId": website.id})
        return False if isinstance(error, Declined) else None
    return True


def _made(begun: Recipient, website: Website, workspace: Workspace, app: str, now: float) -> Mail:
    token = str(begun.token)
    link = reports.find(_hash(begun))
    ends_at = now if link is None else link.ends_at  # the link was just revoked, and opens nothing
    return report_mails.report_mail(
        begun.email,
        workspace.report_name or workspace.name,
        website.host,
        figures(website, now),
        clock.utc(now).date(),
        address_of(app, token),
        clock.utc(ends_at).date(),
        f"{app}{asking.STOP_PATH}?{asking.PARAMETER}={asking.stop_token(begun)}",
        digest("report", token).hex(),
    )


def figures(website: Website, now: float) -> list[Figure]:
    """Return the four figures at the top of a website's report."""
    since, before = now - report_figures.SECONDS, now - 2 * report_figures.SECONDS
    summary = website.summary
    score = None if summary is None or summary.score is None else summary.score.entry
    past, fixed, fixed_before = None, None, None
    if summary is not None and score is not None:
        entries = [*summary.history, *(one.score for one in kept_audits.scores(website.id))]
        known = [(one.computed_at, one.site / 10, one.version) for one in entries]
        past = report_figures.past_score(known, since, score.version).site
        book = issues.load_state(website.id)
        listed = [] if book is None else [one.as_of(now) for one in book.issues if not is_keyword_task(one.rule_id)]
        ended = [one.resolved_at for one in listed if one.status == "resolved" and one.resolved_at is not None]
        fixed, fixed_before = report_figures.counted(ended, [at for at, _, _ in known], before, since)
    found, earlier = None, None
    if website.search is not None and website.connections.search is not None:
        period = recent(report_figures.DAYS, clock.utc(now).date(), website.search.final_day)
        found, earlier = website.search.within(period), website.search.within(period.before)
    return [
        Figure("Score, of 100", None if score is None else score.site / 10, past),
        Figure("Issues fixed", fixed, fixed_before),
        Figure("Clicks from search", found and found.clicks, earlier and earlier.clicks),
        Figure("Shown in search", found and found.impressions, earlier and earlier.impressions),
    ]


def _hash(begun: Recipient) -> str:
    sha256 = sign_in.hashed(str(begun.token))
    assert sha256 is not None
    return sha256
