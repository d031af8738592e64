"""Audits, rechecks and previews: headers, checkpoints and packed page facts.

Access patterns
- the newest audits of a website: Query SITE#s, AUDIT#, backwards (ids sort by time)
- one audit or recheck of a website by id: BatchGet of AUDIT#id and RECHECK#id, one round trip
- one preview: see ``previews``
- the newest rechecks, to find the waiting ones: Query SITE#s, RECHECK#, backwards
- what a crawl has committed so far: Query CRAWL#c, STEP# / FACTS# / TARGETS# / SITEFACTS / SITEMAP#
- crawls whose worker stopped renewing its lease: index ``running`` (runShard, leaseUntil)
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from chalicelib import clock, typed
from chalicelib.domain.audit.records import CrawlHeader, CrawlStage
from chalicelib.domain.crawl.frontier import Step
from chalicelib.domain.page.facts import PageFacts, SiteFacts
from chalicelib.store import items, keys, lanes, packing, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, Block, TooLargeToPack, pack_blocks
from chalicelib.store.errors import ITEM
from chalicelib.store.errors import FenceLost as FenceLost  # so that workers can write crawls.FenceLost
from chalicelib.store.transactions import Conflict, Put, Update, Write, commit

TABLE = "crawls"
HEADER = "header"  # in a ``Conflict``, the name of the write of the header
WAITING = "waiting recheck"  # the name of the write that puts a recheck back into the index
QUEUED_GRACE_SECONDS = 120.0  # a queued crawl whose message seems lost is sent again after this
ALERT_KEPT_SECONDS = 30 * 86_400.0  # how long an ended alert is stored: a website may have many a day
PREVIEW_KEPT_SECONDS = 14 * 86_400.0  # how long an ended preview is stored
OVERTAKEN_SECONDS = 1_800.0  # a recheck may start by this much later than a recheck that was queued after it
FACTS_BLOCKS_PER_STEP = 100
SITEMAP_URLS_PER_BLOCK = 5_000
SITEMAP_LANGUAGES_PER_BLOCK = 500
TRANSACTION_BYTES = 2_500_000  # size of packed facts; a transaction has 4 MB, which the step and its targets share
LEAST_LIST, LEAST_TEXT = 4, 300  # shortest lengths to which a huge page's lists and texts are cut

_NEVER_FREE = 1e11  # the end of a lease, in the year 5138
_ADDRESSES = ("url", "redirect_to")
_log = logging.getLogger(__name__)

SORT_KEYS: Final[dict[str, str]] = {"audit": "AUDIT#", "recheck": "RECHECK#", "preview": "PREVIEW#"}
_PUBLIC: Final = (SORT_KEYS["audit"], SORT_KEYS["recheck"])  # the kinds of crawls that ``get`` finds


class CancelRequested(Exception):
    """Since the last checkpoint, a person has asked to cancel the crawl."""


def run_shard(shard: str) -> str:
    """Return the partition of the index ``running`` with the unfinished crawls of a shard."""
    return f"RUN#{shard}"


def recheck_key(site_id: str, crawl_id: str) -> tuple[str, str]:
    """Return the key of a recheck's header."""
    return keys.site_partition(site_id), SORT_KEYS["recheck"] + crawl_id


def header_key(header: CrawlHeader) -> tuple[str, str]:
    return keys.site_partition(header.site_id), SORT_KEYS[header.kind] + header.id


def header_item(header: CrawlHeader) -> dict[str, Any]:
    pk, sk = header_key(header)
    item: dict[str, Any] = {"pk": pk, "sk": sk, **msgspec.to_builtins(header)}
    if header.ended or not header.lease_until:  # no worker holds the crawl: the same transaction frees the slot
        item |= {"lane": None, "slot": None}
    if not header.ended:
        item["runShard"] = run_shard(keys.shard(header.id))
        item["leaseUntil"] = header.lease_until or max(header.queued_at, header.due_at) + QUEUED_GRACE_SECONDS
    elif header.alert and header.finished_at is not None:
        item["ttl"] = int(header.finished_at + ALERT_KEPT_SECONDS)
    elif header.kind == "preview" and header.finished_at is not None:
        item["ttl"] = int(header.finished_at + PREVIEW_KEPT_SECONDS)
    return {name: value for name, value in item.items() if value is not None}


def to_header(item: dict[str, Any]) -> CrawlHeader:
    return typed.convert(item, CrawlHeader)


