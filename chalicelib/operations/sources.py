"""Sources of imported data about a website: connecting, checking, removing them.

A connection is created after the service has read with it once. The account is encrypted. The import then starts, and
repeats daily. A new connection continues where the last one was, unless it leads to another property: then the imported
data is deleted in the same transaction.
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
_LONGEST_ACCOUNT: Final = 3_900  # bytes: KMS takes 4,096 at once
_TRIES: Final = 5
USED_UP_SECONDS: Final = 3_600.0
_USED_UP: Final = "Analytics accepts no more requests for now: its quota is used up."

Answer = TypeVar("Answer")


class StoredAccount:
    """The account of a connection in the store: the credentials for requesting tokens from Google."""

    def __init__(self, credentials: SourceCredentials) -> None:
        self._credentials = credentials

    @property
    def id(self) -> str:
        return self._credentials.id

    def account(self) -> Account:
        now = sources.get(self._credentials.site_id, self._credentials.kind)
        if now is None or now.id != self._credentials.id:
            raise NotConnected("Nothing is connected any more.")
        self._credentials = now
        return google.unpacked(now.secret().reveal())

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        """Store ``after`` only if ``before`` is still the stored account, so that a newer token is not lost. A
        re-encrypted row holds the same account."""
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
    """An account that is not stored yet, for a first read."""

    def __init__(self, account: Account) -> None:
        self.id = ids.time_ordered("conn", clock.now(), random_bytes(10))
        self.now = account

    def account(self) -> Account:
        return self.now

    def rotated(self, before: GrantedAccount, after: GrantedAccount) -> None:
        self.now = after


def search_console(credentials: SourceCredentials, *, until: float | None = None) -> SearchConsole:
    """The property of these credentials. ``until``: when all requests end, by ``clock.monotonic``."""
    return SearchConsole(credentials.name, StoredAccount(credentials), until=until)


def connect_search(actor: Actor, site_id: str, *, name: object, credentials: object) -> Source:
    """Connect a website to its search data, or reconnect it. ``name``: its name in Search Console; ``credentials``: an
    account that may read it, in Google's JSON.

    Refused: ``not_found``, ``not_allowed``, ``bad_credentials``, ``cannot_connect`` (with what the service said),
    ``busy``.
    """
    website = existing(actor, site_id, "manage_keys")
    checked = checked_name("search", name, website.host)
    return connect(actor, website, "search", checked, GivenAccount(_checked_account(credentials)))


def connect_analytics(actor: Actor, site_id: str, *, name: object, credentials: object) -> Source:
    """Connect a website to its analytics property, or reconnect it. ``name``: the number of the property;
    ``credentials``: an account that may read it, in Google's JSON. Refused as ``connect_search``."""
    website = existing(actor, site_id, "manage_keys")
    checked = checked_name("analytics", name, website.host)
    return connect(actor, website, "analytics", checked, GivenAccount(_checked_account(credentials)))


def analytics(credentials: SourceCredentials, host: str) -> Analytics:
    """The property of these credentials, limited to the website's host."""
    return Analytics(credentials.name, hosts_of(host), StoredAccount(credentials))


def hosts_of(host: str) -> list[str]:
    """The names under which a property may know a website; ports are no part of them."""
    bare = host.partition(":")[0]
    return [bare, f"www.{bare}"]


def connect(actor: Actor, website: Website, kind: SourceKind, name: str, given: GivenAccount, *beside: Write) -> Source:
    """Connect a website to a property of that ``checked_name``, once it could be read. ``beside`` is written with it.
    Refused: ``not_found``, ``not_allowed``, ``cannot_connect``, ``busy``. Raises ``Conflict`` where a grant that
    is ended ``beside`` it is another's by now, or has ended."""
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
    """Disconnect a website: delete the account at once, and the data imported with it.

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
    """Check now whether the website's sources of data (those of the kinds) can be read, and return them updated. A
    property whose quota is used up is not asked; its result reports that.

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
    """Return the result of ``ask``, and raise its errors. For an hour after an analytics property raised ``Quota``,
    raise that again without asking; ``retry_after`` is the rest of the hour. This is not stored for search data, whose
    import waits by itself."""
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
    """The write of the website's record without a connection; the search figures in it go with that connection."""
    renewed = website.connections.with_source(kind, None)
    return connections.shown(website, renewed, None) if kind == "search" else connections.shown(website, renewed)


def run(actor: Actor, site_id: str, kind: str) -> Job:
    """Start a website's import now instead of at its next time; a waiting one continues. Returns its job.

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
    """The connection after its access was refused, and the events: one for each incident."""
    after = source.refused(error, clock.now())
    events = [] if source.broken else [broken(website, source.kind, str(after.broken_since), after.error or "")]
    return after, events


def record(website: Website, kind: SourceKind, lost: str | None) -> None:
    """Record the result of a request to a source: why access was refused, or None if it was answered.

    Nothing is written if it is known already, or if the website was reconnected since it was read. If others keep
    changing the record, the next request reports it again.
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
    """The id of the job that imports a website's data of a kind: there is one for each."""
    return JOBS[kind]


def _job(website: Website, kind: SourceKind, now: float) -> tuple[Job, Write]:
    """The import's job, due now, and its write. A worker that holds it loses it."""
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
    """A kind of source. Refused: ``bad_connection``."""
    if kind not in SOURCE_KINDS:
        raise Refused("bad_connection", f"{kind!r} is no connection of data; there are {', '.join(SOURCE_KINDS)}.")
    return kind


def checked_name(kind: SourceKind, given: object, host: str) -> str:
    """The provider's name of a website's property. Refused: ``bad_credentials``."""
    return _checked_property(given, host) if kind == "search" else _checked_number(given)


def _checked_property(given: object, host: str) -> str:
    name = given.strip() if isinstance(given, str) else ""
    if not name or len(name) > _LONGEST_PROPERTY or not name.isprintable():
        raise _bad_property()
    bare = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.startswith(_DOMAIN):
        domain = name.removeprefix(_DOMAIN)
        if not domain or not (f".{bare}").endswith(f".{domain.lower()}"):
            raise Refused("bad_credentials", f"The property {name} is not that of {host}.")
        return name
    if urlsplit(name).scheme not in ("http", "https") or urls.normalise(name) is None or not name.endswith("/"):
        raise _bad_property()
    if not urls.same_site(name, host):
        raise Refused("bad_credentials", f"The property {name} is not that of {host}.")
    return name


def _checked_number(given: object) -> str:
    """The number of an analytics property, with or without its prefix in the API."""
    number = str(given).strip().removeprefix("properties/") if isinstance(given, str | int) else ""
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        raise Refused("bad_credentials", "`property` is the number of the analytics property, such as 123456789.")
    return number


def _bad_property() -> Refused:
    return Refused(
        "bad_credentials",
        "`property` is what the website is called in Search Console: sc-domain:example.com, or https://example.com/.",
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
    """Whether an account can be kept as a secret."""
    return len(google.packed(account).encode()) <= _LONGEST_ACCOUNT
