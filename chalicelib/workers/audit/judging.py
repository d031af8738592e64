"""Judges an audit from stored data: passes its facts and the published pages to the rules, and writes nothing.

Failure policy. If the worker is killed, the next worker judges again from the same facts. A rule that fails is logged,
and its earlier findings stay.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.rules import judging
from chalicelib.rules.engine import Failure
from chalicelib.rules.judging import Judgement
from chalicelib.rules.survey import AuditInputs
from chalicelib.settings.crawl import crawl_settings
from chalicelib.store import crawls, pages, targets, websites
from chalicelib.workers.audit.committed_facts import CommittedFacts
from chalicelib.workers.audit.inputs import load_beside, load_search
from chalicelib.workers.audit.slices import PlaceLost

_log = logging.getLogger(__name__)


class _Facts:
    """Gives the rules of an audit the stored facts of crawls, and renews the worker's lease meanwhile.

    ``earlier``: the id of the last published audit; None if there is none.
    """

    def __init__(
        self, crawl_id: str, earlier: str | None, committed: CommittedFacts, keep_lease: Callable[[], None]
    ) -> None:
        self._crawl_id = crawl_id
        self._earlier = earlier
        self._committed = committed
        self._keep_lease = keep_lease

    def pages(self) -> Iterator[tuple[int, list[PageFacts]]]:
        for block in self._committed.blocks():
            self._keep_lease()
            yield block

    def targets(self) -> Iterator[TargetFacts]:
        return targets.load(self._crawl_id)

    def earlier_targets(self) -> Iterator[TargetFacts]:
        return iter(()) if self._earlier is None else targets.load_known(self._earlier)

    def block(self, crawl_id: str, number: int) -> list[PageFacts]:
        self._keep_lease()
        return crawls.load_facts_block(crawl_id, number)


def judge(
    header: CrawlHeader,
    site_facts: SiteFacts,
    addresses: list[str],
    committed: CommittedFacts,
    keep_lease: Callable[[], None],
) -> Judgement:
    """Apply the rules to everything that the audit has read.

    - ``committed``: the facts of the read pages.
    - ``addresses``: all addresses that the audit knows, read or not.
    - ``keep_lease``: a function that renews the lease. It is called repeatedly, and its errors are passed on.

    Raises ``PlaceLost`` if the website no longer exists.
    """
    website = websites.get(header.workspace_id, header.site_id)
    if website is None:
        raise PlaceLost(header.id)
    summary = website.summary
    published = summary.generation.crawl_id if summary is not None else None
    earlier = summary.last_audit.id if summary is not None and summary.last_audit is not None else None
    rows = [] if published is None else pages.load_list(header.site_id, published)
    inputs = AuditInputs(
        site_id=header.site_id,
        crawl_id=header.id,
        now=clock.now(),
        partial=header.partial_reason is not None,
        site_facts=site_facts,
        addresses=addresses,
        earlier_rows={row.url: row for row in rows},
        earlier_findings={} if published is None else pages.load_findings(header.site_id, published),
        crawl_token=crawl_settings().token,
        unread_rows=max(header.page_budget, sum(row.facts_crawl is None for row in rows)),
        links_unasked=header.links_unasked,
        images_unasked=header.images_unasked,
        beside=load_search(header.site_id) if header.kind == "preview" else load_beside(header.site_id),
        had=website.inputs_had,
    )
    judgement = judging.judge(inputs, _Facts(header.id, earlier, committed, keep_lease))
    log_failures(header.id, judgement.failures)
    return judgement


def log_failures(crawl_id: str, failures: Iterable[Failure]) -> None:
    """Log the rules that failed, each with the address at which it failed."""
    for failure in failures:
        said = {"crawlId": crawl_id, "ruleId": failure.rule_id, "url": failure.url, "error": failure.error}
        _log.error("rule failed", extra=said)
