"""The second half of an audit: judge every page, merge the issues, score, and publish it all in one transaction.

Failure policy. Blocks of pages and affected pages are written first, under keys that carry the crawl's id, and
nothing points at them. Then one transaction makes everything visible: the website's summary and current crawl,
its free place, its issues, the audit's end and the events. Killed before it, the next worker judges again from
the committed facts and writes the same blocks; killed after it, the next worker finds the audit ended and only
marks what was replaced for expiry. Readers see the old generation until that transaction, the new one after it.
"""

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issues import IssueBook, RuleCount, RuleOutcome, merge
from chalicelib.domain.audit.publish import add_to_history, open_by_category, open_issues
from chalicelib.domain.audit.records import AffectedPage, Coverage, CrawlHeader, PageFinding, PageRow
from chalicelib.domain.audit.summary import (
    CategoryScore,
    CurrentScore,
    Generation,
    LastAudit,
    ScoreEntry,
    SiteSummary,
)
from chalicelib.domain.crawl import robots as robots_txt
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.suggestions.model import SuggestionSet
from chalicelib.rules import registry
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Judge, PageResult
from chalicelib.rules.model import Rule
from chalicelib.settings import get_settings
from chalicelib.store import crawls, issues, items, pages, websites
from chalicelib.store.transactions import Conflict, commit
from chalicelib.workers.audit import suggesting
from chalicelib.workers.audit.suggesting import Suggested, Suggester

CARRIED_SECONDS = 28 * 24 * 3600  # pages that a partial audit did not reach are carried forward this long
EXPIRY_SECONDS = 24 * 3600  # replaced blocks stay this long for readers that began before
MOMENTS = 5  # how often publishing starts over because issues changed under it

_log = logging.getLogger(__name__)


class PlaceLost(Exception):
    """The website was removed, or its place was given to another crawl, while this one ran."""


@dataclass(slots=True)
class Judged:
    """Everything the judges said, before it is merged with what was known."""

    seen: set[str]  # addresses that were read, now or (carried forward) by an earlier audit
    rows: list[PageRow] = field(default_factory=list)
    findings: dict[str, list[PageFinding]] = field(default_factory=dict)
    affected: dict[str, list[AffectedPage]] = field(default_factory=dict)
    templates: dict[str, set[str | None]] = field(default_factory=dict)
    site_evidence: dict[str, dict[str, Any]] = field(default_factory=dict)
    rule_evidence: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, RuleCount] = field(default_factory=dict)
    unjudged: set[str] = field(default_factory=set)
    platform: str | None = None  # what the home page's markup gives away
    home_read: bool = False
    suggested: dict[str, Suggested] = field(default_factory=dict)
    suggestion_sets: dict[str, SuggestionSet] = field(default_factory=dict)  # where they are stored


