"""Connects, checks and removes the sources of imported data about a website.

When the service has read the source once, the connection is created, and the account is stored encrypted. An import
then runs at once and daily. After a reconnection to the same property, the import continues. A reconnection to another
property deletes the imported data in the same transaction.
"""

import math
from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeVar
from urllib.parse import urlsplit

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.connectors.analytics import Analytics
from chalicelib.connectors.errors import NoAccess, NotConnected, OutsideError, Quota
from chalicelib.connectors.google import Account, BadAccount, GrantedAccount
from chalicelib.connectors.search_console import SearchConsole
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.connections import SOURCE_KINDS, Source, SourceKind
from chalicelib.domain.crawl import urls
from chalicelib.domain.jobs import Job, JobKind
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations.access import broken, noted
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import send_job
from chalicelib.operations.websites import existing
from chalicelib.randomness import random_bytes
from chalicelib.store import connections, jobs, search, sources, websites
from chalicelib.store.errors import Conflict
from chalicelib.store.grants import GRANT
from chalicelib.store.secrets import Secret
from chalicelib.store.sources import SourceCredentials
from chalicelib.store.transactions import Write, commit, committed
from chalicelib.store.websites import Website

JOBS: Final[Mapping[SourceKind, JobKind]] = {"search": "search_import", "analytics": "analytics_tasks"}
_LONGEST_NUMBER: Final = 20
_DOMAIN: Final = "sc-domain:"
_LONGEST_PROPERTY: Final = 2_000
_LONGEST_ACCOUNT: Final = 3_900  # bytes; KMS encrypts at most 4,096 at once
_TRIES: Final = 5
USED_UP_SECONDS: Final = 3_600.0
_USED_UP: Final = "Analytics accepts no more requests for now: its quota is used up."

Answer = TypeVar("Answer")


class StoredAccount:
    """The stored account of a connection: the credentials for requesting tokens from Google."""

    def __init__(self, credentials: SourceCredentials) -> None:
        self._credentials = credentials

    @property
    def id(self) -> str:
        return self._credentials.id

    def account(self) -> Account:
        now = sources.get(self._credentials.site_id, self._credentials.kind)
        if now is None or now.id != self._credentials.id:
            raise NotConnected("The connection was removed, or replaced by another account.")
        self._credentials = now
        return google.unpacked(now.secret().reveal())

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        """Store ``after`` if ``before`` is still the stored account, so that a newer token is not overwritten. If only
        the encryption has changed meanwhile, the account counts as the same."""
        seen = self._credentials
        sealed = sources.seal(Secret(google.packed(after)), seen.workspace_id, seen.site_id, seen.kind)
        for _ in range(_TRIES):
            if google.unpacked(seen.secret().reveal()) != before or sources.replace_secret(seen, sealed):
                return
            now = sources.get(seen.site_id, seen.kind)
            if now is None or now.id != seen.id:
                return
            seen = now


class GivenAccount:
    """An account that was just given and is not stored yet. The first read of a source uses it."""

    def __init__(self, account: Account) -> None:
        self.id = ids.time_ordered("conn", clock.now(), random_bytes(10))
        self.now = account

    def account(self) -> Account:
        return self.now

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        self.now = after


def search_console(credentials: SourceCredentials, *, until: float | None = None) -> SearchConsole:
    """Return a client for the property that these credentials belong to. ``until``: the time by which all requests
    must have ended (seconds of ``clock.monotonic``)."""
    return SearchConsole(credentials.name, StoredAccount(credentials), until=until)


def connect_search(actor: Actor, site_id: str, *, name: object, credentials: object) -> Source:
    """Connect a website to its search data, or reconnect it. ``name``: the property's name in Search Console;
    ``credentials``: an account that may read the property, in Google's JSON.

    Refused: ``not_found``, ``not_allowed``, ``bad_credentials``, ``cannot_connect`` (with the service's message),
    ``busy``.
    """
    website = existing(actor, site_id, "manage_keys")
    checked = checked_name("search", name, website.host)
    return connect(actor, website, "search", checked, GivenAccount(_checked_account(credentials)))


def connect_analytics(actor: Actor, site_id: str, *, name: object, credentials: object) -> Source:
    """Connect a website to its analytics property, or reconnect it. ``name``: the property's number; ``credentials``:
    an account that may read the property, in Google's JSON. Refused: the codes of ``connect_search``."""
    website = existing(actor, site_id, "manage_keys")
    checked = checked_name("analytics", name, website.host)
    return connect(actor, website, "analytics", checked, GivenAccount(_checked_account(credentials)))


def analytics(credentials: SourceCredentials, host: str) -> Analytics:
    """Return a client for the property that these credentials belong to, limited to the website's host."""
    return Analytics(credentials.name, hosts_of(host), StoredAccount(credentials))


def hosts_of(host: str) -> list[str]:
    """Return the host names, without a port, that a property may have recorded for a website."""
    bare = host.partition(":")[0]
    return [bare, f"www.{bare}"]