def put_new(header: CrawlHeader) -> Put:
    """Return the write that creates a header. The write fails when a header of that id exists."""
    return Put(TABLE, header_item(header), condition="attribute_not_exists(pk)", name=HEADER)


def put_fenced(header: CrawlHeader, *, committed_checkpoint: int, heed_cancel: bool = True) -> Put:
    """Return the write by which a worker stores the crawl's next header, and extends or frees the crawl's concurrency
    slot. The write fails when another worker has claimed the crawl, or when its last checkpoint is not
    ``committed_checkpoint``. ``heed_cancel``: the write also fails when a person asked to cancel the crawl."""
    condition = "#fence = :fence AND #checkpoint = :checkpoint"
    values: dict[str, Any] = {":fence": header.fence, ":checkpoint": committed_checkpoint}
    names = {"#fence": "fence", "#checkpoint": "checkpoint"}
    if heed_cancel:
        condition += " AND #cancel = :no"
        names["#cancel"] = "cancel_requested"
        values[":no"] = False
    until = 0.0 if header.ended else header.lease_until
    also = lanes.follow(TABLE, header.workspace_id, header.lane, header.slot, until)
    return Put(TABLE, header_item(header), condition=condition, names=names, values=values, name=HEADER, also=also)


def stage_reached(header: CrawlHeader, stage: CrawlStage) -> Update:
    """Return the write that stores, between two checkpoints, which stage a worker has reached. The write fails when
    another worker has claimed the crawl. The rest of the header, including a request to cancel, is not changed."""
    return Update(
        TABLE,
        header_key(header),
        "SET #stage = :stage",
        condition="#fence = :fence AND #checkpoint = :checkpoint",
        names={"#stage": "stage", "#fence": "fence", "#checkpoint": "checkpoint"},
        values={":stage": stage, ":fence": header.fence, ":checkpoint": header.checkpoint},
        name=HEADER,
    )


def why_lost(conflict: Conflict, header: CrawlHeader) -> Exception:
    """Return the error to raise after a transaction with ``put_fenced`` failed with a conflict: ``CancelRequested`` or
    ``FenceLost``. The stored header in the conflict shows which."""
    old = next((conflict.failed[name] for name in (HEADER, ITEM) if name in conflict.failed), None)
    if old is not None and old.get("fence") == header.fence and old.get("cancel_requested"):
        return CancelRequested(header.id)
    return FenceLost(header.id)


def renew(header: CrawlHeader, lease_until: float, *, heed_cancel: bool = True) -> None:
    """Renew a worker's lease during a long step that has nothing to commit yet. It does not count as progress of the
    crawl.

    Raises ``FenceLost`` and, with ``heed_cancel``, ``CancelRequested``.
    """
    condition, names = "#fence = :fence", {"#lease": "lease_until", "#fence": "fence"}
    values: dict[str, Any] = {":until": lease_until, ":fence": header.fence}
    if heed_cancel:
        condition += " AND #cancel = :no"
        names["#cancel"], values[":no"] = "cancel_requested", False
    expression = "SET #lease = :until, leaseUntil = :until"
    kept = Update(TABLE, header_key(header), expression, condition, names, values, HEADER)
    try:
        commit([kept, *lanes.follow(TABLE, header.workspace_id, header.lane, header.slot, lease_until)])
    except Conflict as conflict:
        raise why_lost(conflict, header) from None


def end_waiting(header: CrawlHeader) -> bool:
    """End an audit's wait for a rendering browser, so that a worker can continue the audit. Returns False when the
    audit no longer waits."""
    expression = "SET #lease = :none, leaseUntil = :none"
    names = {"#lease": "lease_until", "#fence": "fence", "#slice": "slice"}
    values = {":none": 0.0, ":fence": header.fence, ":slice": header.slice}
    try:
        items.update(
            TABLE,
            *header_key(header),
            expression,
            condition="#fence = :fence AND #slice = :slice",
            names=names,
            values=values,
        )
    except Conflict:
        return False
    return True


def request_cancel(header: CrawlHeader) -> Update:
    """Return the write that asks the running worker to stop."""
    pk, sk = header_key(header)
    return Update(
        TABLE,
        (pk, sk),
        "SET #cancel = :yes",
        condition="#status = :queued OR #status = :running",
        names={"#cancel": "cancel_requested", "#status": "status"},
        values={":yes": True, ":queued": "queued", ":running": "running"},
    )


