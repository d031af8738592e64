"""The published pages of a website, stored in packed blocks. A list of 10,000 pages takes a few reads; a single page
takes two.

Access patterns
- the page list of a generation, whole or searched: Query SITE#s#GEN#c, LIST#
- the addresses that no longer exist: BatchGet SITE#s#GEN#c, MISSING
- one page: BatchGet of the LIST and FIND blocks of its part of the pages, then one block of facts

Rows are partitioned by a hash of the page id, so that a page's partition can be computed from its id and the number of
partitions.
"""

import heapq
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.audit.evidence import bounded_findings
from chalicelib.domain.audit.issues import OpenRules
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.changes.missing_addresses import Offered
from chalicelib.domain.page import search
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.rendered import Rendered
from chalicelib.store import crawls, issues, items, keys, packing, rendered, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, TooLargeToPack
from chalicelib.store.transactions import Put

TABLE = "pages"
ROWS_PER_PARTITION = 250
MOST_PARTITIONS = 1 << 16
MISSING_SK = "MISSING"
# Decoding the rows is most of the work of a list, and people turn its pages. Decoded blocks are cached by their stored
# bytes, so a cached block is never stale. An ordinary block has about 15 KB, and decoded about 120 KB; larger ones are
# not cached. Long addresses that repeat compress well: a block of them may take 1 MB decoded, so few are cached.
_BLOCKS_KEPT: Final = 64
_LARGEST_KEPT: Final = 32_768  # bytes, as stored

_Kind = tuple[int | None, int | None]  # the status and the depth of a row

Findings = dict[str, list[PageFinding]]  # page id -> the rules that fire on it


class _RowStart(msgspec.Struct, array_like=True, gc=False):
    """The first members of a stored ``PageRow``, by which lists are searched, counted and sorted. The others are not
    decoded."""

    id: str
    url: str
    status: int | None
    title: str | None
    template: str | None
    page_score: int | None
    aeo_score: int | None
    rules: msgspec.Raw
    inlinks: int
    last_crawled: int | None
    facts_crawl: str | None = None
    facts_block: int = 0
    depth: int | None = None
    indexable: bool = False


class _Sought(msgspec.Struct, gc=False):
    """The members of a row by which it passes a filter. They take a third of the memory of ``_RowStart``."""

    id: str
    url: str
    title: str | None
    template: str | None
    last_crawled: int | None
    indexable: bool


class _Block(NamedTuple):
    """The members by which a block's rows are found, sorted and counted, in the order of the rows."""

    sought: list[_Sought]
    urls: list[str]
    kinds: list[_Kind]
    counts: Counter[_Kind]


class Filter(NamedTuple):
    """The restrictions of a page list. None means no restriction. ``statuses``: only pages with these HTTP statuses.
    ``page_ids``: only these pages."""

    text: str | None = None
    statuses: range | None = None
    template: str | None = None
    indexable: bool | None = None
    depth: int | None = None
    page_ids: frozenset[str] | None = None

    @property
    def passes(self) -> Callable[[_Sought], bool] | None:
        """Make a function that tests whether a row passes this filter, except for status and depth. Returns None if
        every row passes."""
        if self.text is None and self.template is None and self.indexable is None and self.page_ids is None:
            return None
        text, template, indexable, page_ids = search.wanted(self.text), self.template, self.indexable, self.page_ids
        return lambda row: (
            (page_ids is None or row.id in page_ids)
            and (template is None or row.template == template)
            and (indexable is None or (row.last_crawled is not None and row.indexable == indexable))
            and text.finds(row.url, row.title)
        )


_row_starts = typed.decoder(list[_RowStart])
_stored_rows = typed.decoder(list[msgspec.Raw])
_row = typed.decoder(PageRow)
_stored_findings = typed.decoder(dict[str, msgspec.Raw])
_page_findings = typed.decoder(list[PageFinding])


class Listed(NamedTuple):
    """A part of a page list, and the number of rows of the whole list.

    ``counts``: for each pair of status and depth, how many of its rows pass the filter's other conditions.
    """

    rows: list[PageRow]
    total: int
    counts: Mapping[_Kind, int]


