"""Batches of approved changes (table changes).

Access patterns
- the queue of a website's batches: Get SITE#s, PLACE
- the values that these batches will write: BatchGet of PRINTS#id, a few bytes per change, written once with the batch
- a batch and its changes: BatchGet of BATCH#id and CH#id#n, blocks of 25; the issue stores the number of blocks, so
  that a request can read them together with other items (``keys_of``)
- what the CMS needs to undo a batch: Query UNDO#id#, stored separately because no answer shows it
- the batches of a website, oldest first or newest first: Query BATCH#

While a batch is written, one worker at a time changes its blocks; each of its transactions fails if another worker has
claimed the batch's job. Later a recheck or an undo may change a block; the block's revision then shows whether
something else changed it meanwhile. All rows of a batch expire together.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.changes.batch import (
    UNWRITTEN,
    Batch,
    Change,
    StoredChange,
    UndoToken,
    in_blocks,
    stored_field,
)
from chalicelib.domain.changes.place import InFlight, Place, in_flight, prints, shares_targets
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, TooLargeToPack, pack_blocks
from chalicelib.store.transactions import Put, Update, Write

TABLE: Final = "changes"
PLACE: Final = "place of writes"  # in a ``Conflict``, the name of the write of a website's queue of batches
BLOCKS: Final = "changes"  # in a ``Conflict``, the name of the write of a block
KEPT_SECONDS: Final = 90 * 86_400.0  # longer than the time in which a batch may be undone
PORTION_WRITES: Final = 80  # a transaction has at most 100 writes
PORTION_BYTES: Final = 2_000_000  # a transaction has at most 4 MB
_SHORT: Final = 200
_UNKNOWN: Final = "\0"  # a value that differs from every approved value
_NOT_HELD: Final = frozenset({"failed", "refused", "reverted"})  # with these statuses, the CMS does not have the value

_log = logging.getLogger(__name__)


class Loaded(NamedTuple):
    """A batch with its changes in order, and the revisions of its blocks."""

    batch: Batch
    changes: list[Change]
    revisions: list[int]


def place(site_id: str) -> Place:
    """Load the website's queue of batches, in one round trip."""
    return place_of(items.get(TABLE, *keys.change_place(site_id)))


def places(site_ids: Sequence[str]) -> dict[str, Place]:
    """Return the queues of batches of several websites, by website id. One round trip per 100."""
    wanted: dict[str, items.Key] = {site_id: (TABLE, *keys.change_place(site_id)) for site_id in site_ids}
    found = items.batch_get(list(wanted.values()))
    return {site_id: place_of(found.get(key)) for site_id, key in wanted.items()}


def place_of(item: Mapping[str, Any] | None) -> Place:
    """Return the queue of batches in this item. ``item``: None if no change was ever approved."""
    return Place() if item is None else typed.convert(item, Place)


def put_place(site_id: str, after: Place) -> Put:
    """Return the write that replaces the queue of batches. The write fails if the queue was replaced since it was
    read."""
    pk, sk = keys.change_place(site_id)
    item = {"pk": pk, "sk": sk, **msgspec.to_builtins(after)}
    if after.version == 1:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=PLACE)
    names, values = {"#version": "version"}, {":seen": after.version - 1}
    return Put(TABLE, item, condition="#version = :seen", names=names, values=values, name=PLACE)


# -- pending writes --------------------------------------------------------------------------------------


def prints_keys(site_id: str, place: Place) -> list[items.Key]:
    """Return tables and keys of the rows with the hashes of the values that the queued batches will write, for callers
    that read other items in the same BatchGet.
    """
    return [(TABLE, *keys.change_prints(site_id, batch_id)) for batch_id in place.will_write]


def in_flight_of(
    found: Mapping[items.Key, Mapping[str, Any]], site_id: str, place: Place, wanted: Sequence[Change]
) -> InFlight:
    """Return the values that the batches in the queue will still write, read from the items that ``prints_keys`` names.

    In the batch that is being written, some changes may have failed already. If one of them could be for the same page
    and field as a change in ``wanted``, the batch is read in one more round trip.
    """
    packed = {}
    for batch_id in place.will_write:
        row = found.get((TABLE, *keys.change_prints(site_id, batch_id)))
        if row is not None and (batch_id != place.running or not shares_targets(row["data"], wanted)):
            packed[batch_id] = row["data"]
        else:  # the batch is running, or was approved before hashes were stored
            packed[batch_id] = prints(_unfinished(site_id, batch_id, is_cancelled=batch_id in place.cancelled))
    return in_flight(place, packed)