def stopped(site_id: str, kind: str, crawl_id: str) -> Update:
    """Return the write that stops a crawl of a removed website. The next write of the crawl's worker then fails, and no
    other worker continues the crawl."""
    return Update(
        TABLE,
        (keys.site_partition(site_id), SORT_KEYS[kind] + crawl_id),
        "SET #lease = :never, #fence = if_not_exists(#fence, :none) + :one REMOVE runShard, leaseUntil",
        names={"#lease": "lease_until", "#fence": "fence"},
        values={":never": _NEVER_FREE, ":none": 0, ":one": 1},
    )


def get(site_id: str, crawl_id: str) -> CrawlHeader | None:
    """Load an audit or a recheck of the website; None if it does not exist. One round trip."""
    pk = keys.site_partition(site_id)
    found = items.batch_get([(TABLE, pk, prefix + crawl_id) for prefix in _PUBLIC])
    return next((to_header(item) for item in found.values()), None)


def list_audits(site_id: str, limit: int | None) -> list[CrawlHeader]:
    """Return the website's audits, newest first, at most ``limit`` (None: all)."""
    found: list[CrawlHeader] = []
    start: dict[str, Any] | None = None
    while True:
        rows, start = items.query(
            TABLE, keys.site_partition(site_id), SORT_KEYS["audit"], limit=limit, forward=False, start=start
        )
        found += map(to_header, rows)
        if start is None or limit is not None:
            return found


def oldest_waiting_recheck(site_id: str) -> CrawlHeader | None:
    """Return the oldest of the website's queued rechecks that are due. Returns None when no recheck is due."""
    now = clock.now()
    return next((header for header in reversed(queued_rechecks(site_id)) if header.due_at <= now), None)


def queued_rechecks(site_id: str) -> list[CrawlHeader]:
    """Return the rechecks of the website that are queued, newest first."""
    queued: list[CrawlHeader] = []
    ended: CrawlHeader | None = None
    for header in _newest_rechecks(site_id):
        # Rechecks run nearly in the order in which they were queued: one queued long before an ended one has
        # ended too.
        if ended is not None and header.queued_at < ended.queued_at - OVERTAKEN_SECONDS:
            break
        if header.ended:
            ended = ended or header
        elif header.status == "queued":
            queued.append(header)
    return queued


def _newest_rechecks(site_id: str) -> Iterator[CrawlHeader]:
    start: dict[str, Any] | None = None
    while True:
        partition = keys.site_partition(site_id)
        found, start = items.query(TABLE, partition, SORT_KEYS["recheck"], limit=25, forward=False, start=start)
        yield from map(to_header, found)
        if start is None:
            return


def overdue(shard: str, now: float) -> Iterator[CrawlHeader]:
    """Yield the crawls of a shard whose lease or waiting time has passed, longest overdue first. They are read as the
    caller takes them. The index may lag behind the rows for a moment. A row that cannot be read is logged and skipped.
    """
    for item in items.query_index("running", run_shard(shard), now):
        try:
            yield to_header(item)
        except msgspec.ValidationError:
            _log.exception("the header of a crawl cannot be read", extra={"pk": item["pk"], "sk": item["sk"]})


# -- waiting for the website's crawl lock ----------------------------------------------------------------


def waits(header: CrawlHeader) -> Update:
    """Return the write that removes a queued recheck from the index ``running``, in which the sweeper looks for overdue
    crawls. The recheck is not overdue, but waits because another crawl holds the website's crawl lock. The transaction
    that frees the lock puts the recheck back into the index. The write fails when the recheck is no longer queued."""
    return Update(
        TABLE,
        header_key(header),
        "REMOVE runShard, leaseUntil",
        condition="#status = :queued",
        names={"#status": "status"},
        values={":queued": header.status},
        name=HEADER,
    )


def due_now(header: CrawlHeader, now: float) -> Update:
    """Return the write that makes a queued recheck due now. The write fails when the recheck is already due, has begun,
    or was cancelled."""
    return Update(
        TABLE,
        header_key(header),
        "SET #due = :now, leaseUntil = :at",
        condition="#status = :queued AND #due > :now AND #cancel = :no",
        names={"#status": "status", "#due": "due_at", "#cancel": "cancel_requested"},
        values={":queued": "queued", ":now": now, ":at": now + QUEUED_GRACE_SECONDS, ":no": False},
        name=HEADER,
    )


def put_back(header: CrawlHeader, now: float) -> Update:
    """Return the write that puts a waiting recheck back into the index ``running``. By this index the sweeper finds
    overdue crawls, even if a message was lost. The write fails when the recheck is no longer queued. The name of this
    write in a ``Conflict`` is ``WAITING``."""
    return Update(
        TABLE,
        header_key(header),
        "SET runShard = :shard, leaseUntil = :at",
        condition="#status = :queued",
        names={"#status": "status"},
        values={":shard": run_shard(keys.shard(header.id)), ":at": now + QUEUED_GRACE_SECONDS, ":queued": "queued"},
        name=WAITING,
    )


