"""Stores the answers that a recheck or an alert got, if they differ from those of the last audit.

Failure policy: the answers are stored with the targets of the last audit before the recheck ends. The answers are true
even if the recheck never ends. If the worker is killed after it stored them, the next worker finds them and adds its
own.
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
    """Store the answers of the read pages and of their files, if they differ from the last audit's answers (``audit``).

    This makes one call of the store, or no call if no answer differs.
    """
    read = [_as_target(page) for page in pages.values()]
    canonicals = {absolute for page in pages.values() for _, absolute, _ in page.canonicals}
    if found := learned([*read, *files], audit.known, audit.pages, canonicals):
        blocks.write(targets.rechecked_writes(last_audit(summary), recheck, found))


def _as_target(page: PageFacts) -> TargetFacts:
    found = target_facts(page, own_host=True, tries=page.tries)
    return msgspec.structs.replace(found, fetched_at=page.fetched_at)
