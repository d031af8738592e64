"""Undoes a batch: restores, for each page or file, the value that was there before the batch's value was first
written."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.domain.changes.batch import FILE_FIELDS, UNWRITTEN, WAITING, WRITTEN, Change

NOT_KEPT: Final = "The data that the CMS needs for an undo is not stored. Approve the previous value again."
_LATER: Final = "A later batch has written the same fields: undo that one first."
_WAS_THERE: Final = "The CMS already had the same values before this batch, so there is nothing to undo."
_MAYBE_OURS: Final = (
    "The CMS held this value before the batch. The failed batch {} may have written it although the CMS did not "
    "answer. The value before that batch is therefore not known. Approve the value that you want instead."
)
_NOTHING: Final = "The website has none of this batch's values now."
_LATER_WROTE: Final = "A later batch has written the same field: undo that one first."
_UNDER_WAY: Final = "The change is being undone."
_WRITING: Final = "The change is being written."
_NEVER: Final = "The change was not written, so there is nothing to undo."
_BACK: Final = "The change was undone already."
_THERE: Final = "The CMS held this value before the batch, so there is nothing to undo."


class Returning(NamedTuple):
    """The effect of an undo on a change.

    - ``value``: the value to restore; "" if the page had no own value; None if the change is not undone.
    - ``reason``: why the change is not undone.
    """

    change: Change
    value: str | None
    reason: str | None = None


class Undoing(NamedTuple):
    """A batch to undo.

    - ``later``: targets (item, field and key) that a later batch writes.
    - ``earlier``: earlier batches with their changes, newest first.
    - ``pending``: the targets in ``later`` whose value an unfinished undo of this batch already restores.
    """

    changes: Sequence[Change]
    later: Collection[tuple[str, ...]]
    earlier: Sequence[tuple[str, Sequence[Change]]] = ()
    pending: Collection[tuple[str, ...]] = ()

    def only(self, numbers: Collection[int]) -> "Undoing":
        """Return an undo of only the changes with these numbers."""
        return self._replace(changes=[change for change in self.changes if change.number in numbers])

    @property
    def under_way(self) -> bool:
        """Whether unfinished undos of this batch already cover all of its changes that were written."""
        written = [change for change in self.changes if change.status in WRITTEN]
        return bool(written) and all(change.target in self.pending for change in written)

    @property
    def needs_earlier(self) -> bool:
        """Whether the CMS already had one of the batch's values before the batch. The undo then needs the earlier batch
        that first wrote this value."""
        return any(change.was_there for change in self._open())

    def candidates(self) -> list[Change]:
        """Return the changes that would undo the batch.

        A change cannot be undone if the CMS has deleted its record of the earlier value. So not all of these changes
        may be possible.
        """
        back: list[Change] = []
        for change in self._open():
            origin = self._origin(change)
            if origin is None:
                continue
            first, through = origin
            back.append(
                Change(
                    number=len(back),
                    url=change.url,
                    cms_id=change.cms_id,
                    field=change.field,
                    value=(first.outcome.before if first.outcome is not None else None) or "",
                    of=change.number,
                    gone=None if change.field in FILE_FIELDS else change.value,
                    through=through,
                    key=change.key,
                )
            )
        return back

    def foreseen(self, back: Sequence[Change]) -> list[Returning]:
        """Return the effect that the undo has on each change. ``back``: the candidates for which the CMS still stores
        the earlier value."""
        values = {one.of: one.value for one in back}
        return [
            Returning(one, values[one.number]) if one.number in values else Returning(one, None, self._why_not(one))
            for one in self.changes
        ]

    def _why_not(self, change: Change) -> str:
        if change.status in WAITING:
            return _WRITING
        if change.status in UNWRITTEN:
            return _NEVER
        if change.status == "reverted":
            return _BACK
        if change.target in self.later:
            return _UNDER_WAY if change.target in self.pending else _LATER_WROTE
        if change.outcome is None or self._origin(change) is not None:
            return NOT_KEPT
        lost = self._unanswered()
        return _THERE if lost is None else _MAYBE_OURS.format(lost)

    def why_nothing(self) -> str:
        """Return in words why there is no change left to undo."""
        if any(change.status in WRITTEN and change.target in self.later for change in self.changes):
            return _LATER
        if not self.needs_earlier:
            return _NOTHING
        lost = self._unanswered()
        return _WAS_THERE if lost is None else _MAYBE_OURS.format(lost)

    def _unanswered(self) -> str | None:
        """Return the newest earlier batch that failed to write a value that existed before this batch; None if there is
        none."""
        wanted = {(change.target, change.value) for change in self._open() if change.was_there}
        for batch_id, changes in self.earlier:
            if any(change.status == "failed" and (change.target, change.value) in wanted for change in changes):
                return batch_id
        return None

    def _open(self) -> Iterator[Change]:
        for change in self.changes:
            if change.status in WRITTEN and change.outcome is not None and change.target not in self.later:
                yield change

    def _origin(self, change: Change) -> tuple[Change, tuple[tuple[str, int], ...]] | None:
        """Return the change that first wrote the value, and the changes from there to this one; None if no batch wrote
        it first."""
        if not change.was_there:
            return change, ()
        through = []
        for batch_id, changes in self.earlier:
            for before in changes:
                if before.target != change.target or before.status not in WRITTEN or before.outcome is None:
                    continue
                if before.value != change.value:
                    return None
                through.append((batch_id, before.number))
                if not before.was_there:
                    return before, tuple(through)
        return None


def numbered(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes numbered from 0 in their order, as a new batch needs them."""
    return tuple(msgspec.structs.replace(change, number=number) for number, change in enumerate(changes))
