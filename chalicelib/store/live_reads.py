"""Reads of a website's live files (such as robots.txt) while a person waits. Each file is read by one request at a time
(table ops).

Access patterns
- the current read of a file, and the result of the last one: Get LIVE#s#file, META
- the slots of a workspace for such reads: Get WS#w, SLOTS#live

The result of a read is stored for ten minutes, for requests that arrive during another read of the file. Results are
packed without a version. A result that cannot be unpacked is treated as missing.
"""

import zlib
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.store import items, keys, slots
from chalicelib.store.errors import Conflict
from chalicelib.store.slots import NoSlot, Slots
from chalicelib.store.transactions import Update, commit

TABLE: Final = "ops"
FILES: Final = ("llms_txt", "ai_crawlers")  # stand for llms.txt and robots.txt
LEASE_SECONDS: Final = 20.0  # longer than a read may take: after that the reader is dead
KEPT_SECONDS: Final = 600.0
READS_OF_A_WORKSPACE: Final = 3  # concurrent reads of all its websites
MOST_BYTES: Final = 300_000  # largest packed result that is stored
_READ: Final = "live read"


class Found(NamedTuple):
    """The packed result of a read, and when it was stored (epoch seconds)."""

    data: bytes
    at: float


class Reading(NamedTuple):
    """The right of a request to read a file until a given time, and the number of the workspace's concurrency slot that
    the request occupies."""

    site_id: str
    file: str
    workspace_id: str
    slot: int


def pack(value: Any) -> bytes:
    """Pack a result."""
    return zlib.compress(msgspec.msgpack.encode(value))


def unpack(data: bytes, kind: type[Any]) -> Any:
    """Unpack a result. Returns None if it has another shape."""
    try:
        return typed.from_msgpack(zlib.decompress(data), kind)
    except (msgspec.DecodeError, zlib.error):
        return None


def begin(site_id: str, workspace_id: str, file: str, now: float) -> Reading | None:
    """Take the right to read a file now. Returns None if another request reads it, or the workspace has too many reads
    in progress. One round trip."""
    until = now + LEASE_SECONDS
    mine = Update(
        TABLE,
        keys.live_read(site_id, file),
        "SET #until = :until, #ttl = :ttl",
        condition="attribute_not_exists(#until) OR #until <= :now OR #until > :beyond",
        names={"#until": "until", "#ttl": "ttl"},
        values={":until": until, ":now": now, ":beyond": now + 2 * LEASE_SECONDS, ":ttl": int(until + KEPT_SECONDS)},
        name=_READ,
    )
    holder = f"{site_id} {file}"  # a website's files are read at the same time, so each file tries another slot first
    try:
        slot = slots.claim(_slots(workspace_id), lambda _: [mine], now=now, until=until, holder=holder, known={})
    except (Conflict, NoSlot):
        return None
    return Reading(site_id, file, workspace_id, slot)


def end(reading: Reading, data: bytes | None, now: float) -> None:
    """Release the right to read the file, and store the result for other requests. ``data``: the packed result; None if
    there is no result.
    """
    key, free = keys.live_read(reading.site_id, reading.file), slots.free(_slots(reading.workspace_id), reading.slot)
    if data is None or len(data) > MOST_BYTES:
        commit([Update(TABLE, key, "REMOVE #until", names={"#until": "until"}), free])
        return
    kept = Update(
        TABLE,
        key,
        "SET #data = :data, #at = :at, #ttl = :ttl REMOVE #until",
        names={"#data": "data", "#at": "at", "#until": "until", "#ttl": "ttl"},
        values={":data": data, ":at": now, ":ttl": int(now + KEPT_SECONDS)},
    )
    commit([kept, free])


def last(site_id: str, file: str, now: float) -> Found | None:
    """Return the result of the last read of a file. Returns None if there was none in the last ten minutes. One round
    trip."""
    row = items.get(TABLE, *keys.live_read(site_id, file))
    if row is None or "data" not in row or row["at"] < now - KEPT_SECONDS:
        return None
    return Found(row["data"], row["at"])


def _slots(workspace_id: str) -> Slots:
    return Slots(TABLE, keys.workspace_slots(workspace_id, "live"), READS_OF_A_WORKSPACE, LEASE_SECONDS)
