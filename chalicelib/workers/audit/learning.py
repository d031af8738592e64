"""Keeping what a recheck or an alert learned of addresses that the last audit knows another way.

Failure policy: the answers are stored before the recheck ends, with the targets of the last audit. They are true
whether the recheck ends or not. Killed between, the next worker knows them and stores what it learns beside them.
"""

from collections.abc import Iterable, Mapping

import msgspec

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.page.facts import PageFacts, TargetFacts
from chalicelib.rules.known_targets import learned
from chalicelib.rules.rechecking import PublishedAudit
from chalicelib.store import blocks, targets
from chalicelib.workers.audit.checking import target_facts
from chalicelib.workers.audit.inputs import last_audit


def keep(
    recheck: CrawlHeader,
    summary: SiteSummary,
    audit: PublishedAudit,
    pages: Mapping[str, PageFacts],
    files: Iterable[TargetFacts],
) -> None:
    """Store what the pages of the website that were read, and their files, answer now, where the last audit
    (``audit``) knows another answer. One call of the store where there is such an answer, and else none."""
    read = [_as_target(page) for page in pages.values()]
    canonicals = {absolute for page in pages.values() for _, absolute, _ in page.canonicals}
    if found := learned([*read, *files], audit.known, audit.pages, canonicals):
        blocks.write(targets.rechecked_writes(last_audit(summary), recheck, found))


def _as_target(page: PageFacts) -> TargetFacts:
    found = target_facts(page, own_host=True, tries=page.tries)
    return msgspec.structs.replace(found, fetched_at=page.fetched_at)
