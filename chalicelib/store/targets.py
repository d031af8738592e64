"""Targets: what the addresses answered that crawls only asked for. They lie with the crawls' page facts.

Access patterns
- what a crawl was answered: Query CRAWL#c, TARGETS#<checkpoint>
- all that is known since an audit: Query CRAWL#c, TARGETS#, which adds TARGETS#carried# and TARGETS#recheck#
"""

from collections.abc import Iterator, Sequence

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.page.facts import TargetFacts
from chalicelib.store import crawls, items, keys, shapes
from chalicelib.store.blocks import pack_blocks
from chalicelib.store.transactions import Put

_TARGETS = "TARGETS#"
_CARRIED = _TARGETS + "carried#"  # sorts after those that the crawl asked for, which are numbered by checkpoint
_RECHECKED = _TARGETS + "recheck#"  # what rechecks learned since the audit ended; sorts last


def writes(crawl_id: str, checkpoint: int, targets: Sequence[TargetFacts]) -> list[Put]:
    """The writes that keep what a checkpoint's targets answered."""
    pk = keys.crawl_partition(crawl_id)
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{_TARGETS}{checkpoint:06d}#{number:03d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def carried_writes(crawl_id: str, targets: Sequence[TargetFacts]) -> list[Put]:
    """The writes that keep what earlier audits know of targets which this crawl did not ask for."""
    pk = keys.crawl_partition(crawl_id)
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{_CARRIED}{number:04d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def rechecked_writes(audit_id: str, recheck: CrawlHeader, targets: Sequence[TargetFacts]) -> list[Put]:
    """The writes that keep what a recheck learned of targets with what the last audit knows of them. Each worker's
    blocks have keys of their own: what one learned before it was killed is known to the next."""
    pk, sk = keys.crawl_partition(audit_id), f"{_RECHECKED}{recheck.id}#{recheck.fence:06d}#"
    return [
        Put(crawls.TABLE, {"pk": pk, "sk": f"{sk}{number:03d}", "data": block.data})
        for number, block in enumerate(pack_blocks(targets, shapes.TARGET_FACTS))
    ]


def load(crawl_id: str, checkpoint: int | None = None) -> Iterator[TargetFacts]:
    """What the targets of links and canonicals answered this crawl, in the order in which they were asked for; of one
    checkpoint, or of all."""
    prefix = _TARGETS if checkpoint is None else f"{_TARGETS}{checkpoint:06d}#"
    for item in items.query_all(crawls.TABLE, keys.crawl_partition(crawl_id), prefix):
        if not item["sk"].startswith((_CARRIED, _RECHECKED)):
            yield from shapes.TARGET_FACTS.unpack(item["data"])


def load_known(crawl_id: str) -> Iterator[TargetFacts]:
    """What targets answered this crawl, then what it carried from earlier audits, then what rechecks have learned
    since, oldest first. Where several name an address, the last one counts."""
    learned: list[TargetFacts] = []
    for item in items.query_all(crawls.TABLE, keys.crawl_partition(crawl_id), _TARGETS):
        targets = shapes.TARGET_FACTS.unpack(item["data"])
        if item["sk"].startswith(_RECHECKED):
            learned += targets
        else:
            yield from targets
    yield from sorted(learned, key=lambda target: target.fetched_at)
