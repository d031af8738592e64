"""Generations. A generation is the data that an audit stores under its own id and then publishes. It expires after the
next audit has published.

A generation has rows and findings of pages, affected pages of issues, and suggestions. Nobody reads them before the
audit publishes. So they may be written in any order, and another worker may write them again.
"""

from collections.abc import Mapping, Sequence

from chalicelib.domain import ids
from chalicelib.domain.audit.issues import StoredLists
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.audit.summary import Generation
from chalicelib.domain.suggestion import Suggested, SuggestionSet
from chalicelib.store import blocks, crawls, issues, pages
from chalicelib.store.pages import Findings

AUDITS_LOOKED_AT = 20


def write(
    site_id: str,
    crawl_id: str,
    rows: Sequence[PageRow],
    findings: Findings,
    *,
    affected: Mapping[str, Sequence[AffectedPage]],
    suggested: Mapping[str, Suggested],
) -> tuple[Generation, dict[str, StoredLists]]:
    """Store the pages of an audit and, by rule id, the affected pages of its issues and their suggestions. Returns
    where the data is stored: the generation for the website's summary, and the lists for its issues."""
    writes, partitions = pages.generation_writes(site_id, crawl_id, rows, findings)
    lists: dict[str, StoredLists] = {}
    for rule_id, of_rule in affected.items():
        chunks = issues.affected_writes(site_id, ids.issue_id(site_id, rule_id), crawl_id, of_rule)
        lists[rule_id] = StoredLists(len(chunks))
        writes.extend(chunks)
    for rule_id, suggestions in suggested.items():
        chunks, counts = issues.suggestion_writes(
            site_id, ids.issue_id(site_id, rule_id), crawl_id, suggestions.suggestions
        )
        stored = SuggestionSet(crawl_id, counts, suggestions.note)
        lists[rule_id] = lists.get(rule_id, StoredLists(0))._replace(suggestions=stored)
        writes.extend(chunks)
    blocks.write(writes)
    return Generation(crawl_id, partitions, len(rows)), lists


def expire_replaced(site_id: str, crawl_id: str, replaced: str) -> None:
    """Mark old data for expiry after the crawl ``crawl_id`` has published. ``replaced``: the crawl whose pages were
    published before.

    Facts that published pages still use are kept. All facts of the last audit are kept too, because rechecks need them.
    """
    still_shown = {row.facts_crawl for row in pages.load_list(site_id, crawl_id)}
    # Because of rechecks and partial audits, the replaced generation may contain facts of several crawls.
    shown_before = {row.facts_crawl for row in pages.load_list(site_id, replaced)}
    audits = _published_audits(site_id)
    blocks.expire(pages.TABLE, pages.block_keys(site_id, replaced))
    for facts_crawl in {replaced, *shown_before, *audits[1:2]} - still_shown - {None, *audits[:1]}:
        blocks.expire(crawls.TABLE, crawls.block_keys(str(facts_crawl)))
    blocks.expire(issues.TABLE, issues.replaced_keys(site_id, crawl_id))


def _published_audits(site_id: str) -> list[str]:
    """Return the newest audits that published something, newest first."""
    found = crawls.list_audits(site_id, AUDITS_LOOKED_AT)
    return [header.id for header in found if header.issues_found is not None]