class Publication:
    """One audit's judgement and publishing. ``known`` are all addresses the crawl knows, read or not."""

    def __init__(self, header: CrawlHeader, site_facts: SiteFacts, known: list[str]) -> None:
        self.header = header
        self.site_facts = site_facts
        self.known = known
        self.now = clock.now()
        website = websites.get(header.workspace_id, header.site_id)
        if website is None:
            raise PlaceLost(header.id)
        self.website = website
        self.summary = website.summary
        generation = self.summary.generation if self.summary else None
        self.old_rows: dict[str, PageRow] = {}
        self.old_findings: pages.Findings = {}
        if generation is not None:
            self.old_rows = {row.url: row for row in pages.load_list(header.site_id, generation.crawl_id)}
            self.old_findings = pages.load_findings(header.site_id, generation.crawl_id)

    # -- judging ---------------------------------------------------------------------------------------

    def judge(self) -> Judged:
        """Two passes over the facts: what the website is as a whole, then each page in that light."""
        builder = SiteBuilder(self.site_facts, now=self.now)
        read: set[str] = set()
        for _, block in crawls.load_facts(self.header.id):
            for facts in block:
                builder.add(facts)
                read.add(facts.url)
        targets = {target.url: target for target in crawls.load_targets(self.header.id) if target.url not in read}
        carried = self._carried_rows(read, targets)
        for facts, _ in self._carried_facts(carried):
            builder.add(facts, read=False)
            targets.pop(facts.url, None)
        for target in targets.values():
            builder.add_target(target)
        targets = {url: target for url, target in targets.items() if not target.image}
        unread = [url for url in self.known if url not in read and url not in carried]
        for url in unread:
            builder.add_known(url)
        self._cover(read)
        site = builder.finish()
        judge = Judge(site)
        suggester = Suggester(site, self.header.site_id)

        left = {url for url, target in targets.items() if _left(target)}
        judged = Judged(seen=read | carried.keys() | left)
        for number, block in crawls.load_facts(self.header.id):
            for facts in block:
                result = judge.page(facts)
                self._record(judged, result, facts, self.header.id, number)
                suggester.add(facts, [rule_id for rule_id, _ in result.findings])
                if result.undecided or not answered(facts):
                    self._retain(judged, result, facts)
        for facts, row in self._carried_facts(carried):
            result = judge.page(facts)
            self._record(judged, result, facts, row.facts_crawl or self.header.id, row.facts_block)
            suggester.add(facts, [rule_id for rule_id, _ in result.findings])
        for target in targets.values():
            if target.own_host:
                self._record_known(judged, judge.page(target.as_page()))
        for url in unread:
            if url not in targets:
                self._record_known(judged, judge.known(url))
        for rule_id, evidence in judge.site():
            judged.site_evidence[rule_id] = evidence
        for failure in judge.failures:
            _log.error("rule failed", extra={"crawlId": self.header.id, "failure": str(failure)})
        judged.rule_evidence = judge.rule_evidence()
        for rule_id, tally in judge.tallies().items():
            if not tally.judged:
                judged.unjudged.add(rule_id)
            affected = len(judged.affected.get(rule_id, ())) or tally.affected
            # Retained pages are part of both counts: a page that did not answer stays affected.
            retained = max(0, affected - tally.affected)
            judged.counts[rule_id] = RuleCount(tally.applicable + retained, affected)
        judged.suggested = suggester.finish(judged.affected, judged.site_evidence)
        return judged

    def _carried_rows(self, read: set[str], targets: dict[str, TargetFacts]) -> dict[str, PageRow]:
        """Pages of the last audit that this partial one did not reach, by address.

        A page that has left the website, as a link's target that was checked, is not among them.
        """
        if self.header.partial_reason is None:
            return {}
        oldest = self.now - CARRIED_SECONDS
        return {
            url: row
            for url, row in self.old_rows.items()
            if url not in read
            and not (url in targets and _left(targets[url]))
            and row.facts_crawl is not None
            and (row.last_crawled or 0) >= oldest
            and urls.same_site(url, self.site_facts.host)
        }

    def _carried_facts(self, carried: dict[str, PageRow]) -> Iterator[tuple[PageFacts, PageRow]]:
        blocks: dict[tuple[str, int], list[PageRow]] = {}
        for row in carried.values():
            blocks.setdefault((row.facts_crawl or "", row.facts_block), []).append(row)
        for (crawl_id, number), rows in sorted(blocks.items()):
            wanted = {row.url: row for row in rows}
            for facts in crawls.load_facts_block(crawl_id, number):
                if facts.url in wanted:
                    yield facts, wanted[facts.url]

    def _cover(self, read: set[str]) -> None:
        """Coverage: of the sitemap (shown on the audit), and of all known addresses (part of the score)."""
        in_sitemap = [url for url, _ in self.site_facts.sitemap_urls]
        if in_sitemap:
            crawled = sum(url in read for url in in_sitemap)
            self.header.coverage = Coverage(len(in_sitemap), crawled, round(100 * crawled / len(in_sitemap), 1))
        robots = robots_txt.parse(self.site_facts.robots.text if self.site_facts.robots else "")
        token = get_settings().crawl_token
        # What robots.txt forbids cannot be read by any audit: it does not lower the coverage.
        readable = {url for url in {*self.known, *in_sitemap} if url in read or robots.verdict(token, url).allowed}
        self.coverage_percent = 100.0 * len(read & readable) / len(readable) if readable else 100.0
        self.refused_share = self.header.refused / self.header.fetches if self.header.fetches else 0.0

    def _record(self, judged: Judged, result: PageResult, facts: PageFacts, crawl_id: str, block: int) -> None:
        page_id = ids.page_id(self.header.site_id, result.url)
        old = {found.rule_id: found.first_seen for found in self.old_findings.get(page_id, ())}
        for rule_id, evidence in result.findings:
            first_seen = old.get(rule_id, facts.fetched_at)
            judged.findings.setdefault(page_id, []).append(PageFinding(rule_id, evidence, first_seen))
            judged.affected.setdefault(rule_id, []).append(
                AffectedPage(result.url, page_id, evidence, first_seen, facts.fetched_at)
            )
            judged.templates.setdefault(rule_id, set()).add(result.template)
        if facts.url == self.site_facts.home_url:
            judged.platform, judged.home_read = facts.platform, facts.is_html
        judged.rows.append(
            PageRow(
                id=page_id,
                url=result.url,
                status=facts.status or None,
                title=facts.title,
                template=result.template,
                page_score=result.page_score,
                aeo_score=result.aeo_score,
                rules=[rule_id for rule_id, _ in result.findings],
                inlinks=result.inlinks,
                last_crawled=facts.fetched_at,
                facts_crawl=crawl_id,
                facts_block=block,
                depth=result.depth,
                indexable=result.indexable,
                not_indexable_reason=result.not_indexable_reason,
                category_scores=result.category_scores,
                redirects=list(result.redirects.hops),
                redirects_end=result.redirects.end,
            )
        )

    def _record_known(self, judged: Judged, result: PageResult) -> None:
        """An address that was not read: only rules that need no content speak of it, and it is no page in the list."""
        page_id = ids.page_id(self.header.site_id, result.url)
        old = {found.rule_id: found.first_seen for found in self.old_findings.get(page_id, ())}
        for rule_id, evidence in result.findings:
            first_seen = old.get(rule_id, int(self.now))
            judged.findings.setdefault(page_id, []).append(PageFinding(rule_id, evidence, first_seen))
            judged.affected.setdefault(rule_id, []).append(
                AffectedPage(result.url, page_id, evidence, first_seen, int(self.now))
            )
            judged.templates.setdefault(rule_id, set()).add(None)

    def _retain(self, judged: Judged, result: PageResult, facts: PageFacts) -> None:
        """A page that did not answer stays listed with what the last audit saw of it, and so does any page for a
        rule that lacked what it judges by, such as a target that was not asked this time."""
        old_row = self.old_rows.get(facts.url)
        if old_row is None:
            return
        said = {rule_id for rule_id, _ in result.findings}
        silent = not answered(facts)
        for found in self.old_findings.get(old_row.id, ()):
            rule = registry.BY_ID.get(found.rule_id)
            if found.rule_id in said or rule is None:
                continue
            if found.rule_id not in result.undecided and (not silent or rule.population == "crawled"):
                continue
            judged.findings.setdefault(old_row.id, []).append(found)
            judged.affected.setdefault(found.rule_id, []).append(
                AffectedPage(
                    facts.url, old_row.id, found.evidence, found.first_seen, old_row.last_crawled or int(self.now)
                )
            )
            judged.templates.setdefault(found.rule_id, set()).add(old_row.template)
        row = judged.rows[-1]
        row.title, row.template = row.title or old_row.title, row.template or old_row.template
        row.rules = [found.rule_id for found in judged.findings.get(old_row.id, ())]

    # -- publishing ------------------------------------------------------------------------------------

    def publish(self, judged: Judged) -> CrawlHeader:
        """Write the blocks, then make everything visible at once. Gives the ended header."""
        header = self.header
        self._sort(judged)
        writes, partitions = pages.generation_writes(header.site_id, header.id, judged.rows, judged.findings)
        chunks: dict[str, int] = {}
        for rule_id, affected in judged.affected.items():
            blocks = issues.affected_writes(header.site_id, ids.issue_id(header.site_id, rule_id), header.id, affected)
            chunks[rule_id] = len(blocks)
            writes.extend(blocks)
        blocks, judged.suggestion_sets = suggesting.stored(header.site_id, header.id, judged.suggested)
        writes.extend(blocks)
        items.batch_write((write.table, write.item) for write in writes)
        generation = Generation(header.id, partitions, len(judged.rows))
        for _ in range(MOMENTS):
            try:
                return self._flip(judged, generation, chunks)
            except Conflict as conflict:
                if websites.PLACE in conflict.failed:
                    raise PlaceLost(header.id) from None
                if crawls.HEADER in conflict.failed:
                    raise crawls.why_lost(conflict, header) from None
                # A person changed an issue or the website's name meanwhile: merge again with what is there now.
                self.website = websites.get(header.workspace_id, header.site_id) or self.website
        raise Conflict({issues.BOOK: None})

    def _sort(self, judged: Judged) -> None:
        judged.rows.sort(key=lambda row: row.url)
        for affected in judged.affected.values():
            affected.sort(key=lambda page: page.url)

    def _flip(self, judged: Judged, generation: Generation, chunks: dict[str, int]) -> CrawlHeader:
        old_book = issues.load_state(self.header.site_id)
        if old_book is not None:
            self._keep_unjudged(judged, old_book)
        outcomes = [self._outcome(rule, judged) for rule in registry.RULES]
        merged, moved = merge(
            old_book,
            outcomes,
            issue_ids={rule.id: ids.issue_id(self.header.site_id, rule.id) for rule in registry.RULES},
            generation=self.header.id,
            now=self.now,
        )
        for issue in merged:
            if issue.affected_generation == self.header.id:
                issue.affected_chunks = chunks.get(issue.rule_id, 0)
                issue.suggestions = judged.suggestion_sets.get(issue.rule_id)
                issue.importance = self._importance(issue.rule_id, judged)
        measured = sorted({*(old_book.measured if old_book else ()), *_measured(judged)})
        book = IssueBook(
            version=(old_book.version if old_book else 0) + 1,
            crawl_id=self.header.id,
            computed_at=self.now,
            ruleset=registry.RULESET,
            issues=merged,
            counts=judged.counts,
            measured=measured,
        )
        current = self._score(book)
        entry = current.entry if current else None
        before = self.summary.score.entry if self.summary and self.summary.score else None
        still_open = open_issues(merged)
        header = msgspec.structs.replace(
            self.header,
            status="cancelled" if self.header.partial_reason == "cancelled" else "done",
            stage="finished",
            finished_at=self.now,
            lease_until=0.0,
            issues_found=len(still_open),
            replaces=self.summary.generation.crawl_id if self.summary else None,
        )
        summary = SiteSummary(
            generation=generation,
            score=current,
            previous_audit=before,
            history=add_to_history(self.summary.history if self.summary else [], entry),
            critical_issues=sum(registry.is_critical(issue.rule_id) for issue in still_open),
            issue_first_seen=[issue.first_seen for issue in still_open],
            action_first_seen=[issue.first_seen for issue in still_open],
            last_audit=LastAudit(header.id, self.now, header.pages_crawled, header.partial_reason, header.coverage),
            measured=measured,
            home_url=self.site_facts.home_url,
        )
        told = CrawlEvents(header, self._host(), get_settings().app_url, self.now, registry.TOLD)
        events = [
            *told.moved(moved),
            told.audit_finished(len(still_open), entry),
            *told.score_changed(before, entry),
        ]
        platform = self.website.platform  # what a person said stands; until then, what the home page gives away
        if platform == "unknown" and judged.home_read:
            platform = judged.platform or "other"
        website_write, *listing = websites.published(self.website, header.id, summary, self._host(), platform)
        commit(
            [
                website_write,
                issues.put_state(header.site_id, book, replaces=book.version - 1),
                crawls.put_fenced(header, committed_checkpoint=header.checkpoint, heed_cancel=False),
                *listing,
            ],
            events,
        )
        return header

    def _importance(self, rule_id: str, judged: Judged) -> float:
        """The share of all internal in-links that lead to the affected pages; a site rule is about all of them."""
        if registry.BY_ID[rule_id].scope == "site":
            return 1.0
        affected = {page.page_id for page in judged.affected.get(rule_id, ())}
        total = sum(row.inlinks for row in judged.rows)
        return scoring.importance(sum(row.inlinks for row in judged.rows if row.id in affected), total)

    def _keep_unjudged(self, judged: Judged, old_book: IssueBook) -> None:
        """Leave issues as they were that this audit cannot speak of.

        That is a rule without data to judge by, and in a partial audit an issue whose pages nobody has read for
        weeks. Their counts stay too, so that the score and the open issues tell the same story.
        """
        if self.header.partial_reason is not None:
            for issue in old_book.issues:
                if issue.status == "resolved":
                    continue
                rule = registry.BY_ID.get(issue.rule_id)
                if rule is None or rule.scope == "site" or judged.affected.get(issue.rule_id):
                    continue
                listed = issues.load_affected(self.header.site_id, issue)
                if any(page.url not in judged.seen for page in listed):
                    judged.unjudged.add(issue.rule_id)
        for rule_id in judged.unjudged:
            if rule_id in old_book.counts:
                judged.counts[rule_id] = old_book.counts[rule_id]

    def _host(self) -> str:
        """The host on which the home page answers, as it is spelt there."""
        return urls.origin(self.site_facts.home_url).partition("://")[2]

    def _outcome(self, rule: Rule, judged: Judged) -> RuleOutcome:
        count = judged.counts.get(rule.id, RuleCount(0, 0))
        affected = judged.affected.get(rule.id, [])
        evidence = judged.site_evidence.get(rule.id)
        templates = judged.templates.get(rule.id, set())
        if rule.scope == "site":
            summary = str(evidence["message"]) if evidence else ""
        else:
            example = f" For example {affected[0].url}: {affected[0].evidence.get('message', '')}" if affected else ""
            summary = f"{count.affected} of {count.applicable} pages.{example}"
        return RuleOutcome(
            rule_id=rule.id,
            applicable=count.applicable,
            affected=affected,
            summary=summary,
            judged=rule.id not in judged.unjudged,
            template=next(iter(templates)) if len(templates) == 1 else None,
            evidence=evidence if rule.scope == "site" else judged.rule_evidence.get(rule.id),
            site_rule=rule.scope == "site",
        )

    def _score(self, book: IssueBook) -> CurrentScore | None:
        """The score of the book's counts; None when nothing of the website could be judged."""
        if not scoring.HEALTH_WEIGHTS.keys() & set(book.measured):
            return None
        result = scoring.score(registry.shares(book.counts), book.measured)
        standing = open_by_category(book.issues)
        return CurrentScore(
            entry=ScoreEntry(
                result.site_tenths,
                result.health_tenths,
                result.aeo_tenths,
                f"{registry.SCORE_VERSION}-{registry.RULESET}",
                self.now,
                self.header.id,
            ),
            coverage=self.coverage_percent,
            confidence=scoring.confidence(
                self.coverage_percent,
                refused_share=self.refused_share,
                stale_inputs=[],
                partial=self.header.partial_reason is not None,
            ),
            categories=[
                CategoryScore(part.category, part.tenths, part.weight, standing.get(part.category, 0))
                for part in result.categories
            ],
        )


