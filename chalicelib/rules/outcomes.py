"""Derives an audit's result for each rule from its findings and the website's existing issues.

Only pages that were read can resolve an issue. An audit leaves an issue unchanged if the data for its rule is missing,
or if the issue's pages have not been read for weeks. An audit that read no page resolves nothing. If an issue is left
unchanged, its counts are kept too, so that the score matches the open issues.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chalicelib.domain.audit.ignoring import Appearance, Ignored, part
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount, RuleOutcome, summary_of_pages, summary_of_site
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.audit.searched import Weights
from chalicelib.rules import registry
from chalicelib.rules.causes import Spread, cause_of
from chalicelib.rules.judging import UNREAD_POPULATIONS, Judgement
from chalicelib.rules.model import Rule


class Conclusion(NamedTuple):
    """The outcome of every rule.

    - ``counts``: the counts from which the score is computed.
    - ``measured``: the categories that have data now or have had data before.
    """

    outcomes: list[RuleOutcome]
    counts: dict[str, RuleCount]
    measured: list[str]


def in_doubt(judgement: Judgement, book: IssueBook | None) -> list[Issue]:
    """Return the open issues that have no findings any more.

    Such an issue is not necessarily fixed: its pages may not have been read.
    """
    if book is None:
        return []
    return [
        issue
        for issue in book.issues
        if issue.status != "resolved"
        and (rule := registry.BY_ID.get(issue.rule_id)) is not None
        and rule.scope != "site"
        and not judgement.verdicts.affected.get(issue.rule_id)
    ]


def conclude(judgement: Judgement, book: IssueBook | None, listed: Mapping[str, Sequence[AffectedPage]]) -> Conclusion:
    """Return the outcomes of an audit. ``listed``: the pages that each issue of ``in_doubt`` lists, by rule id."""
    unread = {rule_id for rule_id, pages in listed.items() if _unread(registry.BY_ID[rule_id], pages, judgement)}
    unjudged = judgement.unjudged | unread
    if not judgement.read_any:
        found = judgement.verdicts.affected.keys() | judgement.site_evidence.keys()
        unjudged |= {rule.id for rule in registry.RULES if rule.id not in found}
    counts = dict(judgement.counts)
    if book is not None:
        counts.update((rule_id, book.counts[rule_id]) for rule_id in unjudged if rule_id in book.counts)
    website = _Website.of(judgement)
    ignored = {issue.rule_id: issue.ignored for issue in book.issues} if book is not None else {}
    outcomes = [
        _outcome(
            rule,
            judgement,
            counts.get(rule.id, RuleCount(0, 0)),
            website,
            ignored.get(rule.id),
            judged=rule.id not in unjudged,
        )
        for rule in registry.RULES
    ]
    with_data = {registry.BY_ID[rule_id].category for rule_id, count in counts.items() if count.applicable > 0}
    return Conclusion(outcomes, counts, sorted(with_data.union(book.measured if book is not None else ())))


def standing(conclusion: Conclusion, book: IssueBook | None) -> list[Issue]:
    """Return the open issues that the audit leaves unchanged."""
    unjudged = {outcome.rule_id for outcome in conclusion.outcomes if not outcome.judged}
    issues = book.issues if book is not None else []
    return [issue for issue in issues if issue.status != "resolved" and issue.rule_id in unjudged]


def _unread(rule: Rule, listed: Sequence[AffectedPage], judgement: Judgement) -> bool:
    """Whether one of these pages may still have the rule's finding, because the page was not read.

    That is so if the page's address is known, or if the audit ended before it could be discovered. An address that
    nothing links any more has left the website. A rule that judges an address by its answer needs no page to be read.
    """
    if rule.population in UNREAD_POPULATIONS:
        return False
    if any(page.url in judgement.unread and rule.id not in judgement.decided.get(page.url, ()) for page in listed):
        return True
    return judgement.partial and not rule.judges_answers and any(page.url not in judgement.seen for page in listed)


class _Website(NamedTuple):
    """The website's pages, for outcomes. ``sizes``: the number of pages of each template. ``templates``: the template
    of each page, by page id."""

    sizes: Counter[str | None]
    weights: Weights
    templates: Mapping[str, str | None]

    @classmethod
    def of(cls, judgement: Judgement) -> "_Website":
        templates = {row.id: row.template for row in judgement.rows}
        sizes: Counter[str | None] = Counter(one for one in templates.values() if one is not None)
        return cls(sizes, Weights(judgement.rows, judgement.search), templates)


def _outcome(
    rule: Rule, judgement: Judgement, count: RuleCount, website: _Website, ignored: Ignored | None, *, judged: bool
) -> RuleOutcome:
    affected = judgement.verdicts.affected.get(rule.id, [])
    of_site = rule.scope == "site"
    evidence = (judgement.site_evidence if of_site else judgement.rule_evidence).get(rule.id)

    def templates(pages: Sequence[AffectedPage]) -> Counter[str | None]:
        if len(pages) == len(affected):
            return judgement.verdicts.templates.get(rule.id, Counter())
        return Counter(website.templates.get(page.page_id) for page in pages)

    def appearance(pages: Sequence[AffectedPage]) -> Appearance:
        found = templates(pages)
        weight = website.weights.of(pages)
        counted = count if len(pages) == len(affected) else RuleCount(count.applicable, len(pages))
        return Appearance(
            summary_of_site(evidence) if of_site else summary_of_pages(counted, pages),
            next(iter(found)) if len(found) == 1 else None,
            1.0 if of_site else weight.importance,
            weight.impressions or 0,
        )

    others, shown, ignored = part(ignored, affected, appearance)
    outcome = RuleOutcome(
        rule_id=rule.id,
        applicable=count.applicable,
        affected=affected,
        summary=shown.summary,
        judged=judged,
        template=shown.template,
        evidence=evidence,
        site_rule=of_site,
        ignored=ignored,
    )
    if outcome.found:
        outcome.importance, outcome.impressions = shown.importance, shown.impressions
        outcome.cause = cause_of(
            rule,
            others,
            evidence if of_site else None,
            Spread(templates(others), website.sizes, count.applicable),
        )
    return outcome
