"""Signs people in: makes and mails links, starts sessions from them, and ends sessions.

A session belongs to an e-mail address. Each request looks up the person with this address in the workspace. So a
changed role, or a removal, takes effect with the next request.
"""

import logging
from dataclasses import dataclass, field
from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts import emails, sign_in
from chalicelib.operations import accounts, addresses
from chalicelib.operations.errors import Refused
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import sessions as store
from chalicelib.store import websites
from chalicelib.store.accounts import Workspace
from chalicelib.store.sessions import Membership, Session
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website

__all__ = ["LinkOffer", "Membership", "Session", "Started"]

ANSWER_SECONDS: Final = 1.5  # how long a request for a link takes, whether or not a mail is sent

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LinkOffer:
    """A valid sign-in link. ``email``: the address that it signs in; ``expires_at``: when it expires (epoch
    seconds)."""

    email: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class Started:
    """A session that has just started. ``secret`` is not stored, and shown only once."""

    secret: str = field(repr=False)
    email: str


def open_link(token: str) -> LinkOffer | None:
    """Check a sign-in link, and return the e-mail address that it signs in and its expiry. Returns None if the link is
    unknown, used or expired. One round trip. Changes nothing, since mail scanners open links."""
    sha256 = sign_in.hashed(token)
    found = None if sha256 is None else store.link(sha256)
    return None if found is None else LinkOffer(found.email, found.expires_at)


def use_link(token: str) -> Started:
    """Use a sign-in link, and start a session. A link works once: of two concurrent uses, one gets a session. Refused:
    ``link_used``."""
    sha256 = sign_in.hashed(token)
    found = None if sha256 is None else store.link(sha256)
    secret = _new_secret()
    if sha256 is None or found is None or not store.begin(sha256, found.email, _hash(secret), clock.now()):
        raise Refused("link_used", "This link was already used, or is too old: ask for another.")
    return Started(secret, found.email)


def find(secret: str) -> Session | None:
    """Find the session of a secret, and count one request. Returns None if the session is unknown or has ended. One
    round trip; two when a clock hour begins.

    Refused: ``rate_limited``, beyond 5,000 requests in a clock hour.
    """
    sha256 = sign_in.hashed(secret)
    if sha256 is None:
        return None
    now = clock.now()
    try:
        return store.find(sha256, now)
    except store.LimitReached as reached:
        raise _limited(f"The {sign_in.REQUESTS_PER_HOUR:,} requests of this hour are used up.", reached, now) from None


def end(secret: str) -> None:
    """End the session of a secret, if there is one."""
    sha256 = sign_in.hashed(secret)
    email = None if sha256 is None else store.email_of(sha256)
    if sha256 is not None and email is not None:
        store.end(email, sha256)


def others(email: str) -> list[Session]:
    """List all sessions of an e-mail address, most recently used first. The current session is included."""
    return store.list_all(email, clock.now())


def end_other(email: str, key: str) -> None:
    """End a session of an e-mail address. ``key``: as listed by ``others``. Refused: ``not_found``, also if the session
    belongs to another address."""
    if not (sign_in.is_key(key) and store.end(email, key)):
        raise Refused("not_found", "There is no such session: it may have ended already.")


def end_all(email: str) -> int:
    """End all sessions of an e-mail address. Returns how many there were."""
    return sum(store.end(email, session.key) for session in others(email))


def arrive(member: Membership) -> None:
    """Store that an invited person has opened the workspace. Does nothing for other people."""
    if member.invited:
        stored_accounts.arrived(member.workspace_id, member.person_id)


def workspaces(email: str) -> list[Membership]:
    """List the workspaces of an e-mail address, each with its current person and role. Two round trips."""
    return store.workspaces(email)


def workspaces_and_website(
    email: str, site_id: str
) -> tuple[list[Membership], dict[str, tuple[Website | None, Workspace]]]:
    """List the workspaces of an e-mail address, and load the website ``site_id`` from each workspace that has it. The
    loaded websites are returned by workspace id. Two round trips for up to 33 workspaces."""
    members, found = store.workspaces_and(email, lambda workspace_id: websites.places_of_pair(workspace_id, site_id))
    owners = {member.workspace_id for member in members}
    having = [owner for owner in owners if websites.places_of_pair(owner, site_id)[0] in found]
    return members, {owner: websites.pair_of(found, owner, site_id) for owner in having}


