"""Targets: addresses that crawls requested but did not read as pages. Their answers are stored in the partition of the
crawl.

Access patterns
- the answers of a crawl: Query CRAWL#c, TARGETS#<checkpoint>
- all answers known since an audit: Query CRAWL#c, TARGETS#. This includes the answers of earlier audits
  (TARGETS#carried#) and of rechecks (TARGETS#recheck#)
"""

from collections.abc import Iterator, Sequence

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.page.facts import TargetFacts
from chalicelib.store import crawls, items, keys, shapes
from chalicelib.store.blocks import pack_blocks
from chalicelib.store.transactions import Put

_TARGETS = "TARGETS#"
_CARRIED = _TARGETS + "carried#"  # sorts after the crawl's own answers, which are numbered by checkpoint
_RECHECKED = _TARGETS + "recheck#"  # answers to rechecks since the audit ended; sorts last


def writes(crawl_id: str, checkpoint: int, targets: Sequence[TargetFacts]) -> list[Put]:
    """Return the writes that store, with a crawl's checkpoint, the answers of its targets (addresses that it requested
    but did not read as pages)."""
    pk = keys.crawl_partition(crawl_id)
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{_TARGETS}{checkpoint:06d}#{number:03d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def carried_writes(crawl_id: str, targets: Sequence[TargetFacts]) -> list[Put]:
    """Return the writes that store the answers known from earlier audits, for targets that this crawl did not
    request."""
    pk = keys.crawl_partition(crawl_id)
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{_CARRIED}{number:04d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def rechecked_writes(audit_id: str, recheck: CrawlHeader, targets: Sequence[TargetFacts]) -> list[Put]:
    """Return the writes that store a recheck's answers in the partition of the last audit, next to the audit's own
    answers. Each worker uses different keys, so the answers that a killed worker stored are not overwritten.
    """
    pk, sk = keys.crawl_partition(audit_id), f"{_RECHECKED}{recheck.id}#{recheck.fence:06d}#"
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{sk}{number:03d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def load(crawl_id: str, checkpoint: int | None = None) -> Iterator[TargetFacts]:
    """Yield the targets' answers to this crawl, in the order of the requests. ``checkpoint``: if given, only the
    answers of this checkpoint."""
    prefix = _TARGETS if checkpoint is None else f"{_TARGETS}{checkpoint:06d}#"
    for item in items.query_all(crawls.TABLE, keys.crawl_partition(crawl_id), prefix):
        if not item["sk"].startswith((_CARRIED, _RECHECKED)):
            yield from shapes.TARGET_FACTS.unpack(item["data"])


def load_known(crawl_id: str) -> Iterator[TargetFacts]:
    """Yield all known answers of targets (addresses requested but not read as pages), in this order: the answers to
    this crawl, the answers carried over from earlier audits, the answers to later rechecks (oldest first). If an
    address has several answers, use the last one."""
    learned: list[TargetFacts] = []
    for item in items.query_all(crawls.TABLE, keys.crawl_partition(crawl_id), _TARGETS):
        targets = shapes.TARGET_FACTS.unpack(item["data"])
        if item["sk"].startswith(_RECHECKED):
            learned += targets
        else:
            yield from targets
    yield from sorted(learned, key=lambda target: target.fetched_at)
