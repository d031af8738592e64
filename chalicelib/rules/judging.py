"""Judging an audit: what was read goes in; findings, scores of pages, counts and suggestions come out.

Two passes over the facts: what the website is as a whole, then each page in that light. Facts come block by block,
so that no website's facts are in memory all at once.

Failure policy: an address that did not answer stays listed with what the last audit saw of it. An audit that could
not read everything carries forward, for four weeks, the pages that it did not reach. A rule without data to judge by,
and one that failed, counts as not judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from chalicelib.domain import ids
from chalicelib.domain.audit import coverage
from chalicelib.domain.audit.coverage import AuditCoverage
from chalicelib.domain.audit.issues import RuleCount
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.audit.verdicts import Verdicts, answered, has_left
from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.suggestions.model import Suggested
from chalicelib.rules import registry
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Evidence, Failure, Judge, PageResult
from chalicelib.rules.suggesting import Suggester

CARRIED_SECONDS: Final = 28 * 24 * 3600  # pages that a partial audit did not reach are carried forward this long


class StoredFacts(Protocol):
    """What crawls have kept of a website."""

    def pages(self) -> Iterator[tuple[int, list[PageFacts]]]:
        """What this audit read, block by block: (block number, pages). May be asked for several times."""
        ...

    def targets(self) -> Iterator[TargetFacts]:
        """What the addresses answered that this audit only asked for."""
        ...

    def block(self, crawl_id: str, number: int) -> list[PageFacts]:
        """One block of any crawl; empty when it is gone."""
        ...


@dataclass(frozen=True, slots=True)
class AuditInputs:
    """What an audit is judged by, beside the facts of its pages. ``now``: epoch seconds.

    ``addresses`` are all that the audit knows, read or not; ``partial``: it ended before it had read them all.
    ``earlier_rows`` (by address) and ``earlier_findings`` (by page id) are of the pages published so far.
    ``crawl_token`` is the crawler's name in robots.txt.
    """

    site_id: str
    crawl_id: str
    now: float
    partial: bool
    site_facts: SiteFacts
    addresses: Sequence[str]
    earlier_rows: Mapping[str, PageRow]
    earlier_findings: Mapping[str, Sequence[PageFinding]]
    crawl_token: str


@dataclass(slots=True)
class Judgement:
    """Everything the rules said of a website, before it is merged with the issues it has. Rows in order of address.

    ``seen``: addresses that tell what they are, read now or (carried forward) by an earlier audit, and those that are
    no pages any more. ``site_evidence``: of each site rule that fires. ``unjudged``: rules that could not be judged.
    ``platform``: what the home page's markup gives away; ``home_read``: whether there was such markup.
    """

    now: float
    partial: bool
    home_url: str  # where the home page finally answered
    verdicts: Verdicts
    seen: set[str]
    coverage: AuditCoverage
    rows: list[PageRow] = field(default_factory=list)
    site_evidence: dict[str, Evidence] = field(default_factory=dict)
    rule_evidence: dict[str, Evidence] = field(default_factory=dict)
    counts: dict[str, RuleCount] = field(default_factory=dict)
    unjudged: set[str] = field(default_factory=set)
    platform: str | None = None
    home_read: bool = False
    suggested: dict[str, Suggested] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    @property
    def host(self) -> str:
        """The host on which the home page answers, as it is spelt there."""
        return urls.origin(self.home_url).partition("://")[2]


def judge(inputs: AuditInputs, stored: StoredFacts) -> Judgement:
    """Judge the website that was read."""
    survey = _Survey(inputs, stored)
    return _Judging(inputs, stored, survey).run()


class _Survey:
    """The first pass: what the website is as a whole, and which of its addresses were reached in what way."""

    def __init__(self, inputs: AuditInputs, stored: StoredFacts) -> None:
        builder = SiteBuilder(inputs.site_facts, now=inputs.now)
        self.read: set[str] = set()
        self.unreadable: set[str] = set()  # of those, pages that answered and could not be read
        for _, block in stored.pages():
            for facts in block:
                builder.add(facts)
                self.read.add(facts.url)
                if facts.status and facts.error is not None:
                    self.unreadable.add(facts.url)
        targets = {target.url: target for target in stored.targets() if target.url not in self.read}
        self.carried = _carried_rows(inputs, self.read, targets)
        for facts, _ in carried_facts(self.carried, stored):
            builder.add(facts, read=False)
            targets.pop(facts.url, None)
        for target in targets.values():
            builder.add_target(target)
        # Images are no addresses of the website.
        self.targets = {url: target for url, target in targets.items() if not target.image}
        self.unread = [url for url in inputs.addresses if url not in self.read and url not in self.carried]
        for url in self.unread:
            builder.add_known(url)
        self.site = builder.finish()


def _carried_rows(inputs: AuditInputs, read: set[str], targets: Mapping[str, TargetFacts]) -> dict[str, PageRow]:
    """Pages of the last audit that this partial one did not reach, by address.

    A page that has left the website, as a link's target that was checked, is not among them.
    """
    if not inputs.partial:
        return {}
    oldest = inputs.now - CARRIED_SECONDS
    return {
        url: row
        for url, row in inputs.earlier_rows.items()
        if url not in read
        and not (url in targets and has_left(targets[url]))
        and row.facts_crawl is not None
        and (row.last_crawled or 0) >= oldest
        and urls.same_site(url, inputs.site_facts.host)
    }


def carried_facts(rows: Mapping[str, PageRow], stored: StoredFacts) -> Iterator[tuple[PageFacts, PageRow]]:
    """The facts of these published pages (by address), each with its row. A page whose facts are gone is left out."""
    blocks: dict[tuple[str, int], list[PageRow]] = {}
    for row in rows.values():
        blocks.setdefault((row.facts_crawl or "", row.facts_block), []).append(row)
    for (crawl_id, number), of_block in sorted(blocks.items()):
        wanted = {row.url: row for row in of_block}
        for facts in stored.block(crawl_id, number):
            if facts.url in wanted:
                yield facts, wanted[facts.url]


class _Judging:
    """The second pass: every page, every other address, and the website itself."""

    def __init__(self, inputs: AuditInputs, stored: StoredFacts, survey: _Survey) -> None:
        self._inputs = inputs
        self._stored = stored
        self._survey = survey
        self._judge = Judge(survey.site)
        self._suggester = Suggester(survey.site, inputs.site_id)
        self._verdicts = Verdicts(inputs.earlier_findings)
        gone = {url for url, target in survey.targets.items() if has_left(target)}
        self._judgement = Judgement(
            now=inputs.now,
            partial=inputs.partial,
            home_url=inputs.site_facts.home_url,
            verdicts=self._verdicts,
            seen=survey.read | survey.carried.keys() | gone,
            coverage=self._coverage(),
        )

    def run(self) -> Judgement:
        self._judge_pages()
        self._judge_addresses()
        self._judge_site()
        self._count()
        judgement = self._judgement
        judgement.suggested = self._suggester.finish(self._verdicts.affected, judgement.site_evidence)
        judgement.failures = self._judge.failures
        judgement.rows.sort(key=lambda row: row.url)
        self._verdicts.sort()
        return judgement

    def _coverage(self) -> AuditCoverage:
        robots = self._survey.site.robots
        return coverage.measure(
            self._survey.read - self._survey.unreadable,
            self._inputs.addresses,
            [url for url, _ in self._inputs.site_facts.sitemap_urls],
            lambda url: robots.verdict(self._inputs.crawl_token, url).allowed,
        )

    # -- pages -----------------------------------------------------------------------------------------

    def _judge_pages(self) -> None:
        for number, block in self._stored.pages():
            for facts in block:
                result = self._judge_page(facts, self._inputs.crawl_id, number)
                if result.undecided or not answered(facts):
                    self._keep_earlier(result, facts)
        for facts, row in carried_facts(self._survey.carried, self._stored):
            self._judge_page(facts, row.facts_crawl or self._inputs.crawl_id, row.facts_block)

    def _judge_page(self, facts: PageFacts, crawl_id: str, block: int) -> PageResult:
        """Judge one page; ``crawl_id`` and ``block``: where its facts are stored."""
        result = self._judge.page(facts)
        page_id = ids.page_id(self._inputs.site_id, result.url)
        fired = [rule_id for rule_id, _ in result.findings]
        self._verdicts.found(result.url, page_id, result.findings, seen_at=facts.fetched_at, template=result.template)
        if facts.url == self._inputs.site_facts.home_url:
            self._judgement.platform, self._judgement.home_read = facts.platform, facts.is_html
        self._judgement.rows.append(_row(page_id, facts, result, fired, crawl_id, block))
        self._suggester.add(facts, fired)
        return result

    def _keep_earlier(self, result: PageResult, facts: PageFacts) -> None:
        """A page that did not answer stays listed with what the last audit saw of it, and so does any page for a
        rule that lacked what it judges by, such as a target that was not asked this time."""
        earlier = self._inputs.earlier_rows.get(facts.url)
        if earlier is None:
            return
        said = {rule_id for rule_id, _ in result.findings}
        silent = not answered(facts)
        for finding in self._inputs.earlier_findings.get(earlier.id, ()):
            rule = registry.BY_ID.get(finding.rule_id)
            if finding.rule_id in said or rule is None:
                continue
            if finding.rule_id not in result.undecided and (not silent or rule.population == "crawled"):
                continue
            last_seen = earlier.last_crawled or int(self._inputs.now)
            self._verdicts.kept(facts.url, earlier.id, finding, last_seen=last_seen, template=earlier.template)
        row = self._judgement.rows[-1]
        row.title, row.template = row.title or earlier.title, row.template or earlier.template
        row.rules = self._verdicts.rules_of(earlier.id)

    # -- other addresses, and the website ---------------------------------------------------------------

    def _judge_addresses(self) -> None:
        """Addresses that were not read: only rules that need no content speak of them, and they are in no list."""
        targets = self._survey.targets
        for target in targets.values():
            if target.own_host:
                self._found_unread(self._judge.page(target.as_page()))
        for url in self._survey.unread:
            if url not in targets:
                self._found_unread(self._judge.known(url))

    def _found_unread(self, result: PageResult) -> None:
        page_id = ids.page_id(self._inputs.site_id, result.url)
        self._verdicts.found(result.url, page_id, result.findings, seen_at=int(self._inputs.now), template=None)

    def _judge_site(self) -> None:
        self._judgement.site_evidence = dict(self._judge.site())
        self._judgement.rule_evidence = self._judge.rule_evidence()

    def _count(self) -> None:
        for rule_id, tally in self._judge.tallies().items():
            if not tally.judged:
                self._judgement.unjudged.add(rule_id)
            affected = len(self._verdicts.affected.get(rule_id, ())) or tally.affected
            # Pages that are kept are part of both counts: a page that did not answer stays affected.
            kept = max(0, affected - tally.affected)
            self._judgement.counts[rule_id] = RuleCount(tally.applicable + kept, affected)


def _row(page_id: str, facts: PageFacts, result: PageResult, fired: list[str], crawl_id: str, block: int) -> PageRow:
    return PageRow(
        id=page_id,
        url=result.url,
        status=facts.status or None,
        title=facts.title,
        template=result.template,
        page_score=result.page_score,
        aeo_score=result.aeo_score,
        rules=fired,
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
