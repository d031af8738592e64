"""Stored data of finished audits (table crawls): headers for 400 days, pages and changes for 90.

Access patterns
- the score of each audit, newest first, or the audit before a given one: Query SITE#s#KEPT, SCORE#, backwards
- the scores of rechecks and alerts, newest first: Query SITE#s#KEPT, RESCORE#, backwards
- the headers of audits: BatchGet of KEPTHEAD#id
- the header of an audit and its changes since the previous audit: BatchGet of KEPTHEAD#id and KEPTDIFF#id
- all pages of two audits, or one page in many audits: BatchGet of KEPTPAGES#id#n

Pages are partitioned by a hash of their ids, so that the block of a page can be computed from its id and the number of
blocks.

Pages are written first, under keys that contain the audit's id. The rest is written in the transaction that publishes
the audit, so nobody looks for the pages before.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from chalicelib import typed
from chalicelib.domain.audit.difference import KeptDifference
from chalicelib.domain.audit.kept import (
    HEADER_SECONDS,
    MOST_SCORES,
    AuditScore,
    CrawlScore,
    KeptAudit,
    KeptPage,
    ScoredBy,
)
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES
from chalicelib.store.pages import partition_of
from chalicelib.store.transactions import Put

TABLE: Final = "crawls"
PAGES_PER_BLOCK: Final = 500
MOST_BLOCKS: Final = 128  # 45 MB packed: a function reads two audits at once
MOST_DIFFERENCE_BYTES: Final = 4_000_000  # unpacked: reading a larger one is no faster than computing it

_log = logging.getLogger(__name__)


def pages_writes(site_id: str, audit_id: str, pages: Sequence[KeptPage], until: float) -> tuple[list[Put], int | None]:
    """Return the writes that store an audit's pages until a time (epoch seconds), and the number of blocks. If the
    pages are too large to store: no writes, and None."""
    partitions = max(1, -(-len(pages) // PAGES_PER_BLOCK))
    while partitions <= MOST_BLOCKS:
        packed = [shapes.KEPT_PAGES.pack(part) for part in _parted(pages, partitions)]
        if all(len(data) <= MAX_BLOCK_BYTES for data in packed):
            return [_block(site_id, audit_id, number, data, until) for number, data in enumerate(packed)], partitions
        partitions *= 2
    _log.warning("the pages of an audit are too large to store", extra={"crawlId": audit_id, "pages": len(pages)})
    return [], None


def _parted(pages: Sequence[KeptPage], partitions: int) -> list[list[KeptPage]]:
    parts: list[list[KeptPage]] = [[] for _ in range(partitions)]
    for page in pages:
        parts[partition_of(page.id, partitions)].append(page)
    return parts


def _block(site_id: str, audit_id: str, number: int, data: bytes, until: float) -> Put:
    pk, sk = keys.kept_pages(site_id, audit_id, number)
    return Put(TABLE, {"pk": pk, "sk": sk, "data": data, "ttl": int(until)})


def writes(site_id: str, kept: KeptAudit, since: KeptDifference | None) -> list[Put]:
    """Return the writes of an audit's header, score and changes, for the transaction that publishes the audit. If the
    changes are too large for one item, they are not stored but computed when they are read."""
    ttl = int(kept.header_until)
    pk, sk = keys.kept_header(site_id, kept.id)
    listed = {"finishedAt": kept.finished_at, "partitions": kept.partitions, **_members(kept.score)}
    return [
        Put(TABLE, {"pk": pk, "sk": sk, "data": shapes.KEPT_AUDIT.pack(kept), "ttl": ttl}),
        _listing(keys.kept_score(site_id, kept.id), {**listed, "ttl": ttl}),
        *([] if since is None else _difference_writes(site_id, kept, since)),
    ]


def _difference_writes(site_id: str, kept: KeptAudit, since: KeptDifference) -> list[Put]:
    data = shapes.KEPT_DIFFERENCE.pack(since)
    if len(data) > MAX_BLOCK_BYTES or len(shapes.KEPT_DIFFERENCE.encoded(data)) > MOST_DIFFERENCE_BYTES:
        _log.warning("the changes of an audit are too large to store", extra={"crawlId": kept.id, "bytes": len(data)})
        return []
    pk, sk = keys.kept_difference(site_id, kept.id)
    return [Put(TABLE, {"pk": pk, "sk": sk, "data": data, "ttl": int(kept.pages_until)})]


def rescored(site_id: str, crawl_id: str, kind: ScoredBy, score: ScoreEntry | None) -> list[Put]:
    """Return the writes that store the score after a recheck or an alert, for the transaction that ends the recheck or
    alert. Empty if there is no score."""
    if score is None:
        return []
    listed = {"kind": kind, **_members(score), "ttl": int(score.computed_at + HEADER_SECONDS)}
    return [_listing(keys.kept_rescore(site_id, crawl_id), listed)]


def _listing(key: tuple[str, str], members: Mapping[str, Any]) -> Put:
    return Put(TABLE, {**keys.attributes(key), **members})


def _members(score: ScoreEntry | None) -> dict[str, Any]:
    if score is None:
        return {}
    members = {"site": score.site, "health": score.health, "aeo": score.aeo, "version": score.version}
    return {**members, "computedAt": score.computed_at, "auditId": score.audit_id}


def scores(site_id: str) -> list[CrawlScore]:
    """Return the last scores of a website's audits, rechecks and alerts, newest first, at most ``MOST_SCORES``. Two
    round trips."""
    rows = [
        row
        for prefix in (keys.KEPT_SCORE_PREFIX, keys.KEPT_RESCORE_PREFIX)
        for row in _listed(site_id, prefix, MOST_SCORES, None)
    ]
    found = [
        CrawlScore(keys.after_prefix(row["sk"]), row.get("kind", "audit"), entry)
        for row in rows
        if (entry := _entry(row)) is not None
    ]
    found.sort(key=lambda one: (one.score.computed_at, one.crawl_id), reverse=True)
    return found[:MOST_SCORES]


def newest(site_id: str, limit: int) -> list[AuditScore]:
    """Return the last stored audits, newest first, at most ``limit``."""
    return [_score(row) for row in _listed(site_id, keys.KEPT_SCORE_PREFIX, limit, None)]


def before(site_id: str, audit_id: str) -> str | None:
    """Return the id of the stored audit before this one. Returns None if there is none."""
    found = _listed(site_id, keys.KEPT_SCORE_PREFIX, 1, keys.kept_score(site_id, audit_id))
    return None if not found else keys.after_prefix(found[0]["sk"])


def _listed(site_id: str, prefix: str, limit: int, older_than: tuple[str, str] | None) -> list[items.Item]:
    start = None if older_than is None else keys.attributes(older_than)
    return items.query(TABLE, keys.kept_partition(site_id), prefix, limit=limit, forward=False, start=start)[0]


def _score(row: Mapping[str, Any]) -> AuditScore:
    partitions = row.get("partitions")
    blocks = None if partitions is None else int(partitions)
    return AuditScore(keys.after_prefix(row["sk"]), float(row["finishedAt"]), blocks, _entry(row))


def _entry(row: Mapping[str, Any]) -> ScoreEntry | None:
    if "site" not in row:
        return None
    members = (row["site"], row["health"], row.get("aeo"), row["version"], row["computedAt"], row.get("auditId"))
    return typed.convert(members, ScoreEntry)


def load(site_id: str, audit_ids: Iterable[str]) -> dict[str, KeptAudit]:
    """Load the headers of the given audits, by id. Audits that are no longer stored are left out. One round trip per
    100."""
    found = items.batch_get((TABLE, *keys.kept_header(site_id, audit_id)) for audit_id in audit_ids)
    kept = (shapes.KEPT_AUDIT.unpack(item["data"]) for item in found.values())
    return {audit.id: audit for audit in kept}


def load_with_difference(site_id: str, audit_id: str) -> tuple[KeptAudit, KeptDifference | None] | None:
    """Load the header of an audit and its changes since the previous audit. Returns None if the audit is not stored.
    One round trip."""
    header = (TABLE, *keys.kept_header(site_id, audit_id))
    since = (TABLE, *keys.kept_difference(site_id, audit_id))
    found = items.batch_get([header, since])
    if header not in found:
        return None
    packed = found.get(since)
    return (
        shapes.KEPT_AUDIT.unpack(found[header]["data"]),
        None if packed is None else shapes.KEPT_DIFFERENCE.unpack(packed["data"]),
    )


def load_pages(site_id: str, audits: Sequence[KeptAudit]) -> list[list[KeptPage] | None]:
    """Load the pages of each audit, in the order of the given audits. None for an audit whose pages are not stored or
    have expired. One round trip per 100 blocks."""
    wanted = [
        [(TABLE, *keys.kept_pages(site_id, one.id, number)) for number in range(one.partitions or 0)] for one in audits
    ]
    found = items.batch_get([key for of_audit in wanted for key in of_audit]) if any(wanted) else {}
    return [_whole(of_audit, found) for of_audit in wanted]


def _whole(wanted: Sequence[items.Key], found: Mapping[items.Key, items.Item]) -> list[KeptPage] | None:
    """Return the pages of an audit. Returns None if one of its blocks is missing, since DynamoDB removes expired blocks
    one by one."""
    if not wanted or any(key not in found for key in wanted):
        return None
    return [page for key in wanted for page in shapes.KEPT_PAGES.unpack(found[key]["data"])]


def load_page(site_id: str, page_id: str, audits: Sequence[AuditScore]) -> list[tuple[AuditScore, KeptPage | None]]:
    """Load one page in several audits, in the order of the given audits. Audits without stored pages are left out. None
    for an audit without this page. One round trip per 100 audits."""
    wanted = {
        one.id: (TABLE, *keys.kept_pages(site_id, one.id, partition_of(page_id, one.partitions)))
        for one in audits
        if one.partitions is not None
    }
    found = items.batch_get(wanted.values()) if wanted else {}
    pages: list[tuple[AuditScore, KeptPage | None]] = []
    for one in audits:
        block = found.get(wanted[one.id]) if one.id in wanted else None
        if block is not None:
            of_block = shapes.KEPT_PAGES.unpack(block["data"])
            pages.append((one, next((page for page in of_block if page.id == page_id), None)))
    return pages
