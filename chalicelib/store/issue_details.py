"""Loads in one BatchGet the stored data that belongs to an issue, except the issue itself.

Access pattern
- the pages of one issue (AFF#…), some of their suggestions (SUG#issue#crawl#chunk) and drafts (DRAFTS), the published
  addresses, and the last batch of changes: BatchGet
"""

from collections.abc import Sequence
from typing import NamedTuple

from chalicelib.domain.audit.ignoring import left
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.connections import Writer, WriterKind
from chalicelib.domain.content import PublishedAddresses
from chalicelib.domain.suggestion import Draft, Suggestion, SuggestionSet
from chalicelib.store import changes, content, drafts, issues, items, keys, shapes
from chalicelib.store.changes import Loaded


class Detail(NamedTuple):
    """The pages that an issue affects, in order, and the requested part of their suggestions, in the same order.

    - ``total``: the number of all suggestions.
    - ``published``: the published addresses by connection; None if the CMS never sent any.
    - ``approved``: the last batch of changes; None if there is none, or it has expired.
    - ``drafts``: an assistant's drafts by page id, even if the page has changed since.
    """

    affected: list[AffectedPage]
    suggestions: list[Suggestion]
    total: int
    published: dict[WriterKind, PublishedAddresses] | None
    approved: Loaded | None
    drafts: dict[str, Draft]

    def published_by(self, writer: Writer | None) -> PublishedAddresses | None:
        """Return the published addresses of the pages that this connection can change. Returns None if the CMS never
        sent any, or ``writer`` is None."""
        return None if writer is None or self.published is None else self.published[writer.kind]


def load(site_id: str, issue: Issue, *, offset: int, limit: int) -> Detail:
    """Load the affected pages of an issue, and its suggestions ``offset`` to ``offset + limit``, in one round trip.

    The stored suggestions may be for more pages than the issue now lists, because a recheck or a person has removed
    pages. Such suggestions are left out. A page without a stored suggestion gets a suggestion without values.
    """
    pk = keys.site_partition(site_id)
    stored = issue.suggestions or SuggestionSet(issue.affected_crawl or "", [])
    as_listed = issue.suggestions is not None and stored.crawl_id == issue.affected_crawl and issue.aside is None
    numbers, skipped = _blocks_of(stored.counts, offset, limit) if as_listed else (range(len(stored.counts)), 0)
    listed = [
        (issues.TABLE, pk, f"AFF#{issue.id}#{issue.affected_crawl}#{n:04d}") for n in range(issue.affected_chunks)
    ]
    suggested = [(issues.TABLE, pk, issues.suggestions_key(issue.id, stored.crawl_id, n)) for n in numbers]
    batch = [] if issue.change_batch is None else changes.keys_of(site_id, issue.change_batch, issue.change_blocks)
    found = items.batch_get([*listed, *suggested, *batch, content.published_key(site_id), drafts.key(site_id)])
    drafted = drafts.drafts_of(found.get(drafts.key(site_id)))
    approved = changes.loaded_of(found, batch) if batch else None
    published = content.published_of(found.get(content.published_key(site_id)))
    whole = [page for key in listed if key in found for page in shapes.AFFECTED_PAGES.unpack(found[key]["data"])]
    affected = left(issue.ignored, whole)
    suggestions = [one for key in suggested if key in found for one in shapes.SUGGESTIONS.unpack(found[key]["data"])]
    if as_listed:
        return Detail(
            affected, suggestions[offset - skipped :][:limit], sum(stored.counts), published, approved, drafted
        )
    by_address = {one.url: one for one in suggestions}
    window = [
        by_address.get(page.url) or Suggestion(page.url, page.page_id, None, None)
        for page in affected[offset : offset + limit]
    ]
    return Detail(affected, window, len(affected), published, approved, drafted)


def _blocks_of(counts: Sequence[int], offset: int, limit: int) -> tuple[range, int]:
    """Return the blocks that hold the requested suggestions, and how many suggestions precede them."""
    first = start = skipped = 0
    for number, count in enumerate(counts):
        if start + count <= offset:
            first, skipped = number + 1, start + count
        if start >= offset + limit:
            return range(first, number), skipped
        start += count
    return range(first, len(counts)), skipped
