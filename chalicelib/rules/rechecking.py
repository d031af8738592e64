"""Judges the listed pages of one issue again, with the current data about the whole website."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, cast

import msgspec

from chalicelib.domain.audit.evidence import Evidence
from chalicelib.domain.audit.inputs import NOTHING_BESIDE, SiteInputs
from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.score import PageScore, page_score
from chalicelib.domain.audit.searched import Searched
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.rules import registry
from chalicelib.rules.building import site_builder
from chalicelib.rules.context import Site
from chalicelib.rules.engine import Failure, Judge, PageResult
from chalicelib.rules.judging import page_row
from chalicelib.rules.known_targets import TargetKey, key_of
from chalicelib.rules.model import Rule
from chalicelib.rules.redirects import End, Redirects
from chalicelib.settings.crawl import crawl_settings


def linking_pages(rule: Rule, listed: Sequence[str], published: Mapping[str, PageFacts]) -> list[str] | None:
    """Return the addresses of the pages whose links an issue reports. Returns None if its rule is not about links.

    Some rules list the addresses that do not work. The pages to fix are then those that link to these addresses. Other
    rules list the linking pages themselves.
    """
    if not rule.link_rule:
        return None
    if not rule.judges_answers:
        return list(listed)
    return linking_to(listed, published)


def linking_to(addresses: Iterable[str], published: Mapping[str, PageFacts]) -> list[str]:
    """Return the addresses of the pages that link to one or more of these addresses."""
    wanted = set(addresses)
    return [page.url for page in published.values() if any(link.url in wanted for link in page.links)]


class PublishedAudit(NamedTuple):
    """The data of the last audit about the website, except its findings.

    - ``pages``: the facts of all published pages, by address.
    - ``targets``: answers of addresses that the audit or a later recheck requested but did not read as pages.
    - ``known``: the answers in ``targets``, and the answers of pages.
    - ``unread``: known addresses that the audit did not read.
    - ``coverage``: the percentage of known addresses that the audit read.
    - ``links_unasked``: how many targets of links the audit had no time to request.
    - ``inputs``: names of the data that the audit used in addition to the crawl, such as ``search``.
    """

    pages: Mapping[str, PageFacts]
    targets: Sequence[TargetFacts] = ()
    unread: Sequence[str] = ()
    coverage: float | None = None
    links_unasked: int = 0
    inputs: frozenset[str] = frozenset()
    known: Mapping[TargetKey, TargetFacts] = MappingProxyType({})


class JudgedAgain(NamedTuple):
    """The result of a recheck's new judgement.

    - ``outcomes``: the outcome of each listed address.
    - ``pages``: verdicts of all rules on the pages that were read.
    - ``evidence``: the rule's evidence about the website as a whole.
    - ``searched``: search figures of each page; None without search data.
    """

    outcomes: dict[str, Reread]
    pages: dict[str, PageResult]
    evidence: Evidence | None
    failures: list[Failure]
    searched: Searched | None = None


def website_again(
    site_facts: SiteFacts,
    audit: PublishedAudit,
    renewed: Mapping[str, PageFacts],
    *,
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
    images: Iterable[TargetFacts] = (),
    unfit: Callable[[str, Exception], None] | None = None,
) -> Site:
    """Return the website as the audit left it, but with the current facts of the pages in ``renewed``.

    - ``renewed``: the pages to recheck, and other pages that were read with them, by address.
    - ``images``: current answers of files that pages load: images, scripts and style sheets.
    - ``unfit``: called for a page that was read but cannot be used. The page keeps its earlier facts. If ``unfit`` is
      None, the error is raised.
    """
    builder = site_builder(site_facts, now, beside, audit.inputs)
    builder.links_unasked = audit.links_unasked
    token = crawl_settings().token
    for url in {**audit.pages, **renewed}:
        if url in renewed:
            try:
                builder.add(renewed[url])
                continue
            except Exception as error:
                if unfit is None:
                    raise
                unfit(url, error)
        if url in audit.pages:
            # As in an audit, a page that robots.txt now disallows is judged as it was read.
            builder.add(audit.pages[url], as_read=not builder.robots.verdict(token, url).allowed)
    for target in {key_of(target): target for target in [*audit.targets, *images]}.values():
        if target.file or target.url not in builder.addresses:
            builder.add_target(target)
    for url in audit.unread:
        if url not in builder.addresses:
            builder.add_known(url)
    return builder.finish(coverage=audit.coverage)


def judge_again(
    rule: Rule,
    site_facts: SiteFacts,
    *,
    listed: Iterable[str],
    audit: PublishedAudit,
    fresh: Mapping[str, PageFacts],
    images: Iterable[TargetFacts],
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
    untested: Collection[str] = (),
) -> JudgedAgain:
    """Judge each listed address again.

    - ``fresh``: the pages to recheck, and other pages that were read with them.
    - ``images``: answers of files that pages load: images, scripts and style sheets.
    - ``untested``: pages whose speed tests were not repeated. Their outcome is ``unread``.
    """
    renewed = {url: facts for url, facts in fresh.items() if url not in audit.pages or _can_judge(rule, facts)}
    site = website_again(site_facts, audit, renewed, now=now, beside=beside, images=images)
    judge, all_rules = Judge(site, rules=(rule,)), Judge(site)
    outcomes = {url: reread(rule, judge, fresh.get(url)) for url in listed}
    for url in untested:
        if outcomes[url].outcome in ("present", "passed"):
            outcomes[url] = Reread("unread")
    pages = {url: all_rules.page(fresh[url]) for url in outcomes if url in fresh and answered(fresh[url])}
    failures = [*judge.failures, *all_rules.failures]
    return JudgedAgain(outcomes, pages, judge.rule_evidence().get(rule.id), failures, site.search)


def judge_site_again(
    rule: Rule,
    site_facts: SiteFacts,
    *,
    audit: PublishedAudit,
    fresh: Mapping[str, PageFacts],
    now: float,
    beside: SiteInputs = NOTHING_BESIDE,
) -> Reread:
    """Judge a site rule again. The website's files and home page were read again; other pages are judged as published.

    ``fresh``: the pages that were read again. The outcome is ``unread`` if the rule's data is missing, or if the rule
    can be judged only after every page was read again.
    """
    if rule.whole_website:
        return Reread("unread")
    home = fresh.get(site_facts.home_url)
    others = {url: facts for url, facts in audit.pages.items() if url != site_facts.home_url}
    renewed = {home.url: home} if home is not None and answered(home) else {}
    judge = Judge(
        website_again(site_facts, audit._replace(pages=others), renewed, now=now, beside=beside), rules=(rule,)
    )
    found = dict(judge.site())
    if rule.id in found:
        return Reread("present", found[rule.id])
    if judge.tallies()[rule.id].judged:
        return Reread("passed")
    return Reread("unread", why=judge.notes[0] if judge.notes else None)


def renewed_rows(
    rule: Rule,
    published: Mapping[str, PageRow],
    read: Iterable[tuple[PageFacts, int]],
    judged: JudgedAgain,
    crawl_id: str,
) -> dict[str, PageRow]:
    """Return the new rows of published pages that were read again, by page id.

    - ``published``: all rows by address.
    - ``read``: the current facts of each page, with the number of the block in which the recheck stored them.

    Findings of other rules on a page are kept until the next audit, and count in the page's scores.
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
    """Return the new row of a published page. ``crawl_id`` and ``block``: where its current facts are stored.

    What needs the whole website is kept: the rules that fire, links to the page, and its distance from the home page.
    """
    redirects = redirects_after(row, result.redirects)
    return msgspec.structs.replace(
        page_row(row.id, facts, result, row.rules, crawl_id, block),
        url=row.url,
        inlinks=row.inlinks,
        depth=row.depth,
        page_score=scores.page_tenths,
        aeo_score=scores.aeo_tenths,
        category_scores=scores.categories,
        redirects=list(redirects.hops),
        redirects_end=redirects.end,
    )


