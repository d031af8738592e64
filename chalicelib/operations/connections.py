"""Connects a website to its CMS or shop, checks the connection, and removes it.

To pair a CMS, the service sends a website key and a secret to the connector, with the one-time code that the connector
shows. The key stays in the customer's CMS, so its scope only allows sending content and reporting changed pages. One
transaction writes a row for the pairing and creates the key. If the pairing is interrupted, the row still names the
key, and the next pairing revokes it. When the CMS has accepted the key and the secret, the pairing becomes the
connection, and the key of the earlier connection is revoked. Then an import of all content of the CMS runs at once and
daily.

A shop is connected with the access token of an app that the shop's owner installed. The shop's API is asked for its
status first; then the steps are as for a CMS. The website key is returned to the caller, for use in the app.
"""

import contextlib
from collections.abc import Collection
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.connectors.cms import Cms, HttpCms, connector_address
from chalicelib.connectors.errors import NoAccess, OutsideError
from chalicelib.connectors.shop import LONGEST_TOKEN, HttpShop, is_token, shop_address
from chalicelib.connectors.target import Target
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.connections import (
    WRITER_KINDS,
    Connections,
    Writer,
    WriterKind,
    WriterStatus,
    job_id,
    sync_job_id,
)
from chalicelib.domain.connector import signature
from chalicelib.domain.connector.messages import Status
from chalicelib.domain.crawl.urls import MAX_URL_LENGTH
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import accounts, cancelling
from chalicelib.operations.access import Watched, checked_earlier, events_of, noted
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import send_job
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.store import api_keys, connections, jobs, websites
from chalicelib.store.connections import Credentials
from chalicelib.store.errors import Conflict
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Write, commit, committed
from chalicelib.store.websites import Website

LONGEST_CODE: Final = 200
_TRIES: Final = 5


class Linked(NamedTuple):
    """A connected shop, and the website key for its app, which cannot be read again."""

    writer: Writer
    website_key: str


def connect(address: str, secret: Secret) -> Cms:
    """Make the client of a CMS's connector at this address."""
    return HttpCms(address, secret.reveal())


def target(credentials: Credentials) -> Target:
    """Make the client of the CMS or shop of these credentials. Raises botocore's errors."""
    if credentials.kind == "shop":
        return HttpShop(credentials.base_url, credentials.secret().reveal())
    return connect(credentials.base_url, credentials.secret())


def pair(actor: Actor, site_id: str, *, url: str, code: str, person_id: str, base_url: str) -> Writer:
    """Connect a website to its CMS, or reconnect it. The CMS receives a website key that acts as the person.

    - ``url``: the address of the connector, or of the website's home page.
    - ``code``: the one-time code that the connector shows.
    - ``base_url``: the address of the API, which the CMS receives.

    Refused: ``not_found``, ``not_allowed``, ``bad_credentials``, ``bad_base_url``, ``cannot_own_keys``,
    ``cannot_connect`` (with the CMS's message), ``busy``.
    """
    address = _checked_address(url)
    if not 1 <= len(code) <= LONGEST_CODE or not code.isprintable():
        raise Refused("bad_credentials", "The pairing code is invalid: copy it from the connector's settings page.")
    if not base_url.startswith(("https://", "http://")):
        raise Refused("bad_base_url", "Set BASE_URL to the API's own address: the CMS sends its content there.")
    secret = Secret(signature.make_secret(random_bytes(signature.SECRET_BYTES)))
    pairing, key = _begin(actor, site_id, "cms", address, secret, person_id)
    try:
        status = connect(address, secret).pair(code, site_id, base_url, key)
    except OutsideError as error:
        _give_up(pairing)
        raise Refused("cannot_connect", error.message) from error
    return _connected(actor, pairing, writer_status(status))


def link_shop(actor: Actor, site_id: str, *, shop: str, access_token: str, person_id: str) -> Linked:
    """Connect a website to its shop, or reconnect it. The website key acts as the person. ``shop``: the shop's name at
    Shopify (name.myshopify.com). ``access_token``: the token of the app that the shop's owner installed.

    Refused: ``not_found``, ``not_allowed``, ``bad_credentials``, ``cannot_own_keys``, ``cannot_connect`` (with
    Shopify's message), ``busy``.
    """
    address = shop_address(shop)
    if address is None:
        raise Refused("bad_credentials", "`shop` must be the shop's name at Shopify, such as example.myshopify.com.")
    if not is_token(access_token):
        raise Refused("bad_credentials", f"`accessToken` must have 1 to {LONGEST_TOKEN} characters and no spaces.")
    existing(actor, site_id, "manage_keys")
    try:
        status = HttpShop(address, access_token).status()
    except OutsideError as error:
        raise Refused("cannot_connect", error.message) from error
    pairing, key = _begin(actor, site_id, "shop", address, Secret(access_token), person_id)
    return Linked(_connected(actor, pairing, writer_status(status)), key)


