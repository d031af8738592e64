"""A batch of changes that one person approved at once, and the life cycle of each change.

A change moves only along ``TRANSITIONS``. In addition to its state, it stores the result of the last look at the live
page. If an editor later writes another value, the change keeps the state applied. The result of the last look then says
that the change's value is no longer live.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

import msgspec

from chalicelib.domain.changes.live_match import Wanted, same_text
from chalicelib.domain.connections import WriterKind
from chalicelib.domain.suggestion import LaterField, PageField, WritableField

MOST_CHANGES: Final = 500  # of one batch
BLOCK: Final = 25  # changes that are stored, sent and committed together
UNDO_SECONDS: Final = 30 * 86_400.0
MOST_SHOWN: Final = 1_000  # characters kept of a value that a page shows
MOST_BEFORE: Final = 2_000  # characters kept of the CMS's value before
MOST_WORDS: Final = 500  # characters kept of a sentence

ChangeStatus = Literal["approved", "applying", "applied", "not_live", "failed", "refused", "reverted"]
STATUSES: Final[tuple[ChangeStatus, ...]] = get_args(ChangeStatus)
FileField = Literal["llms_txt", "ai_crawlers"]
FILE_FIELDS: Final[tuple[FileField, ...]] = get_args(FileField)
Field = Literal[PageField, FileField]
KnownField = Literal[WritableField, FileField]
BatchKind = Literal["fields", "llms_txt", "ai_crawlers", "undo"]
BatchStatus = Literal["approved", "applying", "done"]

TRANSITIONS: Final[Mapping[ChangeStatus, frozenset[ChangeStatus]]] = {
    "approved": frozenset({"applying"}),
    "applying": frozenset({"approved", "applied", "not_live", "failed", "refused"}),
    "applied": frozenset({"reverted"}),
    "not_live": frozenset({"applied", "reverted"}),
    "failed": frozenset(),
    "refused": frozenset(),
    "reverted": frozenset(),
}
WAITING: Final = frozenset({"approved", "applying"})  # the outcome is not known yet
WRITTEN: Final = frozenset({"applied", "not_live"})  # the CMS has the value
UNWRITTEN: Final = frozenset({"failed", "refused"})


class WrongMove(Exception):
    """Raised when ``TRANSITIONS`` does not allow a change of state."""


class ChangeOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The CMS's answer to a change.

    - ``before``: the CMS's own value before the change.
    - ``caches``: the active page caches, each with whether it purged the page.
    - ``same``: whether the CMS already had the change's value before the change.
    """

    before: str | None
    caches: tuple[tuple[str, bool], ...] = ()
    same: bool = False


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a look at the live page: whether it shows a change.

    - ``at``: epoch seconds.
    - ``reason``: why the value is not live.
    - ``note``: a remark on a value that is live.
    """

    live: bool
    at: float
    value: str | None = None
    reason: str | None = None
    note: str | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One value for one field of one page, or for one file of the website.

    - ``number``: its position in its batch, from 0.
    - ``value``: "" removes the item's own value.
    - ``written_at``: epoch seconds.
    - ``error``: why the change was not written.
    - ``outcome``: None if the CMS has not written it.
    - ``look``: None if the page was not read after the change.

    For an alt text, ``key`` identifies the image (``page.images``). For a redirect, ``key`` is the path and ``cms_id``
    is "". With a key, "" is an ordinary value: an alt text of "" says that the image is decorative.

    For a file, ``url`` is its address and ``cms_id`` is "". ``value`` is the text of llms.txt or the rules for crawlers
    (``readiness.written.rules_text``). ``outcome.before`` is the text or the rules that the CMS held before.

    If the change undoes another change, ``of`` is the number of the undone change, and ``gone`` is the value that the
    undone change wrote. ``through`` lists still earlier changes that wrote the value ``gone`` too, each as batch and
    number, newest first. They are also undone: the value from before the oldest of them is restored.
    """

    number: int
    url: str
    cms_id: str
    field: Field
    value: str
    status: ChangeStatus = "approved"
    outcome: ChangeOutcome | None = None
    look: Look | None = None
    written_at: float | None = None
    error: str | None = None
    of: int | None = None
    gone: str | None = None
    through: tuple[tuple[str, int], ...] = ()
    key: str | None = None

    @property
    def target(self) -> tuple[str, ...]:
        """The item, field and key that the change writes. If two batches write the same target, the value of the later
        batch stays."""
        return (self.cms_id, self.field) if self.key is None else (self.cms_id, self.field, self.key)

    @property
    def sent(self) -> str | None:
        """The value as it is sent to the CMS. None removes the CMS's own value."""
        return self.value if self.key is not None else self.value or None

    @property
    def was_there(self) -> bool:
        """Whether the CMS had the change's value already before the change was written."""
        if self.outcome is None:
            return False
        before = self.outcome.before
        return self.outcome.same or (len(before or "") < MOST_BEFORE and self._equals(before))

    def restores(self, undoes: str) -> tuple[str, int]:
        """Return the change whose earlier value the undo restores, as batch and number. If several changes wrote the
        undone value, it is the first of them. ``undoes``: the batch that is undone."""
        return self.through[-1] if self.through else (undoes, self.of if self.of is not None else -1)

    @property
    def wanted(self) -> Wanted:
        """The value that the live page should show. Not for changes of files."""
        field: PageField = self.field  # type: ignore[assignment]  # of a page
        if self.value or (self.key is not None and self.gone is None):
            return Wanted(field, self.value, self.gone, self.key)
        before = None if self.outcome is None else self.outcome.before
        return Wanted(field, None, before if self.gone is None else self.gone, self.key)

    def moved(self, status: ChangeStatus, **members: Any) -> "Change":
        """Return the change with its state changed. Raises ``WrongMove``."""
        if status not in TRANSITIONS[self.status]:
            raise WrongMove(f"{self.status} to {status}")
        return msgspec.structs.replace(self, status=status, **members)

    def taken(self) -> "Change":
        """Return the change as it is when a worker begins to write it, for the first time or again."""
        return self if self.status == "applying" else self.moved("applying")

    def not_answered(self, error: str) -> "Change":
        """Return the change after the CMS gave no answer. It is unknown whether the value was written."""
        return msgspec.structs.replace(self, error=error[:MOST_WORDS])

    def not_taken(self, error: str) -> "Change":
        """Return the change after an attempt that certainly wrote nothing: the CMS was not reached, or it refused the
        request."""
        return self.taken().moved("approved", error=error[:MOST_WORDS])

    def ended(self, status: Literal["failed", "refused"], error: str) -> "Change":
        """Return the change in its final state: its value was certainly not written."""
        return self.taken().moved(status, error=error[:MOST_WORDS])

    def written(self, outcome: ChangeOutcome, look: Look, now: float) -> "Change":
        """Return the change after the CMS wrote its value. ``look``: what the live page showed then."""
        before = None if outcome.before is None else outcome.before[:MOST_BEFORE]
        same = self.of is None and self._equals(outcome.before)
        kept = msgspec.structs.replace(outcome, before=before, same=same)
        return self.taken().moved(
            "applied" if look.live else "not_live", outcome=kept, look=_short(look), written_at=now, error=None
        )

    def seen(self, look: Look) -> "Change":
        """Return a written change after its page was read again."""
        shown = msgspec.structs.replace(self, look=_short(look))
        return shown.moved("applied") if look.live and self.status == "not_live" else shown

    def reverted(self, look: Look | None) -> "Change":
        """Return the change after the CMS restored the value from before the change. ``look``: whether the live page
        shows the restored value.

        As long as the page still shows the change's value, the change counts as live.
        """
        if look is not None and look.live:
            look = msgspec.structs.replace(look, live=False)
        elif look is not None:
            look = msgspec.structs.replace(look, live=look.value is not None and self._is(look.value))
        return self.moved("reverted", look=look)

    def undo_seen(self, look: Look) -> "Change":
        """Return an undone change after the live page showed the restored value. ``look``: of the undo's change. Other
        changes stay as they are, and so does one whose value was seen to be gone before."""
        if self.status != "reverted" or self.look is None or not self.look.live:
            return self
        return msgspec.structs.replace(self, look=msgspec.structs.replace(look, live=False))

    def _equals(self, before: str | None) -> bool:
        """Whether the CMS's value before equals the change's value. If "" means removal, "" and None are equal."""
        return before == self.value if self.key is not None else (before or "") == self.value

    def _is(self, shown: str) -> bool:
        if self.field in ("title", "meta_description", "alt"):
            return same_text(self.value, shown)[0]
        return self.value[:MOST_SHOWN] == shown