def redirects_after(row: PageRow, now: Redirects) -> Redirects:
    """Return the chain of redirects that now begins at a published page, given the page's row.

    A recheck requests fewer addresses than an audit. If a redirect is unchanged and the recheck did not follow it to
    its end, the audit's result is kept.
    """
    if now.end == "unread" and row.redirects[:1] == list(now.hops[:1]):
        return Redirects(tuple(row.redirects), cast("End | None", row.redirects_end))
    return now


def _scores(rule: Rule, row: PageRow, seen: Reread, result: PageResult) -> PageScore:
    if result.page_score is None and result.aeo_score is None:  # no readable page
        return PageScore(None, None, {})
    fired = {rule_id for rule_id in row.rules if rule_id != rule.id and rule_id in registry.BY_ID}
    if seen.outcome == "present" or (seen.outcome == "unread" and rule.id in row.rules):
        fired.add(rule.id)
    applicable = [registry.scored(registry.BY_ID[rule_id]) for rule_id in {*result.applicable, *fired}]
    return page_score(applicable, fired)


def reread(rule: Rule, judge: Judge, facts: PageFacts | None) -> Reread:
    """Judge an address again by one rule. ``facts``: its current facts; None if it was not read again."""
    if facts is None or not _can_judge(rule, facts):
        return Reread("unread")
    result = judge.page(facts)
    if result.findings:
        return Reread("present", result.findings[0][1])
    if answered(facts) and rule.id not in result.undecided:
        return Reread("passed" if facts.status == 200 else "gone")
    return Reread("unread")


def _can_judge(rule: Rule, facts: PageFacts) -> bool:
    """Whether the rule can judge this answer.

    Rules about answers can judge every answer. Other rules need the current content.
    """
    return answered(facts) or rule.judges_answers