def partition_of(page_id: str, partitions: int) -> int:
    return zlib.crc32(page_id.encode()) % partitions


def generation_writes(
    site_id: str, crawl_id: str, rows: Sequence[PageRow], findings: Findings
) -> tuple[list[Put], int]:
    """Return the writes that store the pages of a generation (the data that one audit publishes), and its number of
    partitions. Nobody reads the generation before it is published. The pages are divided over so many partitions that
    every item is small enough."""
    partitions = max(1, -(-len(rows) // ROWS_PER_PARTITION))
    fitting = {page_id: bounded_findings(fired) for page_id, fired in findings.items()}
    while True:
        writes = _packed(site_id, crawl_id, rows, fitting, partitions)
        if all(len(write.item["data"]) <= MAX_BLOCK_BYTES for write in writes):
            return writes, partitions
        if partitions >= MOST_PARTITIONS:
            raise TooLargeToPack(f"the pages of {crawl_id} do not fit into {partitions} partitions")
        partitions *= 2


def _packed(site_id: str, crawl_id: str, rows: Sequence[PageRow], findings: Findings, partitions: int) -> list[Put]:
    lists: list[list[PageRow]] = [[] for _ in range(partitions)]
    found: list[Findings] = [{} for _ in range(partitions)]
    for row in rows:
        lists[partition_of(row.id, partitions)].append(row)
    # Includes addresses that are not in the list (never read): the next audit takes their first-seen times from here.
    for page_id, fired in findings.items():
        if fired:
            found[partition_of(page_id, partitions)][page_id] = fired
    pk = keys.generation_partition(site_id, crawl_id)
    writes = [
        Put(TABLE, {"pk": pk, "sk": f"LIST#{n:04d}", "data": shapes.PAGE_ROWS.pack(part)})
        for n, part in enumerate(lists)
    ]
    writes += [
        Put(TABLE, {"pk": pk, "sk": f"FIND#{n:04d}", "data": shapes.PAGE_FINDINGS.pack(part)})
        for n, part in enumerate(found)
    ]
    return writes


def load_list(site_id: str, crawl_id: str) -> list[PageRow]:
    """Load the rows of all pages of a generation (the data that one audit published), in no particular order."""
    rows: list[PageRow] = []
    for item in _items(site_id, crawl_id, "LIST#"):
        rows.extend(shapes.PAGE_ROWS.unpack(item))
    return rows


def templates(site_id: str, crawl_id: str) -> dict[str, str | None]:
    """Return the template of every page of a generation (the data that one audit published), by the page's id."""
    return {
        row.id: row.template
        for item in _items(site_id, crawl_id, "LIST#")
        for row in _row_starts.decode(shapes.PAGE_ROWS.encoded(item))
    }


def list_rows(site_id: str, crawl_id: str, filter_: Filter, *, start: int, count: int | None) -> Listed:
    """Return the rows of the pages of a generation (the data that one audit published) that pass the filter, sorted by
    address. Returns ``count`` rows (None: all) from ``start`` on.

    Only the returned rows are decoded fully, since decoding all of 10,000 rows would take most of the time.
    """
    passes, statuses, depth = filter_.passes, filter_.statuses, filter_.depth
    every = passes is None and statuses is None and depth is None
    blocks: list[bytes] = []  # as stored
    firsts: list[int] = []  # for each block: the index of its first row
    found: list[int] = []  # for each row that passes: its index
    urls: list[str] = []  # and its address
    counts: Counter[_Kind] = Counter()
    rows = 0
    for item in _items(site_id, crawl_id, "LIST#"):
        blocks.append(item)
        firsts.append(rows)
        block = _kept_block(item) if len(item) <= _LARGEST_KEPT else _block(item)
        size = len(block.urls)
        passing = range(size) if passes is None else [at for at, row in enumerate(block.sought) if passes(row)]
        counts.update(block.counts if passes is None else (block.kinds[at] for at in passing))
        if every:
            urls += block.urls
        else:
            for at in passing:
                status, row_depth = block.kinds[at]
                if (statuses is None or status in statuses) and (depth is None or row_depth == depth):
                    found.append(rows + at)
                    urls.append(block.urls[at])
        rows += size
    order = _smallest(urls, None if count is None else start + count)[start:]
    given = order if every else [found[place] for place in order]
    opened: dict[int, list[msgspec.Raw]] = {}
    listed: list[PageRow] = []
    for row_number in given:
        number = bisect_right(firsts, row_number) - 1
        if number not in opened:
            opened[number] = _stored_rows.decode(shapes.PAGE_ROWS.encoded(blocks[number]))
        listed.append(_row.decode(opened[number][row_number - firsts[number]]))
    return Listed(listed, len(urls), counts)


def _block(item: bytes) -> _Block:
    starts = _row_starts.decode(shapes.PAGE_ROWS.encoded(item))
    sought = [
        _Sought(row.id, row.url, row.title, row.template and intern(row.template), row.last_crawled, row.indexable)
        for row in starts
    ]
    kinds = [(row.status, row.depth) for row in starts]
    return _Block(sought, [row.url for row in starts], kinds, Counter(kinds))


_kept_block = lru_cache(maxsize=_BLOCKS_KEPT)(_block)


def _smallest(urls: Sequence[str], count: int | None) -> list[int]:
    """Return the indexes of the first ``count`` addresses in alphabetical order (None: of all)."""
    places = range(len(urls))
    if count is None or count > len(urls) // 8:  # sorting all is cheaper
        return sorted(places, key=urls.__getitem__)[:count]
    return heapq.nsmallest(count, places, key=urls.__getitem__)


def load_findings(site_id: str, crawl_id: str) -> Findings:
    """Load all findings of a generation (the data that one audit published)."""
    findings: Findings = {}
    for item in _items(site_id, crawl_id, "FIND#"):
        findings.update(shapes.PAGE_FINDINGS.unpack(item))
    return findings


def _items(site_id: str, crawl_id: str, prefix: str) -> Iterator[bytes]:
    for item in items.query_all(TABLE, keys.generation_partition(site_id, crawl_id), prefix):
        yield item["data"]


class PageRecord(NamedTuple):
    """Everything stored about a page: its row, its findings and, if it was ever read, its facts. ``rules``: rules with
    an open issue on the page. ``rendered``: None if the page is in no rendered sample."""

    row: PageRow
    findings: list[PageFinding]
    facts: PageFacts | None
    rules: OpenRules
    rendered: Rendered | None


def load_page(site_id: str, crawl_id: str, partitions: int, page_id: str) -> PageRecord | None:
    """Load a page in full, as stored for a generation (the data that one audit published). Two round trips; one if
    there is no such page."""
    number = partition_of(page_id, partitions)
    pk = keys.generation_partition(site_id, crawl_id)
    state, sample = issues.state_key(site_id), rendered.sample_key(site_id)
    found = items.batch_get([(TABLE, pk, f"LIST#{number:04d}"), (TABLE, pk, f"FIND#{number:04d}"), state, sample])
    block = found.get((TABLE, pk, f"LIST#{number:04d}"))
    if block is None:
        return None
    row = packing.find(shapes.PAGE_ROWS, block["data"], page_id)
    if row is None:
        return None
    fired = _stored_findings.decode(shapes.PAGE_FINDINGS.encoded(found[(TABLE, pk, f"FIND#{number:04d}")]["data"]))
    findings = _page_findings.decode(fired[page_id]) if page_id in fired else []
    facts = None
    if row.facts_crawl is not None:
        facts = crawls.load_page_facts(row.facts_crawl, row.facts_block, row.url)
    book = issues.book_of(found.get(state))
    return PageRecord(
        row, findings, facts, book.open_rules() if book else {}, rendered.page_of(found.get(sample), row.url)
    )


def load_row(site_id: str, crawl_id: str, partitions: int, page_id: str) -> PageRow | None:
    """Load the row of a page, as stored for a generation (the data that one audit published). Returns None if there is
    no such page. One round trip."""
    number = partition_of(page_id, partitions)
    item = items.get(TABLE, keys.generation_partition(site_id, crawl_id), f"LIST#{number:04d}")
    return None if item is None else packing.find(shapes.PAGE_ROWS, item["data"], page_id)


def load_rows(site_id: str, crawl_id: str, partitions: int, page_ids: Iterable[str]) -> dict[str, PageRow]:
    """Load the rows of these pages, by page id. Pages that do not exist are left out. One round trip per 100
    partitions."""
    pk = keys.generation_partition(site_id, crawl_id)
    wanted = {page_id: (TABLE, pk, f"LIST#{partition_of(page_id, partitions):04d}") for page_id in page_ids}
    found = items.batch_get(dict.fromkeys(wanted.values())) if wanted else {}
    rows = (
        (page_id, packing.find(shapes.PAGE_ROWS, found[key]["data"], page_id))
        for page_id, key in wanted.items()
        if key in found
    )
    return {page_id: row for page_id, row in rows if row is not None}


def renew(
    site_id: str,
    crawl_id: str,
    partitions: int,
    rule_id: str,
    *,
    rows: Mapping[str, PageRow],
    findings: Mapping[str, PageFinding | None],
) -> None:
    """Replace rows of pages, and the findings of one rule, in a generation (the data that one audit published).
    ``rows`` and ``findings``: by page id; None removes the finding of a page.

    Each block is written as a whole, so a repeated call does no harm.
    """
    pk = keys.generation_partition(site_id, crawl_id)
    touched: dict[int, set[str]] = {}
    for page_id in {*rows, *findings}:
        touched.setdefault(partition_of(page_id, partitions), set()).add(page_id)
    wanted = [(TABLE, pk, f"{kind}#{number:04d}") for number in sorted(touched) for kind in ("LIST", "FIND")]
    stored = items.batch_get(wanted)
    for number, page_ids in sorted(touched.items()):
        listed = shapes.PAGE_ROWS.unpack(stored[(TABLE, pk, f"LIST#{number:04d}")]["data"])
        found = shapes.PAGE_FINDINGS.unpack(stored[(TABLE, pk, f"FIND#{number:04d}")]["data"])
        for page_id in page_ids & findings.keys():
            kept = [finding for finding in found.pop(page_id, []) if finding.rule_id != rule_id]
            now = findings[page_id]
            if now is not None:
                kept.append(now)
            if kept:
                found[page_id] = bounded_findings(kept)
        renewed = [rows.get(row.id, row) for row in listed]
        for row in renewed:
            if row.id in page_ids:
                row.rules = [finding.rule_id for finding in found.get(row.id, ())]
        items.batch_write(
            [
                (TABLE, {"pk": pk, "sk": f"LIST#{number:04d}", "data": shapes.PAGE_ROWS.pack(renewed)}),
                (TABLE, {"pk": pk, "sk": f"FIND#{number:04d}", "data": shapes.PAGE_FINDINGS.pack(found)}),
            ]
        )


def keep_missing(site_id: str, crawl_id: str, found: Sequence[Offered] | None) -> None:
    """Replace the stored list of addresses that no longer exist, for a generation (the data that one audit published).
    ``found``: the addresses; None if they are not known. Only as many addresses are stored as fit into an item."""
    item: items.Item = {"pk": keys.generation_partition(site_id, crawl_id), "sk": MISSING_SK}
    if found is not None:
        kept = list(found)
        while len(data := shapes.MISSING.pack(kept)) > MAX_BLOCK_BYTES:
            del kept[len(kept) // 2 :]
        item["data"] = data
    items.batch_write([(TABLE, item)])


def load_missing(site_id: str, crawl_id: str) -> list[Offered] | None:
    """Load the addresses that no longer exist, as stored for a generation (the data that one audit published). Returns
    None if they are not known."""
    key = (TABLE, keys.generation_partition(site_id, crawl_id), MISSING_SK)
    item = items.batch_get([key]).get(key, {})
    return shapes.MISSING.unpack(item["data"]) if "data" in item else None


def block_keys(site_id: str, crawl_id: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of all blocks of a generation (the data that one audit published), for marking the blocks for
    expiry."""
    for item in items.query_all(TABLE, keys.generation_partition(site_id, crawl_id), keys_only=True):
        yield item["pk"], item["sk"]
