"""Findings, kept by page, by rule and by template."""

import pytest

from chalicelib.domain.audit.records import AffectedPage, PageFinding
from chalicelib.domain.audit.verdicts import Verdicts, answered, has_left
from chalicelib.domain.page.facts import PageFacts, TargetFacts

SEEN: dict[str, object] = {"message": "seen"}


def test_findings_are_indexed_by_page_and_by_rule() -> None:
    verdicts = Verdicts({})
    verdicts.found("/b", "page_b", [("R1", SEEN), ("R2", SEEN)], seen_at=7, template="article")
    verdicts.found("/a", "page_a", [("R1", SEEN)], seen_at=8, template=None)
    verdicts.sort()
    assert verdicts.findings["page_b"] == [PageFinding("R1", SEEN, 7), PageFinding("R2", SEEN, 7)]
    assert verdicts.rules_of("page_b") == ["R1", "R2"] and verdicts.rules_of("page_c") == []
    assert verdicts.affected == {
        "R1": [AffectedPage("/a", "page_a", SEEN, 8, 8), AffectedPage("/b", "page_b", SEEN, 7, 7)],
        "R2": [AffectedPage("/b", "page_b", SEEN, 7, 7)],
    }
    assert verdicts.templates == {"R1": {"article": 1, None: 1}, "R2": {"article": 1}}


def test_a_finding_seen_before_keeps_its_first_day() -> None:
    verdicts = Verdicts({"page_a": [PageFinding("R1", {}, 3)]})
    verdicts.found("/a", "page_a", [("R1", SEEN), ("R2", SEEN)], seen_at=9, template=None)
    assert [finding.first_seen for finding in verdicts.findings["page_a"]] == [3, 9]
    assert verdicts.affected["R1"] == [AffectedPage("/a", "page_a", SEEN, 3, 9)]


@pytest.mark.parametrize(
    ("status", "expected"),
    [(200, True), (301, True), (404, True), (0, False), (403, False), (429, False), (500, False)],
)
def test_refused_and_failed_requests_do_not_count_as_answered(status: int, expected: bool) -> None:
    assert answered(PageFacts(url="/a", status=status)) is expected


@pytest.mark.parametrize(("status", "expected"), [(200, False), (302, True), (404, True), (410, True), (500, False)])
def test_a_missing_or_redirected_page_of_the_own_website_counts_as_gone(status: int, expected: bool) -> None:
    assert has_left(TargetFacts(url="/a", own_host=True, status=status)) is expected
    assert not has_left(TargetFacts(url="https://other.test/a", own_host=False, status=status))
