"""Manages the e-mail addresses that get a website's report once a month. The owner of an address must confirm it by a
link before a report is sent.

A mail has a link for confirming the address, or a link for ending the mails. Only opening such a link changes nothing,
because mail scanners open links too; the person must press a button on the page.
"""

import hmac
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts import emails, sign_in
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.report_mails import CONFIRM_DAYS, MOST_RECIPIENTS, confirmation_mail, next_mail
from chalicelib.operations import accounts, addresses, inviting, mailing, sessions, websites
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.permission import require
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import acts, recipients, reports
from chalicelib.store import websites as stored_websites
from chalicelib.store.bounces import Bounce
from chalicelib.store.recipients import Recipient
from chalicelib.store.transactions import committed
from chalicelib.store.websites import Website

__all__ = ["Recipient"]

CONFIRM_PATH: Final = "/reports/confirm"
STOP_PATH: Final = "/reports/off"
PARAMETER: Final = "token"
_DAY_SECONDS: Final = 86_400
_LONGEST_TOKEN: Final = 300


def listed(actor: Actor, website: Website) -> list[Recipient]:
    """List the addresses that get a website's report, unconfirmed ones included. Refused: ``not_found``,
    ``not_allowed``."""
    require(actor, "work", website.workspace_id)
    return recipients.list_all(website.id)


def came_back(known: Iterable[Recipient]) -> dict[str, Bounce]:
    """Return, by address, why confirmed addresses get no more mail. Unconfirmed addresses are left out; otherwise
    anybody could add an address to learn whether mail to it bounced."""
    return mailing.came_back(one.email for one in known if one.confirm is None)


def try_again(actor: Actor, website: Website, key: str) -> None:
    """Allow reports to a confirmed address again after a mail to it bounced. Refused: ``not_found``, ``not_allowed``,
    ``busy``."""
    require(actor, "work", website.workspace_id)
    found = recipients.get(website.id, key) if sign_in.is_key(key) else None
    if found is None or found.confirm is not None:
        raise Refused("not_found", "There is no such confirmed address: its mails may have ended already.")
    mailing.try_again(found.email)


def ask(actor: Actor, site_id: str, email: str, base_url: str) -> str | None:
    """Send a mail that asks whether an address should get a website's report once a month. The link in an earlier such
    mail becomes invalid. Returns why no mail was sent, in words, or None if it was sent.

    ``base_url``: see ``sessions.request_link``. Refused: ``not_found``, ``not_allowed``, ``no_mail``, ``bad_email``,
    ``rate_limited``, ``already_confirmed``, ``too_many_recipients``, ``busy``.
    """
    website = websites.existing(actor, site_id, "work")
    if not inviting.sends_mail():
        raise Refused("no_mail", "This service sends no mail.")
    address = emails.cleaned(email)
    if address is None or emails.deliverable(address) is None:
        raise Refused("bad_email", f"{email[:100]!r} is not an e-mail address that mail can be sent to.")
    sessions.count_invitation(website.workspace_id, address)
    for _ in tries():
        website = websites.existing(actor, site_id, "work")
        now, token = clock.now(), _random()
        known = {one.key: one for one in recipients.list_all(site_id)}
        new = _new(website, address, actor, token, now)
        old = known.get(new.key)
        if old is not None and old.confirm is None:
            raise Refused("already_confirmed", "This address already gets the report.")
        if old is None and len(known) >= MOST_RECIPIENTS:
            raise Refused("too_many_recipients", f"A website's report goes to at most {MOST_RECIPIENTS} addresses.")
        if old is not None:
            new = replace(new, version=old.version + 1)
        asked = recipients.asked(new, now + CONFIRM_DAYS * _DAY_SECONDS, old)
        about = f"{address}: {website.name}"
        noted = acts.done(
            stored_accounts.TABLE, actor, website.workspace_id, "report.mail_asked", now, website.id, about
        )
        # Touching the website makes a removal at the same moment conflict, so that no address is left behind.
        if committed([stored_websites.touched(website), asked, noted]):
            return _mailed(website, new, token, base_url)
    raise busy("this website")