def connect(actor: Actor, website: Website, kind: SourceKind, name: str, given: GivenAccount, *beside: Write) -> Source:
    """Read a property once, and connect the website to the property. ``name``: the property's name, as ``checked_name``
    returns it. ``beside``: further writes, committed in the same transaction as the connection. Refused: ``not_found``,
    ``not_allowed``, ``cannot_connect``, ``busy``. Raises ``Conflict`` if ``beside`` is to end a grant that has already
    ended or was replaced."""
    site_id = website.id
    try:
        if kind == "search":
            SearchConsole(name, given).check()
        else:
            Analytics(name, hosts_of(website.host), given).check()
    except OutsideError as error:
        raise Refused("cannot_connect", error.message) from error
    for _ in tries():
        website, before, now = existing(actor, site_id, "manage_keys"), sources.get(site_id, kind), clock.now()
        new = SourceCredentials(
            id=given.id,
            kind=kind,
            site_id=site_id,
            workspace_id=website.workspace_id,
            name=name,
            sealed=sources.seal(Secret(google.packed(given.now)), website.workspace_id, site_id, kind),
            created_at=now,
        )
        source = Source(kind=kind, name=name, account=given.now.name, connected_at=now)
        another = kind == "search" and before is not None and before.name != name
        job, begins = _job(website, kind, now)
        renewed = website.connections.with_source(kind, source)
        shown = connections.shown(website, renewed, None) if another else connections.shown(website, renewed)
        note = noted(actor, "connection.made", website, kind, now)
        writes: list[Write] = [sources.connected(new, before), shown, begins, note, *beside]
        try:
            commit([*writes, *(search.forgotten(site_id) if another else ())])
        except Conflict as conflict:
            if GRANT in conflict.failed:
                raise
            continue
        send_job(job)
        return source
    raise busy("this connection")


def remove(actor: Actor, site_id: str, kind: str) -> None:
    """Disconnect a website. The account is deleted at once, and the imported data after it.

    Refused: ``not_found``, ``not_allowed``, ``bad_connection``, ``not_connected``, ``busy``.
    """
    wanted = checked_kind(kind)
    for _ in tries():
        website = existing(actor, site_id, "manage_keys")
        credentials = sources.get(site_id, wanted)
        if credentials is None:
            raise Refused("not_connected", f"The website has no connection of the kind {wanted}.")
        # The import's next worker finds no connection, and deletes the imported data.
        job, begins = _job(website, wanted, clock.now())
        writes = [
            sources.removed(credentials),
            _without(website, wanted),
            begins,
            noted(actor, "connection.removed", website, wanted, clock.now()),
            *(search.forgotten(site_id) if wanted == "search" else ()),
        ]
        if committed(writes):
            send_job(job)
            return
    raise busy("this connection")


