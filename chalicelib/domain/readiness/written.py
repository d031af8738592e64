"""The last change of llms.txt and the last change of the rules for crawlers: how each is stored, and what the CMS holds
after it."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from chalicelib import typed
from chalicelib.domain.changes.batch import WRITTEN, Batch, Change, ChangeStatus
from chalicelib.domain.connector.messages import MOST_FILE

MOST_CHARACTERS: Final = MOST_FILE  # of llms.txt

CrawlerRule = Literal["allow", "deny"]
Rules = Mapping[str, CrawlerRule]  # by the crawler's name


class FileWrite(msgspec.Struct, frozen=True, kw_only=True):
    """The last change of a file that a person approved. Times are epoch seconds.

    ``applied_at``: when the CMS wrote it. ``error``: why it was not written, or why it is not live.
    """

    batch_id: str
    status: ChangeStatus
    approved_by: str | None
    approved_at: float
    applied_at: float | None = None
    error: str | None = None


class LlmsWrite(FileWrite, frozen=True, kw_only=True):
    """The last change of llms.txt.

    - ``value``: "" removes the file that the service wrote.
    - ``previous``: the service's text before the change; "" if it had been removed, None if the service had never
      written one.
    """

    value: str
    previous: str | None

    @property
    def held(self) -> str | None:
        """The service's text that the CMS has now: "" after a removal, None if no text was ever written."""
        return self.value if self.status in WRITTEN else self.previous


class RulesWrite(FileWrite, frozen=True, kw_only=True):
    """The last change of the rules for crawlers. Its fields are those of ``LlmsWrite``, with rules instead of a text.
    {} means that the rules were removed."""

    value: dict[str, CrawlerRule]
    previous: dict[str, CrawlerRule] | None

    @property
    def held(self) -> Rules:
        """The service's rules that the CMS has now."""
        return (self.value if self.status in WRITTEN else self.previous) or {}


AnyWrite = LlmsWrite | RulesWrite


def rules_text(rules: Rules) -> str:
    """Return rules in the form of a change's value: JSON, sorted by crawler; "" for no rules."""
    return msgspec.json.encode(dict(sorted(rules.items()))).decode() if rules else ""


def rules_of(value: str) -> dict[str, CrawlerRule]:
    """Return the rules in the value of a change."""
    return typed.from_json(value, dict[str, CrawlerRule]) if value else {}


def approved(batch: Batch, value: str, last: AnyWrite | None) -> AnyWrite:
    """Return the record of the write that a batch requests. It replaces the record of the last write. ``value``: the
    value of the batch's change."""
    by, at = batch.approved_by, batch.approved_at
    if batch.field == "llms_txt":
        held = last.held if isinstance(last, LlmsWrite) else None
        return LlmsWrite(
            batch_id=batch.id, status="approved", approved_by=by, approved_at=at, value=value, previous=held
        )
    # Before the first rules nothing is held, which is not the same as an empty set.
    previous = dict(last.held) if isinstance(last, RulesWrite) else None
    rules = rules_of(value)
    return RulesWrite(
        batch_id=batch.id, status="approved", approved_by=by, approved_at=at, value=rules, previous=previous
    )


def held_text(last: AnyWrite | None) -> str | None:
    """Return the service's content that the CMS has now, in the form of a change's value; None if nothing was ever
    written."""
    if isinstance(last, RulesWrite):
        return rules_text(last.held)
    return None if last is None else last.held


def ended(last: AnyWrite, batch: Batch, change: Change) -> AnyWrite:
    """Return the record ``last`` of a file's last write, updated after ``batch`` ended.

    The batch may be the one that made the last write, an earlier one, or one that undoes the last write.
    """
    wrote = change.status in WRITTEN
    if last.batch_id == batch.id:
        why = change.look.reason if change.status == "not_live" and change.look is not None else change.error
        return msgspec.structs.replace(last, status=change.status, applied_at=change.written_at, error=why)
    if not wrote:
        return last
    if last.batch_id == batch.undoes:
        last = msgspec.structs.replace(last, status="reverted", error=None)
        if not change.value and last.previous is None:
            return last  # nothing of the service existed before
    if isinstance(last, RulesWrite):
        return msgspec.structs.replace(last, previous=rules_of(change.value))
    return msgspec.structs.replace(last, previous=change.value)
