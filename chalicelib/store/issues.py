"""Issues of a website: one packed item for all of them, packed blocks for the pages each affects.

Access patterns
- all issues of a website, and what its score is computed from: Get SITE#s, STATE
- the pages of one issue: Query SITE#s, AFF#issue#generation#
The STATE item carries a version: every change of any issue is one conditional write of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chalicelib.domain.audit.issues import Issue, IssueBook
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.store import items, keys
from chalicelib.store.blocks import pack_blocks
from chalicelib.store.packing import pack, unpack
from chalicelib.store.transactions import Put

TABLE = "issues"


def load_state(site_id: str) -> IssueBook | None:
    """All issues of the website, or None before its first audit. One round trip."""
    return book_of(items.get(*state_key(site_id)))


def state_key(site_id: str) -> tuple[str, str, str]:
    """Table and key of the item that holds all issues, for reads that take other items along."""
    return TABLE, keys.site_partition(site_id), "STATE"


def book_of(item: Mapping[str, Any] | None) -> IssueBook | None:
    """The issues in that item."""
    return unpack(item["data"], IssueBook) if item else None


def put_state(site_id: str, book: IssueBook, *, replaces: int) -> Put:
    """The write that replaces version ``replaces`` (0: there is none yet) by ``book``."""
    item = {"pk": keys.site_partition(site_id), "sk": "STATE", "version": book.version, "data": pack(book)}
    if replaces == 0:
        return Put(TABLE, item, condition="attribute_not_exists(pk)")
    return Put(
        TABLE, item, condition="#version = :version", names={"#version": "version"}, values={":version": replaces}
    )


def affected_writes(site_id: str, issue_id: str, generation: str, pages: Sequence[AffectedPage]) -> list[Put]:
    """The writes that store an issue's affected pages; their number is the issue's ``affected_chunks``."""
    return [
        Put(
            TABLE,
            {"pk": keys.site_partition(site_id), "sk": f"AFF#{issue_id}#{generation}#{number:04d}", "data": block.data},
        )
        for number, block in enumerate(pack_blocks(pages))
    ]


def load_affected(site_id: str, issue: Issue) -> list[AffectedPage]:
    """The pages the issue affects, in order. One round trip a megabyte."""
    if not issue.affected_chunks:
        return []
    pages: list[AffectedPage] = []
    prefix = f"AFF#{issue.id}#{issue.affected_generation}#"
    for item in items.query_all(TABLE, keys.site_partition(site_id), prefix):
        pages.extend(unpack(item["data"], list[AffectedPage]))
    return pages


def replaced_keys(site_id: str, crawl_id: str) -> Iterator[tuple[str, str]]:
    """The keys of affected pages that older crawls stored and no issue points at any more."""
    book = load_state(site_id)
    kept = {f"AFF#{issue.id}#{issue.affected_generation}" for issue in book.issues} if book else set()
    for item in items.query_all(TABLE, keys.site_partition(site_id), "AFF#", keys_only=True):
        stored_by, _, _ = item["sk"].rpartition("#")
        if stored_by not in kept and stored_by.rpartition("#")[2] < crawl_id:
            yield item["pk"], item["sk"]
