"""The rules' findings on a website's pages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from chalicelib.domain.audit.records import AffectedPage, PageFinding
from chalicelib.domain.page.facts import PageFacts, TargetFacts

_TURNED_AWAY = frozenset({401, 403, 407, 429})


class Verdicts:
    """Findings, indexed by page and by rule, with the templates of each rule's pages.

    ``earlier``: what the last audit found, by page id. It gives the time at which each finding was first seen.
    """

    __slots__ = ("_earlier", "affected", "findings", "templates")

    def __init__(self, earlier: Mapping[str, Sequence[PageFinding]]) -> None:
        self._earlier = earlier
        self.findings: dict[str, list[PageFinding]] = {}  # page id -> what fires on it
        self.affected: dict[str, list[AffectedPage]] = {}  # rule id -> its pages
        self.templates: dict[str, Counter[str | None]] = {}  # rule id -> how many of its pages each template made

    def found(
        self,
        url: str,
        page_id: str,
        findings: Iterable[tuple[str, dict[str, object]]],
        *,
        seen_at: int,
        template: str | None,
    ) -> None:
        """Record the findings of one page: (rule id, evidence) of each rule that fires on it."""
        since = {finding.rule_id: finding.first_seen for finding in self._earlier.get(page_id, ())}
        for rule_id, evidence in findings:
            finding = PageFinding(rule_id, evidence, since.get(rule_id, seen_at))
            self.kept(url, page_id, finding, last_seen=seen_at, template=template)

    def kept(self, url: str, page_id: str, finding: PageFinding, *, last_seen: int, template: str | None) -> None:
        """Record one finding unchanged, such as a finding of an earlier audit that still holds."""
        self.findings.setdefault(page_id, []).append(finding)
        self.affected.setdefault(finding.rule_id, []).append(
            AffectedPage(url, page_id, finding.evidence, finding.first_seen, last_seen)
        )
        self.templates.setdefault(finding.rule_id, Counter())[template] += 1

    def rules_of(self, page_id: str) -> list[str]:
        """The ids of the rules that fire on a page."""
        return [finding.rule_id for finding in self.findings.get(page_id, ())]

    def sort(self) -> None:
        """Bring the pages of each rule into the order in which they are shown: by address."""
        for pages in self.affected.values():
            pages.sort(key=lambda page: page.url)


def answered(facts: PageFacts) -> bool:
    """Whether the address gave an answer that counts: a page, a redirect, or that it is gone. An answer that could not
    be read does not count."""
    return facts.error is None and facts.status != 0 and facts.status not in _TURNED_AWAY and facts.status < 500


def has_left(target: TargetFacts) -> bool:
    """Whether the address is no page of the website any more: it is gone, or leads elsewhere."""
    return target.own_host and (300 <= target.status < 400 or target.status in (404, 410))