def check(actor: Actor, site_id: str, kinds: Collection[SourceKind] = SOURCE_KINDS) -> list[Source]:
    """Check now whether the website's sources can be read, and return the sources with their new status. ``kinds``: the
    sources to check. If a property's quota is used up, no request is sent, and the returned status says so.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    for kind in kinds:
        for _ in range(_TRIES):
            website = existing(actor, site_id, "work")
            credentials, known = sources.get(site_id, kind), website.connections.source(kind)
            if credentials is None or known is None:
                break
            events: list[Event] = []
            try:
                not_used_up(credentials, _checking(credentials, website.host))
                source = known.restored()
            except NoAccess as error:
                source, events = refused(website, known, error.message)
            except OutsideError as error:
                source = known.waits(error.message)
            if committed([connections.shown(website, website.connections.with_source(kind, source))], events):
                break
        else:
            raise busy("this connection")
    connected = existing(actor, site_id, "work").connections
    return [found for kind in SOURCE_KINDS if (found := connected.source(kind)) is not None]


def not_used_up(credentials: SourceCredentials, ask: Callable[[], Answer]) -> Answer:
    """Call ``ask`` and return its result, unless the property's quota is used up. Raises the errors of ``ask``. If an
    analytics property raised ``Quota`` less than an hour ago, raise ``Quota`` again without asking the property.
    ``retry_after`` is then the rest of the hour. Requests for search data are never blocked here, because their import
    waits itself."""
    until, now = credentials.used_up_until, clock.now()
    if until is not None and until > now:
        raise Quota(f"{_USED_UP} It is asked again in {math.ceil((until - now) / 60)} minutes.", until - now)
    try:
        return ask()
    except Quota as error:
        if credentials.kind != "analytics":
            raise
        sources.use_up(credentials, clock.now() + USED_UP_SECONDS)
        raise Quota(error.message, USED_UP_SECONDS) from error


def _checking(credentials: SourceCredentials, host: str) -> Callable[[], None]:
    if credentials.kind == "search":
        return search_console(credentials).check
    return analytics(credentials, host).check


def _without(website: Website, kind: SourceKind) -> Write:
    """Return the write that removes a connection from the website's record, with the search figures of that
    connection."""
    renewed = website.connections.with_source(kind, None)
    return connections.shown(website, renewed, None) if kind == "search" else connections.shown(website, renewed)


def run(actor: Actor, site_id: str, kind: str) -> Job:
    """Start a website's import now instead of at its next time. A paused import continues now. Returns the import's
    job.

    Refused: ``not_found``, ``not_allowed``, ``bad_connection``, ``not_connected``, ``already_running``.
    """
    wanted = checked_kind(kind)
    website = existing(actor, site_id, "work")
    job = jobs.get(site_id, job_id(wanted))
    if website.connections.source(wanted) is None or job is None or job.ended:
        raise Refused("not_connected", f"The website has no connection of the kind {wanted}.")
    now = clock.now()
    if job.due_at > now and not committed([jobs.due_earlier(site_id, job.id, now)]):
        raise Refused("already_running", "The import is running; `connections list` shows its progress.")
    send_job(job)
    return job


def refused(website: Website, source: Source, error: str) -> tuple[Source, list[Event]]:
    """Return the connection with its new status after access was refused, and an event if it was not broken before."""
    after = source.refused(error, clock.now())
    events = [] if source.broken else [broken(website, source.kind, str(after.broken_since), after.error or "")]
    return after, events


def record(website: Website, kind: SourceKind, lost: str | None) -> None:
    """Record the result of a request to a source. ``lost``: why access was refused; None if the source answered.

    Nothing is written if the stored status already has this result (access refused or not), or if the website was
    reconnected since ``website`` was read. If other processes keep changing the record, nothing is written; the next
    request records its result.
    """
    seen, found = website.connections.source(kind), website
    for _ in tries():
        known = found.connections.source(kind)
        if (
            seen is None
            or known is None
            or known.connected_at != seen.connected_at
            or known.broken == (lost is not None)
        ):
            return
        after, events = (known.restored(), []) if lost is None else refused(found, known, lost)
        if committed([connections.shown(found, found.connections.with_source(kind, after))], events):
            return
        again = websites.get(website.workspace_id, website.id)
        if again is None:
            return
        found = again


def job_id(kind: SourceKind) -> str:
    """Return the id of the job that imports this kind of data. A website has one job of each kind."""
    return JOBS[kind]


def _job(website: Website, kind: SourceKind, now: float) -> tuple[Job, Write]:
    """Return the import's job, due now, and its write. A worker that holds the job loses it."""
    known = jobs.get(website.id, job_id(kind))
    if known is not None and not known.ended:
        again = known.begun_again(now, rows=0, tries=0)
        return again, jobs.put_begun_again(known, again)
    job = Job(
        id=job_id(kind),
        kind=JOBS[kind],
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
    )
    return job, jobs.put_new(job)


def checked_kind(kind: str) -> SourceKind:
    """Return the kind if it is a kind of source. Refused: ``bad_connection``."""
    if kind not in SOURCE_KINDS:
        raise Refused(
            "bad_connection", f"{kind!r} is not a kind of data connection; the kinds are {', '.join(SOURCE_KINDS)}."
        )
    return kind


def checked_name(kind: SourceKind, given: object, host: str) -> str:
    """Return a property's name as the provider writes it. Refused: ``bad_credentials``."""
    return _checked_property(given, host) if kind == "search" else _checked_number(given)


def _checked_property(given: object, host: str) -> str:
    name = given.strip() if isinstance(given, str) else ""
    if not name or len(name) > _LONGEST_PROPERTY or not name.isprintable():
        raise _bad_property()
    bare = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.startswith(_DOMAIN):
        domain = name.removeprefix(_DOMAIN)
        if not domain or not (f".{bare}").endswith(f".{domain.lower()}"):
            raise Refused("bad_credentials", f"The property {name} does not belong to {host}.")
        return name
    if urlsplit(name).scheme not in ("http", "https") or urls.normalise(name) is None or not name.endswith("/"):
        raise _bad_property()
    if not urls.same_site(name, host):
        raise Refused("bad_credentials", f"The property {name} does not belong to {host}.")
    return name


def _checked_number(given: object) -> str:
    """Return the number of an analytics property. ``given``: with or without the prefix that the API uses."""
    number = str(given).strip().removeprefix("properties/") if isinstance(given, str | int) else ""
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        raise Refused("bad_credentials", "`property` must be the number of the analytics property, such as 123456789.")
    return number


def _bad_property() -> Refused:
    return Refused(
        "bad_credentials",
        "`property` must be the website's name in Search Console, such as sc-domain:example.com or "
        "https://example.com/.",
    )


def _checked_account(given: object) -> Account:
    try:
        account = google.account(given)
    except BadAccount as error:
        raise Refused("bad_credentials", f"In `credentials`: {error}") from None
    if not fits(account):
        raise Refused("bad_credentials", f"`credentials` has more than {_LONGEST_ACCOUNT:,} bytes.")
    return account


def fits(account: Account) -> bool:
    """Whether an account is short enough to be stored as a secret."""
    return len(google.packed(account).encode()) <= _LONGEST_ACCOUNT
