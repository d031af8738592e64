"""Judging the listed pages of one issue again, in the light of the whole website as it is now."""

from collections.abc import Iterable, Mapping, Sequence

from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.rules.model import Rule


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


def judge_again(
    rule: Rule,
    site_facts: SiteFacts,
    *,
    listed: Iterable[str],
    published: Mapping[str, PageFacts],
    fresh: Mapping[str, PageFacts],
    images: Iterable[TargetFacts],
    now: float,
) -> dict[str, Reread]:
    """What the rule says now of each listed address. ``published``: the facts of all published pages, by address;
    ``fresh``: those that were read again, and others that were read beside them; ``images``: what images answered."""
    builder = SiteBuilder(site_facts, now=now)
    for url, facts in published.items():
        renewed = fresh.get(url)
        builder.add(renewed if renewed is not None and _can_judge(rule, renewed) else facts)
    for url, facts in fresh.items():
        if url not in published:
            builder.add(facts)
    for image in images:
        builder.add_target(image)
    judge = Judge(builder.finish(), rules=(rule,))
    return {url: _reread(rule, judge, fresh.get(url)) for url in listed}


def _reread(rule: Rule, judge: Judge, facts: PageFacts | None) -> Reread:
    if facts is None or not _can_judge(rule, facts):
        return Reread("unread")
    result = judge.page(facts)
    hops, end = result.redirects
    if result.findings:
        return Reread("present", result.findings[0][1], hops, end)
    if answered(facts) and rule.id not in result.undecided:
        return Reread("passed" if facts.status == 200 else "gone", None, hops, end)
    return Reread("unread", None, hops, end)


def _can_judge(rule: Rule, facts: PageFacts) -> bool:
    """Whether the rule can judge by this answer: rules about answers can by any, the others only by one that tells
    what the address is now."""
    return answered(facts) or rule.population == "crawled"
