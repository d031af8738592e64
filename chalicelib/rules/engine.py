"""Judges a website: each rule checks the pages of its population (such as all indexable pages), each page gets a score,
and each rule gets its counts (how many pages it applies to and affects).

A rule never sees a page outside its population. If the rule does not apply to a page of the population, the page is not
counted among the rule's applicable pages. So a rule's affected pages are always part of its applicable pages. The order
of facts does not change the result.

A rule that raises an exception does not stop the audit. It is undecided for that page (or for the website), and the
failure is noted. Earlier findings of the page are kept, so that an error in our own code resolves no issue.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.evidence import Evidence, bounded
from chalicelib.domain.audit.link_units import LinkUnits
from chalicelib.domain.audit.score import PageScore, page_score
from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules import registry
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Population, Rule
from chalicelib.rules.populations import populations_of
from chalicelib.rules.redirects import NO_REDIRECT, Redirects, redirects_from

MAX_FAILURES: Final = 100


_MOST_SCORES: Final = 1_000  # kept; pages that differ in all rules would fill the memory


class PageResult(NamedTuple):
    """The rules' verdicts on one address. Scores are in tenths of a point.

    - Scores are None if the address is not a readable page. They are also None if the page is judged at another address
      of the same page. For example, an index file is judged at its folder's address.
    - ``applicable``: ids of the rules that judged the page, with and without a finding.
    - ``undecided``: ids of the rules that raised an exception or whose data is missing. The earlier findings of these
      rules are kept.
    """

    url: str
    page_score: int | None
    aeo_score: int | None
    findings: list[tuple[str, Evidence]]
    template: str | None
    depth: int | None
    inlinks: int
    indexable: bool
    not_indexable_reason: str | None
    category_scores: dict[str, int]
    undecided: tuple[str, ...]
    applicable: tuple[str, ...]
    redirects: Redirects = NO_REDIRECT
    own_words: int | None = None  # words of text that many pages do not repeat; None if not readable


class Tally(NamedTuple):
    """A rule's counts: how many pages it applied to, and how many it affects (0 or 1 for a site rule).

    ``judged``: False if the rule's data was missing or the rule raised an exception. The earlier findings of the rule
    are then kept.
    """

    applicable: int
    affected: int
    judged: bool = True


class Failure(NamedTuple):
    """A rule that raised an exception. ``url``: the page; None for a site rule."""

    rule_id: str
    url: str | None
    error: str


# The check of a page rule, its id, and the rule. Each page goes over dozens: a plain tuple is taken apart faster.
_PageRule = tuple[Callable[[Page, Site], PageVerdict], str, Rule]


class Judge:
    """Judges the pages of one website one by one, and then the website itself."""

    def __init__(self, site: Site, rules: Sequence[Rule] = registry.RULES) -> None:
        self._website = site
        self.failures: list[Failure] = []
        self._undecided: set[str] = set()  # undecided for the website as a whole
        self._failed_on_pages: set[str] = set()
        self.notes: list[str] = []  # why rules could not judge the website, in sentences
        self._judging = [rule for rule in rules if site.lacks.isdisjoint(rule.needs) and self._has_data(rule)]
        judging = {rule.id for rule in self._judging}
        self._without_data = [rule.id for rule in rules if rule.id not in judging]
        self._scored = {rule.id: registry.scored(rule) for rule in rules}
        # By the rules that apply and the rules that fire: most pages of a website have the same.
        self._scores: dict[tuple[tuple[str, ...], frozenset[str]], PageScore] = {}
        self._applicable: Counter[str] = Counter()
        self._affected: Counter[str] = Counter()
        self._links = {rule.id: LinkUnits() for rule in rules if rule.counts_links}
        self._by_populations: dict[frozenset[Population], list[_PageRule]] = {}

    def page(self, facts: PageFacts) -> PageResult:
        """Judge one address that was requested. Call this only once per address."""
        page = Page(facts, self._website)
        findings, applicable, undecided = self._judge(page)
        scores = None
        if page.readable and page.same_as is None:
            scores = self._score(applicable, frozenset([rule_id for rule_id, _ in findings]))
        return PageResult(
            url=facts.url,
            page_score=scores.page_tenths if scores else None,
            aeo_score=scores.aeo_tenths if scores else None,
            findings=findings,
            template=page.template,
            depth=page.depth,
            inlinks=page.inlinks,
            # A page that robots.txt now disallows is judged as it was read, but shown as not indexable.
            indexable=page.indexable and page.robots_allowed,
            not_indexable_reason=page.not_indexable_reason,
            category_scores=scores.categories.copy() if scores else {},
            undecided=tuple(undecided),
            applicable=applicable,
            redirects=redirects_from(self._website, facts.url) if facts.redirect_to else NO_REDIRECT,
            own_words=page.address.own_words if page.readable else None,
        )

    def unread(self, url: str) -> PageResult:
        """Judge a known address that was not read, by the rules that need no content.

        If the address was requested as the target of a link, its answer is known, and these rules judge it.
        """
        return self.page(PageFacts(url=url))

    def site(self) -> list[tuple[str, Evidence]]:
        """Judge the website itself, by the site rules. Call this only once."""
        findings: list[tuple[str, Evidence]] = []
        for rule in self._judging:
            check = rule.site_check
            if check is None:
                continue
            try:
                verdict = check(self._website)
                evidence = bounded(verdict.evidence()) if isinstance(verdict, Finding) else None
            except Exception as error:
                self._note(rule, None, error)
                continue
            if verdict is UNDECIDED:
                self._undecided.add(rule.id)
            if verdict is None or evidence is not None:
                self._applicable[rule.id] += 1
            if evidence is not None:
                self._affected[rule.id] += 1
                findings.append((rule.id, evidence))
        return findings

    def rule_evidence(self) -> dict[str, Evidence]:
        """Return evidence of page rules about the website as a whole, such as a shared title ending, by rule id."""
        result: dict[str, Evidence] = {}
        for rule in self._judging:
            if rule.whole_evidence is None or not self._affected[rule.id]:
                continue
            try:
                evidence = rule.whole_evidence(self._website)
            except Exception as error:
                self._note(rule, None, error)
                continue
            if evidence is not None:
                result[rule.id] = bounded(evidence)
        return result

    def tallies(self) -> dict[str, Tally]:
        """Return the counts of every rule, judged or not, by rule id."""
        unjudged = self._undecided | {rule_id for rule_id in self._failed_on_pages if not self._applicable[rule_id]}
        result = {
            rule.id: Tally(self._applicable[rule.id], self._affected[rule.id], rule.id not in unjudged)
            for rule in self._judging
        }
        result.update((rule_id, Tally(0, 0, judged=False)) for rule_id in self._without_data)
        return result

    def links(self, rule_id: str) -> LinkUnits | None:
        """Return the sum of the faulty links that the rule found on the judged pages. Returns None for a rule that
        counts pages instead of links."""
        return self._links.get(rule_id)

    def _has_data(self, rule: Rule) -> bool:
        try:
            if rule.has_data is None or rule.has_data(self._website):
                return True
            note = rule.without_data(self._website) if rule.without_data is not None else None
            if note is not None:
                self.notes.append(note)
            return False
        except Exception as error:
            self._note(rule, None, error)
            return False

    def _score(self, applicable: tuple[str, ...], fired: frozenset[str]) -> PageScore:
        scores = self._scores.get((applicable, fired))
        if scores is None:
            scores = page_score([self._scored[rule_id] for rule_id in applicable], fired)
            if len(self._scores) >= _MOST_SCORES:
                self._scores.clear()
            self._scores[applicable, fired] = scores
        return scores

    def _judge(self, page: Page) -> tuple[list[tuple[str, Evidence]], tuple[str, ...], list[str]]:
        findings: list[tuple[str, Evidence]] = []
        undecided = list(self._without_data)
        applicable: list[str] = []
        website = self._website
        for check, rule_id, rule in self._rules_of(populations_of(page)):
            try:
                verdict = check(page, website)
                if verdict is None:  # checked first, because this verdict is the most frequent
                    applicable.append(rule_id)
                    continue
                evidence = bounded(verdict.evidence()) if isinstance(verdict, Finding) else None
            except Exception as error:
                self._note(rule, page.url, error)
                undecided.append(rule_id)
                continue
            if evidence is not None:
                applicable.append(rule_id)
                self._affected[rule_id] += 1
                findings.append((rule_id, evidence))
                if isinstance(verdict, Finding) and verdict.faulty is not None:
                    self._links[rule_id].add(verdict.faulty)
            elif verdict is UNDECIDED:
                undecided.append(rule_id)
        self._applicable.update(applicable)
        return findings, tuple(applicable), undecided

    def _rules_of(self, populations: frozenset[Population]) -> list[_PageRule]:
        rules = self._by_populations.get(populations)
        if rules is None:
            rules = self._by_populations[populations] = [
                (rule.page_check, rule.id, rule)
                for rule in self._judging
                if rule.page_check is not None and rule.population in populations
            ]
        return rules

    def _note(self, rule: Rule, url: str | None, error: Exception) -> None:
        (self._undecided if url is None else self._failed_on_pages).add(rule.id)
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(Failure(rule.id, url, f"{type(error).__name__}: {error}"))