def remove(actor: Actor, site_id: str, kind: str) -> None:
    """Disconnect a website from its CMS or shop. Revokes the connection's website key, and deletes its secret.

    Refused: ``not_found``, ``not_allowed``, ``bad_connection``, ``not_connected``, ``busy``.
    """
    wanted = _checked_kind(kind)
    for _ in tries():
        website = existing(actor, site_id, "manage_keys")
        credentials = connections.get(site_id, wanted)
        if credentials is None:
            raise Refused("not_connected", f"The website has no connection of the kind {wanted}.")
        writes = [
            connections.removed(credentials),
            connections.shown(website, website.connections.with_writer(wanted, None)),
            jobs.removed(site_id, job_id(wanted)),
            jobs.removed(site_id, sync_job_id(wanted)),
            *_revoked(credentials.key_id),
            noted(actor, "connection.removed", website, wanted, clock.now()),
        ]
        if committed(writes):
            cancelling.cancel_of_key(website.workspace_id, credentials.key_id)
            return
    raise busy("this connection")


def check(actor: Actor, site_id: str, kinds: Collection[WriterKind] = WRITER_KINDS) -> Connections:
    """Ask the website's CMS and shop for their status now, and return the updated connections. ``kinds``: the
    connections to check. The next automatic check is scheduled from now.

    Refused: ``not_found``, ``not_allowed``, ``not_connected``, ``busy``.
    """
    website = existing(actor, site_id, "work")
    asked = [kind for kind in kinds if website.connections.of(kind) is not None]
    if not asked:
        named = " and no ".join("CMS" if kind == "cms" else kind for kind in kinds)
        raise Refused("not_connected", f"The website is connected to no {named}.")
    for kind in asked:
        for _ in range(_TRIES):
            website = existing(actor, site_id, "work")
            if _checked(website, kind):
                break
        else:
            raise busy("this connection")
    return existing(actor, site_id, "work").connections


def learn(website: Website, kind: WriterKind, watched: Watched) -> None:
    """Check a connection after a call showed that its stored status is out of date: access was refused, or works again.
    If other processes keep changing the record, nothing is stored; the next call checks again."""
    known = website.connections.of(kind)
    if known is None or not (watched.answered if known.broken else watched.refused):
        return
    for _ in range(_TRIES):
        found = websites.get(website.workspace_id, website.id)
        if found is None or _checked(found, kind):
            return


def _checked(website: Website, kind: WriterKind) -> bool:
    """Check a connection, and reschedule its next check. Returns False if others changed the record meanwhile."""
    checked = look(website, kind)
    if checked is None:
        return True
    earlier = checked_earlier(website.id, kind, clock.now() + checked.writer.next_check)
    return committed([*checked.writes, *earlier], checked.events)


class Checked(NamedTuple):
    """The result of a check of a connection, and the writes that store it."""

    writer: Writer
    writes: list[Write]
    events: list[Event]


def look(website: Website, kind: WriterKind) -> Checked | None:
    """Ask the CMS or shop for its status. Returns None if it is not connected any more."""
    credentials, known = connections.get(website.id, kind), website.connections.of(kind)
    if credentials is None or known is None:
        return None
    try:
        status = target(credentials).status()
        writer = known.answered(writer_status(status), clock.now())
    except NoAccess as error:
        writer = known.refused(error.message, clock.now())
    except OutsideError as error:
        writer = known.failed(error.message, clock.now())
    shown = connections.shown(website, website.connections.with_writer(kind, writer))
    return Checked(writer, [shown], events_of(website, known, writer))


def writer_status(status: Status) -> WriterStatus:
    """Convert a connector's ``Status`` to the ``WriterStatus`` that the website's record stores."""
    return WriterStatus(
        writable=status.writable,
        platform=status.platform,
        version=status.version,
        fields=tuple(sorted(status.fields)),
        files=tuple(sorted(status.files)),
        reason=status.reason,
        seo_plugin=status.seo_plugin,
        title_case=status.title_case,
        page_caches=tuple(status.page_caches),
        robots_file=status.robots_file,
        index_now_sender=status.index_now_sender,
        redirects=status.redirects,
    )


