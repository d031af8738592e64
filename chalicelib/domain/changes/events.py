"""The events of a batch of changes. An event's id is derived from the batch, so that each event is sent once."""

from collections.abc import Iterable
from typing import NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.audit.publish import site_link
from chalicelib.domain.changes.batch import UNWRITTEN, WRITTEN, Batch, Change
from chalicelib.domain.webhooks import bodies, kinds
from chalicelib.domain.webhooks.events import Event


class BatchEvents(NamedTuple):
    """Makes the events of one batch. ``now``: when they happen (epoch seconds)."""

    batch: Batch
    host: str
    app_url: str
    now: float

    def written(self, changes: Iterable[Change]) -> list[Event]:
        """Return the event write.applied for the changes that the CMS has written, and the event write.failed for the
        others.

        A written change counts as applied even if the live page does not show it yet. An undo causes neither event.
        """
        if self.batch.kind == "undo":
            return []
        found = list(changes)
        parts = (("write.applied", WRITTEN), ("write.failed", UNWRITTEN))
        told = ((kind, [_told(change) for change in found if change.status in states]) for kind, states in parts)
        return [self._event(kind, bodies.changes_written(*self._of, part)) for kind, part in told if part]

    def not_live(self, unseen: Iterable[Change]) -> Event:
        """Make the event write.not_live for changes that the live page or file did not show."""
        told = []
        for change in unseen:
            look = change.look
            told.append(
                kinds.UnseenChange(
                    change.url,
                    change.field,
                    change.value,
                    change.status,
                    change.error,
                    change.key,
                    None if look is None else look.reason,
                    None if look is None else look.value,
                )
            )
        return self._event("write.not_live", bodies.changes_not_live(*self._of, told))

    @property
    def _of(self) -> tuple[str, list[str], kinds.Source]:
        issue_id = self.batch.issue_id
        return self.batch.id, [] if issue_id is None else [issue_id], self.batch.source

    def _event(self, kind: str, fields: dict[str, object]) -> Event:
        batch = self.batch
        screen: tuple[str, ...] = ("changes", batch.id)
        if batch.issue_id is not None:
            screen = ("issues", batch.issue_id)
        elif batch.is_file:
            screen = ("ai-readiness",)
        return Event(
            id=ids.hashed("evt", kind, batch.site_id, batch.id),
            kind=kind,
            at=self.now,
            workspace_id=batch.workspace_id,
            site_id=batch.site_id,
            host=self.host,
            link=site_link(self.app_url, batch.site_id, *screen),
            fields=fields,
        )


def _told(change: Change) -> kinds.EventChange:
    return kinds.EventChange(change.url, change.field, change.value, change.status, change.error, change.key)