def _unfinished(site_id: str, batch_id: str, *, is_cancelled: bool) -> list[Change]:
    """Return the changes of a batch that were written, or still may be. If the batch is cancelled, it is unknown
    whether a change that was sent was written. Such a change is returned with a value that equals no other."""
    loaded = load(site_id, batch_id)
    found = [] if loaded is None else [change for change in loaded.changes if change.status not in UNWRITTEN]
    if not is_cancelled:
        return found
    unknown = [msgspec.structs.replace(one, value=_UNKNOWN) if one.status == "applying" else one for one in found]
    return [one for one in unknown if one.status != "approved"]


# -- batches ---------------------------------------------------------------------------------------------


def keys_of(site_id: str, batch_id: str, blocks: int) -> list[items.Key]:
    """Return table and key of a batch and its blocks, for callers that read other items in the same BatchGet."""
    numbers = range(blocks)
    return [
        (TABLE, *keys.change_batch(site_id, batch_id)),
        *((TABLE, *keys.change_block(site_id, batch_id, number)) for number in numbers),
    ]


def loaded_of(found: Mapping[items.Key, Mapping[str, Any]], wanted: Sequence[items.Key]) -> Loaded | None:
    """Make a batch from the items that ``keys_of`` names. Returns None if one of the items is gone."""
    head, *blocks = (found.get(key) for key in wanted)
    rows = [block for block in blocks if block is not None]
    if head is None or len(rows) < len(blocks):
        return None
    changes = [change for row in rows for change in _unpacked(row)]
    return Loaded(_batch(head), changes, [row["revision"] for row in rows])


def load(site_id: str, batch_id: str) -> Loaded | None:
    """Load a batch with its changes. Returns None if the batch does not exist or has expired. Two round trips."""
    batch = get(site_id, batch_id)
    if batch is None:
        return None
    wanted = keys_of(site_id, batch_id, batch.blocks)
    return loaded_of(items.batch_get(wanted), wanted)


def load_all(site_id: str, batches: Sequence[Batch]) -> list[Loaded]:
    """Load batches of a website with their changes; expired batches are left out. One round trip per 100 items."""
    wanted = [keys_of(site_id, batch.id, batch.blocks) for batch in batches]
    found = items.batch_get([key for of_batch in wanted for key in of_batch]) if wanted else {}
    loaded = [loaded_of(found, of_batch) for of_batch in wanted]
    return [one for one in loaded if one is not None]


def get(site_id: str, batch_id: str) -> Batch | None:
    item = items.get(TABLE, *keys.change_batch(site_id, batch_id))
    return None if item is None else _batch(item)


def get_many(site_id: str, batch_ids: Sequence[str]) -> list[Batch]:
    """Load these batches. Batches that do not exist are left out. One round trip per 100."""
    found = items.batch_get([(TABLE, *keys.change_batch(site_id, batch_id)) for batch_id in batch_ids])
    return [_batch(item) for item in found.values()]


def list_all(site_id: str) -> list[Batch]:
    """Return the stored batches of a website, in the order in which they are written."""
    rows = items.query_all(TABLE, keys.site_partition(site_id), keys.BATCH_PREFIX)
    return sorted(map(_batch, rows), key=lambda batch: batch.sequence)


def newest(site_id: str, limit: int, older_than: str | None) -> tuple[list[Batch], bool]:
    """Return the stored batches that are older than the batch ``older_than``, newest first, at most ``limit``. Also
    returns whether more batches follow. One round trip."""
    start = None if older_than is None else keys.attributes(keys.change_batch(site_id, older_than))
    pk = keys.site_partition(site_id)
    rows, _ = items.query(TABLE, pk, keys.BATCH_PREFIX, limit=limit + 1, forward=False, start=start)
    return [_batch(row) for row in rows[:limit]], len(rows) > limit


