"""What an audit concludes of each rule, in the light of the issues that are there."""

from typing import Any

import pytest

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.coverage import AuditCoverage
from chalicelib.domain.audit.issues import Issue, IssueBook, IssueStatus, RuleCount, RuleOutcome
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.audit.understood import Understood
from chalicelib.domain.audit.verdicts import Verdicts
from chalicelib.rules.judging import Judgement
from chalicelib.rules.outcomes import Conclusion, conclude, in_doubt, standing
from tests.rules.builders import shown

RULE, SITE_RULE, MARKUP_RULE = "SEO-ONP-001", "SEO-SMP-001", "SEO-ONP-020"


def judgement(*affected: str, template: str | None = "article", **changes: Any) -> Judgement:
    """An audit that read /a, /b and /c, with two in-links each, and found the rule on some of them."""
    verdicts = Verdicts({})
    for path in affected:
        verdicts.found(path, path, [(RULE, {"message": f"{path} has none"})], seen_at=5, template=template)
    rows = [PageRow(path, path, 200, None, None, None, None, [], 2, 5) for path in ("/a", "/b", "/c")]
    values: dict[str, Any] = {
        "now": 9.0,
        "home_url": "https://site.test/",
        "verdicts": verdicts,
        "seen": {"/a", "/b", "/c"},
        "unread": set(),
        "partial": False,
        "read_any": True,
        "coverage": AuditCoverage(None, 100.0),
        "understood": Understood(readable=3),
        "rows": rows,
        "counts": {RULE: RuleCount(3, len(affected))},
    }
    return Judgement(**{**values, **changes})


def book(status: IssueStatus = "open", rule_id: str = RULE) -> IssueBook:
    issue = Issue("iss_1", rule_id, status, 2, 10, 1.0, 2.0, "s")
    return IssueBook(3, "crawl_1", 2.0, "r", [issue], {rule_id: RuleCount(10, 2)}, ["AEO"])


def of(conclusion: Conclusion, rule_id: str = RULE) -> RuleOutcome:
    return next(outcome for outcome in conclusion.outcomes if outcome.rule_id == rule_id)


def listed(*paths: str) -> dict[str, list[AffectedPage]]:
    return {RULE: [AffectedPage(path, path, {}, 1, 2) for path in paths]}


def test_the_outcome_of_a_rule_has_a_page_count_and_an_example() -> None:
    outcome = of(conclude(judgement("/a", "/b"), None, {}))
    assert outcome.summary == "2 of 3 pages. For example /a: /a has none"
    assert (outcome.template, outcome.judged, outcome.found) == ("article", True, True)
    assert round(outcome.importance, 3) == 0.667


def test_pages_of_several_templates_have_no_common_template() -> None:
    found = judgement("/a")
    found.verdicts.found("/b", "/b", [(RULE, {})], seen_at=5, template="product")
    assert of(conclude(found, None, {})).template is None


def test_a_finding_has_its_cause_and_the_impressions_of_its_pages() -> None:
    template = "product"
    rows = [PageRow(path, path, 200, None, template, None, None, [], 2, 5) for path in ("/a", "/b", "/c", "/d")]
    found = judgement(search=shown({"/a": 10, "/b": 5, "/d": 1_000}), rows=rows)
    findings: list[tuple[str, dict[str, object]]] = [(MARKUP_RULE, {})]
    for path in ("/a", "/b", "/c"):
        found.verdicts.found(path, path, findings, seen_at=5, template=template)
    outcome = of(conclude(found, None, {}), MARKUP_RULE)
    assert (outcome.cause, outcome.impressions) == (Cause("template", template), 15)
    few = judgement("/a")
    assert of(conclude(few, None, {})).cause is None and of(conclude(few, None, {})).impressions == 0


def test_a_rule_without_affected_pages_does_not_count_as_found() -> None:
    outcome = of(conclude(judgement(), None, {}))
    assert (outcome.summary, outcome.found, outcome.importance) == ("0 of 3 pages.", False, 0.0)


