"""A batch of changes that one person approved at once, and the life of each change.

A change moves along ``TRANSITIONS`` only. Besides its state it keeps the last look at the live page. When an editor
later writes something else, the change stays applied and its look says that it is no longer live.
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
MOST_SHOWN: Final = 1_000  # characters kept of what a page shows
MOST_BEFORE: Final = 2_000  # and of what the CMS held before
MOST_WORDS: Final = 500  # and of sentences

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
WRITTEN: Final = frozenset({"applied", "not_live"})  # the CMS holds it
UNWRITTEN: Final = frozenset({"failed", "refused"})


class WrongMove(Exception):
    """A change was to move where ``TRANSITIONS`` does not lead."""


class ChangeOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The CMS's result of a change: its own value before, and the active page caches, each with whether it purged the
    page. ``same``: the value before equalled the value of the change."""

    before: str | None
    caches: tuple[tuple[str, bool], ...] = ()
    same: bool = False


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """The value of a change on the live page. ``reason``: why it is not live; ``note``: a remark on a change that is
    live. ``at`` epoch seconds."""

    live: bool
    at: float
    value: str | None = None
    reason: str | None = None
    note: str | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One value for one field of one page, or for one file of the website.

    ``number``: its place in its batch, from 0. ``value`` "": remove the item's own value. ``key``: of an alt text the
    image (``page.images``), of a redirect its path; there "" is a value like any other, of an image that decorates. For
    a redirect, ``cms_id`` is "". For a file, ``url`` is its address, ``cms_id`` is "", ``value`` is the text of
    llms.txt or the rules for crawlers (``readiness.written.rules_text``), and ``outcome.before`` the text or rules that
    the CMS held before. ``outcome`` None: the CMS has not written it. ``look`` None: the page was not read since.
    ``written_at`` epoch seconds. ``error``: why it was not written. For an undo, ``of`` is the number of the change
    that it takes back, ``gone`` the value that it removes, and ``through`` the batch and number of earlier changes that
    wrote the same value, newest first. They are taken back too, and the value before the last of them is restored.
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
        """Item, field and key: if two batches write the same target, the later one wins."""
        return (self.cms_id, self.field) if self.key is None else (self.cms_id, self.field, self.key)

    @property
    def sent(self) -> str | None:
        """The value as the CMS takes it; None: it removes its own."""
        return self.value if self.key is not None else self.value or None

    @property
    def was_there(self) -> bool:
        """Whether the CMS held the value before the change was written."""
        if self.outcome is None:
            return False
        before = self.outcome.before
        return self.outcome.same or (len(before or "") < MOST_BEFORE and self._equals(before))

    def restores(self, undoes: str) -> tuple[str, int]:
        """Of an undo of the batch ``undoes``: batch and number of the change whose value before is restored."""
        return self.through[-1] if self.through else (undoes, self.of if self.of is not None else -1)

    @property
    def wanted(self) -> Wanted:
        """The expected value on the live page. Not for files."""
        field: PageField = self.field  # type: ignore[assignment]  # of a page
        if self.value or (self.key is not None and self.gone is None):
            return Wanted(field, self.value, self.gone, self.key)
        before = None if self.outcome is None else self.outcome.before
        return Wanted(field, None, before if self.gone is None else self.gone, self.key)

    def moved(self, status: ChangeStatus, **members: Any) -> "Change":
        """The change in its next state. Raises ``WrongMove``."""
        if status not in TRANSITIONS[self.status]:
            raise WrongMove(f"{self.status} to {status}")
        return msgspec.structs.replace(self, status=status, **members)

    def taken(self) -> "Change":
        """The change once a worker has claimed it, possibly again."""
        return self if self.status == "applying" else self.moved("applying")

    def not_answered(self, error: str) -> "Change":
        """The change after the CMS gave no answer. It is unknown whether the change was written."""
        return msgspec.structs.replace(self, error=error[:MOST_WORDS])

    def not_taken(self, error: str) -> "Change":
        """The change after a try in which the CMS certainly wrote nothing: it was not reached, or refused the
        request."""
        return self.taken().moved("approved", error=error[:MOST_WORDS])

    def ended(self, status: Literal["failed", "refused"], error: str) -> "Change":
        """The change once it is certain that it will not be written."""
        return self.taken().moved(status, error=error[:MOST_WORDS])

    def written(self, outcome: ChangeOutcome, look: Look, now: float) -> "Change":
        """The change after the CMS wrote it. ``look``: what the live page showed then."""
        before = None if outcome.before is None else outcome.before[:MOST_BEFORE]
        same = self.of is None and self._equals(outcome.before)
        kept = msgspec.structs.replace(outcome, before=before, same=same)
        return self.taken().moved(
            "applied" if look.live else "not_live", outcome=kept, look=_short(look), written_at=now, error=None
        )

    def seen(self, look: Look) -> "Change":
        """A written change after its page was read again."""
        shown = msgspec.structs.replace(self, look=_short(look))
        return shown.moved("applied") if look.live and self.status == "not_live" else shown

    def reverted(self, look: Look | None) -> "Change":
        """The change after the CMS restored the value before it. ``look``: what the page shows of the undo. While the
        page does not show the undo yet, the change counts as live as long as the page shows its value."""
        if look is not None and look.live:
            look = msgspec.structs.replace(look, live=False)
        elif look is not None:
            look = msgspec.structs.replace(look, live=look.value is not None and self._is(look.value))
        return self.moved("reverted", look=look)

    def _equals(self, before: str | None) -> bool:
        """Whether the CMS held the value before. Where "" removes a value, it equals none."""
        return before == self.value if self.key is not None else (before or "") == self.value

    def _is(self, shown: str) -> bool:
        if self.field in ("title", "meta_description", "alt"):
            return same_text(self.value, shown)[0]
        return self.value[:MOST_SHOWN] == shown


