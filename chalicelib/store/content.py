"""The synced content of a website's CMS (table pages, in a separate partition).

Access patterns
- all items of a website: one BatchGet of its blocks and the list of published addresses
- only the list of published addresses, in one BatchGet with other items: ``published_key``
- the items that an import has found in the CMS so far: Query with the import's prefix

Items are in blocks by the hash of their id. A sync writes its changed blocks and the list in one transaction. The list
has a version: if two syncs run at the same time, the second one's transaction fails.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

from chalicelib.domain.connections import WRITER_KINDS, WriterKind
from chalicelib.domain.content import ContentItem, PublishedAddresses, held_by
from chalicelib.domain.content_walk import MARK_BYTES, Walk
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, TooLargeToPack
from chalicelib.store.transactions import Put, Write

TABLE: Final = "pages"
PUBLISHED: Final = "published addresses"  # in a ``Conflict``, the name of the write of the list
BLOCKS: Final = 16
MOST_BYTES: Final = 3_500_000  # size of one sync; its transaction, with all other writes, has at most 4 MB
WALK_SECONDS: Final = 7 * 86_400.0  # how long the marks of an import are stored


class Content(NamedTuple):
    """All synced content. ``version``: 0 means that content was never synced. ``synced_at``: the time of the last sync
    (epoch seconds)."""

    items: dict[str, ContentItem]
    version: int
    synced_at: float | None


def published_key(site_id: str) -> tuple[str, str, str]:
    """Return table and key of the list of published addresses, for callers that read other items in the same
    BatchGet."""
    return TABLE, *keys.published_content(site_id)


def published_of(item: Mapping[str, Any] | None) -> dict[WriterKind, PublishedAddresses] | None:
    """Return the published addresses in this item, by the connection that can write to their pages. Returns None if the
    website's content was never synced."""
    if item is None:
        return None
    found = PublishedAddresses(item["data"])
    # Lists stored by earlier releases mix the addresses of both connections.
    return {"cms": found, "shop": PublishedAddresses(item["shop"]) if "shop" in item else found}


def load(site_id: str) -> Content:
    """Load all items of the website, by their id. One round trip."""
    return content_of(items.batch_get(content_keys(site_id)), site_id)


def content_keys(site_id: str) -> list[items.Key]:
    """Return table and key of all synced content, for callers that read other items in the same BatchGet."""
    return [published_key(site_id), *((TABLE, *keys.content_block(site_id, number)) for number in range(BLOCKS))]


def content_of(found: Mapping[items.Key, Mapping[str, Any]], site_id: str) -> Content:
    """Return the content in the items that were read with the keys of ``content_keys``."""
    head, *of_blocks = content_keys(site_id)
    state = found.get(head)
    blocks = [shapes.CONTENT_ITEMS.unpack(found[key]["data"]) for key in of_blocks if key in found]
    by_id = {item.cms_id: item for block in blocks for item in block}
    return Content(by_id, 0 if state is None else state["version"], None if state is None else state["syncedAt"])


def writes(site_id: str, before: Content, after: Mapping[str, ContentItem], now: float) -> list[Write]:
    """Return the writes that replace the website's content items. Unchanged blocks are not written. The first write
    fails if the items were replaced since ``before`` was read. Raises ``TooLargeToPack`` when a block, or the whole
    sync, is too large."""
    pk, sk = keys.published_content(site_id)
    cms, shop = (PublishedAddresses.of(held_by(kind, after.values())).packed for kind in WRITER_KINDS)
    if (bytes_of_addresses := len(cms) + len(shop)) > MAX_BLOCK_BYTES:
        raise TooLargeToPack(f"{bytes_of_addresses} bytes of addresses")
    head = {"pk": pk, "sk": sk, "version": before.version + 1, "syncedAt": now, "data": cms, "shop": shop}
    old, new = _by_block(before.items.values()), _by_block(after.values())
    changed = [number for number in range(BLOCKS) if old.get(number) != new.get(number)]
    blocks = [_block(site_id, number, new.get(number, [])) for number in changed]
    if (size := bytes_of_addresses + sum(len(block.item["data"]) for block in blocks)) > MOST_BYTES:
        raise TooLargeToPack(f"{size} bytes of content")
    return [_versioned(head, before.version), *blocks]


def walked(site_id: str, began: int, page: int, marks: Collection[bytes], before: Collection[bytes]) -> Put:
    """Return the write that stores which items an import has found on one page of the CMS's list. ``marks``: the hashes
    of these items. For page 1, the write also stores ``before``: the hashes of the items that were known before the
    import."""
    pk, sk = keys.content_walk(site_id, began, page)
    found = {"told": b"".join(sorted(marks)), "before": b"".join(sorted(before)) if page == 1 else None}
    return Put(TABLE, {"pk": pk, "sk": sk, **found, "ttl": int(began / 1000 + WALK_SECONDS)})


def load_walk(site_id: str, began: int) -> Walk:
    """Load the state of an import: the hashes of the items known before the import, and of the items found so far. One
    round trip per MB."""
    rows = list(items.query_all(TABLE, *keys.content_walk(site_id, began)))
    before, told = (b"".join(row.get(name, b"") for row in rows) for name in ("before", "told"))
    return Walk(_marks(before), _marks(told))


def _marks(packed: bytes) -> frozenset[bytes]:
    return frozenset(packed[start : start + MARK_BYTES] for start in range(0, len(packed), MARK_BYTES))


def _versioned(head: dict[str, Any], seen: int) -> Put:
    if seen == 0:
        return Put(TABLE, head, condition="attribute_not_exists(pk)", name=PUBLISHED)
    condition, names, values = "#version = :seen", {"#version": "version"}, {":seen": seen}
    return Put(TABLE, head, condition=condition, names=names, values=values, name=PUBLISHED)


def _by_block(found: Iterable[ContentItem]) -> dict[int, list[ContentItem]]:
    blocks: dict[int, list[ContentItem]] = {}
    for item in found:
        blocks.setdefault(hashlib.sha256(item.cms_id.encode()).digest()[0] % BLOCKS, []).append(item)
    return {number: sorted(block, key=lambda item: item.cms_id) for number, block in blocks.items()}


def _block(site_id: str, number: int, block: list[ContentItem]) -> Put:
    data = shapes.CONTENT_ITEMS.pack(block)
    if len(data) > MAX_BLOCK_BYTES:
        raise TooLargeToPack(f"{len(data)} bytes of content items")
    pk, sk = keys.content_block(site_id, number)
    return Put(TABLE, {"pk": pk, "sk": sk, "data": data})
