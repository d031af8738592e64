"""Issues of a website: one packed item for all of them, packed blocks for the pages each affects.

Access patterns
- all issues of a website, and what its score is computed from: Get SITE#s, STATE
- the pages of one issue: Query SITE#s, AFF#issue#crawl#
- the pages of one issue, some of their suggestions, what can be written and what was approved: BatchGet of AFF#…,
  SUG#issue#crawl#chunk, the published addresses and the last batch of changes
The STATE item carries a version: every change of any issue is one conditional write of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chalicelib.domain.audit.issues import Issue, IssueBook, shortened
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.content import PublishedAddresses
from chalicelib.domain.suggestion import Suggestion, SuggestionSet
from chalicelib.store import changes, content, items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, pack_blocks
from chalicelib.store.changes import Loaded
from chalicelib.store.transactions import Put

TABLE = "issues"
BOOK = "issues"  # what a conflict calls the write of a website's issues


def load_state(site_id: str) -> IssueBook | None:
    """All issues of the website, or None before its first audit. One round trip."""
    return book_of(items.get(*state_key(site_id)))


def state_key(site_id: str) -> tuple[str, str, str]:
    """Table and key of the item that holds all issues, for reads that take other items along."""
    return TABLE, keys.site_partition(site_id), "STATE"


def book_of(item: Mapping[str, Any] | None) -> IssueBook | None:
    """The issues in that item."""
    return shapes.ISSUE_BOOK.unpack(item["data"]) if item else None


def put_state(site_id: str, book: IssueBook, *, replaces: int) -> Put:
    """The write that replaces version ``replaces`` (0: there is none yet) by ``book``.

    All issues share one item: where they do not fit, their longest texts are cut.
    """
    data = shapes.ISSUE_BOOK.pack(book)
    if len(data) > MAX_BLOCK_BYTES:
        data = shapes.ISSUE_BOOK.pack(shortened(book))
    item = {"pk": keys.site_partition(site_id), "sk": "STATE", "version": book.version, "data": data}
    if replaces == 0:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=BOOK)
    names, values = {"#version": "version"}, {":version": replaces}
    return Put(TABLE, item, condition="#version = :version", names=names, values=values, name=BOOK)


def affected_writes(site_id: str, issue_id: str, crawl_id: str, pages: Sequence[AffectedPage]) -> list[Put]:
    """The writes that store an issue's affected pages; their number is the issue's ``affected_chunks``."""
    return [
        Put(
            TABLE,
            {"pk": keys.site_partition(site_id), "sk": f"AFF#{issue_id}#{crawl_id}#{number:04d}", "data": block.data},
        )
        for number, block in enumerate(pack_blocks(pages, shapes.AFFECTED_PAGES))
    ]


def load_affected(site_id: str, issue: Issue) -> list[AffectedPage]:
    """The pages the issue affects, in order. One round trip a megabyte."""
    if not issue.affected_chunks:
        return []
    pages: list[AffectedPage] = []
    prefix = f"AFF#{issue.id}#{issue.affected_crawl}#"
    for item in items.query_all(TABLE, keys.site_partition(site_id), prefix):
        pages.extend(shapes.AFFECTED_PAGES.unpack(item["data"]))
    return pages


def suggestion_writes(
    site_id: str, issue_id: str, crawl_id: str, suggestions: Sequence[Suggestion]
) -> tuple[list[Put], list[int]]:
    """The writes that store an issue's suggestions, and how many each block holds (``SuggestionSet.counts``)."""
    blocks = pack_blocks(suggestions, shapes.SUGGESTIONS)
    pk = keys.site_partition(site_id)
    writes = [
        Put(TABLE, {"pk": pk, "sk": _suggestions_key(issue_id, crawl_id, number), "data": block.data})
        for number, block in enumerate(blocks)
    ]
    return writes, [block.records for block in blocks]


def _suggestions_key(issue_id: str, crawl_id: str, number: int) -> str:
    return f"SUG#{issue_id}#{crawl_id}#{number:04d}"


def list_keys(site_id: str, issue: Issue) -> list[tuple[str, str]]:
    """The keys of all that is stored of an issue's pages and suggestions."""
    pk = keys.site_partition(site_id)
    found = [(pk, f"AFF#{issue.id}#{issue.affected_crawl}#{number:04d}") for number in range(issue.affected_chunks)]
    if issue.suggestions is not None:
        numbers = range(len(issue.suggestions.counts))
        found += [(pk, _suggestions_key(issue.id, issue.suggestions.crawl_id, number)) for number in numbers]
    return found


class Detail(NamedTuple):
    """The pages that an issue affects, and the wanted part of their suggestions, of ``total``; both in order.
    ``published``: the addresses that the CMS sent as published, None where it never sent any; ``approved``: the last
    batch of changes, None where there is none, or no longer."""

    affected: list[AffectedPage]
    suggestions: list[Suggestion]
    total: int
    published: PublishedAddresses | None
    approved: Loaded | None


