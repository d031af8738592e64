"""Publishes the result of an alert: updates the published pages, issues and score with the changes of the pages that it
read.

Failure policy: see ``alert``. All pages are stored again, as a new generation under the alert's id. So readers and
other workers see the earlier pages until one transaction publishes the new ones. If a person changes an issue at the
same moment, publishing starts over with the current issues.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit import alert
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.audit.issue_log import moves
from chalicelib.domain.audit.issues import IssueBook, RuleCount, RuleOutcome, StoredLists, merge
from chalicelib.domain.audit.publish import ended, score_entry, summary_after_recheck
from chalicelib.domain.audit.records import AffectedPage, CrawlHeader, PageRow
from chalicelib.domain.audit.summary import Generation, SiteSummary
from chalicelib.domain.suggestion import Suggested, Suggestion, SuggestionSet
from chalicelib.operations.readiness import home_of
from chalicelib.rules import registry
from chalicelib.rules.alerting import PAGE_RULES, Judged
from chalicelib.rules.engine import Failure
from chalicelib.rules.judging import SUGGESTING
from chalicelib.rules.suggested_texts import TAKEN
from chalicelib.rules.suggesting import Suggester
from chalicelib.settings.core import core_settings
from chalicelib.store import alerts, blocks, crawls, issues, kept_audits, pages, places, watched
from chalicelib.store.places import Freeing
from chalicelib.store.transactions import Conflict, Put, commit
from chalicelib.store.websites import Website
from chalicelib.suggestions.composed import COMPOSED
from chalicelib.workers.audit import keeping, missing_addresses
from chalicelib.workers.audit.judging import log_failures
from chalicelib.workers.audit.publishing import TRIES
from chalicelib.workers.audit.republishing import freeing_again

_TEXTS: Final = frozenset({"title", "meta_description"})


@dataclass(frozen=True, slots=True)
class Amendment:
    """The data that an alert publishes.

    - ``website``, ``summary``, ``rows`` (pages by address): as published before.
    - ``placed``: for each page that was read, the number of the block that stores its facts under the alert's id.
    - ``beside``: data that does not come from crawls, such as search data.
    """

    website: Website
    summary: SiteSummary
    header: CrawlHeader
    judged: Judged
    rows: Mapping[str, PageRow]
    placed: Mapping[str, int]
    beside: SiteInputs


def publish(amendment: Amendment, keep_lease: Callable[[], None]) -> CrawlHeader:
    """Write the blocks, then make everything visible at once. Returns the header of the ended alert. Raises
    ``FenceLost``, and the errors of ``keep_lease``."""
    ending = _Ending(amendment)
    ending.store_pages()
    freeing = places.freeing(amendment.website)
    for _ in range(TRIES):
        keep_lease()
        try:
            return ending.publish(freeing)
        except Conflict as conflict:
            freeing = freeing_again(conflict, amendment.header, freeing)
    raise Conflict({issues.BOOK: None})


class _Ending:
    def __init__(self, amendment: Amendment) -> None:
        self._header, self._website = amendment.header, amendment.website
        self._before, self._judged = amendment.summary, amendment.judged
        self._titles = amendment.beside.titles
        self._changes = {url: page.change for url, page in amendment.judged.pages.items()}
        self._stored = pages.load_findings(self._header.site_id, self._before.generation.crawl_id)
        self._findings = dict(self._stored)
        self._rows = dict(amendment.rows)
        for url, page in amendment.judged.pages.items():
            found = page.change.findings(self._stored.get(page.change.page_id, ()))
            self._findings[page.change.page_id] = found
            self._rows[url] = page.row(amendment.rows.get(url), found, self._header.id, amendment.placed[url])

    def store_pages(self) -> None:
        """Store all pages of the website in their new state. Nothing refers to the stored pages yet."""
        rows = sorted(self._rows.values(), key=lambda row: row.url)
        writes, partitions = pages.generation_writes(self._header.site_id, self._header.id, rows, self._findings)
        blocks.write(writes)
        self._generation = Generation(self._header.id, partitions, len(rows))

    def publish(self, freeing: Freeing) -> CrawlHeader:
        """Merge the outcomes with the current issues, and commit. Raises ``Conflict`` if the issues changed
        meanwhile."""
        site_id, now = self._header.site_id, clock.now()
        book = issues.load_state(site_id)
        if book is None:
            raise LookupError(f"{site_id} has published pages and no issues")
        outcomes = self._outcomes(book)
        issue_ids = {rule.id: ids.issue_id(site_id, rule.id) for rule in registry.RULES}
        merged, moved = merge(
            book, outcomes, issue_ids=issue_ids, crawl_id=self._header.id, now=now, stored=self._store(book, outcomes)
        )
        after = alert.book_after(book, merged, outcomes, now)
        summary = self._summary(after, now)
        done = msgspec.structs.replace(
            ended(self._header, "done", now),
            issues_found=sum(len(outcome.affected) > 0 for outcome in outcomes),
            replaces=self._before.generation.crawl_id,
        )
        missing_addresses.keep(
            self._header,
            self._generation.crawl_id,
            self._website.host,
            home_of(self._website),
            list(self._rows.values()),
            {outcome.rule_id: outcome.affected for outcome in outcomes if outcome.judged},
            pages.load_missing(site_id, self._before.generation.crawl_id),
        )
        look = keeping.watched_again(
            site_id, ((self._rows[url], page.facts) for url, page in self._judged.pages.items())
        )
        events = CrawlEvents(done, self._website.host, core_settings().app_root, now, registry.TITLES_AND_SEVERITIES)
        commit(
            [
                places.free_with_summary(self._website, done.id, summary, freeing),
                crawls.put_fenced(done, committed_checkpoint=self._header.checkpoint, heed_cancel=False),
                issues.put_state(site_id, after, replaces=book.version, log=moves(book, after, now, done.id)),
                alerts.forgotten(done.id),
                *kept_audits.rescored(site_id, done.id, "alert", score_entry(summary)),
                watched.put(site_id, look.now),
                *freeing.writes(now),
            ],
            [*events.moved(moved), *events.watched(look)],
        )
        return done

    def _summary(self, book: IssueBook, now: float) -> SiteSummary:
        summary = summary_after_recheck(
            self._before,
            book,
            registry.shares(book.counts),
            registry.is_critical,
            version=registry.SCORE_VERSION,
            now=now,
        )
        return msgspec.structs.replace(summary, generation=self._generation, measured=book.measured)

    def _outcomes(self, book: IssueBook) -> list[RuleOutcome]:
        """Return the outcome of each rule, in order. A rule that the alert does not affect counts as not judged."""
        touched = alert.touched(self._stored, self._changes.values())
        by_rule = {issue.rule_id: issue for issue in book.issues}
        found: dict[str, RuleOutcome] = {}
        for rule in PAGE_RULES:
            if rule.id in touched:
                issue = by_rule.get(rule.id)
                found[rule.id] = alert.outcome(
                    rule.id,
                    issue,
                    book.counts.get(rule.id, RuleCount(0, 0)),
                    [] if issue is None else issues.load_with_ignored(self._header.site_id, issue),
                    self._changes,
                    rows=self._rows,
                    evidence=self._judged.evidence.get(rule.id),
                    searched=self._judged.site.search,
                )
        return [found.get(rule.id) or RuleOutcome(rule.id, 0, [], "", judged=False) for rule in registry.RULES]

    def _store(self, book: IssueBook, outcomes: Iterable[RuleOutcome]) -> dict[str, StoredLists]:
        """Store the pages of the issues that changed, and their suggestions. No stored issue names them yet."""
        site_id, crawl_id = self._header.site_id, self._header.id
        affected = {outcome.rule_id: outcome.affected for outcome in outcomes if outcome.affected}
        stored = _StoredSuggestions(book, site_id, self._changes.keys())
        suggested = self._suggested(affected, stored)
        lists: dict[str, StoredLists] = {}
        writes: list[Put] = []
        for rule_id, of_rule in affected.items():
            issue_id = ids.issue_id(site_id, rule_id)
            chunks = issues.affected_writes(site_id, issue_id, crawl_id, of_rule)
            lists[rule_id] = StoredLists(len(chunks), stored.set_of(rule_id))
            writes += chunks
            if rule_id in suggested:
                whole = stored.with_fresh(rule_id, of_rule, suggested[rule_id])
                chunks, counts = issues.suggestion_writes(site_id, issue_id, crawl_id, whole)
                stands = SuggestionSet(crawl_id, counts, suggested[rule_id].note)
                lists[rule_id] = lists[rule_id]._replace(suggestions=stands)
                writes += chunks
        blocks.write(writes)
        return lists

    def _suggested(
        self, affected: Mapping[str, Sequence[AffectedPage]], stored: "_StoredSuggestions"
    ) -> dict[str, Suggested]:
        """Return the suggestions for the pages that were read. Empty if none could be made."""
        read = {rule_id: [page for page in listed if page.url in self._changes] for rule_id, listed in affected.items()}
        try:
            before = stored.composed(affected)
            suggester = Suggester(self._judged.site, self._header.site_id, self._titles, before)
            for url, page in self._judged.pages.items():
                suggester.add(page.facts, [rule_id for rule_id in self._rows[url].rules if rule_id in registry.BY_ID])
            return suggester.finish(read)
        except Exception as error:
            log_failures(self._header.id, [Failure(SUGGESTING, None, f"{type(error).__name__}: {error}")])
            return {}


class _StoredSuggestions:
    """The stored suggestions of the website's issues, without those for pages that the alert ``read``."""

    def __init__(self, book: IssueBook, site_id: str, read: Collection[str]) -> None:
        self._issues = {issue.rule_id: issue for issue in book.issues if issue.suggestions is not None}
        self._site_id, self._read = site_id, read
        self._loaded: dict[str, dict[str, Suggestion]] = {}
        self._composed: dict[str, dict[str, str]] = {}

    def set_of(self, rule_id: str) -> SuggestionSet | None:
        issue = self._issues.get(rule_id)
        return None if issue is None else issue.suggestions

    def with_fresh(self, rule_id: str, listed: Sequence[AffectedPage], fresh: Suggested) -> list[Suggestion]:
        """Return one suggestion for each listed page, in order: the new suggestion from ``fresh``, else the stored
        suggestion.

        No two pages of the website get the same text.
        """
        taken = self._texts(registry.BY_ID[rule_id].writable_field)
        new = {one.url: _unlike(one, taken) for one in fresh.suggestions}
        stands = self._of(rule_id)
        return [
            new.get(page.url) or stands.get(page.url) or Suggestion(page.url, page.page_id, None, None)
            for page in listed
        ]

    def composed(self, rule_ids: Iterable[str]) -> dict[str, str]:
        """Return the stored suggested descriptions that were composed from headings or lists, by page address."""
        found: dict[str, str] = {}
        for rule_id in rule_ids:
            if registry.BY_ID[rule_id].writable_field == "meta_description":
                self._of(rule_id)
                found.update(self._composed[rule_id])
        return found

    def _of(self, rule_id: str) -> dict[str, Suggestion]:
        if rule_id not in self._loaded:
            issue = self._issues.get(rule_id)
            found = [] if issue is None else issues.load_suggested(self._site_id, issue)
            self._loaded[rule_id] = {one.url: one for one in found if one.url not in self._read}
            self._composed[rule_id] = {
                one.url: one.suggested for one in found if one.suggested is not None and one.source in COMPOSED
            }
        return self._loaded[rule_id]

    def _texts(self, field: str | None) -> set[str]:
        """Return the texts of a field that are suggested for other pages."""
        if field not in _TEXTS:
            return set()
        rules = [rule_id for rule_id in self._issues if rule_id in registry.BY_ID]
        of_field = [rule_id for rule_id in rules if registry.BY_ID[rule_id].writable_field == field]
        return {one.suggested for rule_id in of_field for one in self._of(rule_id).values() if one.suggested}


def _unlike(one: Suggestion, taken: Collection[str]) -> Suggestion:
    if one.suggested not in taken:
        return one
    return msgspec.structs.replace(one, suggested=None, source=None, note=TAKEN)