def _begin(
    actor: Actor, site_id: str, kind: WriterKind, address: str, secret: Secret, person_id: str
) -> tuple[Credentials, str]:
    """Write the pairing's row together with its key; return the pairing and the key's secret."""
    for _ in tries():
        website = existing(actor, site_id, "manage_keys")
        before = connections.get(site_id, kind, "pairing")
        key, writes = accounts.pairing_key(actor, website, person_id)
        now = clock.now()
        pairing = Credentials(
            id=ids.time_ordered("conn", now, random_bytes(10)),
            kind=kind,
            site_id=site_id,
            workspace_id=website.workspace_id,
            base_url=address,
            sealed=connections.seal(secret, website.workspace_id, site_id, kind),
            key_id=key.listed.id,
            hint=key.listed.last4,
            created_at=now,
        )
        writes = [connections.begin_pairing(pairing, before), *writes]
        if before is not None:
            writes += _revoked(before.key_id)
        if committed(writes):
            if before is not None:
                cancelling.cancel_of_key(website.workspace_id, before.key_id)
            return pairing, key.secret
    raise busy("this connection")


def _give_up(pairing: Credentials) -> None:
    """Delete the row of a pairing that the CMS did not accept, and revoke its key.
    A newer pairing, if there is one, has already done this."""
    with contextlib.suppress(Conflict):
        commit([connections.end_pairing(pairing), *_revoked(pairing.key_id)])


def _connected(actor: Actor, pairing: Credentials, status: WriterStatus) -> Writer:
    site_id, kind = pairing.site_id, pairing.kind
    for _ in tries():
        website = websites.get(pairing.workspace_id, site_id)
        if website is None:
            break
        before, now = connections.get(site_id, kind), clock.now()
        writer = Writer(kind=kind, base_url=pairing.base_url, connected_at=now, checked_at=now, status=status)
        sync, begins = _sync_job(pairing, now)
        writes = [
            *connections.connected(pairing, before),
            connections.shown(website, website.connections.with_writer(kind, writer)),
            *([] if before is None else _revoked(before.key_id)),
            *_status_job(pairing, now + writer.next_check),
            begins,
            noted(actor, "connection.made", website, kind, now),
        ]
        if committed(writes):
            send_job(sync)
            if before is not None:
                cancelling.cancel_of_key(pairing.workspace_id, before.key_id)
            return writer
        # `secrets reencrypt` may have encrypted the pairing's secret again meanwhile: it is still the same pairing.
        again = connections.get(site_id, kind, "pairing")
        if again is None or again.id != pairing.id:
            break
        pairing = again
    raise busy("this connection")


def _status_job(pairing: Credentials, due_at: float) -> list[Write]:
    known = jobs.get(pairing.site_id, job_id(pairing.kind))
    if known is not None and not known.ended:
        return []
    job = Job(
        id=job_id(pairing.kind),
        kind="connection_status",
        site_id=pairing.site_id,
        workspace_id=pairing.workspace_id,
        queued_at=clock.now(),
        due_at=due_at,
        payload={"connection": pairing.kind},
    )
    return [jobs.put_new(job)]


def _sync_job(pairing: Credentials, now: float) -> tuple[Job, Write]:
    """Return the job that imports everything from the CMS now, and the write that starts it.
    A job that is already importing starts again."""
    known = jobs.get(pairing.site_id, sync_job_id(pairing.kind))
    if known is not None and not known.ended:
        again = known.begun_again(now, walk=None)
        return again, jobs.put_begun_again(known, again)
    job = Job(
        id=sync_job_id(pairing.kind),
        kind="content_sync",
        site_id=pairing.site_id,
        workspace_id=pairing.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"connection": pairing.kind},
    )
    return job, jobs.put_new(job)


def _revoked(key_id: str) -> list[Write]:
    key = api_keys.get(key_id)
    return [] if key is None or key.revoked_at is not None else api_keys.revoked(key, clock.now())


def _checked_kind(kind: str) -> WriterKind:
    if kind not in WRITER_KINDS:
        raise Refused(
            "bad_connection", f"{kind!r} is not a kind of connection; the kinds are {', '.join(WRITER_KINDS)}."
        )
    return kind


def _checked_address(url: str) -> str:
    address = connector_address(url)
    if len(address) > MAX_URL_LENGTH or not address.startswith(("https://", "http://")):
        raise Refused("bad_credentials", "`url` must be the address of the connector, or of the website's home page.")
    return address
