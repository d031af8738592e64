"""The worker of the queue ``recheck``: reads the listed pages of one issue again and judges that rule alone.

Trigger: a message {workspaceId, siteId, crawlId, slice}, sent when a recheck is asked for, when the website's place
becomes free, and by the sweeper.

Claim: the website's place and the recheck's header in one transaction. While another crawl holds the place the
message has no effect; whoever frees the place sends the next one.

Failure policy
- Killed before the end: nothing that was read is kept, so the next worker, when the lease is over, reads again.
- The pages' rows and findings are renewed before the one transaction that ends the recheck (issue, score, place,
  header, events). Killed between the two, the next worker renews them again from what it reads then.
- Killed after that transaction: the recheck has ended; the message that comes again wakes the next one that waits.
- Taken over three times without an end, it fails, and the issue says that it could not run.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from chalicelib import clock
from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issues import OPEN_STATUSES, Issue, IssueBook, Moved, RuleCount
from chalicelib.domain.audit.publish import recounted
from chalicelib.domain.audit.recheck import Decision, Reread, abandoned, decide, failed
from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageFinding, PageRow
from chalicelib.domain.audit.summary import CategoryScore, ScoreEntry, SiteSummary
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.webhooks.events import Event
from chalicelib.net.fetch import Fetcher
from chalicelib.net.guard import Guard
from chalicelib.operations.rechecks import send_waiting
from chalicelib.rules import registry
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.settings.core import core_settings
from chalicelib.settings.crawl import crawl_settings
from chalicelib.settings.network import network_settings
from chalicelib.store import crawls, issues, items, pages, places, websites
from chalicelib.store.context import request_id
from chalicelib.store.transactions import Conflict, Update, Write, commit
from chalicelib.store.websites import Website
from chalicelib.workers.audit.crawl import MARGIN_SECONDS, STALLED_TAKEOVERS, Context
from chalicelib.workers.audit.discovering import Discovery, WebsiteUnreadable, discover
from chalicelib.workers.audit.judging import answered
from chalicelib.workers.audit.reading import Politeness
from chalicelib.workers.audit.rereading import MOST_TARGETS, FreshReader, pointed_at

# A recheck commits nothing before its end, so nothing renews its lease: it outlasts the function's longest run. A
# shorter one would let a second worker begin a slow website's recheck anew while the first still reads.
LEASE_SECONDS = 930.0
MOMENTS = 5  # how often the end starts over because a person changed another issue meanwhile


def handle(message: Mapping[str, Any], context: Context) -> None:
    """Run the recheck that the message names. Returns without effect when there is nothing to do for it."""
    token = request_id.set(message.get("requestId"))
    try:
        _handle(message, context)
    finally:
        request_id.reset(token)


def _handle(message: Mapping[str, Any], context: Context) -> None:
    header = crawls.get(message["siteId"], message["crawlId"])
    if header is None:
        return
    if header.ended:
        send_waiting(header.site_id)
        return
    now = clock.now()
    place = places.take_running(header.workspace_id, header.site_id, header.id, header.kind)
    claimed = crawls.claim(header, now=now, lease_until=now + LEASE_SECONDS, place=place)
    if claimed is None:
        return
    seconds = min(float(crawl_settings().slice_seconds), context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS)
    recheck = Recheck.load(claimed)
    try:
        if recheck is None:
            _end_without_issue(claimed)
        elif claimed.stalled >= STALLED_TAKEOVERS:
            recheck.fail("The recheck was taken up again three times without coming to an end.")
        else:
            recheck.run(clock.monotonic() + seconds)
    except crawls.FenceLost:
        return
    except WebsiteUnreadable as reason:
        if recheck is not None:
            recheck.fail(str(reason))
    send_waiting(header.site_id)


class Recheck:
    """One claimed recheck, with the issue and everything that is published of the website."""

    def __init__(self, header: CrawlHeader, website: Website, summary: SiteSummary, issue: Issue) -> None:
        self.header = header
        self.website = website
        self.summary = summary
        self.issue = issue
        self.rule = registry.BY_ID[issue.rule_id]
        self.now = clock.now()
        self.rows: dict[str, PageRow] = {}  # the published pages by address
        # Some rules list the address that does not work; the pages to mend are those that link to it.
        self.lists_targets = self.rule.link_rule and self.rule.population == "crawled"
        self.linking: list[str] = []  # pages that link to the listed addresses
        self.images: list[TargetFacts] = []  # what the images of the listed pages answer, where the rule asks
        self.told = CrawlEvents(header, website.host, core_settings().app_url, self.now, registry.TITLES_AND_SEVERITIES)

    @classmethod
    def load(cls, header: CrawlHeader) -> "Recheck | None":
        """The recheck of a header; None when its issue no longer waits for it (an audit resolved it meanwhile)."""
        website = websites.get(header.workspace_id, header.site_id)
        book = issues.load_state(header.site_id)
        issue = book.by_id(header.issue_id or "") if book is not None else None
        if website is None or website.summary is None or issue is None:
            return None
        # An issue that an audit resolved, or a person ignored, meanwhile has nothing to check.
        if issue.pending_recheck != header.id or issue.rule_id not in registry.BY_ID:
            return None
        if issue.status not in OPEN_STATUSES:
            return None
        return cls(header, website, website.summary, issue)

    # -- reading and judging ---------------------------------------------------------------------------

    def run(self, stop_at: float) -> None:
        listed = issues.load_affected(self.header.site_id, self.issue)
        stored = self._stored_facts()
        found, fresh = asyncio.run(self._read(listed, stored, stop_at))
        outcomes, linking = self._judge(listed, stored, found.site, fresh)
        self._finish(listed, outcomes, fresh, linking)

    def _stored_facts(self) -> dict[str, PageFacts]:
        """The facts of every published page, by address."""
        generation = self.summary.generation.crawl_id
        self.rows = {row.url: row for row in pages.load_list(self.header.site_id, generation)}
        blocks = {(row.facts_crawl, row.facts_block) for row in self.rows.values() if row.facts_crawl is not None}
        facts: dict[str, PageFacts] = {}
        for crawl_id, number in sorted(blocks):
            for page in crawls.load_facts_block(crawl_id, number):
                row = self.rows.get(page.url)
                if row is not None and (row.facts_crawl, row.facts_block) == (crawl_id, number):
                    facts[page.url] = page
        return facts

    async def _read(
        self, listed: list[AffectedPage], stored: dict[str, PageFacts], stop_at: float
    ) -> tuple[Discovery, dict[str, PageFacts]]:
        """Read the website's own files, the listed pages, and what the rule needs beside them, all fresh."""
        network, settings = network_settings(), crawl_settings()
        guard = Guard(network.allow_addresses, network.extra_hosts)
        token, concurrency = settings.token, int(settings.concurrency)
        async with Fetcher(guard, user_agent=settings.user_agent, extra_ca_file=network.extra_ca_file) as fetcher:
            # How assistants are answered is a question about the whole website, and none that is rechecked.
            found = await discover(fetcher, self.website.url, token, concurrency, seed=self.header.id, as_agents=False)
            reader = FreshReader(
                fetcher,
                found.site.host,
                Politeness(concurrency, found.robots.crawl_delay(token)),
                found.robots,
                token=token,
                crawl_id=self.header.id,
                stop_at=stop_at,
            )
            await reader.read_all(page.url for page in listed)
            if self.rule.asks_images:
                await reader.check_images(
                    image.src for page in reader.facts.values() for image in page.images if image.src
                )
                self.images = reader.images
            wanted = {page.url for page in listed}
            if self.lists_targets:
                self.linking = [page.url for page in stored.values() if any(link.url in wanted for link in page.links)]
                await reader.read_all(self.linking[:MOST_TARGETS])
            # Addresses that the reread pages point at and that did not work, or were not known, the last time.
            targets = [url for page in list(reader.facts.values()) for url in pointed_at(page)]
            doubtful = [url for url in targets if url not in stored or stored[url].status != 200]
            await reader.read_all(doubtful[:MOST_TARGETS])
            return found, reader.facts

    def _judge(
        self,
        listed: list[AffectedPage],
        stored: dict[str, PageFacts],
        site_facts: SiteFacts,
        fresh: dict[str, PageFacts],
    ) -> tuple[dict[str, Reread], int | None]:
        """What the rule says of each listed page in the light of the whole website as it is now."""
        builder = SiteBuilder(site_facts, now=self.now)
        for url, facts in stored.items():
            renewed = fresh.get(url)
            builder.add(renewed if renewed is not None and self._judges(renewed) else facts)
        for url, facts in fresh.items():
            if url not in stored:
                builder.add(facts)
        for image in self.images:
            builder.add_target(image)
        judge = Judge(builder.finish(), rules=(self.rule,))
        outcomes: dict[str, Reread] = {}
        for page in listed:
            read = fresh.get(page.url)
            if read is None or not self._judges(read):
                outcomes[page.url] = Reread("unread")
                continue
            result = judge.page(read)
            if result.findings:
                outcomes[page.url] = Reread("present", result.findings[0][1])
            elif answered(read) and self.rule.id not in result.undecided:
                outcomes[page.url] = Reread("passed" if read.status == 200 else "gone")
            else:
                outcomes[page.url] = Reread("unread")
        return outcomes, self._linking_read(listed, fresh) if self.rule.link_rule else None

    def _judges(self, facts: PageFacts) -> bool:
        """Whether the rule can judge by this answer: rules about answers can by any, the others only by one that
        tells what the address is now."""
        return answered(facts) or self.rule.population == "crawled"

    def _linking_read(self, listed: list[AffectedPage], fresh: dict[str, PageFacts]) -> int:
        """How many of the pages that link were read: those that link to the listed addresses, or the listed ones."""
        linking = self.linking if self.lists_targets else [page.url for page in listed]
        return sum(url in fresh and answered(fresh[url]) for url in linking)

    # -- the end ---------------------------------------------------------------------------------------

    def _finish(
        self,
        listed: list[AffectedPage],
        outcomes: dict[str, Reread],
        fresh: dict[str, PageFacts],
        linking: int | None,
    ) -> None:
        self._renew_pages(listed, outcomes, fresh)
        for _ in range(MOMENTS):
            book = issues.load_state(self.header.site_id)
            issue = book.by_id(self.issue.id) if book is not None else None
            if book is None or issue is None or issue.status not in OPEN_STATUSES:
                _end_without_issue(self.header)
                return
            decision = decide(issue, listed, outcomes, crawl_id=self.header.id, now=self.now, linking_pages=linking)
            blocks = issues.affected_writes(self.header.site_id, issue.id, self.header.id, decision.affected)
            items.batch_write((block.table, block.item) for block in blocks)
            decision.issue.affected_chunks = len(blocks)
            try:
                self._end(book, decision)
                return
            except Conflict as conflict:
                if conflict.failed.keys() & {places.PLACE, crawls.HEADER}:
                    raise crawls.FenceLost(self.header.id) from None
        raise Conflict({issues.BOOK: None})

    def _renew_pages(
        self, listed: list[AffectedPage], outcomes: dict[str, Reread], fresh: dict[str, PageFacts]
    ) -> None:
        """Store the fresh facts of the listed pages, and what the rule says of them, with the published pages."""
        renewed = [facts for page in listed if (facts := fresh.get(page.url)) is not None and answered(facts)]
        writes, numbers = crawls.facts_writes(self.header.id, 1, renewed)
        items.batch_write((write.table, write.item) for write in writes)
        rows: dict[str, PageRow] = {}
        for facts, number in zip(renewed, numbers, strict=True):
            old = self.rows.get(facts.url)
            if old is not None:
                rows[old.id] = msgspec.structs.replace(
                    old,
                    status=facts.status,
                    title=facts.title,
                    last_crawled=facts.fetched_at,
                    facts_crawl=self.header.id,
                    facts_block=number,
                )
        found: dict[str, PageFinding | None] = {}
        for page in listed:
            reread = outcomes[page.url]
            if reread.outcome == "present":
                found[page.page_id] = PageFinding(self.rule.id, reread.evidence or page.evidence, page.first_seen)
            elif reread.outcome != "unread":
                found[page.page_id] = None
        generation = self.summary.generation
        pages.renew(
            self.header.site_id, generation.crawl_id, generation.partitions, self.rule.id, rows=rows, findings=found
        )

    def _end(self, book: IssueBook, decision: Decision) -> None:
        """Publish what the recheck found, in one transaction."""
        issue, present = decision.issue, decision.issue.last_recheck
        assert present is not None
        count = book.counts.get(issue.rule_id, RuleCount(issue.applicable_pages, 0))
        counts = {**book.counts, issue.rule_id: RuleCount(count.applicable, len(decision.affected))}
        after = msgspec.structs.replace(book.with_issue(issue), counts=counts)
        before = self.summary.score.entry if self.summary.score else None
        summary = self._rescored(after)
        entry = summary.score.entry if summary.score else None
        if decision.resolved:
            events = self.told.moved([Moved(issue, "resolved", self.issue.affected_pages)])
        else:
            reason: Literal["still_present", "error"] = "still_present" if present.present else "error"
            events = [self.told.recheck_failed(issue, reason, present.present, present.checked)]
        ended = msgspec.structs.replace(
            self.header, status="done", pages_crawled=present.checked, issues_found=int(not decision.resolved)
        )
        _commit_end(
            ended,
            self.now,
            places.free_with_summary(self.website, self.header.id, summary),
            [issues.put_state(self.header.site_id, after, replaces=book.version)],
            [*events, *self.told.score_changed(before, entry)],
        )

    def _rescored(self, book: IssueBook) -> SiteSummary:
        """The summary with the score of the book's counts: the same population, so it moves by exactly the gain."""
        summary = recounted(self.summary, book.issues, registry.is_critical)
        if summary.score is None:
            return summary
        result = scoring.score(registry.shares(book.counts), book.measured)
        old = summary.score
        entry = ScoreEntry(
            result.site_tenths,
            result.health_tenths,
            result.aeo_tenths,
            old.entry.version,
            self.now,
            old.entry.audit_id,
        )
        standing = {part.category: part.open_issues for part in old.categories}
        categories = [
            CategoryScore(part.category, part.tenths, part.weight, standing.get(part.category, 0))
            for part in result.categories
        ]
        score = msgspec.structs.replace(old, entry=entry, categories=categories)
        return msgspec.structs.replace(summary, score=score)

    def fail(self, reason: str) -> None:
        """End a recheck that could not run: the issue stays as it was and says why."""
        for _ in range(MOMENTS):
            book = issues.load_state(self.header.site_id)
            issue = book.by_id(self.issue.id) if book is not None else None
            if book is None or issue is None:
                _end_without_issue(self.header)
                return
            after = failed(issue, crawl_id=self.header.id, now=self.now, pages=issue.affected_pages, note=reason)
            ended = msgspec.structs.replace(self.header, status="failed", error=reason)
            state = issues.put_state(self.header.site_id, book.with_issue(after), replaces=book.version)
            try:
                _commit_end(ended, self.now, self._freed(), [state], [self.told.recheck_failed(after, "error", 0, 0)])
                return
            except Conflict as conflict:
                if conflict.failed.keys() & {places.PLACE, crawls.HEADER}:
                    raise crawls.FenceLost(self.header.id) from None
        raise Conflict({issues.BOOK: None})

    def _freed(self) -> Update:
        return places.free(self.header.workspace_id, self.header.site_id, self.header.id)


def _end_without_issue(header: CrawlHeader) -> None:
    """End a recheck whose issue is gone or was resolved by an audit meanwhile: there is nothing left to check.

    An issue that was resolved still names this recheck as the one it waits for: that ends with it.
    """
    book = issues.load_state(header.site_id)
    issue = book.by_id(header.issue_id or "") if book is not None else None
    writes: list[Write] = []
    if book is not None and issue is not None and issue.pending_recheck == header.id:
        waited = book.with_issue(abandoned(issue))
        writes = [issues.put_state(header.site_id, waited, replaces=book.version)]
    free = places.free(header.workspace_id, header.site_id, header.id)
    _commit_end(msgspec.structs.replace(header, status="done"), clock.now(), free, writes, [])


def _commit_end(header: CrawlHeader, now: float, place: Update, writes: list[Write], events: list[Event]) -> None:
    """End the recheck in one transaction: the website's place, the header, whatever else, and the events."""
    ended = msgspec.structs.replace(header, stage="finished", finished_at=now, lease_until=0.0)
    put = crawls.put_fenced(ended, committed_checkpoint=header.checkpoint, heed_cancel=False)
    commit([place, put, *writes], events)
