"""Connects a website to Search Console or Analytics through a Google account to which a person grants access.

``begin`` returns the address of Google's consent page. Google then sends the person back to the app, with a code and a
state (a text that identifies the grant). ``offer`` returns the website and the source that the state belongs to, and
changes nothing. ``complete`` exchanges the code. If it is clear which property belongs to the website, ``complete``
connects the website to it. Otherwise it returns the possible properties, and ``choose`` connects the chosen one.

A state is valid for ten minutes, for one website, and only for the person who called ``begin``. A code is exchanged
only once. After a crash before the exchange is stored, nothing is connected, and the person begins again. After a later
crash, ``complete`` continues with the account that was stored. One transaction creates the connection and ends the
grant.
"""

import base64
import hmac
import re
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib import clock
from chalicelib.connectors import analytics, google, search_console
from chalicelib.connectors.errors import OutsideError
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.connections import SourceKind
from chalicelib.operations import sources
from chalicelib.operations.errors import Refused
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.settings.google import GoogleSettings, google_settings
from chalicelib.store import grants
from chalicelib.store import sources as stored
from chalicelib.store.errors import Conflict
from chalicelib.store.grants import Grant
from chalicelib.store.secrets import Secret
from chalicelib.store.websites import Website

SECONDS: Final = 600
LONGEST_CODE: Final = 1_000  # characters
_BYTES: Final = 32
_STATE: Final = re.compile(r"([A-Za-z0-9_]{1,64})\.(search|analytics)\.[A-Za-z0-9_-]{43}")
_SCOPES: Final[dict[SourceKind, str]] = {"search": search_console.SCOPE, "analytics": analytics.SCOPE}


class Offer(NamedTuple):
    """The website and the kind of source that a grant in progress is for."""

    site_id: str
    website: str
    host: str
    kind: SourceKind


class Choice(NamedTuple):
    """A property that a website can be connected to. ``name``: the value for ``choose``; ``words``: its name for
    people."""

    name: str
    words: str


def is_offered() -> bool:
    """Whether the operator has configured an OAuth client. This does not decrypt the client's secret."""
    return bool(google_settings().client_id)


def begin(actor: Actor, site_id: str, kind: str, redirect_uri: str) -> str:
    """Return the address of the page at Google on which a person grants access to a website's source of data.
    ``redirect_uri``: the app's address to which Google sends the person back. An earlier, unfinished grant for the same
    source becomes invalid.

    Refused: ``not_found``, ``not_allowed``, ``bad_connection``, ``not_set_up`` (with the operator's next step).
    """
    website = existing(actor, site_id, "manage_keys")
    wanted, client = sources.checked_kind(kind), _client()
    if not redirect_uri.startswith(("https://", "http://")):
        raise Refused("not_set_up", "The operator must first set APP_URL, because Google sends the browser back there.")
    state, verifier = f"{site_id}.{wanted}.{_random()}", _random()
    grant = Grant(
        state=_hashed(state),
        kind=wanted,
        site_id=site_id,
        workspace_id=website.workspace_id,
        person_id=_person(actor),
        redirect_uri=redirect_uri,
        phase="asked",
        sealed=stored.seal(Secret(verifier), website.workspace_id, site_id, wanted),
        ttl=int(clock.now()) + SECONDS,
    )
    grants.put(grant)
    return google.consent_url(client.client_id, _SCOPES[wanted], redirect_uri, state, verifier)


def offer(actor: Actor, state: str) -> Offer:
    """Return the website and the kind of source that a grant in progress is for. ``state``: the text from Google that
    identifies the grant. Refused: ``link_used`` if the state belongs to another person, was used or has expired."""
    website, grant = _found(actor, state)
    return Offer(website.id, website.name, website.host, grant.kind)


def complete(actor: Actor, state: str, code: str) -> list[Choice]:
    """Exchange Google's code, and connect the website if it is clear which property belongs to it. Returns an empty
    list if the website is connected, else the properties to choose from.

    Refused: ``link_used``, ``not_set_up``, ``cannot_connect`` (with Google's message), ``busy``.
    """
    website, grant = _found(actor, state)
    account = _account(grant, code)
    given = sources.GivenAccount(account)
    try:
        found = _properties(website, grant.kind, given)
    except OutsideError as error:
        raise Refused("cannot_connect", error.message) from error
    if found.own is not None:
        _connect(actor, website, grant, found.own, given)
        return []
    if given.now != account:
        grants.renew(grant, _sealed(grant, given.now))
    return found.choices


def choose(actor: Actor, state: str, name: str) -> None:
    """Connect the website to one of the properties that ``complete`` returned. Refused: the codes of ``complete``, and
    ``bad_credentials`` if ``name`` is no property of the website."""
    website, grant = _found(actor, state)
    if grant.phase != "granted":
        raise _not_valid()
    checked = sources.checked_name(grant.kind, name, website.host)
    given = sources.GivenAccount(google.unpacked(grant.secret().reveal()))
    _connect(actor, website, grant, checked, given)


