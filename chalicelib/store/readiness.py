"""A website's readiness for assistants (table ai).

Access patterns
- the last audit's findings: Get SITE#s, READINESS; written in the transaction that publishes the audit
- the last approved change of llms.txt or of the rules for crawlers: Get SITE#s, WRITE#field. One BatchGet reads both if
  both are needed
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, overload

from chalicelib.domain.changes.batch import FileField
from chalicelib.domain.readiness.records import Readiness
from chalicelib.domain.readiness.written import AnyWrite, LlmsWrite, RulesWrite
from chalicelib.store import items, keys, shapes
from chalicelib.store.transactions import Put

TABLE = "ai"


class Llms(NamedTuple):
    """The stored data about llms.txt: the last audit's findings (None before the first) and the last approved change
    (None if there was none)."""

    readiness: Readiness | None
    write: LlmsWrite | None


def load(site_id: str) -> Readiness | None:
    """Load the last audit's findings. Returns None before the first audit."""
    item = items.get(TABLE, *keys.readiness(site_id))
    return None if item is None else shapes.READINESS.unpack(item["data"])


def load_llms(site_id: str) -> Llms:
    """Load the stored data about llms.txt, in one round trip."""
    read, written = (TABLE, *keys.readiness(site_id)), (TABLE, *keys.last_write(site_id, "llms_txt"))
    found = items.batch_get([read, written])
    return Llms(
        shapes.READINESS.unpack(found[read]["data"]) if read in found else None,
        shapes.LLMS_WRITE.unpack(found[written]["data"]) if written in found else None,
    )


@overload
def load_last(site_id: str, field: Literal["llms_txt"]) -> LlmsWrite | None: ...
@overload
def load_last(site_id: str, field: Literal["ai_crawlers"]) -> RulesWrite | None: ...
@overload
def load_last(site_id: str, field: FileField) -> AnyWrite | None: ...
def load_last(site_id: str, field: FileField) -> AnyWrite | None:
    """Load the last approved change of a file. Returns None if there was none. One round trip."""
    return last_of(items.get(*last_key(site_id, field)), field)


def last_key(site_id: str, field: FileField) -> items.Key:
    """Return table and key of the item with the last approved change of a file, for callers that read other items in
    the same BatchGet."""
    return TABLE, *keys.last_write(site_id, field)


def last_of(item: Mapping[str, Any] | None, field: FileField) -> AnyWrite | None:
    """Return the last approved change of a file in this item. Returns None if there was none."""
    if item is None:
        return None
    return shapes.LLMS_WRITE.unpack(item["data"]) if field == "llms_txt" else shapes.RULES_WRITE.unpack(item["data"])


# -- writes, for transactions ----------------------------------------------------------------------------


def put(site_id: str, readiness: Readiness) -> Put:
    """Return the write that stores an audit's findings. They replace those of the previous audit."""
    pk, sk = keys.readiness(site_id)
    return Put(TABLE, {"pk": pk, "sk": sk, "data": shapes.READINESS.pack(readiness)})


def put_last(site_id: str, write: AnyWrite, *, replaces: str | None = None) -> Put:
    """Return the write that stores the last approved change of a file. ``replaces``: a batch id; the write fails if the
    stored change belongs to another batch. Without ``replaces``, commit the write in a transaction that also replaces
    the website's queue of batches, which detects concurrent writes."""
    field: FileField = "llms_txt" if isinstance(write, LlmsWrite) else "ai_crawlers"
    data = shapes.LLMS_WRITE.pack(write) if isinstance(write, LlmsWrite) else shapes.RULES_WRITE.pack(write)
    pk, sk = keys.last_write(site_id, field)
    item = {"pk": pk, "sk": sk, "batch": write.batch_id, "data": data}
    if replaces is None:
        return Put(TABLE, item)
    return Put(TABLE, item, condition="#batch = :batch", names={"#batch": "batch"}, values={":batch": replaces})
