"""The rules' findings on a website's pages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from chalicelib.domain.audit.records import AffectedPage, PageFinding
from chalicelib.domain.page.facts import PageFacts, TargetFacts

_TURNED_AWAY = frozenset({401, 403, 407, 429})


class Verdicts:
    """Collects the findings of an audit by page and by rule, and counts the templates of each rule's pages.

    ``earlier``: the findings of the last audit, by page id. They give the time at which each finding was first seen.
    """

    __slots__ = ("_earlier", "affected", "findings", "templates")

    def __init__(self, earlier: Mapping[str, Sequence[PageFinding]]) -> None:
        self._earlier = earlier
        self.findings: dict[str, list[PageFinding]] = {}  # page id -> its findings
        self.affected: dict[str, list[AffectedPage]] = {}  # rule id -> its pages
        self.templates: dict[str, Counter[str | None]] = {}  # rule id -> how many of its pages have each template

    def found(
        self,
        url: str,
        page_id: str,
        findings: Iterable[tuple[str, dict[str, object]]],
        *,
        seen_at: int,
        template: str | None,
    ) -> None:
        """Record the findings of one page. ``findings``: the id and the evidence of each rule that fires on it."""
        since = {finding.rule_id: finding.first_seen for finding in self._earlier.get(page_id, ())}
        for rule_id, evidence in findings:
            finding = PageFinding(rule_id, evidence, since.get(rule_id, seen_at))
            self.kept(url, page_id, finding, last_seen=seen_at, template=template)

    def kept(self, url: str, page_id: str, finding: PageFinding, *, last_seen: int, template: str | None) -> None:
        """Record an earlier finding unchanged, because it still holds."""
        self.findings.setdefault(page_id, []).append(finding)
        self.affected.setdefault(finding.rule_id, []).append(
            AffectedPage(url, page_id, finding.evidence, finding.first_seen, last_seen)
        )
        self.templates.setdefault(finding.rule_id, Counter())[template] += 1

    def rules_of(self, page_id: str) -> list[str]:
        """The ids of the rules that fire on a page."""
        return [finding.rule_id for finding in self.findings.get(page_id, ())]

    def sort(self) -> None:
        """Sort the pages of each rule into the order of display: by address."""
        for pages in self.affected.values():
            pages.sort(key=lambda page: page.url)


def answered(facts: PageFacts) -> bool:
    """Whether the address gave a valid answer: a page, a redirect, or a status such as 404.

    An answer that could not be read does not count as valid.
    """
    return facts.error is None and facts.status != 0 and facts.status not in _TURNED_AWAY and facts.status < 500


def has_left(target: TargetFacts) -> bool:
    """Whether the address is no longer a page of the website: it is gone or redirects elsewhere."""
    return target.own_host and (300 <= target.status < 400 or target.status in (404, 410))