def request_link(email: str, ip: str, base_url: str) -> None:
    """Mail a sign-in link to an e-mail address, if a workspace knows the address.
    The answer and its duration do not reveal whether a workspace knows the address, or whether the mail was sent. The
    log says whether it was sent.

    ``base_url``: the app's address (``…/app``), used if neither ``APP_URL`` nor a stored address exists. It must come
    from the gateway's domain or this machine's name, never from a Host header.
    Refused, for known and unknown addresses alike: ``no_mail``, ``bad_email``, and ``rate_limited`` beyond 5 links
    per e-mail address or 30 per IP address in a clock hour.
    """
    from chalicelib.connectors import mail  # slow to import; only requests that send mail need it

    until = clock.monotonic() + ANSWER_SECONDS
    if not mail.is_set_up():
        raise Refused("no_mail", "This service sends no mail: ask its operator for a sign-in link.")
    address = emails.cleaned(email)
    if address is None or emails.deliverable(address) is None:
        raise Refused("bad_email", "This is not an e-mail address that mail can be sent to.")
    _count(address, ip)
    known = store.known_address(address)
    app = addresses.app_address(base_url)
    if known is not None:
        _send(known, sign_in.address_of(app, _new_link(known)))
    clock.sleep(max(0.0, until - clock.monotonic()))


def _count(address: str, ip: str) -> None:
    now = clock.now()
    try:
        store.count_link("ip", sign_in.counted_ip(ip), sign_in.LINKS_PER_IP, now)
        store.count_link("email", address, sign_in.LINKS_PER_ADDRESS, now)
    except store.LimitReached as reached:
        raise _limited("Too many sign-in links were requested; try again in the next hour.", reached, now) from None


def _send(email: str, link: str) -> None:
    from chalicelib.connectors import mail
    from chalicelib.connectors.errors import OutsideError
    from chalicelib.domain.mails import sign_in_mail

    try:
        mail.send(sign_in_mail(email, link, sign_in.LINK_SECONDS // 60))
    except OutsideError as error:
        log.error("a sign-in link could not be sent: %s", error.message)


def make_link(workspace_id: str, person_id: str) -> str:
    """Make a sign-in link for a person. The operator gives the link to the person. Returns the link's token. Refused:
    ``not_found``.
    """
    return _new_link(accounts.existing_person(workspace_id, person_id).email)


def make_invitation(email: str, *beside: Write) -> str:
    """Make a sign-in link for an e-mail address, valid for 7 days. Returns its token. ``beside``: further writes,
    committed in the same transaction as the link."""
    return _new_link(email, sign_in.INVITATION_SECONDS, *beside)


def count_invitation(workspace_id: str, email: str) -> None:
    """Count an invitation. Refused: ``rate_limited``, above 30 per workspace or 5 per address in a clock hour."""
    now = clock.now()
    try:
        store.count_link("workspace", workspace_id, sign_in.INVITATIONS_PER_WORKSPACE, now)
        store.count_link("invited", email, sign_in.LINKS_PER_ADDRESS, now)
    except store.LimitReached as reached:
        raise _limited("Too many invitations were sent; try again in the next hour.", reached, now) from None


def count_reading(report: str) -> None:
    """Count an opening of a report through its link. Refused: ``rate_limited``."""
    now = clock.now()
    try:
        store.count_link("report", report, sign_in.READINGS_PER_REPORT, now)
    except store.LimitReached as reached:
        raise _limited("This report was opened too often; try again in the next hour.", reached, now) from None


def count_wrong_token(ip: str) -> None:
    """Count an invalid link that somebody opened without being signed in. Refused: ``rate_limited``, by IP address."""
    now = clock.now()
    try:
        store.count_link("token", sign_in.counted_ip(ip), sign_in.WRONG_TOKENS_PER_IP, now)
    except store.LimitReached as reached:
        raise _limited(
            "Too many invalid links were opened from here; try again in the next hour.", reached, now
        ) from None


def _new_link(email: str, seconds: int = sign_in.LINK_SECONDS, *beside: Write) -> str:
    token = _new_secret()
    store.put_link(_hash(token), email, clock.now(), seconds, *beside)
    return token


def _new_secret() -> str:
    return sign_in.written(random_bytes(sign_in.ENTROPY_BYTES))


def _hash(secret: str) -> str:
    sha256 = sign_in.hashed(secret)
    assert sha256 is not None
    return sha256


def _limited(message: str, reached: store.LimitReached, now: float) -> Refused:
    return Refused("rate_limited", message, retry_after=max(1, -int((now - reached.reset_at) // 1)))
