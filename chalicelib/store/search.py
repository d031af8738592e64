"""Search data of websites (table search). There are four kinds: rows by query, rows by page, rows by query and page
(pairs), and totals.

Access patterns
- which blocks belong together: Get SITE#s#web#query, MANIFEST (and #web#page, #pairs, #totals); for several kinds: one
  BatchGet
- the rows of any days: one BatchGet of the blocks DAY#2026-11-20#t#n, KEYS#t#n and MONTH#2026-10#t#n that the manifest
  names
- totals of any days: one BatchGet of TOTALS#2026-10#t#n
- all blocks of a kind, to remove those that no manifest names: a Query that reads only the keys

Blocks are written first, with a new token in their keys. Then the manifest (the list of the valid blocks of a kind) is
written. Replaced blocks stay for readers of the earlier manifest, for at least a day. The next manifest that is written
after that removes them.

Reads are eventually consistent: a block that is not visible yet is read again with a consistent read. A killed worker
leaves blocks that no manifest names; ``sweep`` removes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, TypeVar

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.search.archive import Archive
from chalicelib.domain.search.columns import DayRows, MonthRows, Texts
from chalicelib.domain.search.manifest import (
    DATASETS,
    KEYS,
    Block,
    Dataset,
    Manifest,
    Stored,
    day_name,
    holds_day,
    holds_keys,
    month_name,
    totals_name,
)
from chalicelib.domain.search.pairs import PairSet
from chalicelib.domain.search.rows import Stored as StoredRows
from chalicelib.domain.search.totals import DayTotals
from chalicelib.randomness import random_bytes
from chalicelib.store import blocks, items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, TooLargeToPack
from chalicelib.store.packing import Shape
from chalicelib.store.transactions import Delete, Put

TABLE: Final = "search"

Part = TypeVar("Part", Texts, DayRows, MonthRows)


class Moved(Exception):
    """A block that a manifest names is gone, because another manifest has replaced this one."""


def new_token() -> str:
    """Return a unique token for the keys of blocks that are written together, or for a version of a manifest."""
    return ids.ulid(clock.now(), random_bytes(10))


# -- reading ---------------------------------------------------------------------------------------------


def manifests(site_id: str, datasets: Iterable[Dataset], *, consistent: bool = False) -> dict[Dataset, Manifest]:
    """Load the manifests (lists of stored blocks) of these kinds of search data. Kinds without a manifest are left out.
    One call."""
    wanted = {keys.search_manifest(site_id, dataset): dataset for dataset in datasets}
    found = items.batch_get(((TABLE, *key) for key in wanted), consistent)
    return {wanted[pk, sk]: shapes.SEARCH_MANIFEST.unpack(item["data"]) for (_, pk, sk), item in found.items()}


def rows(site_id: str, manifest: Manifest, first: date, last: date) -> StoredRows:
    """Return the rows of these days. The result may have rows of other days in the same months. One call; more calls
    for more than 100 blocks or 16 MB. Raises ``Moved``."""
    return _as_rows(_read(site_id, manifest.dataset, manifest.rows_blocks(first, last)))


def totals(site_id: str, manifest: Manifest, first: date, last: date) -> list[DayTotals]:
    """Return the stored totals of these days, by day. Days without stored totals are left out. One call. Raises
    ``Moved``."""
    found = _read(site_id, manifest.dataset, manifest.totals_blocks(first, last))
    days = [day for data in found.values() for day in shapes.SEARCH_TOTALS.unpack(data)]
    inside = (day for day in days if first.isoformat() <= day.day <= last.isoformat())
    return sorted(inside, key=lambda day: day.day)


def pairs(site_id: str, manifest: Manifest) -> PairSet | None:
    """Return the stored pairs of query and page. Returns None if none were stored yet. One call. Raises ``Moved``."""
    if manifest.period is None:
        return None
    found = archive(site_id, manifest)
    return PairSet(*manifest.period, found.keys, [part for parts in found.months.values() for part in parts])


def archive(site_id: str, manifest: Manifest) -> Archive:
    """Load the whole archive of past days. Raises ``Moved``."""
    months: dict[str, list[MonthRows]] = {month: [] for month in manifest.months}
    names = {month_name(month): month for month in months}
    texts = []
    for block, data in _read(site_id, manifest.dataset, manifest.archive_blocks(manifest.months)).items():
        if holds_keys(block):
            texts.append(shapes.SEARCH_KEYS.unpack(data))
        else:
            months[names[block.name]].append(shapes.SEARCH_MONTH.unpack(data))
    return Archive(texts, months)


def days(site_id: str, manifest: Manifest, wanted: Iterable[str]) -> list[DayRows]:
    """Load the rows of those of the days ``wanted`` that are not in the archive yet. Raises ``Moved``."""
    named = set(wanted)
    chosen = (block for block in manifest.blocks() if holds_day(block) and block.name.partition("#")[2] in named)
    return [shapes.SEARCH_DAY.unpack(data) for data in _read(site_id, manifest.dataset, chosen).values()]


def _as_rows(found: Mapping[Block, bytes]) -> StoredRows:
    texts, months, of_days = [], [], []
    for block, data in found.items():
        if holds_keys(block):
            texts.append(shapes.SEARCH_KEYS.unpack(data))
        elif holds_day(block):
            of_days.append(shapes.SEARCH_DAY.unpack(data))
        else:
            months.append(shapes.SEARCH_MONTH.unpack(data))
    return StoredRows(texts, months, of_days)


def _read(site_id: str, dataset: Dataset, wanted: Iterable[Block]) -> dict[Block, bytes]:
    """Return the contents of the blocks, in their order."""
    places = {block: (TABLE, *keys.search_block(site_id, dataset, *block)) for block in wanted}
    found = items.batch_get(places.values(), consistent=False)
    late = [place for place in places.values() if place not in found]
    if late:
        found |= items.batch_get(late, consistent=True)
    if len(found) < len(places):
        raise Moved
    return {block: found[place]["data"] for block, place in places.items()}


# -- writing ---------------------------------------------------------------------------------------------


class NewBlocks:
    """Blocks to be written together, with one token in their keys. The methods ``add_…`` return the entries that name
    the blocks in a manifest.
    """

    def __init__(self, site_id: str, dataset: Dataset) -> None:
        self._site_id = site_id
        self._dataset = dataset
        self._puts: list[Put] = []
        self.token = new_token()

    def add_day(self, day: DayRows) -> Stored:
        """Add the rows of a day. Raises ``TooLargeToPack``."""
        return self._add(day_name(day.day), list(_parts(day, shapes.SEARCH_DAY)) if len(day.keys) else [])

    def add_keys(self, texts: Sequence[Texts]) -> Stored:
        """Add the texts that the archive's rows refer to. Raises ``TooLargeToPack``."""
        return self._add(KEYS, [data for part in texts for data in _parts(part, shapes.SEARCH_KEYS)])

    def add_month(self, month: str, parts: Sequence[MonthRows]) -> Stored:
        """Add the archived rows of a month. Raises ``TooLargeToPack``."""
        return self._add(month_name(month), [data for part in parts for data in _parts(part, shapes.SEARCH_MONTH)])

    def add_totals(self, month: str, of_days: Sequence[DayTotals]) -> Stored:
        """Add the totals of a month's days. Raises ``TooLargeToPack``."""
        packed = blocks.pack_blocks(of_days, shapes.SEARCH_TOTALS)
        return self._add(totals_name(month), [block.data for block in packed])

    @property
    def puts(self) -> Sequence[Put]:
        """The writes of all blocks."""
        return self._puts

    @property
    def size(self) -> int:
        """The size of all blocks, in bytes."""
        return sum(len(put.item["data"]) for put in self._puts)

    def _add(self, name: str, packed: Sequence[bytes]) -> Stored:
        for number, data in enumerate(packed):
            pk, sk = keys.search_block(self._site_id, self._dataset, name, self.token, number)
            self._puts.append(Put(TABLE, {"pk": pk, "sk": sk, "data": data}))
        return Stored(self.token, len(packed))