def answered(facts: PageFacts) -> bool:
    """Whether the address told what it is now: a page, a redirect, or that it is gone."""
    return facts.status not in (0, 401, 403, 407, 429) and facts.status < 500


def _left(target: TargetFacts) -> bool:
    """Whether the address is no page of the website any more: it is gone, or leads elsewhere."""
    return target.own_host and (300 <= target.status < 400 or target.status in (404, 410))


def _measured(judged: Judged) -> set[str]:
    return {registry.BY_ID[rule_id].category for rule_id, count in judged.counts.items() if count.applicable > 0}


def expire_replaced(header: CrawlHeader) -> None:
    """Mark the blocks that this audit replaced for expiry, except facts that are still shown."""
    if header.replaces is None:
        return
    still_shown = {row.facts_crawl for row in pages.load_list(header.site_id, header.id)}
    # Rechecks and partial audits have left facts of several crawls in the generation that was replaced.
    shown_before = {row.facts_crawl for row in pages.load_list(header.site_id, header.replaces)}
    for key in pages.block_keys(header.site_id, header.replaces):
        _expire(pages.TABLE, key)
    for crawl_id in {header.replaces, *shown_before} - still_shown - {None}:
        for key in crawls.block_keys(str(crawl_id)):
            _expire(crawls.TABLE, key)
    for key in issues.replaced_keys(header.site_id, header.id):
        _expire(issues.TABLE, key)


def _expire(table: str, key: tuple[str, str]) -> None:
    expires = int(clock.now()) + EXPIRY_SECONDS
    with contextlib.suppress(Conflict):  # it is gone already
        items.update(
            table,
            *key,
            "SET #ttl = :expires",
            condition="attribute_exists(pk) AND attribute_not_exists(#ttl)",
            names={"#ttl": "ttl"},
            values={":expires": expires},
        )
