"""The issues of a website. All issues are in one packed item; the pages that each issue affects are in packed blocks.

Access patterns
- all issues of a website, and the counts from which its score is computed: Get SITE#s, STATE
- the history of an issue, newest first: Query SITE#s, LOG#issue# and LOG#*# (changes of several issues at once),
  backwards
- the pages of one issue: Query SITE#s, AFF#issue#crawl#

The STATE item has a version: every change of any issue is one conditional write of this item. In the same transaction,
the change is logged under the new version.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from chalicelib import clock, typed
from chalicelib.domain.audit.ignoring import left
from chalicelib.domain.audit.issue_log import KEPT_SECONDS, LogEntry
from chalicelib.domain.audit.issues import Issue, IssueBook, shortened
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.suggestion import Suggestion
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, pack_blocks
from chalicelib.store.transactions import Put

TABLE = "issues"
BLOCKS_AT_ONCE = 40  # blocks of affected pages read at once for many issues
MOST_LOGGED = 1_000
_SEVERAL = "*"  # replaces the issue in the key of a log entry for several issues
BOOK = "issues"  # in a ``Conflict``, the name of the write of a website's issues


def load_state(site_id: str) -> IssueBook | None:
    """Load all issues of the website. Returns None before its first audit. One round trip."""
    return book_of(items.get(*state_key(site_id)))


def state_key(site_id: str) -> tuple[str, str, str]:
    """Return table and key of the item that holds all issues, for callers that read other items in the same
    BatchGet."""
    return TABLE, keys.site_partition(site_id), "STATE"


def book_of(item: Mapping[str, Any] | None) -> IssueBook | None:
    """Return the issues in this item. An issue that was ignored until a date in the past is no longer ignored."""
    return shapes.ISSUE_BOOK.unpack(item["data"]).as_of(clock.now()) if item else None


def put_state(site_id: str, book: IssueBook, *, replaces: int, log: Sequence[LogEntry] = ()) -> Put:
    """Return the write that replaces the stored issues by ``book``. ``replaces``: the version of the stored issues (0:
    none is stored yet). ``log``: the changes of the issues, written in the same transaction.

    All issues are in one item. If they are too large for it, their longest texts are cut.
    """
    data = shapes.ISSUE_BOOK.pack(book)
    if len(data) > MAX_BLOCK_BYTES:
        data = shapes.ISSUE_BOOK.pack(shortened(book))
    item = {"pk": keys.site_partition(site_id), "sk": "STATE", "version": book.version, "data": data}
    also = _logged(site_id, book.version, log)
    if replaces == 0:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=BOOK, also=also)
    names, values = {"#version": "version"}, {":version": replaces}
    return Put(TABLE, item, condition="#version = :version", names=names, values=values, name=BOOK, also=also)


def _logged(site_id: str, version: int, log: Sequence[LogEntry]) -> tuple[Put, ...]:
    """Return the write of the log entries: one item, regardless of how many issues changed."""
    if not log:
        return ()
    of = {entry.issue_id for entry in log}
    sk = f"{_log_prefix(min(of) if len(of) == 1 else _SEVERAL)}{version:012d}"
    ttl = int(max(entry.at for entry in log) + KEPT_SECONDS)
    item = {"pk": keys.site_partition(site_id), "sk": sk, "data": shapes.ISSUE_LOG.pack(list(log)), "ttl": ttl}
    return (Put(TABLE, item),)


def _log_prefix(issue_id: str) -> str:
    return f"LOG#{issue_id}#"


def load_log(site_id: str, issue_id: str) -> list[LogEntry]:
    """Load the log of an issue, newest first. An entry is about this issue alone, or about several issues including
    this one. The last 1,000 entries of each of these kinds are read. Two round trips, and one more per MB."""
    partition = keys.site_partition(site_id)
    rows = [
        row
        for of in (issue_id, _SEVERAL)
        for row in items.query(TABLE, partition, _log_prefix(of), limit=MOST_LOGGED, forward=False)[0]
    ]
    rows.sort(key=lambda row: keys.last_part(row["sk"]), reverse=True)
    return [
        entry for row in rows for entry in reversed(shapes.ISSUE_LOG.unpack(row["data"])) if entry.issue_id == issue_id
    ]


def affected_writes(site_id: str, issue_id: str, crawl_id: str, pages: Sequence[AffectedPage]) -> list[Put]:
    """Return the writes that store an issue's affected pages. The number of writes is the issue's
    ``affected_chunks``."""
    return [
        Put(
            TABLE,
            {"pk": keys.site_partition(site_id), "sk": f"AFF#{issue_id}#{crawl_id}#{number:04d}", "data": block.data},
        )
        for number, block in enumerate(pack_blocks(pages, shapes.AFFECTED_PAGES))
    ]


def load_affected(site_id: str, issue: Issue) -> list[AffectedPage]:
    """Load the pages that the issue affects, in order, without ignored ones. One round trip per MB."""
    return left(issue.ignored, load_with_ignored(site_id, issue))


def load_with_ignored(site_id: str, issue: Issue) -> list[AffectedPage]:
    """Load the pages that the issue affects, in order, including ignored ones. One round trip per MB."""
    if not issue.affected_chunks:
        return []
    pages: list[AffectedPage] = []
    prefix = f"AFF#{issue.id}#{issue.affected_crawl}#"
    for item in items.query_all(TABLE, keys.site_partition(site_id), prefix):
        pages.extend(shapes.AFFECTED_PAGES.unpack(item["data"]))
    return pages


def load_affected_of(site_id: str, wanted: Iterable[Issue]) -> Iterator[tuple[Issue, list[AffectedPage]]]:
    """Yield the given issues in the given order, each with its affected pages. The pages are read as the caller takes
    them. One round trip per about 40 stored blocks."""
    waiting: list[Issue] = []
    blocks = 0
    for issue in wanted:
        waiting.append(issue)
        blocks += issue.affected_chunks
        if blocks >= BLOCKS_AT_ONCE:
            yield from _affected_of(site_id, waiting)
            waiting, blocks = [], 0
    yield from _affected_of(site_id, waiting)


def _affected_of(site_id: str, some: Sequence[Issue]) -> Iterator[tuple[Issue, list[AffectedPage]]]:
    wanted = {issue.id: _affected_keys(site_id, issue) for issue in some}
    keys_of_all = [key for of_issue in wanted.values() for key in of_issue]
    found = items.batch_get(keys_of_all) if keys_of_all else {}
    for issue in some:
        blocks = [found[key]["data"] for key in wanted[issue.id] if key in found]
        yield issue, left(issue.ignored, [page for block in blocks for page in shapes.AFFECTED_PAGES.unpack(block)])


def _affected_keys(site_id: str, issue: Issue) -> list[items.Key]:
    return [key for key in pages_keys(site_id, issue) if key[2].startswith("AFF#")]


class _AffectedId(msgspec.Struct, array_like=True, gc=False):
    """The first members of a stored ``AffectedPage``. The others are not decoded."""

    url: str
    page_id: str


_affected_ids = typed.decoder(list[_AffectedId])


def load_affected_ids(site_id: str, issue: Issue) -> frozenset[str]:
    """Load the ids of the pages that the issue affects. One round trip; none if the issue has no list of pages."""
    wanted = _affected_keys(site_id, issue)
    found = items.batch_get(wanted) if wanted else {}
    blocks = (shapes.AFFECTED_PAGES.encoded(item["data"]) for item in found.values())
    scope = None if issue.ignored is None else issue.ignored.scope
    pages = (page for block in blocks for page in _affected_ids.decode(block))
    return frozenset(page.page_id for page in pages if scope is None or not scope.holds(page.page_id, page.url))


def suggestion_writes(
    site_id: str, issue_id: str, crawl_id: str, suggestions: Sequence[Suggestion]
) -> tuple[list[Put], list[int]]:
    """Return the writes that store an issue's suggestions, and how many suggestions each block holds
    (``SuggestionSet.counts``)."""
    blocks = pack_blocks(suggestions, shapes.SUGGESTIONS)
    pk = keys.site_partition(site_id)
    writes = [
        Put(TABLE, {"pk": pk, "sk": suggestions_key(issue_id, crawl_id, number), "data": block.data})
        for number, block in enumerate(blocks)
    ]
    return writes, [block.records for block in blocks]


def suggestions_key(issue_id: str, crawl_id: str, number: int) -> str:
    return f"SUG#{issue_id}#{crawl_id}#{number:04d}"


def list_keys(site_id: str, issue: Issue) -> list[tuple[str, str]]:
    """Return the keys of all stored blocks of an issue's affected pages and suggestions."""
    pk = keys.site_partition(site_id)
    found = [(pk, f"AFF#{issue.id}#{issue.affected_crawl}#{number:04d}") for number in range(issue.affected_chunks)]
    if issue.suggestions is not None:
        numbers = range(len(issue.suggestions.counts))
        found += [(pk, suggestions_key(issue.id, issue.suggestions.crawl_id, number)) for number in numbers]
    return found


