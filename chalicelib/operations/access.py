"""Finds out, from calls to a website's CMS or shop, whether access works. Updates the connection after a check.

A check, a write or an import may be the first to notice that access is lost or restored. The connection is then checked
at once (``connections.learn``), and its stored status is updated. Both the approval of changes and the event
``connection.broken`` depend on the stored status, so they never contradict each other.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.connectors.cms import Cms
from chalicelib.connectors.errors import NoAccess
from chalicelib.connectors.target import Target
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.publish import site_link
from chalicelib.domain.connections import STALE_SECONDS, Source, Writer, WriterKind, job_id
from chalicelib.domain.connector.messages import (
    MOST_ITEMS,
    Change,
    ContentPage,
    FileChange,
    FileOutcome,
    Outcome,
    Status,
)
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks import bodies, kinds
from chalicelib.domain.webhooks.events import Event
from chalicelib.settings.core import core_settings
from chalicelib.store import accounts, acts, jobs
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website

Answer = TypeVar("Answer")
_TOLD_STALE: Final = "toldStale"  # in a job's payload: the incident for which connection.stale was last sent


class Watched:
    """Calls a CMS or shop, and records whether access works. ``answered``: whether at least one call was answered.
    ``refused``: whether at least one call was refused access. A firewall may refuse a single call because of a value in
    it, so only a check of the connection decides whether access is lost."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.refused = False
        self.answered = False

    def status(self) -> Status:
        """Ask for the status. Implements ``Target.status``."""
        return self._watch(self._target.status)

    def items(self, after: str | None = None, limit: int = MOST_ITEMS) -> ContentPage:
        """Ask for a page of content. Implements ``Target.items``."""
        return self._watch(lambda: self._target.items(after, limit))

    def change(self, change: Change) -> Outcome:
        """Send a change. Implements ``Target.change``."""
        return self._watch(lambda: self._target.change(change))

    def change_file(self, change: FileChange) -> FileOutcome:
        """Send a change of a file. Implements ``Cms.change_file``. Call it for a CMS only: a shop has no files."""
        cms: Cms = self._target  # type: ignore[assignment]
        return self._watch(lambda: cms.change_file(change))

    def _watch(self, ask: Callable[[], Answer]) -> Answer:
        try:
            found = ask()
        except NoAccess:
            self.refused = True
            raise
        self.answered = True
        return found


def checked_earlier(site_id: str, kind: WriterKind, at: float) -> list[Write]:
    """Return the write that makes the next check of a connection due earlier, at ``at`` (epoch seconds).

    Returns no write if the check is due by then anyway, if it is running now, or if its job has ended."""
    job = jobs.get(site_id, job_id(kind))
    if job is None or job.ended or job.due_at <= at or job.lease_until:
        return []
    return [jobs.due_earlier(site_id, job.id, at)]


def events_of(website: Website, before: Writer, after: Writer) -> list[Event]:
    """Return the event ``connection.broken`` if the connection is broken now and was not broken ``before``."""
    if not after.broken or before.broken:
        return []
    return [broken(website, after.kind, str(after.failing_since), after.error or "")]


def broken(website: Website, kind: str, since: str, error: str) -> Event:
    """Make the event ``connection.broken``. ``since``: when the connection began to fail. The event's id is made from
    ``since``, so that one failure is reported only once."""
    return Event(
        id=ids.hashed("evt", "connection.broken", website.id, kind, since),
        kind="connection.broken",
        at=clock.now(),
        workspace_id=website.workspace_id,
        site_id=website.id,
        host=website.host,
        link=site_link(core_settings().app_root, website.id, "connections"),
        fields=kinds.fields(kinds.ConnectionBroken(connection=kind, error=error)),
    )


def noted(actor: Actor, act: str, website: Website, kind: str, now: float) -> Write:
    """Return the write that logs what a person did with a website's connection."""
    return acts.done(accounts.TABLE, actor, website.workspace_id, act, now, website.id, f"{website.name}: {kind}")


def stale(website: Website, after: Writer | Source, job: Job) -> tuple[Job, list[Event]]:
    """Return the next state of the job that checks a connection, and the event ``connection.stale`` if it is due. The
    event is due if the connection has been broken for ``STALE_SECONDS`` and the event was not sent yet. Commit both in
    one transaction."""
    since, now = after.broken_since, clock.now()
    if since is None or now - since < STALE_SECONDS or job.payload.get(_TOLD_STALE) == since:
        return job, []
    event = Event(
        id=ids.hashed("evt", "connection.stale", website.id, after.kind, str(since)),
        kind="connection.stale",
        at=now,
        workspace_id=website.workspace_id,
        site_id=website.id,
        host=website.host,
        link=site_link(core_settings().app_root, website.id, "connections"),
        fields=kinds.fields(kinds.ConnectionStale(connection=after.kind, since=bodies.instant(since))),
    )
    return msgspec.structs.replace(job, payload={**job.payload, _TOLD_STALE: since}), [event]