def _connect(actor: Actor, website: Website, grant: Grant, name: str, given: sources.GivenAccount) -> None:
    """Connect the website, and end the grant. Refused: the codes of ``sources.connect``, and ``link_used`` if the grant
    has ended or was replaced meanwhile."""
    try:
        sources.connect(actor, website, grant.kind, name, given, grants.ended(grant))
    except Conflict:
        raise _not_valid() from None


def _account(grant: Grant, code: str) -> google.Account:
    """Return the account that was granted. Exchanges the code if that has not been done yet."""
    if grant.phase == "granted":
        return google.unpacked(grant.secret().reveal())
    if not (1 <= len(code) <= LONGEST_CODE and code.isascii() and code.isprintable()):
        raise Refused("cannot_connect", "Google returned no code. Connect with Google again.")
    client, verifier = _client(), grant.secret().reveal()
    if grant.phase != "asked" or not grants.use(grant):
        raise _not_valid()
    try:
        account = google.granted(
            client.client_id, client.client_secret, _SCOPES[grant.kind], grant.redirect_uri, code, verifier
        )
    except OutsideError as error:
        raise Refused("cannot_connect", error.message) from error
    if not sources.fits(account):
        raise Refused("cannot_connect", "Google gave a token that is too long to store.")
    if not grants.keep(grant, _sealed(grant, account)):
        raise _not_valid()
    return account


def _sealed(grant: Grant, account: google.Account) -> bytes:
    return stored.seal(Secret(google.packed(account)), grant.workspace_id, grant.site_id, grant.kind)


class _Found(NamedTuple):
    """The properties found. ``own``: the name of the one property that is certainly the website's; None if a person
    must choose."""

    own: str | None
    choices: list[Choice]


def _properties(website: Website, kind: SourceKind, given: sources.GivenAccount) -> _Found:
    """Find the website's properties. If no Analytics property is known to be the website's, return all that may be.
    Raises ``OutsideError``. Refused: ``cannot_connect`` if no property is found."""
    if kind == "search":
        own = [name for name in search_console.properties(given) if _is_own(website, name)]
        if not own:
            raise Refused(
                "cannot_connect",
                f"This Google account has no property of {website.host} in Search Console. Add the website there, or "
                "have its owner add this account as a user; then connect with Google again.",
            )
        sure = len(own) == 1 and _is_whole(own[0])
        return _Found(own[0] if sure else None, [Choice(name, name) for name in own])
    found = analytics.properties(sources.hosts_of(website.host), given)
    if not found:
        raise Refused(
            "cannot_connect",
            "This Google account may read no property in Analytics. Have an administrator of the property add it as a "
            "viewer; then connect with Google again.",
        )
    measuring = [one for one in found if one.measures]
    unknown = [one for one in found if one.measures is None]
    offered = [*measuring, *unknown] if measuring else found
    choices = [Choice(one.number, f"{one.name} ({one.number})") for one in offered]
    return _Found(choices[0].name if len(measuring) == 1 and not unknown else None, choices)


def _is_whole(name: str) -> bool:
    """Whether a property of Search Console covers a whole host or domain, not only a folder."""
    return not name.startswith(("https://", "http://")) or urlsplit(name).path in ("", "/")


def _is_own(website: Website, name: str) -> bool:
    try:
        sources.checked_name("search", name, website.host)
    except Refused:
        return False
    return True


def _found(actor: Actor, state: str) -> tuple[Website, Grant]:
    """Return the website and grant of a state, for the person who began and may still connect. Refused:
    ``link_used``."""
    parts = _STATE.fullmatch(state)
    if parts is None:
        raise _not_valid()
    site_id, kind = parts.groups()
    try:
        website = existing(actor, site_id, "manage_keys")
    except Refused:
        raise _not_valid() from None
    grant = grants.get(site_id, sources.checked_kind(kind))
    if (
        grant is None
        or not hmac.compare_digest(grant.state, _hashed(state))
        or grant.person_id != _person(actor)
        or grant.workspace_id != website.workspace_id
    ):
        raise _not_valid()
    return website, grant


def _client() -> GoogleSettings:
    settings = google_settings()
    if not settings.client_id or not settings.client_secret:
        raise Refused("not_set_up", "The operator must first set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.")
    return settings


def _person(actor: Actor) -> str:
    if actor.person_id is None:
        raise Refused("not_allowed", "Only a person who is signed in can connect with Google.")
    return actor.person_id


def _not_valid() -> Refused:
    return Refused(
        "link_used",
        "This link back from Google was already used, is older than ten minutes, or belongs to another person. "
        "Nothing was changed. Start again on the screen Connections.",
    )


def _hashed(state: str) -> str:
    return sha256(state.encode()).hexdigest()


def _random() -> str:
    return base64.urlsafe_b64encode(random_bytes(_BYTES)).rstrip(b"=").decode("ascii")
