"""Imports all content of a website's CMS or shop: the part of the worker of ``imports`` that requests items.

One import of all content is called a walk: it requests the CMS's items page by page, and commits each page of items
together with its progress. As with ``PUT content``, a stored item is kept if the CMS sends an older version of it. The
transaction of the last page also removes all items that the walk did not find. The walk repeats daily.

Failure policy
- Killed before a page was committed: the next worker, when the lease is over, requests that page again.
- Killed after a page was committed: the next worker continues with the next page.
- Content was pushed while a page was requested: the pushed content may be newer, so the page is not written, but
  requested again.
- No answer: four more tries in an hour and a half, then the walk ends. Stored items stay, nothing is removed, and the
  connection shows the reason. The same happens if the CMS's pages repeat, never end, or have too many items.
- The CMS's answer shows that access was lost or restored: the connection is checked. If the worker is killed before
  the check, the CMS's next answer shows this again.
- Two connections: each removes only its own items. An item's id shows to which connection the item belongs.
"""

import logging
from typing import Any, Final, NamedTuple, cast

import msgspec

from chalicelib import clock, typed
from chalicelib.connectors.errors import Declined, OutsideError
from chalicelib.connectors.target import Target
from chalicelib.domain.connections import WRITER_KINDS, Writer, WriterKind
from chalicelib.domain.connector.messages import ContentPage
from chalicelib.domain.content import ContentItem, held_by, merged
from chalicelib.domain.content_walk import Progress, Walk, mark_of
from chalicelib.domain.crawl.urls import same_site
from chalicelib.operations.access import Watched
from chalicelib.operations.connections import learn, target
from chalicelib.operations.content import MOST_ITEMS
from chalicelib.store import connections, content, websites
from chalicelib.store.blocks import TooLargeToPack
from chalicelib.store.content import Content
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

EVERY_SECONDS: Final = 86_400.0
TRY_AGAIN_AFTER: Final = (60.0, 300.0, 1_200.0, 3_600.0)  # seconds between the five tries of a page
LONGEST_WAIT: Final = 3_600.0  # seconds, even if the CMS asks to wait longer
SLICE_SECONDS: Final = 200.0  # seconds of one worker, plus 30 for the page in progress
MOST_PAGES: Final = 1_000
MOST_SECONDS: Final = 6 * 3_600.0  # seconds of one walk
TRIES: Final = 5  # tries of a page after conflicts
BUSY_SECONDS: Final = 60.0

GONE: Final = "Nothing is connected any more."
STALLED: Final = "The service was interrupted at this step several times."
CIRCLES: Final = "The CMS lists the same content items repeatedly; nothing was removed."
ENDLESS: Final = "The CMS kept sending content items without an end; nothing was removed."
TOO_MANY: Final = (
    f"The CMS has more content items than the {MOST_ITEMS:,} that the service stores. The others are ignored."
)

_log = logging.getLogger(__name__)


class Failed(Exception):
    """Raised if the import cannot continue. The text gives the reason."""


class _Connection(NamedTuple):
    website: Website
    writer: Writer

    @property
    def alone(self) -> bool:
        """Whether this is the only connection that provides content of the website."""
        return [self.website.connections.of(kind) for kind in WRITER_KINDS].count(None) == len(WRITER_KINDS) - 1


def run(lease: JobLease) -> None:
    """Continue the job's import. Raises ``FenceLost``."""
    job = lease.job
    found = _connection(job.workspace_id, job.site_id, _kind(lease))
    credentials = None if found is None else connections.get(job.site_id, _kind(lease))
    if found is None or credentials is None:
        lease.commit(job.done(clock.now(), GONE), [])
        return
    try:
        asked = Watched(target(credentials))
    except Exception:
        # The key store does not answer, for example. This says nothing about the connection.
        _log.exception("a connection's secret cannot be read", extra={"siteId": job.site_id})
        lease.commit(job.goes_on(clock.now() + LONGEST_WAIT), [])
        return
    ContentSync(lease, asked, found).run()
    learn(found.website, found.writer.kind, asked)


def give_up(lease: JobLease) -> None:
    """End the import until the next day, because its workers died too often. Raises ``FenceLost``."""
    found = _connection(lease.job.workspace_id, lease.job.site_id, _kind(lease))
    if found is None:
        lease.commit(lease.job.done(clock.now(), GONE), [])
    else:
        _end(lease, found, STALLED)