class StoredChange(Change, frozen=True, kw_only=True):
    """A change as it is stored.

    A release refuses to read a field that it does not know. A field that the previous release does not know is
    therefore stored in ``later``. ``field`` then has the value ``alt``, which the previous release knows but never
    writes.
    """

    field: KnownField
    later: LaterField | None = None

    @classmethod
    def made(cls, change: Change) -> "StoredChange":
        return cls(**{**msgspec.structs.asdict(change), **stored_field(change.field)})

    @property
    def change(self) -> Change:
        members = msgspec.structs.asdict(self)
        later = members.pop("later")
        return Change(**{**members, "field": later or self.field})


def stored_field(field: Field) -> dict[str, str | None]:
    """Return the values of ``field`` and ``later`` in ``StoredChange``. The previous release does not know
    ``redirect``, so it is stored in ``later``."""
    return {"field": "alt", "later": field} if field == "redirect" else {"field": field, "later": None}


def _short(look: Look) -> Look:
    def cut(text: str | None, most: int) -> str | None:
        return None if text is None else text[:most]

    return msgspec.structs.replace(
        look, value=cut(look.value, MOST_SHOWN), reason=cut(look.reason, MOST_WORDS), note=cut(look.note, MOST_WORDS)
    )


class UndoToken(msgspec.Struct, frozen=True):
    """The data with which the CMS undoes a change. ``number``: the change's number in its batch. Only the CMS
    interprets the ``text``.

    ``before``: if the change writes a file, the file's whole text before the change.
    """

    number: int
    text: str
    before: str | None = None


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that one person approved at once, for one issue or one file. Times are epoch seconds.

    - ``sequence``: rises with each batch of the website.
    - ``issue_id``: None if the batch changes a file, or redirects that no issue lists.
    - ``approved_by``: the person's id; None for the operator.
    - ``approved_key``: the id of the API key that sent the approval; None if it was sent without a key.
    - ``undoes``: for an undo, the batch to undo.
    - ``source``: the connection that writes the batch.
    - ``not_live_told``: whether the event ``write.not_live`` was sent.
    - ``gain_promised``: the gain of fixing the issue when the batch was approved, in tenths of a point. It is None if
      there was no score, and for keyword tasks and undos.
    - ``gain_seen``: by how many tenths the issue's rechecks have changed the score (``with_gain``).
    """

    id: str
    site_id: str
    workspace_id: str
    kind: BatchKind
    sequence: int
    field: Field
    source: WriterKind
    approved_at: float
    count: int
    issue_id: str | None = None
    approved_by: str | None = None
    status: BatchStatus = "approved"
    ended_at: float | None = None
    undoes: str | None = None
    not_live_told: bool = False
    approved_key: str | None = None
    gain_promised: int | None = None
    gain_seen: int | None = None

    @property
    def is_file(self) -> bool:
        return self.field in FILE_FIELDS

    @property
    def blocks(self) -> int:
        return blocks_of(self.count)

    def change_id(self, change: Change) -> str:
        """Return the id with which the change is sent to the CMS. A change always has the same id."""
        return f"{self.id}.{change.number}"

    def with_gain(self, gain: int, *, is_effect: bool) -> "Batch":
        """Return the batch after a recheck of its issue changed the website's score by ``gain`` tenths.

        Several rechecks may see parts of the effect, and the recheck after an undo sees it go, so their gains are
        added. The first counts only if it shows an effect of the batch (``is_effect``). Callers leave out changes of
        the score by full audits and alerts, and rechecks after the next full audit, since they have other causes.
        """
        if self.gain_seen is None and not is_effect:
            return self
        return msgspec.structs.replace(self, gain_seen=(self.gain_seen or 0) + gain)

    def may_be_undone(self, now: float) -> bool:
        return now - self.approved_at <= UNDO_SECONDS


def job_id(batch_id: str) -> str:
    """Return the id of the job that writes a batch."""
    return f"write.{batch_id}"


def batch_of(job_id: str) -> str:
    """Return the id of the batch that the job with this id writes."""
    return job_id.removeprefix("write.")


def blocks_of(count: int) -> int:
    """Return the number of blocks that store this many changes."""
    return -(-count // BLOCK)


def in_blocks(changes: Sequence[Change]) -> list[list[Change]]:
    """Split the changes, in order, into the blocks in which they are stored."""
    return [list(changes[start : start + BLOCK]) for start in range(0, len(changes), BLOCK)]


def replaced(changes: Iterable[Change], by: Iterable[Change]) -> list[Change]:
    """Return ``changes``. If ``by`` has a change with the same number, it replaces the change."""
    newer = {change.number: change for change in by}
    return [newer.get(change.number, change) for change in changes]
