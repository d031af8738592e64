"""Judges an audit: computes findings, scores of pages, counts and suggestions from the pages that were read.

There are two passes over the facts. The first collects data about the whole website. The second judges each page with
this data. Facts come block by block, so that a website's facts are never all in memory at once.

Failure policy:

- An issue is resolved only by pages that were read. A page that did not answer stays listed with the findings of the
  last audit.
- If an audit did not read a page, for any reason, the earlier data about the page is carried forward for four weeks.
- A page that robots.txt now disallows is judged as it was when it was read.
- A rule whose data is missing, or that failed, counts as not judged.
- A page whose facts cannot be used counts as not read.
- If making the suggestions for a page fails, only that page has no suggestions.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from chalicelib.domain import ids
from chalicelib.domain.audit.coverage import AuditCoverage
from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.issues import RuleCount
from chalicelib.domain.audit.kept import KeptRobots, PageTexts, robots_of, texts_of
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.searched import Searched
from chalicelib.domain.audit.understood import Understood
from chalicelib.domain.audit.verdicts import Verdicts, answered, has_left
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.assets import is_asset
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.readiness.records import Readiness
from chalicelib.domain.suggestion import Suggested
from chalicelib.rules import registry
from chalicelib.rules.engine import MAX_FAILURES, Failure, Judge, PageResult
from chalicelib.rules.model import Rule
from chalicelib.rules.readiness import readiness_of
from chalicelib.rules.suggesting import Suggester
from chalicelib.rules.survey import AuditInputs, StoredFacts, Survey, carried_facts, note
from chalicelib.settings.crawl import crawl_settings

# Populations of rules that judge addresses without reading them, from robots.txt, sitemaps and links.
UNREAD_POPULATIONS: Final = frozenset({"known", "sitemap"})
# Stands for the id of a rule in a ``Failure``, if the failure was in making suggestions.
SUGGESTING: Final = "suggestion"
READINESS: Final = "readiness"


@dataclass(slots=True)
class Judgement:
    """All findings of a website, before they are merged with its issues. Rows are in order of address.

    - ``seen``: addresses with known content, and addresses that are no longer pages. The content was read by this audit
      or carried forward from an earlier one.
    - ``unread``: the other known addresses.
    - ``read_any``: whether the audit read a page at all.
    - ``decided``: for each ``unread`` address that answered, the rules that judged the answer.

    - ``site_evidence``: evidence of each site rule that fires.
    - ``unjudged``: rules that could not be judged.
    - ``search``: search figures of 28 days by address, None without search data.
    - ``inputs``: names of the data that was used in addition to the crawl, such as ``search``.
    - ``notes``: what the audit could not find out, in sentences.

    - ``platform``: the content system that the home page's markup reveals.
    - ``home_read``: whether the home page's markup was read.
    - ``readiness``: the website's readiness for assistants, None if computing it failed.
    - ``carried_targets``: answers to requests of earlier audits, such as for link targets, that the next audit needs.
    - ``understood``: how much of the website the audit could read and judge.
    - ``texts``: by page id, texts that are stored in addition to the page's row, such as the description.
    - ``robots``: the answer of /robots.txt, None if unknown.
    """

    now: float
    partial: bool
    home_url: str  # where the home page finally answered
    verdicts: Verdicts
    seen: set[str]
    unread: set[str]
    read_any: bool
    coverage: AuditCoverage
    understood: Understood
    search: Searched | None = None
    inputs: frozenset[str] = frozenset()
    rows: list[PageRow] = field(default_factory=list)
    site_evidence: dict[str, Evidence] = field(default_factory=dict)
    rule_evidence: dict[str, Evidence] = field(default_factory=dict)
    counts: dict[str, RuleCount] = field(default_factory=dict)
    unjudged: set[str] = field(default_factory=set)
    platform: str | None = None
    home_read: bool = False
    suggested: dict[str, Suggested] = field(default_factory=dict)
    readiness: Readiness | None = None
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    carried_targets: list[TargetFacts] = field(default_factory=list)
    decided: dict[str, tuple[str, ...]] = field(default_factory=dict)
    texts: dict[str, PageTexts] = field(default_factory=dict)
    robots: KeptRobots | None = None

    @property
    def host(self) -> str:
        """The host in the final address of the home page, after all redirects, spelled as in that address."""
        return urls.origin(self.home_url).partition("://")[2]


def judge(inputs: AuditInputs, stored: StoredFacts) -> Judgement:
    """Judge everything that was read of a website."""
    survey = Survey(inputs, stored)
    return _Judging(inputs, stored, survey).run()


class _Judging:
    """The second pass: judges every page, every other address, and the website itself."""

    def __init__(self, inputs: AuditInputs, stored: StoredFacts, survey: Survey) -> None:
        self._inputs = inputs
        self._stored = stored
        self._survey = survey
        self._judge = Judge(survey.site)
        self._suggester = Suggester(survey.site, inputs.site_id, inputs.beside.titles)
        self._verdicts = Verdicts(inputs.earlier_findings)
        self._kept_beside: Counter[str] = Counter()  # rule id -> pages with kept findings, not counted as applicable
        self._kept_evidence: dict[str, list[Evidence]] = {}  # by rule id: kept findings of rules that count links
        self._failures: list[Failure] = list(survey.failures)
        self._rows_left = inputs.unread_rows
        gone = {url for url, target in survey.targets.items() if has_left(target)}
        self._judgement = Judgement(
            now=inputs.now,
            partial=inputs.partial,
            home_url=inputs.site_facts.home_url,
            verdicts=self._verdicts,
            seen=(survey.read - survey.unfit) | survey.carried.keys() | gone,
            unread={url for url in survey.unread if url not in gone},
            read_any=bool(survey.read),
            coverage=survey.coverage,
            understood=survey.understood,
            search=survey.site.search,
            inputs=inputs.beside.names | inputs.had,
            carried_targets=survey.carried_targets,
            robots=_robots(inputs.site_facts),
        )

    def run(self) -> Judgement:
        self._judge_pages()
        self._judge_addresses()
        self._judge_site()
        self._count()
        judgement = self._judgement
        try:
            judgement.suggested = self._suggester.finish(self._verdicts.affected, judgement.site_evidence)
        except Exception as error:
            note(self._failures, SUGGESTING, None, error)
        try:
            judgement.readiness = readiness_of(self._survey.site, self._inputs.crawl_id, self._inputs.now)
        except Exception as error:
            note(self._failures, READINESS, None, error)
        little = judgement.understood.told(crawl_settings().user_agent)
        judgement.notes = [*([little] if little else []), *_of_unasked(self._inputs), *self._judge.notes]
        judgement.failures = [*self._failures, *self._judge.failures][:MAX_FAILURES]
        judgement.rows.sort(key=lambda row: row.url)
        self._verdicts.sort()
        return judgement

    # -- pages -----------------------------------------------------------------------------------------

    def _judge_pages(self) -> None:
        unfit, forbidden = self._survey.unfit, self._survey.forbidden
        for number, block in self._stored.pages():
            for facts in block:
                if facts.url in unfit:
                    continue
                result = self._judge_page(facts, self._inputs.crawl_id, number)
                if not answered(facts):
                    self._keep_earlier(result, lambda rule: not rule.judges_answers)
                elif result.undecided:
                    self._keep_earlier(result, was_read=True)
        for facts, row in carried_facts(self._survey.carried, self._stored):
            result = self._judge_page(facts, row.facts_crawl or self._inputs.crawl_id, row.facts_block)
            decided: Sequence[str] = () if facts.url in forbidden else result.applicable
            self._keep_earlier(result, partial(_not_judged, decided))

    def _judge_page(self, facts: PageFacts, crawl_id: str, block: int) -> PageResult:
        """Judge one page. ``crawl_id`` and ``block``: where its facts are stored."""
        result = self._judge.page(facts)
        page_id = ids.page_id(self._inputs.site_id, result.url)
        fired = [rule_id for rule_id, _ in result.findings]
        self._verdicts.found(result.url, page_id, result.findings, seen_at=facts.fetched_at, template=result.template)
        if facts.url == self._inputs.site_facts.home_url:
            self._judgement.platform, self._judgement.home_read = facts.platform, facts.is_html
        self._judgement.rows.append(page_row(page_id, facts, result, fired, crawl_id, block))
        self._judgement.texts[page_id] = texts_of(facts, result.own_words)
        try:
            self._suggester.add(facts, fired)
        except Exception as error:
            note(self._failures, SUGGESTING, facts.url, error)
        return result

    def _keep_earlier(
        self, result: PageResult, also: Callable[[Rule], bool] = lambda _: False, *, was_read: bool = False
    ) -> None:
        """Keep earlier findings of the page whose row was added last, for rules that could not judge it now. Keep its
        title and template too, unless the page was read now (``was_read``) and has lost them.

        These are the rules that were undecided, for example because a target was not requested this time, and the rules
        for which ``also`` returns True.
        """
        row = self._judgement.rows[-1]
        earlier = self._inputs.earlier_rows.get(result.url)
        said = {rule_id for rule_id, _ in result.findings}
        for finding in self._inputs.earlier_findings.get(row.id, ()):
            rule = registry.BY_ID.get(finding.rule_id)
            if finding.rule_id in said or rule is None:
                continue
            if finding.rule_id in result.undecided or also(rule):
                last_seen = (earlier.last_crawled if earlier else None) or int(self._inputs.now)
                template = earlier.template if earlier else None
                self._verdicts.kept(result.url, row.id, finding, last_seen=last_seen, template=template)
                self._kept_beside[rule.id] += rule.id not in result.applicable
                if rule.counts_links:
                    self._kept_evidence.setdefault(rule.id, []).append(finding.evidence)
        if earlier is not None and not was_read:
            row.title, row.template = row.title or earlier.title, row.template or earlier.template
        row.rules = self._verdicts.rules_of(row.id)

    # -- other addresses, and the website ---------------------------------------------------------------

    def _judge_addresses(self) -> None:
        """Judge the addresses that were not read, by the rules that need no content."""
        targets = self._survey.targets
        for target in targets.values():
            if target.own_host:
                facts = target.as_page()
                result = self._judge.page(facts)
                self._found_unread(result, target.status or None)
                if not answered(facts):
                    self._keep_earlier(result, partial(_not_judged, ()))
                else:
                    if result.undecided and not has_left(target):
                        self._keep_earlier(result)
                    if target.url in self._judgement.unread:
                        decided = (rule_id for rule_id in result.applicable if _judges_answers(registry.BY_ID[rule_id]))
                        self._judgement.decided[target.url] = tuple(decided)
                self._settle_row()
        for url in self._survey.unread:
            if url not in targets:
                result = self._judge.unread(url)
                self._found_unread(result, None)
                self._keep_earlier(result, partial(_not_judged, ()))
                self._settle_row()

    def _found_unread(self, result: PageResult, status: int | None) -> None:
        """Record the findings on an address that was not read, and add its row."""
        page_id = ids.page_id(self._inputs.site_id, result.url)
        self._verdicts.found(result.url, page_id, result.findings, seen_at=int(self._inputs.now), template=None)
        self._judgement.rows.append(unread_row(page_id, result, status))

    def _settle_row(self) -> None:
        """Keep the last row if its address has findings. Otherwise keep it only while there is room."""
        row = self._judgement.rows[-1]
        if row.rules:
            return
        if self._rows_left > 0 and not is_asset(row.url):
            self._rows_left -= 1
        else:
            self._judgement.rows.pop()

    def _judge_site(self) -> None:
        self._judgement.site_evidence = dict(self._judge.site())
        self._judgement.rule_evidence = self._judge.rule_evidence()

    def _count(self) -> None:
        for rule_id, tally in self._judge.tallies().items():
            if not tally.judged:
                self._judgement.unjudged.add(rule_id)
            affected = len(self._verdicts.affected.get(rule_id, ())) or tally.affected
            links = self._judge.links(rule_id)
            if links is not None:
                for evidence in self._kept_evidence.get(rule_id, ()):
                    links.add_evidence(evidence)
            # Pages with kept findings are part of both counts: a page that did not answer stays affected.
            applicable = tally.applicable + self._kept_beside[rule_id]
            self._judgement.counts[rule_id] = RuleCount(applicable, affected, None if links is None else links.total)


def _robots(facts: SiteFacts) -> KeptRobots | None:
    robots = facts.robots
    return None if robots is None else robots_of(robots.status or None, robots.text)


def _of_unasked(inputs: AuditInputs) -> list[str]:
    notes = []
    if unasked := inputs.links_unasked:
        were = "link of the website was" if unasked == 1 else "links of the website were"
        notes.append(
            f"{unasked:,} {were} not requested, because the time limit of the audit was reached. SEO-LNK-001 and "
            "SEO-TEC-004 do not judge the addresses that these links lead to."
        )
    if unasked := inputs.images_unasked:
        were = "file that pages load was" if unasked == 1 else "files that pages load were"
        notes.append(
            f"{unasked:,} {were} not requested. An audit requests about half as many files as it reads pages, "
            "beginning with the files that most pages load. SEO-IMG-004, SEO-IMG-005, SEO-TEC-041 and SEO-TEC-042 do "
            "not judge the other files."
        )
    return notes


def _not_judged(decided: Sequence[str], rule: Rule) -> bool:
    """Whether the rule judges only pages that were read, and did not judge this one.

    ``decided``: the rules that judged the page.
    """
    return rule.population not in UNREAD_POPULATIONS and rule.id not in decided


def _judges_answers(rule: Rule) -> bool:
    return rule.judges_answers and not rule.by_content


def page_row(
    page_id: str, facts: PageFacts, result: PageResult, fired: list[str], crawl_id: str, block: int
) -> PageRow:
    """Return the row of a page that was read. ``crawl_id`` and ``block``: where its facts are stored."""
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
        own_words=result.own_words,
        redirects=list(result.redirects.hops),
        redirects_end=result.redirects.end,
    )


def unread_row(page_id: str, result: PageResult, status: int | None) -> PageRow:
    """Return the row of an address that was not read: no title, scores or facts.

    ``status``: None if the address was not requested.
    """
    return PageRow(
        id=page_id,
        url=result.url,
        status=status,
        title=None,
        template=None,
        page_score=None,
        aeo_score=None,
        rules=[rule_id for rule_id, _ in result.findings],
        inlinks=result.inlinks,
        last_crawled=None,
        depth=result.depth,
        not_indexable_reason=result.not_indexable_reason,
    )


def listed_row(page_id: str, url: str) -> PageRow:
    """Return the row of an address about which only one thing is known: that an issue lists it."""
    return PageRow(page_id, url, None, None, None, None, None, [], 0, None, not_indexable_reason="not_read")