def load_detail(site_id: str, issue: Issue, *, offset: int, limit: int) -> Detail:
    """The affected pages and suggestions ``offset`` to ``offset + limit`` in one round trip.

    A recheck takes pages off the list and leaves the suggestions as the audit stored them: then those of the pages
    that are still listed count. A page without a stored one has a suggestion without values.
    """
    pk = keys.site_partition(site_id)
    stored = issue.suggestions or SuggestionSet(issue.affected_crawl or "", [])
    as_listed = issue.suggestions is not None and stored.crawl_id == issue.affected_crawl
    numbers, skipped = _blocks_of(stored.counts, offset, limit) if as_listed else (range(len(stored.counts)), 0)
    listed = [(TABLE, pk, f"AFF#{issue.id}#{issue.affected_crawl}#{n:04d}") for n in range(issue.affected_chunks)]
    suggested = [(TABLE, pk, _suggestions_key(issue.id, stored.crawl_id, n)) for n in numbers]
    batch = [] if issue.change_batch is None else changes.keys_of(site_id, issue.change_batch, issue.change_blocks)
    found = items.batch_get([*listed, *suggested, *batch, content.published_key(site_id)])
    approved = changes.loaded_of(found, batch) if batch else None
    published = content.published_of(found.get(content.published_key(site_id)))
    affected = [page for key in listed if key in found for page in shapes.AFFECTED_PAGES.unpack(found[key]["data"])]
    suggestions = [one for key in suggested if key in found for one in shapes.SUGGESTIONS.unpack(found[key]["data"])]
    if as_listed:
        return Detail(affected, suggestions[offset - skipped :][:limit], sum(stored.counts), published, approved)
    by_address = {one.url: one for one in suggestions}
    window = [
        by_address.get(page.url) or Suggestion(page.url, page.page_id, None, None)
        for page in affected[offset : offset + limit]
    ]
    return Detail(affected, window, len(affected), published, approved)


class Pages(NamedTuple):
    """The pages that an issue affects, and what is suggested for its pages, which a recheck leaves as it is."""

    affected: list[AffectedPage]
    suggestions: list[Suggestion]


def pages_keys(site_id: str, issue: Issue) -> list[items.Key]:
    """Table and key of all that is stored of an issue's pages, for reads that take other items along."""
    return [(TABLE, *key) for key in list_keys(site_id, issue)]


def pages_of(found: Mapping[items.Key, Mapping[str, Any]], site_id: str, issue: Issue) -> Pages:
    """The pages in the items of ``pages_keys``."""
    rows = [(key, found[key]["data"]) for key in pages_keys(site_id, issue) if key in found]
    affected = [data for (_, _, sk), data in rows if sk.startswith("AFF#")]
    suggested = [data for (_, _, sk), data in rows if sk.startswith("SUG#")]
    return Pages(
        [page for data in affected for page in shapes.AFFECTED_PAGES.unpack(data)],
        [one for data in suggested for one in shapes.SUGGESTIONS.unpack(data)],
    )


def load_suggested(site_id: str, issue: Issue) -> list[Suggestion]:
    """All suggestions that are stored for the issue's pages."""
    wanted = [key for key in pages_keys(site_id, issue) if key[2].startswith("SUG#")]
    return pages_of(items.batch_get(wanted) if wanted else {}, site_id, issue).suggestions


def _blocks_of(counts: Sequence[int], offset: int, limit: int) -> tuple[range, int]:
    """The blocks that hold the wanted suggestions, and how many suggestions lie in those before."""
    first = start = skipped = 0
    for number, count in enumerate(counts):
        if start + count <= offset:
            first, skipped = number + 1, start + count
        if start >= offset + limit:
            return range(first, number), skipped
        start += count
    return range(first, len(counts)), skipped


def replaced_keys(site_id: str, crawl_id: str) -> Iterator[tuple[str, str]]:
    """The keys of affected pages and suggestions that older crawls stored and no issue points at any more."""
    book = load_state(site_id)
    found = book.issues if book else []
    kept = {f"AFF#{issue.id}#{issue.affected_crawl}" for issue in found}
    kept |= {f"SUG#{issue.id}#{issue.suggestions.crawl_id}" for issue in found if issue.suggestions is not None}
    for prefix in ("AFF#", "SUG#"):
        for item in items.query_all(TABLE, keys.site_partition(site_id), prefix, keys_only=True):
            stored_by, _, _ = item["sk"].rpartition("#")
            if stored_by not in kept and stored_by.rpartition("#")[2] < crawl_id:
                yield item["pk"], item["sk"]
