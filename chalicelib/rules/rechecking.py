"""Judging the listed pages of one issue again, in the light of the whole website as it is now."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import msgspec

from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.inputs import NOTHING_BESIDE, SiteInputs
from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.score import PageScore, page_score
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.rules import registry
from chalicelib.rules.building import site_builder
from chalicelib.rules.engine import Failure, Judge, PageResult
from chalicelib.rules.model import Rule
from chalicelib.rules.redirects import End, Redirects


def linking_pages(rule: Rule, listed: Sequence[str], published: Mapping[str, PageFacts]) -> list[str] | None:
    """The addresses of the pages that hold the links which the rule is about; None: it is about no links.

    Some rules list the address that does not work: the pages to mend are those that link to it. Others list the
    linking pages themselves.
    """
    if not rule.link_rule:
        return None
    if rule.population != "crawled":
        return list(listed)
    wanted = set(listed)
    return [page.url for page in published.values() if any(link.url in wanted for link in page.links)]


class JudgedAgain(NamedTuple):
    """What is said now. ``outcomes``: of each listed address; ``pages``: what all rules say of those that were read;
    ``evidence``: what the rule says of the website as a whole beside its pages."""

    outcomes: dict[str, Reread]
    pages: dict[str, PageResult]
    evidence: Evidence | None
    failures: list[Failure]


def judge_again(
    rule: Rule,
    site_facts: SiteFacts,
    *,
    listed: Iterable[str],
    published: Mapping[str, PageFacts],
    fresh: Mapping[str, PageFacts],
    images: Iterable[TargetFacts],
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
) -> JudgedAgain:
    """Judge each listed address again. ``published``: the facts of all published pages, by address; ``fresh``: those
    that were read again, and others that were read beside them; ``images``: what images answered."""
    builder = site_builder(site_facts, now, beside)
    for url, facts in published.items():
        renewed = fresh.get(url)
        builder.add(renewed if renewed is not None and _can_judge(rule, renewed) else facts)
    for url, facts in fresh.items():
        if url not in published:
            builder.add(facts)
    for image in images:
        builder.add_target(image)
    site = builder.finish()
    judge, all_rules = Judge(site, rules=(rule,)), Judge(site)
    outcomes = {url: _reread(rule, judge, fresh.get(url)) for url in listed}
    pages = {url: all_rules.page(fresh[url]) for url in outcomes if url in fresh and answered(fresh[url])}
    return JudgedAgain(outcomes, pages, judge.rule_evidence().get(rule.id), [*judge.failures, *all_rules.failures])


def judge_site_again(
    rule: Rule,
    site_facts: SiteFacts,
    *,
    published: Mapping[str, PageFacts],
    fresh: Mapping[str, PageFacts],
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
) -> Reread:
    """What a rule about the whole website says now: by its files and its home page, read again (``fresh``), and by the
    other pages as they are published. ``unread`` where it lacks what it judges by, or needs every page read again."""
    if rule.whole_website:
        return Reread("unread")
    home = fresh.get(site_facts.home_url)
    builder = site_builder(site_facts, now, beside)
    for url, facts in published.items():
        if url != site_facts.home_url:
            builder.add(facts)
    if home is not None and answered(home):
        builder.add(home)
    judge = Judge(builder.finish(), rules=(rule,))
    found = dict(judge.site())
    if rule.id in found:
        return Reread("present", found[rule.id])
    return Reread("passed" if judge.tallies()[rule.id].judged else "unread")


def renewed_rows(
    rule: Rule,
    published: Mapping[str, PageRow],
    read: Iterable[tuple[PageFacts, int]],
    judged: JudgedAgain,
    crawl_id: str,
) -> dict[str, PageRow]:
    """The rows of the published pages that were read again, by page id. ``published``: all rows by address; ``read``:
    the fresh facts, each with the number of the block that the recheck ``crawl_id`` stored it in.

    What other rules found of a page stands until the next audit, and counts in its scores.
    """
    rows: dict[str, PageRow] = {}
    for facts, block in read:
        old, result = published.get(facts.url), judged.pages.get(facts.url)
        if old is None or result is None:
            continue
        scores = _scores(rule, old, judged.outcomes[facts.url], result)
        rows[old.id] = renewed_row(old, facts, result, scores, crawl_id, block)
    return rows


def renewed_row(
    row: PageRow, facts: PageFacts, result: PageResult, scores: PageScore, crawl_id: str, block: int
) -> PageRow:
    """The row of a published page that was read again. ``crawl_id`` and ``block``: where its fresh facts are stored."""
    redirects = redirects_after(row, result.redirects)
    return msgspec.structs.replace(
        row,
        status=facts.status,
        title=facts.title,
        template=result.template,
        page_score=scores.page_tenths,
        aeo_score=scores.aeo_tenths,
        category_scores=scores.categories,
        own_words=result.own_words,
        indexable=result.indexable,
        not_indexable_reason=result.not_indexable_reason,
        last_crawled=facts.fetched_at,
        facts_crawl=crawl_id,
        facts_block=block,
        redirects=list(redirects.hops),
        redirects_end=redirects.end,
    )


def redirects_after(row: PageRow, now: Redirects) -> Redirects:
    """Where the page of a published row leads now. A recheck asks for fewer addresses than an audit: where it lost
    sight of a redirect that begins as it did, what the audit followed stands."""
    if now.end == "unread" and row.redirects[:1] == list(now.hops[:1]):
        return Redirects(tuple(row.redirects), cast("End | None", row.redirects_end))
    return now


def _scores(rule: Rule, row: PageRow, reread: Reread, result: PageResult) -> PageScore:
    if result.page_score is None and result.aeo_score is None:  # no readable page
        return PageScore(None, None, {})
    fired = {rule_id for rule_id in row.rules if rule_id != rule.id and rule_id in registry.BY_ID}
    if reread.outcome == "present" or (reread.outcome == "unread" and rule.id in row.rules):
        fired.add(rule.id)
    applicable = [registry.scored(registry.BY_ID[rule_id]) for rule_id in {*result.applicable, *fired}]
    return page_score(applicable, fired)


def _reread(rule: Rule, judge: Judge, facts: PageFacts | None) -> Reread:
    if facts is None or not _can_judge(rule, facts):
        return Reread("unread")
    result = judge.page(facts)
    if result.findings:
        return Reread("present", result.findings[0][1])
    if answered(facts) and rule.id not in result.undecided:
        return Reread("passed" if facts.status == 200 else "gone")
    return Reread("unread")


def _can_judge(rule: Rule, facts: PageFacts) -> bool:
    """Whether the rule can judge by this answer: rules about answers can by any, the others only by one that tells
    what the address is now."""
    return answered(facts) or rule.population == "crawled"
