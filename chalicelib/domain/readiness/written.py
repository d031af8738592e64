"""Stored records of the last approved changes of llms.txt and of the rules for crawlers. They also say what the CMS has
now."""

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
    """The last approved change of a file. Times are epoch seconds.

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

    - ``value``: the new text; "" removes the text that the service wrote.
    - ``previous``: the service's text before the change; "" if it had been removed, None if the service had never
      written one.
    """

    value: str
    previous: str | None

    @property
    def held(self) -> str | None:
        """The text that the service last wrote into the CMS: "" after a removal, None if it never wrote one."""
        return self.value if self.status in WRITTEN else self.previous


class RulesWrite(FileWrite, frozen=True, kw_only=True):
    """The last change of the rules for crawlers. Its fields are those of ``LlmsWrite``, with rules instead of a text.
    {} means that the rules were removed."""

    value: dict[str, CrawlerRule]
    previous: dict[str, CrawlerRule] | None

    @property
    def held(self) -> Rules:
        """The rules that the service last wrote into the CMS."""
        return (self.value if self.status in WRITTEN else self.previous) or {}


AnyWrite = LlmsWrite | RulesWrite


def rules_text(rules: Rules) -> str:
    """Convert rules to the text that a change has as its value: JSON, sorted by crawler; "" for no rules."""
    return msgspec.json.encode(dict(sorted(rules.items()))).decode() if rules else ""


def rules_of(value: str) -> dict[str, CrawlerRule]:
    """Convert the value of a change back to rules (see ``rules_text``)."""
    return typed.from_json(value, dict[str, CrawlerRule]) if value else {}


def approved(batch: Batch, value: str, last: AnyWrite | None) -> AnyWrite:
    """Return the record to store once a batch with one change of a file is approved. ``value``: the change's value.
    ``last``: the record of the change before it."""
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
    """Return the content that the service last wrote into the CMS, as text (rules as JSON); None if it never wrote
    any."""
    if isinstance(last, RulesWrite):
        return rules_text(last.held)
    return None if last is None else last.held


def ended(last: AnyWrite, batch: Batch, change: Change) -> AnyWrite:
    """Update the record of a file's last change after a batch ended.

    The batch may be the one with this change, an earlier one, or an undo of this change.
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