def written_later(batch: Batch, listed: Sequence[Batch]) -> set[tuple[str, ...]]:
    """Return the targets (such as pages) whose field a later batch has written or may still write. Targets where the
    later value was undone are left out. ``listed``: all stored batches of the website. One round trip per 100 blocks.
    """
    site_id = batch.site_id
    later = [one for one in listed if one.sequence > batch.sequence and one.field == batch.field]
    ids = {one.id for one in later}
    # The undo of a later batch restores the state before that batch; the batch's own changes show what was not taken
    # back.
    counted = [one for one in later if one.undoes not in ids]
    wanted = [key for one in counted for key in keys_of(site_id, one.id, one.blocks)[1:]]
    rows = items.batch_get(wanted).values() if wanted else ()
    changes = [change for row in rows for change in _unpacked(row)]
    return {change.target for change in changes if change.status not in _NOT_HELD}


def written_earlier(batch: Batch, listed: Sequence[Batch]) -> list[Loaded]:
    """Return the earlier batches that wrote the same field through the same connection as this batch, newest first.
    ``listed``: all stored batches of the website. One round trip per 100 items."""
    found = [
        one
        for one in reversed(listed)
        if one.sequence < batch.sequence
        and one.kind == batch.kind
        and (one.field, one.source) == (batch.field, batch.source)
    ]
    return load_all(batch.site_id, found)


def put_new(batch: Batch, changes: Sequence[Change]) -> list[Write]:
    """Return the writes that store a new batch and its changes."""
    blocks = in_blocks(changes)
    pk, sk = keys.change_prints(batch.site_id, batch.id)
    row = {"pk": pk, "sk": sk, "data": prints(changes), "ttl": _ttl(batch)}
    return [
        put_batch(batch, new=True),
        Put(TABLE, row),
        *(put_block(batch, number, block, 0) for number, block in enumerate(blocks)),
    ]


def put_batch(batch: Batch, *, new: bool = False) -> Put:
    """Return the write by which a worker replaces the row of a batch, without the batch's changes. Commit it together
    with the write of the worker's job, which fails if another worker has claimed the job."""
    pk, sk = keys.change_batch(batch.site_id, batch.id)
    item = {"pk": pk, "sk": sk, **msgspec.to_builtins(batch), **stored_field(batch.field), "ttl": _ttl(batch)}
    condition = "attribute_not_exists(pk)" if new else "attribute_exists(pk)"
    return Put(TABLE, {name: value for name, value in item.items() if value is not None}, condition=condition)


def given_up(site_id: str, batch_id: str, now: float) -> Update:
    """Return the write that ends a batch whose other rows cannot be read or written."""
    return Update(
        TABLE,
        keys.change_batch(site_id, batch_id),
        "SET #status = :done, #ended = :now",
        condition="attribute_exists(pk)",
        names={"#status": "status", "#ended": "ended_at"},
        values={":done": "done", ":now": now},
    )


def put_looked(batch: Batch, *, before: Batch) -> Update:
    """Return the write that records what a recheck found out about a batch: whether ``write.not_live`` was sent, and
    the gain that was seen. ``before``: the batch as it was read. The write fails when either changed since."""
    names = {"#told": "not_live_told", "#seen": "gain_seen"}
    values: dict[str, Any] = {":told": batch.not_live_told, ":told_before": before.not_live_told}
    assigned, condition = ["#told = :told"], ["#told = :told_before"]
    if before.gain_seen is None:
        condition.append("attribute_not_exists(#seen)")
    else:
        condition.append("#seen = :seen_before")
        values[":seen_before"] = before.gain_seen
    if batch.gain_seen is not None:
        assigned.append("#seen = :seen")
        values[":seen"] = batch.gain_seen
    key = keys.change_batch(batch.site_id, batch.id)
    return Update(TABLE, key, "SET " + ", ".join(assigned), " AND ".join(condition), names, values, BLOCKS)


