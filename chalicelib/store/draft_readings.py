"""The operator's review of an assistant's drafts, which must pass before users get drafts (table ops).

Access patterns
- the review with its marks: Get READING, META
- its drafts: Query READING, DRAFT#
"""

import dataclasses
from typing import Final

import msgspec

from chalicelib import typed
from chalicelib.domain.draft_readings import ReadDraft, Reading
from chalicelib.store import items, keys
from chalicelib.store.transactions import Delete, Put, Write, commit

TABLE: Final = "ops"
_CONTINUED: Final = ("assistant", "seed", "at", "drafts")
_READ_SECONDS: Final = 90 * 86_400.0  # how long the drafts' texts are stored; the result has no limit


def load() -> Reading | None:
    """Load the review of an assistant's drafts. Returns None if none was begun. One round trip."""
    item = items.get(TABLE, *keys.reading())
    return None if item is None else typed.convert(item["reading"], Reading)


def load_drafts() -> list[ReadDraft]:
    """Load the drafts of the review, in order."""
    rows = items.query_all(TABLE, keys.READING, keys.READ_DRAFT_PREFIX)
    return [typed.convert(row["draft"], ReadDraft) for row in rows]


def put(reading: Reading, draft: ReadDraft | None = None, *, after: Reading | None = None) -> None:
    """Store the review and, if given, one of its drafts.

    ``after``: the review that this one continues. ``Conflict`` is raised if the stored review is another one, or has
    another number of drafts."""
    pk, sk = keys.reading()
    stored = Put(TABLE, {"pk": pk, "sk": sk, "reading": msgspec.to_builtins(reading)})
    if after is not None:
        stored = dataclasses.replace(
            stored,
            condition=" AND ".join(f"#reading.#{name} = :{name}" for name in _CONTINUED),
            names={"#reading": "reading", **{f"#{name}": name for name in _CONTINUED}},
            values={f":{name}": getattr(after, name) for name in _CONTINUED},
        )
    writes: list[Write] = [stored]
    if draft is not None:
        pk, sk = keys.read_draft(draft.number)
        item = {"pk": pk, "sk": sk, "draft": msgspec.to_builtins(draft), "ttl": int(reading.at + _READ_SECONDS)}
        writes.append(Put(TABLE, item))
    commit(writes)


def begin(reading: Reading) -> None:
    """Replace the review by a new one without drafts.

    The drafts of the old review are deleted first, from the last to the first. If the process is killed in between, the
    old review still has its first drafts. So drafts of two reviews are never mixed.
    """
    for draft in reversed(load_drafts()):
        commit([Delete(TABLE, keys.read_draft(draft.number))])
    put(reading)