def end(actor: Actor, site_id: str, key: str) -> None:
    """End the mails to an address, and revoke the report links that were sent to it. Refused: ``not_found``,
    ``not_allowed``, ``busy``."""
    website = websites.existing(actor, site_id, "work")
    for _ in tries():
        # Read before the links: a mail that starts after this changes the row, and the transaction below then fails.
        found = recipients.get(site_id, key) if sign_in.is_key(key) else None
        if found is None:
            raise Refused("not_found", "There is no such address: its mails may have ended already.")
        links = [one for one in reports.list_open(site_id) if one.sent_to == found.email]
        taken_back = [write for one in links for write in reports.taken_back(site_id, one.key)]
        about = f"{found.email}: {website.name}"
        noted = acts.done(
            stored_accounts.TABLE, actor, website.workspace_id, "report.mail_ended", clock.now(), website.id, about
        )
        if committed([recipients.gone(found), *taken_back, noted]):
            return
    raise busy("this website")


def asks(token: str) -> Recipient | None:
    """Return the address that a confirmation link is for. Returns None if the link was used or has expired. One round
    trip."""
    found, secret = _named(token)
    sha256 = sign_in.hashed(secret)
    if found is None or found.confirm is None or sha256 is None or not hmac.compare_digest(found.confirm, sha256):
        return None
    return found


def confirm(token: str) -> None:
    """Confirm the address that a confirmation link is for. A link works only once. Refused: ``link_used``."""
    found = asks(token)
    if found is None or not recipients.confirmed(found, next_mail(clock.now())):
        raise Refused("link_used", "This link was already used, or is too old.")


def stop_token(found: Recipient) -> str:
    """Return the token that ends the mails to an address. The mails contain it."""
    return _token(found, found.secret)


def stops(token: str) -> Recipient | None:
    """Return the address whose mails a token ends. Returns None if the mails have already ended. One round trip."""
    found, secret = _named(token)
    return found if found is not None and hmac.compare_digest(found.secret, secret) else None


def stop(token: str) -> None:
    """End the mails to the address that the token belongs to. Links to reports that were mailed still work. Refused:
    ``not_found``, ``busy``."""
    for _ in tries():
        found = stops(token)
        if found is None:
            raise Refused("not_found", "This link is no longer valid: the mails to this address have ended.")
        if committed([recipients.gone(found)]):
            return
    raise busy("this address")


def _new(website: Website, address: str, actor: Actor, token: str, now: float) -> Recipient:
    return Recipient(
        workspace_id=website.workspace_id,
        site_id=website.id,
        email=address,
        added_at=now,
        added_by=actor.email,
        secret=_random(),
        confirm=sign_in.hashed(token),
        due=None,
        tries=0,
        token=None,
        last_sent=None,
        version=0,
    )


def _mailed(website: Website, asked: Recipient, token: str, base_url: str) -> str | None:
    """Send the mail that asks for a confirmation. Returns why it was not sent, or None if it was sent."""
    from chalicelib.connectors import mail  # slow to import; only requests that send mail need it
    from chalicelib.connectors.errors import OutsideError

    workspace = accounts.existing_workspace(website.workspace_id)
    link = f"{addresses.app_address(base_url)}{CONFIRM_PATH}?{PARAMETER}={_token(asked, token)}"
    try:
        mail.send(confirmation_mail(asked.email, workspace.report_name or workspace.name, website.host, link))
    except OutsideError as error:
        return error.message
    return None


def _token(of: Recipient, secret: str) -> str:
    return f"{of.site_id}.{of.key}.{secret}"


def _named(token: str) -> tuple[Recipient | None, str]:
    """Return the address that a token names, and the token's secret, which is not checked here."""
    site_id, _, rest = token.partition(".")
    key, _, secret = rest.partition(".")
    if len(token) > _LONGEST_TOKEN or not token.isascii() or not (site_id and sign_in.is_key(key) and secret):
        return None, ""
    return recipients.get(site_id, key), secret


def _random() -> str:
    return sign_in.written(random_bytes(sign_in.ENTROPY_BYTES))