def put_block(batch: Batch, number: int, block: Sequence[Change], seen: int) -> Put:
    """Return the write of a block of changes. ``seen``: the block's revision when it was read; 0 for a new block. The
    write fails when the block changed since it was read."""
    pk, sk = keys.change_block(batch.site_id, batch.id, number)
    item = {"pk": pk, "sk": sk, "revision": seen + 1, "data": _packed(block), "ttl": _ttl(batch)}
    if not seen:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=BLOCKS)
    names, values = {"#revision": "revision"}, {":seen": seen}
    return Put(TABLE, item, condition="#revision = :seen", names=names, values=values, name=BLOCKS)


def in_portions(blocks: Sequence[Put]) -> list[list[Put]]:
    """Divide the writes of blocks into groups. A transaction has room for one group and one more block. Returns at
    least one group, which may be empty."""
    portions: list[list[Put]] = [[]]
    room = PORTION_BYTES
    for block in blocks:
        room -= len(block.item["data"])
        if len(portions[-1]) == PORTION_WRITES or (room < 0 and portions[-1]):
            portions.append([])
            room = PORTION_BYTES - len(block.item["data"])
        portions[-1].append(block)
    return portions


def _packed(block: Sequence[Change]) -> bytes:
    data = shapes.CHANGES.pack([StoredChange.made(change) for change in block])
    if len(data) <= MAX_BLOCK_BYTES:
        return data
    _log.warning("the texts that a website shows were shortened to fit", extra={"bytes": len(data)})
    return shapes.CHANGES.pack([StoredChange.made(_shortened(change)) for change in block])


def _unpacked(row: Mapping[str, Any]) -> list[Change]:
    return [stored.change for stored in shapes.CHANGES.unpack(row["data"])]


def _shortened(change: Change) -> Change:
    """Return the change, with the texts read from the website cut to a few words. The approved value is not cut."""
    outcome, look = change.outcome, change.look
    if outcome is not None and outcome.before is not None:
        outcome = msgspec.structs.replace(outcome, before=outcome.before[:_SHORT])
    if look is not None and look.value is not None:
        look = msgspec.structs.replace(look, value=look.value[:_SHORT])
    return msgspec.structs.replace(change, outcome=outcome, look=look)


def _batch(item: Mapping[str, Any]) -> Batch:
    return typed.convert({**item, "field": item.get("later") or item["field"]}, Batch)


def _ttl(batch: Batch) -> int:
    return int(batch.approved_at + KEPT_SECONDS)


# -- undo tokens -----------------------------------------------------------------------------------------


def put_tokens(batch: Batch, tokens: Sequence[UndoToken]) -> list[Write]:
    """Return the writes that store the undo tokens of a batch's changes. An undo token is what the CMS needs to undo a
    change. Each token is written once. If a token is too large for an item, nothing is stored, and the batch cannot be
    undone.
    """
    writes: list[Write] = []
    first = 0
    try:
        blocks = pack_blocks(tokens, shapes.UNDO_TOKENS)
    except TooLargeToPack as error:
        _log.warning("a batch cannot be undone: %s", error, extra={"batch": batch.id})
        return []
    for block in blocks:
        pk, sk = keys.undo_block(batch.site_id, batch.id, tokens[first].number)
        writes.append(Put(TABLE, {"pk": pk, "sk": sk, "data": block.data, "ttl": _ttl(batch)}))
        first += block.records
    return writes


def load_tokens(site_id: str, batch_id: str) -> dict[int, UndoToken]:
    """Load the undo tokens (what the CMS needs to undo changes) of a batch, by the number of their change."""
    rows = items.query_all(TABLE, keys.site_partition(site_id), keys.undo_prefix(batch_id))
    return {token.number: token for row in rows for token in shapes.UNDO_TOKENS.unpack(row["data"])}


def tokens_of(site_id: str, undoes: str, back: Sequence[Change]) -> dict[int, UndoToken]:
    """Return the undo tokens (what the CMS needs to undo changes) for the changes of an undo, by the number of the
    change. ``undoes``: the batch that is undone. ``back``: the changes of the undo. One round trip for each batch whose
    values are restored."""
    sources = {change.number: change.restores(undoes) for change in back}
    kept = {batch_id: load_tokens(site_id, batch_id) for batch_id in {batch_id for batch_id, _ in sources.values()}}
    return {number: kept[batch_id][of] for number, (batch_id, of) in sources.items() if of in kept[batch_id]}