class Pages(NamedTuple):
    """The pages that an issue affects, without ignored ones, and the suggestions for its pages. A recheck does not
    change the suggestions."""

    affected: list[AffectedPage]
    suggestions: list[Suggestion]


def pages_keys(site_id: str, issue: Issue) -> list[items.Key]:
    """Return table and key of all stored blocks of an issue's pages and suggestions, for callers that read other items
    in the same BatchGet.
    """
    return [(TABLE, *key) for key in list_keys(site_id, issue)]


def pages_of(found: Mapping[items.Key, Mapping[str, Any]], site_id: str, issue: Issue) -> Pages:
    """Return the pages in the items that were read with the keys of ``pages_keys``."""
    rows = [(key, found[key]["data"]) for key in pages_keys(site_id, issue) if key in found]
    affected = [data for (_, _, sk), data in rows if sk.startswith("AFF#")]
    suggested = [data for (_, _, sk), data in rows if sk.startswith("SUG#")]
    return Pages(
        left(issue.ignored, [page for data in affected for page in shapes.AFFECTED_PAGES.unpack(data)]),
        [one for data in suggested for one in shapes.SUGGESTIONS.unpack(data)],
    )


def load_pages(site_id: str, issue: Issue) -> Pages:
    """Load the pages that the issue affects, and the suggestions for them. One round trip per 100 blocks."""
    wanted = pages_keys(site_id, issue)
    return pages_of(items.batch_get(wanted) if wanted else {}, site_id, issue)


def load_suggested(site_id: str, issue: Issue) -> list[Suggestion]:
    """Load all suggestions that are stored for the issue's pages."""
    wanted = [key for key in pages_keys(site_id, issue) if key[2].startswith("SUG#")]
    return pages_of(items.batch_get(wanted) if wanted else {}, site_id, issue).suggestions


def replaced_keys(site_id: str, crawl_id: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of affected pages and suggestions that earlier crawls stored and that no issue uses any more."""
    book = load_state(site_id)
    found = book.issues if book else []
    kept = {f"AFF#{issue.id}#{issue.affected_crawl}" for issue in found}
    kept |= {f"SUG#{issue.id}#{issue.suggestions.crawl_id}" for issue in found if issue.suggestions is not None}
    for prefix in ("AFF#", "SUG#"):
        for item in items.query_all(TABLE, keys.site_partition(site_id), prefix, keys_only=True):
            stored_by, _, _ = item["sk"].rpartition("#")
            if stored_by not in kept and stored_by.rpartition("#")[2] < crawl_id:
                yield item["pk"], item["sk"]
