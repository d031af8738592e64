"""Judges the pages that an alert names. An alert is a report of the CMS that pages changed.

Each page is judged twice: with its earlier facts, and with its current facts. Both judgements see the whole website,
including other pages that were read again. Only the facts of the named pages differ. So each difference between the two
comes from a change of these pages.

Failure policy: a page that did not answer keeps its findings. If a rule raises an exception or its data is missing, the
rule's findings are kept too. If the facts of a page cannot be used, the page counts as a page that did not answer.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from chalicelib.domain import ids
from chalicelib.domain.audit.alert import PageChange
from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.inputs import NOTHING_BESIDE, SiteInputs
from chalicelib.domain.audit.records import PageFinding, PageRow
from chalicelib.domain.audit.score import PageScore, page_score
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.rules import registry
from chalicelib.rules.context import Site
from chalicelib.rules.engine import Failure, Judge, PageResult
from chalicelib.rules.judging import page_row
from chalicelib.rules.rechecking import PublishedAudit, renewed_row, website_again
from chalicelib.rules.survey import TAKING_UP, note

PAGE_RULES = tuple(rule for rule in registry.RULES if rule.scope == "page")
_GONE = frozenset({404, 410})


class Reread(NamedTuple):
    """The data read after an alert: the website's own files, its pages, and the answers of the pages' ``images``.

    ``asked``: the addresses that the alert names. Other pages were read in addition.
    """

    site: SiteFacts
    pages: Mapping[str, PageFacts]
    images: Iterable[TargetFacts]
    asked: Collection[str]


class JudgedPage(NamedTuple):
    """A page that answered: its changes, its current facts, and the verdicts of all page rules on these facts."""

    change: PageChange
    facts: PageFacts
    result: PageResult

    def row(self, row: PageRow | None, findings: Iterable[PageFinding], crawl_id: str, block: int) -> PageRow:
        """Return the page's row after the alert.

        - ``row``: the published row; None if the page is new.
        - ``findings``: the page's findings after the alert.
        - ``crawl_id`` and ``block``: where the page's current facts are stored.
        """
        fired = [finding.rule_id for finding in findings]
        if row is None:
            row = page_row(self.change.page_id, self.facts, self.result, fired, crawl_id, block)
        renewed = renewed_row(row, self.facts, self.result, _scores(self.result, fired), crawl_id, block)
        return msgspec.structs.replace(renewed, rules=fired)


class Judged(NamedTuple):
    """The pages that answered, by address.

    - ``evidence``: each rule's evidence about the website as a whole, by rule id.
    - ``site``: the website with the current facts.
    """

    pages: dict[str, JudgedPage]
    evidence: dict[str, Evidence]
    site: Site
    failures: list[Failure]


def judge_changes(
    site_id: str,
    reread: Reread,
    *,
    audit: PublishedAudit,
    known: Collection[str],
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
    keep_lease: Callable[[], None],
) -> Judged:
    """Judge the pages that an alert names, by all page rules.

    - ``known``: all published addresses, including addresses that were never read. An address that is not among them
      is judged only if it is a page.
    - ``keep_lease``: renews the lease. It is called repeatedly; its exceptions are passed on.
    """
    failures: list[Failure] = []
    unfit: set[str] = set()  # pages that were read but cannot be used

    def told(url: str, error: Exception) -> None:
        unfit.add(url)
        note(failures, TAKING_UP, url, error)

    def light(renewed: Mapping[str, PageFacts]) -> Site:
        keep_lease()
        taken = {url: facts for url, facts in renewed.items() if answered(facts)}
        return website_again(reread.site, audit, taken, now=now, beside=beside, images=reread.images, unfit=told)

    asked = set(reread.asked)
    old = Judge(light({url: facts for url, facts in reread.pages.items() if url not in asked}), rules=PAGE_RULES)
    was = {url: old.page(audit.pages[url]) for url in reread.asked if url in audit.pages}
    failures += old.failures
    del old  # frees memory: two judgements of a large website do not fit at once
    site = light(reread.pages)
    new = Judge(site, rules=PAGE_RULES)
    pages: dict[str, JudgedPage] = {}
    for url in reread.asked:
        facts = reread.pages.get(url)
        if facts is None or url in unfit or not answered(facts):
            continue
        if url not in known and not (facts.status == 200 and facts.is_html):
            continue
        keep_lease()
        result = new.page(facts)
        pages[url] = JudgedPage(_change(ids.page_id(site_id, url), facts, was.get(url), result), facts, result)
    return Judged(pages, new.rule_evidence(), site, [*failures, *new.failures])


def _change(page_id: str, facts: PageFacts, was: PageResult | None, now: PageResult) -> PageChange:
    shows = dict(now.findings)
    fired = frozenset(rule_id for rule_id, _ in was.findings) if was is not None else frozenset()
    spoke = frozenset([*was.applicable, *was.undecided]) if was is not None else frozenset()
    silent = registry.BY_ID.keys() - shows.keys() - _as_before(facts, now)
    # A page that has left the website loses all findings. If its earlier facts are lost, all verdicts count as new.
    went = silent if was is None or _has_left(facts) else silent & fired
    came = shows.keys() - fired
    return PageChange(
        url=facts.url,
        page_id=page_id,
        seen_at=facts.fetched_at,
        shows=shows,
        came=frozenset(came),
        joined=frozenset(came - spoke),
        went=frozenset(went),
    )


def _as_before(facts: PageFacts, result: PageResult) -> set[str]:
    """Return the rules with an unknown result, because an input for the page is missing.

    For a page that has left the website, only rules that judge an address by its answer can be among them.
    """
    if not _has_left(facts):
        return set(result.undecided)
    return {rule_id for rule_id in result.undecided if registry.BY_ID[rule_id].judges_answers}


def _has_left(facts: PageFacts) -> bool:
    return 300 <= facts.status < 400 or facts.status in _GONE


def _scores(result: PageResult, fired: Collection[str]) -> PageScore:
    if result.page_score is None and result.aeo_score is None:  # no readable page
        return PageScore(None, None, {})
    spoken = {*result.applicable, *fired} & registry.BY_ID.keys()
    return page_score([registry.scored(registry.BY_ID[rule_id]) for rule_id in spoken], set(fired))