# -- checkpoints ---------------------------------------------------------------------------------------


def pack_facts(facts: Sequence[PageFacts]) -> list[Block]:
    """Pack page facts into blocks. A page that is too large for a block is shortened until it fits."""
    try:
        return pack_blocks(facts, shapes.PAGE_FACTS)
    except TooLargeToPack:
        if len(facts) > 1:
            middle = len(facts) // 2
            return pack_facts(facts[:middle]) + pack_facts(facts[middle:])
        return pack_facts([_halved(facts[0])])


def _halved(page: PageFacts) -> PageFacts:
    """Return the page with its long lists and texts cut in half. Its numbers are not changed."""
    cut: dict[str, Any] = {"truncated": True}
    for name in page.__struct_fields__:
        value = getattr(page, name)
        if (isinstance(value, list) and len(value) > LEAST_LIST) or (
            isinstance(value, str) and len(value) > LEAST_TEXT and name not in _ADDRESSES
        ):
            cut[name] = value[: len(value) // 2]
        elif isinstance(value, dict):
            cut[name] = {key: text[:LEAST_TEXT] for key, text in value.items()}
    return msgspec.structs.replace(page, **cut)


def facts_writes(crawl_id: str, checkpoint: int, blocks: Sequence[Block]) -> list[Put]:
    """Return the writes that store a checkpoint's page facts; ``block_numbers`` gives the block of each page."""
    return [Put(TABLE, _facts_item(crawl_id, number, data)) for number, data in numbered(checkpoint, blocks)]


def numbered(checkpoint: int, blocks: Sequence[Block]) -> list[tuple[int, bytes]]:
    """Return a checkpoint's blocks of page facts with their numbers, like the result of ``load_packed_facts``."""
    return [(_block_number(checkpoint, position), block.data) for position, block in enumerate(blocks)]


def facts_rewrite(crawl_id: str, number: int, facts: Sequence[PageFacts]) -> Put:
    """Return the write that replaces a stored block with the current facts of its pages."""
    return Put(TABLE, _facts_item(crawl_id, number, shapes.PAGE_FACTS.pack(list(facts))))


def _facts_item(crawl_id: str, number: int, data: bytes) -> dict[str, Any]:
    return {"pk": keys.crawl_partition(crawl_id), "sk": f"FACTS#{number:09d}", "data": data}


def block_numbers(checkpoint: int, blocks: Sequence[Block]) -> list[int]:
    """Return the number of the block that holds each page, for all pages of a checkpoint."""
    return [_block_number(checkpoint, position) for position, block in enumerate(blocks) for _ in range(block.records)]


def _block_number(checkpoint: int, position: int) -> int:
    return checkpoint * FACTS_BLOCKS_PER_STEP + position


def step_writes(crawl_id: str, checkpoint: int, step: Step) -> list[Write]:
    """Return the writes that store what a checkpoint adds to the list of known addresses. Many new addresses are split
    over several items, in order."""
    pk = keys.crawl_partition(crawl_id)
    return [
        Put(TABLE, {"pk": pk, "sk": f"STEP#{checkpoint:06d}#{number:03d}", "data": data})
        for number, data in enumerate(_packed_step(step))
    ]


def _packed_step(step: Step) -> list[bytes]:
    data = shapes.STEP.pack(step)
    if len(data) <= MAX_BLOCK_BYTES or len(step.added) <= 1:
        return [data]
    middle = len(step.added) // 2
    first = step.added[:middle]
    of_first = {url: step.spelled[url] for url in first if url in step.spelled}
    others = {url: written for url, written in step.spelled.items() if url not in of_first}
    halves = ((first, of_first), (step.added[middle:], others))
    return [
        data
        for added, spelled in halves
        for data in _packed_step(Step(added, step.cursor, step.skipped_traps, spelled))
    ]


def put_site_facts(crawl_id: str, fence: int, facts: SiteFacts) -> None:
    """Store the facts about the website. A long sitemap, and the languages that it names, go into separate blocks.

    The keys contain the fence (a number that each claim of the crawl increases), so that a worker that lost its lease
    cannot overwrite what the next worker committed."""
    pk = keys.crawl_partition(crawl_id)
    head = shapes.SITE_FACTS.pack(msgspec.structs.replace(facts, sitemap_urls=[], sitemap_languages=[]))
    parts = [head[start : start + MAX_BLOCK_BYTES] for start in range(0, len(head), MAX_BLOCK_BYTES)]
    writes: list[dict[str, Any]] = [
        {"pk": pk, "sk": _site_facts_key(fence, number), "data": part, "parts": len(parts)}
        for number, part in enumerate(parts)
    ]
    for start in range(0, len(facts.sitemap_urls), SITEMAP_URLS_PER_BLOCK):
        part = facts.sitemap_urls[start : start + SITEMAP_URLS_PER_BLOCK]
        for block in pack_blocks(part, shapes.SITEMAP_URLS):
            writes.append({"pk": pk, "sk": f"SITEMAP#{fence}#{len(writes):04d}", "data": block.data})
    for start in range(0, len(facts.sitemap_languages), SITEMAP_LANGUAGES_PER_BLOCK):
        versions = facts.sitemap_languages[start : start + SITEMAP_LANGUAGES_PER_BLOCK]
        for block in pack_blocks(versions, shapes.SITEMAP_LANGUAGES):
            writes.append({"pk": pk, "sk": f"LANGUAGES#{fence}#{len(writes):04d}", "data": block.data})
    items.batch_write((TABLE, item) for item in writes)


def _site_facts_key(fence: int, part: int) -> str:
    return f"SITEFACTS#{fence}" if part == 0 else f"SITEFACTS#{fence}#{part}"


def load_site_facts(crawl_id: str, fence: int) -> SiteFacts:
    pk = keys.crawl_partition(crawl_id)
    first = items.get(TABLE, pk, _site_facts_key(fence, 0))
    if first is None:
        raise LookupError(f"no website facts of {crawl_id} were stored by the worker with fence {fence}")
    rest = [_site_facts_key(fence, part) for part in range(1, first.get("parts", 1))]
    found = items.batch_get((TABLE, pk, sk) for sk in rest)
    facts = shapes.SITE_FACTS.unpack(b"".join([first["data"], *(found[TABLE, pk, sk]["data"] for sk in rest)]))
    for item in items.query_all(TABLE, pk, f"SITEMAP#{fence}#"):
        facts.sitemap_urls.extend(shapes.SITEMAP_URLS.unpack(item["data"]))
    for item in items.query_all(TABLE, pk, f"LANGUAGES#{fence}#"):
        facts.sitemap_languages.extend(shapes.SITEMAP_LANGUAGES.unpack(item["data"]))
    return facts


def load_steps(crawl_id: str) -> Iterator[Step]:
    for item in items.query_all(TABLE, keys.crawl_partition(crawl_id), "STEP#"):
        yield shapes.STEP.unpack(item["data"])


def load_facts(crawl_id: str, numbers: range | None = None) -> Iterator[tuple[int, list[PageFacts]]]:
    """Yield the committed page facts of a crawl as (block number, pages), in the order in which the crawl read the
    pages. ``numbers``: if given, only these blocks."""
    for number, data in load_packed_facts(crawl_id):
        if numbers is None or number in numbers:
            yield number, unpack_facts(data)


def load_packed_facts(crawl_id: str) -> Iterator[tuple[int, bytes]]:
    """Yield the committed page facts of a crawl as (block number, packed block), for callers that unpack the blocks
    more than once."""
    for item in items.query_all(TABLE, keys.crawl_partition(crawl_id), "FACTS#"):
        yield int(item["sk"].partition("#")[2]), item["data"]


def unpack_facts(data: bytes) -> list[PageFacts]:
    """Return the pages of a packed block."""
    return shapes.PAGE_FACTS.unpack(data)


def load_facts_block(crawl_id: str, number: int) -> list[PageFacts]:
    item = items.get(TABLE, keys.crawl_partition(crawl_id), f"FACTS#{number:09d}")
    return shapes.PAGE_FACTS.unpack(item["data"]) if item else []


def load_page_facts(crawl_id: str, number: int, url: str) -> PageFacts | None:
    """Load the facts of the page with this address from a stored block."""
    item = items.get(TABLE, keys.crawl_partition(crawl_id), f"FACTS#{number:09d}")
    return packing.find(shapes.PAGE_FACTS, item["data"], url) if item else None


def block_keys(crawl_id: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of all items that a crawl has committed, so that they can be marked for expiry."""
    for item in items.query_all(TABLE, keys.crawl_partition(crawl_id), keys_only=True):
        yield item["pk"], item["sk"]