class ContentSync:
    """An import of all content (a walk) that a worker has claimed, as it was last committed."""

    def __init__(self, lease: JobLease, asked: Target, found: _Connection) -> None:
        self._lease = lease
        self._asked = asked
        self._found = found
        self._known = content.load(lease.job.site_id)
        stored = lease.job.payload.get("walk")
        new = Progress(began=int(clock.now() * 1000))
        self._progress = new if stored is None else typed.convert(stored, Progress)
        if self._progress.pages:
            self._walk = content.load_walk(lease.job.site_id, self._progress.began)
        else:
            self._walk = Walk.through(self._known.items.values())

    def run(self) -> None:
        """Store page after page, until the time is up. Raises ``FenceLost``."""
        until, conflicts = clock.monotonic() + SLICE_SECONDS, 0
        try:
            while conflicts < TRIES:
                self._lease.wait()
                page = self._ask()
                if page is None:
                    return
                try:
                    self._take_over(page)
                except Conflict as conflict:
                    _log.info("content changed while it was listed", extra={"of": str(conflict)})
                    conflicts += 1
                    self._read_again()
                    continue
                if page.next is None:
                    return
                conflicts = 0
                if clock.monotonic() >= until:
                    break
        except Failed as reason:
            _end(self._lease, self._found, str(reason))
        else:
            self._later(BUSY_SECONDS if conflicts else 0.0)

    def _ask(self) -> ContentPage | None:
        """Request the next page. Returns None if the request was postponed. Raises ``Failed`` and ``FenceLost``."""
        progress = self._progress
        if progress.pages >= MOST_PAGES or clock.now() - progress.began_at > MOST_SECONDS:
            raise Failed(ENDLESS)
        try:
            page = self._asked.items(progress.after)
        except Declined as error:
            self._lease.answered()
            raise Failed(error.message) from None
        except OutsideError as error:
            if progress.tries >= len(TRY_AGAIN_AFTER):
                raise Failed(error.message) from None
            wait = TRY_AGAIN_AFTER[progress.tries]
            if error.retry_after is not None:
                wait = min(max(wait, error.retry_after), LONGEST_WAIT)
            self._progress = msgspec.structs.replace(progress, tries=progress.tries + 1)
            self._later(wait)
            return None
        self._lease.answered()
        return page

    def _take_over(self, page: ContentPage) -> None:
        """Merge a page with the stored items, and commit it. Raises ``Failed``, ``Conflict`` and ``FenceLost``."""
        job, host = self._lease.job, self._found.website.host
        own = [item for item in page.items if same_site(item.url, host)]
        others = [item for item in page.items if not same_site(item.url, host)]
        walk = self._walk.further([*(mark_of(item.cms_id) for item in own), *(mark_of(item.url) for item in others)])
        new = walk.told - self._walk.told
        if page.next is not None and (page.next == self._progress.after or (page.items and not new)):
            raise Failed(CIRCLES)
        now = clock.now()
        after = merged(self._known.items, own, now).items
        progress = Progress(
            began=self._progress.began,
            after=page.next,
            pages=self._progress.pages + 1,
            left_out=self._progress.left_out + len(others),
        )
        if page.next is None:
            after = self._kept(walk, after)
        writes, known = self._content(after, now)
        if page.next is None:
            error = _of_left_out(progress.left_out, host)
            writer = self._found.writer.imported(len(walk.told) - progress.left_out, now, error)
            writes.append(_shown(self._found, writer))
            self._lease.commit(job.goes_on(now + EVERY_SECONDS, error=error, walk=None), writes)
        else:
            writes.append(content.walked(job.site_id, progress.began, progress.pages, new, walk.before))
            self._lease.checkpoint(writes, walk=msgspec.to_builtins(progress))
        self._known, self._walk, self._progress = known, walk, progress

    def _kept(self, walk: Walk, known: dict[str, ContentItem]) -> dict[str, ContentItem]:
        """Return the items to keep after the whole walk. All items of another connection are kept."""
        if self._found.alone:
            return walk.kept(known)
        own = {item.cms_id: item for item in held_by(self._found.writer.kind, known.values())}
        kept = walk.kept(own)
        return {cms_id: item for cms_id, item in known.items() if cms_id in kept or cms_id not in own}

    def _content(self, after: dict[str, Any], now: float) -> tuple[list[Write], Content]:
        """Return the writes that replace the stored content by ``after``, and the content after them. Raises
        ``Failed``."""
        known = self._known
        if after == known.items:
            return [], known
        if len(after) > MOST_ITEMS:
            raise Failed(TOO_MANY)
        try:
            writes = content.writes(self._lease.job.site_id, known, after, now)
        except TooLargeToPack:
            raise Failed(TOO_MANY) from None
        return writes, Content(after, known.version + 1, now)

    def _read_again(self) -> None:
        job = self._lease.job
        found = _connection(job.workspace_id, job.site_id, _kind(self._lease))
        if found is None:
            raise Failed(GONE)
        self._found, self._known = found, content.load(job.site_id)

    def _later(self, seconds: float) -> None:
        self._lease.hand_over(seconds, walk=msgspec.to_builtins(self._progress))


def _end(lease: JobLease, found: _Connection, error: str) -> None:
    """End a failed walk. The connection shows the reason, and the next walk starts a day later."""
    _log.warning("content was not synced", extra={"siteId": found.website.id, "error": error})
    ended = lease.job.goes_on(clock.now() + EVERY_SECONDS, error=error, walk=None)
    for _ in range(TRIES):
        try:
            lease.commit(ended, [_shown(found, found.writer.not_imported(error))])
            return
        except Conflict:
            again = _connection(lease.job.workspace_id, lease.job.site_id, _kind(lease))
            if again is None:
                break
            found = again
    lease.commit(ended, [])


def _kind(lease: JobLease) -> WriterKind:
    return cast(WriterKind, lease.job.payload["connection"])


def _connection(workspace_id: str, site_id: str, kind: WriterKind) -> _Connection | None:
    website = websites.get(workspace_id, site_id)
    writer = None if website is None else website.connections.of(kind)
    return None if website is None or writer is None else _Connection(website, writer)


def _shown(found: _Connection, writer: Writer) -> Write:
    return connections.shown(found.website, found.website.connections.with_writer(writer.kind, writer))


def _of_left_out(count: int, host: str) -> str | None:
    if not count:
        return None
    items = "content item has" if count == 1 else "content items have"
    return f"{count:,} {items} an address that is not on {host}, and were left out."