def test_a_website_rule_has_evidence_and_affects_all_pages() -> None:
    outcome = of(conclude(judgement(site_evidence={SITE_RULE: {"message": "There is none."}}), None, {}), SITE_RULE)
    assert (outcome.summary, outcome.site_rule, outcome.found, outcome.importance) == (
        "There is none.",
        True,
        True,
        1.0,
    )


def test_the_outcome_of_a_page_rule_includes_evidence_about_the_whole_website() -> None:
    assert of(conclude(judgement("/a", rule_evidence={RULE: {"ending": "x"}}), None, {})).evidence == {"ending": "x"}


def test_a_category_stays_measured_in_an_audit_without_data_for_it() -> None:
    assert conclude(judgement("/a"), book(), {}).measured == ["AEO", "ONP"]
    assert conclude(judgement(counts={}), None, {}).measured == []


def test_an_open_or_ignored_issue_that_was_not_found_again_must_be_checked() -> None:
    assert in_doubt(judgement(), None) == []
    assert in_doubt(judgement("/a"), book()) == []
    assert in_doubt(judgement(), book("resolved")) == []
    assert in_doubt(judgement(), book(rule_id=SITE_RULE)) == []
    assert [issue.rule_id for issue in in_doubt(judgement(), book("ignored"))] == [RULE]


def test_an_issue_keeps_its_counts_when_its_pages_were_not_read() -> None:
    for unread in (judgement(partial=True), judgement(unread={"/far"})):
        found = conclude(unread, book(), listed("/a", "/far"))
        assert not of(found).judged and found.counts[RULE] == RuleCount(10, 2)
    assert of(conclude(judgement(), book(), listed("/a", "/far"))).judged  # nothing leads there any more
    found = conclude(judgement(), book(), listed("/a", "/b"))
    assert of(found).judged and found.counts[RULE] == RuleCount(3, 0)


def test_an_issue_keeps_its_counts_when_its_data_is_missing() -> None:
    found = conclude(judgement(unjudged={RULE}), book(), {})
    assert not of(found).judged and found.counts[RULE] == RuleCount(10, 2)


def test_summarising_the_results_of_an_audit_does_not_change_them() -> None:
    judged = judgement(partial=True)
    conclude(judged, book(), listed("/far"))
    assert of(conclude(judged, book(), {})).judged
    assert judged.counts == {RULE: RuleCount(3, 0)} and not judged.unjudged


def test_an_audit_that_read_no_page_resolves_no_issue() -> None:
    nothing = judgement(read_any=False, site_evidence={})
    found = conclude(nothing, book(rule_id=SITE_RULE), {})
    assert not of(found, SITE_RULE).judged and found.counts[SITE_RULE] == RuleCount(10, 2)
    shown = conclude(judgement("/a", read_any=False), book(), {})
    assert of(shown).judged and of(shown).found


def test_an_issue_is_judged_if_its_address_is_no_longer_linked() -> None:
    broken = "SEO-TEC-004"
    lists = {broken: [AffectedPage("/far", "/far", {}, 1, 2)]}
    assert of(conclude(judgement(), book(rule_id=broken), lists), broken).judged
    assert not of(conclude(judgement(unread={"/far"}), book(rule_id=broken), lists), broken).judged


@pytest.mark.parametrize(("decided", "judged"), [((), False), (("SEO-TEC-004",), True)])
def test_the_issue_of_an_unread_address_is_judged_if_the_address_was_requested(
    decided: tuple[str, ...], judged: bool
) -> None:
    broken = "SEO-TEC-004"
    lists = {broken: [AffectedPage("/far", "/far", {}, 1, 2)]}
    asked = judgement(unread={"/far"}, decided={"/far": decided})
    assert of(conclude(asked, book(rule_id=broken), lists), broken).judged is judged


def test_issues_that_could_not_be_judged_are_kept() -> None:
    def left(judged: Judgement, *far: str) -> list[str]:
        return [issue.rule_id for issue in standing(conclude(judged, book(), listed(*far)), book())]

    assert standing(conclude(judgement(), None, {}), None) == []
    assert left(judgement(unread={"/far"}), "/far") == [RULE] == left(judgement("/a", unjudged={RULE}))
    assert left(judgement("/a")) == [] == left(judgement(), "/a")