def put_manifest(site_id: str, manifest: Manifest) -> Put:
    """Return the write that makes the new blocks visible. Commit it in a transaction that only one worker can
    commit."""
    pk, sk = keys.search_manifest(site_id, manifest.dataset)
    data = shapes.SEARCH_MANIFEST.pack(manifest)
    return Put(TABLE, {"pk": pk, "sk": sk, "version": manifest.version, "data": data})


def forgotten(site_id: str) -> list[Delete]:
    """Return the writes that delete the manifests. The blocks stay until ``sweep`` removes them."""
    return [Delete(TABLE, keys.search_manifest(site_id, dataset)) for dataset in DATASETS]


def write(new: Iterable[NewBlocks]) -> None:
    """Write blocks. They are not visible until a manifest names them."""
    blocks.write(put for one in new for put in one.puts)


def discard(new: Iterable[NewBlocks]) -> None:
    """Remove blocks that no manifest names or will name."""
    items.batch_write(deletes=((TABLE, put.item["pk"], put.item["sk"]) for one in new for put in one.puts))


def remove(site_id: str, dataset: Dataset, gone: Iterable[Block]) -> None:
    """Remove blocks that no reader needs any more."""
    items.batch_write(deletes=((TABLE, *keys.search_block(site_id, dataset, *block)) for block in gone))


def sweep(site_id: str, before: float) -> None:
    """Remove blocks that no manifest names and that were written before a time (epoch seconds). Choose a time so early
    that no worker is still about to write a manifest that names one of these blocks."""
    latest = ids.ulid(before, bytes(10))
    for dataset in DATASETS:
        partition = keys.search_partition(site_id, dataset)
        found = list(items.query_all(TABLE, partition, keys_only=True))
        manifest = manifests(site_id, [dataset], consistent=True).get(dataset)
        named = {keys.search_block(site_id, dataset, *block) for block in (manifest.every_block() if manifest else ())}
        items.batch_write(
            deletes=(
                (TABLE, row["pk"], row["sk"])
                for row in found
                if row["sk"] != keys.MANIFEST
                and (row["pk"], row["sk"]) not in named
                and keys.search_token(row["sk"]) < latest
            )
        )


def _parts(value: Part, shape: Shape[Any]) -> Iterator[bytes]:
    """Pack the value, and halve it until each part fits into an item. Raises ``TooLargeToPack``."""
    data = shape.pack(value)
    if len(data) <= MAX_BLOCK_BYTES:
        yield data
        return
    if _records(value) < 2:
        raise TooLargeToPack(f"a row of {len(data)} bytes, packed, does not fit into an item")
    for half in value.split():
        yield from _parts(half, shape)


def _records(value: Texts | DayRows | MonthRows) -> int:
    if isinstance(value, MonthRows):
        return sum(value.counts)
    return len(value) if isinstance(value, Texts) else len(value.keys)
