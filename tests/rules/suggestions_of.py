"""Small websites and what an audit of them suggests."""

from collections.abc import Sequence
from typing import Any

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.suggestion import Suggested
from chalicelib.rules.engine import Judge
from chalicelib.rules.suggesting import Suggester
from tests.rules.builders import page, site_facts, site_of

ENDING = " | Example Outdoor"


def titled(path: str, title: str | None, h1: str | None = None, **changes: Any) -> PageFacts:
    """A page with this title; ``h1`` is its main heading."""
    return page(path, title=title, headings=[(1, h1)] if h1 else [], **changes)


def outdoor(*pages: PageFacts) -> list[PageFacts]:
    """These pages among enough others that share an ending of their titles."""
    others = [titled(f"/walk-{n}", f"A quiet walk number {n}{ENDING}") for n in range(12)]
    return [page("/"), *others, *pages]


def suggested(pages: Sequence[PageFacts], **site: Any) -> dict[str, Suggested]:
    """What an audit of these pages suggests, by rule."""
    website = site_of(pages, site_facts(**site))
    judge = Judge(website)
    suggester = Suggester(website, "site_1")
    affected: dict[str, list[AffectedPage]] = {}
    for facts in pages:
        found = judge.page(facts).findings
        suggester.add(facts, [rule_id for rule_id, _ in found])
        for rule_id, evidence in found:
            affected.setdefault(rule_id, []).append(AffectedPage(facts.url, f"page {facts.url}", evidence, 1, 1))
    site_rules = [rule_id for rule_id, _ in judge.site()]
    assert not judge.failures
    return suggester.finish(affected, site_rules)


def values(found: dict[str, Suggested], rule_id: str) -> dict[str, str | None]:
    """The suggestions of a rule by path."""
    return {"/" + one.url.split("/", 3)[3]: one.suggested for one in found[rule_id].suggestions}