class StoredChange(Change, frozen=True, kw_only=True):
    """A change as it is stored. A release refuses to read a field that it does not know. So ``later`` ones, unknown to
    the last release, are stored beside ``alt``, which it knows and never writes."""

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
    """The members that store a field."""
    return {"field": "alt", "later": field} if field == "redirect" else {"field": field, "later": None}


def _short(look: Look) -> Look:
    def cut(text: str | None, most: int) -> str | None:
        return None if text is None else text[:most]

    return msgspec.structs.replace(
        look, value=cut(look.value, MOST_SHOWN), reason=cut(look.reason, MOST_WORDS), note=cut(look.note, MOST_WORDS)
    )


class UndoToken(msgspec.Struct, frozen=True):
    """The CMS's data to undo the change of this number; only the CMS reads the text. ``before``: for a file, the whole
    text before the change."""

    number: int
    text: str
    before: str | None = None


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that one person approved at once, for one issue or one file. Times are epoch seconds.

    ``sequence`` rises with each batch of the website. ``issue_id`` None: the batch changes a file, or redirects that no
    issue lists. ``approved_by``: the person's id; None: the operator. ``approved_key``: the id of the key that sent the
    approval, None without one.
    ``undoes``: the batch that an undo takes back. ``source``: the connection that writes it. ``not_live_told``: whether
    ``write.not_live`` was sent.
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

    @property
    def is_file(self) -> bool:
        return self.field in FILE_FIELDS

    @property
    def blocks(self) -> int:
        return blocks_of(self.count)

    def change_id(self, change: Change) -> str:
        """The id under which the CMS knows the change. It never changes."""
        return f"{self.id}.{change.number}"

    def may_be_undone(self, now: float) -> bool:
        return now - self.approved_at <= UNDO_SECONDS


def job_id(batch_id: str) -> str:
    """The id of the job that writes a batch."""
    return f"write.{batch_id}"


def batch_of(job_id: str) -> str:
    """The batch that a job of that id writes."""
    return job_id.removeprefix("write.")


def blocks_of(count: int) -> int:
    """The number of blocks that store this many changes."""
    return -(-count // BLOCK)


def in_blocks(changes: Sequence[Change]) -> list[list[Change]]:
    """The changes in order, in the blocks that they are stored in."""
    return [list(changes[start : start + BLOCK]) for start in range(0, len(changes), BLOCK)]


def replaced(changes: Iterable[Change], by: Iterable[Change]) -> list[Change]:
    """The changes, with those of ``by`` in place of the ones of the same number."""
    newer = {change.number: change for change in by}
    return [newer.get(change.number, change) for change in changes]
