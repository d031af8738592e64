"""A gate passes, fails or cannot say: by rule and page, and never by what one of the audits did not come to."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.difference import MOST_LISTED
from chalicelib.domain.audit.gate import Asked, GateRule, Judgement, judge, without_audit
from chalicelib.domain.audit.issues import STATUSES, RuleCount
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.domain.audit.summary import RuleLoss, ScoreEntry
from tests.domain.audit.test_difference import audit, issue, page

TITLE, SITEMAP, LOW, SPEED = "SEO-ONP-001", "SEO-SMP-001", "SEO-ONP-002", "SEO-PRF-001"
RULES = {
    TITLE: GateRule("high", of_website=False, measured=False),
    SITEMAP: GateRule("critical", of_website=True, measured=False),
    LOW: GateRule("low", of_website=False, measured=False),
    SPEED: GateRule("high", of_website=False, measured=True),
}
COUNTS = dict.fromkeys(RULES, RuleCount(9, 0))
NEW = Asked(no_new="high")


def score(site: int, version: str = "1") -> ScoreEntry:
    return ScoreEntry(site, site, None, version, 1.0)


def kept(*issues: Any, **members: Any) -> KeptAudit:
    return audit(*issues, **{"counts": COUNTS, **members})


def of(
    head: KeptAudit,
    base: KeptAudit | None,
    head_pages: list[KeptPage] | None,
    base_pages: list[KeptPage] | None,
    asked: Asked = NEW,
) -> Judgement:
    return judge(asked, head, base, (head_pages, base_pages), RULES)


def outcomes(found: Judgement) -> dict[str, str]:
    return {one.condition: one.outcome for one in found.verdicts}


def new(found: Judgement) -> dict[str, list[str]]:
    return {
        one.rule_id: [] if one.pages is None else [ref.page_id for ref in one.pages.pages] for one in found.new or ()
    }


def test_a_finding_on_another_page_is_new_even_if_as_many_pages_are_affected() -> None:
    found = of(kept(issue("open")), kept(issue("open")), [page(1), page(2, TITLE)], [page(1, TITLE), page(2)])
    assert (found.outcome, new(found)) == ("fail", {TITLE: ["page_2"]})
    assert found.verdicts[0].reason == "1 new finding of 1 rule of severity high or above."
    same = of(kept(issue("open")), kept(issue("open")), [page(1, TITLE), page(2)], [page(1, TITLE), page(2)])
    assert (same.outcome, same.new, same.compared, same.not_compared) == ("pass", (), 2, 0)


@pytest.mark.parametrize("least", ["critical", "high", "medium", "low"])
def test_new_findings_of_the_given_or_a_higher_severity_fail_the_gate(least: Any) -> None:
    head = kept(issue("open"), issue("open", rule=LOW), issue("open", 0, SITEMAP))
    found = of(head, kept(), [page(1, TITLE, LOW)], [page(1)], Asked(no_new=least))
    expected = {
        "critical": {SITEMAP},
        "high": {SITEMAP, TITLE},
        "medium": {SITEMAP, TITLE},
        "low": {SITEMAP, TITLE, LOW},
    }
    assert new(found).keys() == expected[least] and found.outcome == "fail"


@pytest.mark.parametrize("status", ["resolved", "ignored"])
def test_ignored_and_resolved_issues_do_not_fail_the_gate(status: Any) -> None:
    found = of(kept(issue(status)), kept(), [page(1, TITLE)], [page(1)])
    assert (found.outcome, found.ignored) == ("pass", 1 if status == "ignored" else 0)


def test_a_website_finding_is_new_only_if_the_previous_audit_had_no_open_issue_of_it() -> None:
    site = issue("open", 0, SITEMAP)
    assert new(of(kept(site), kept(), [], [])) == {SITEMAP: []}
    for status in ("open", "ignored", "in_progress"):
        assert of(kept(site), kept(issue(status, 0, SITEMAP)), [], []).outcome == "pass"  # type: ignore[arg-type]
    assert of(kept(site), kept(issue("resolved", 0, SITEMAP)), [], []).outcome == "fail"


def test_pages_that_a_partial_audit_did_not_read_are_not_compared() -> None:
    head, pages = kept(issue("open")), [page(1), page(2, TITLE)]
    whole = of(head, kept(), pages, [page(1)])
    assert (whole.outcome, new(whole)) == ("fail", {TITLE: ["page_2"]}), "it is a new page"
    part = of(head, kept(partial_reason="page_budget"), pages, [page(1)])
    assert (part.outcome, part.compared, part.not_compared) == ("pass", 1, 1)
    known = of(head, kept(partial_reason="time_budget"), pages, [page(1), page(2, read=False)])
    assert (known.outcome, known.compared, known.not_compared) == ("pass", 1, 1)


def test_the_gate_result_is_unclear_if_too_many_pages_were_not_read() -> None:
    base_pages = [page(number) for number in range(10)]
    for read, outcome in ((10, "pass"), (5, "pass"), (4, "unclear"), (0, "unclear")):
        pages = [page(number, current=number < read) for number in range(10)]
        found = of(kept(partial_reason="page_budget"), kept(), pages, base_pages)
        assert (found.outcome, found.compared, found.not_compared) == (outcome, read, 10 - read)
        gone = of(kept(partial_reason="page_budget"), kept(), pages[:read], base_pages)
        assert (gone.outcome, gone.compared, gone.not_compared) == (outcome, read, 10 - read)
    assert of(kept(), kept(), [], base_pages).outcome == "pass", "they have left the website"
    failing = of(kept(issue("open"), partial_reason="page_budget"), kept(), [page(1, TITLE)], base_pages)
    assert failing.outcome == "fail", "what is seen to be new is new, however little was read"


def test_a_page_that_no_longer_loads_counts_as_a_new_finding() -> None:
    found = of(kept(issue("open")), kept(), [page(1, TITLE, read=False, status=500)], [page(1)])
    assert found.outcome == "fail"


def test_a_rule_not_judged_in_one_audit_is_left_out() -> None:
    pages = [page(1, TITLE)], [page(1)]
    without_count = {rule: count for rule, count in COUNTS.items() if rule != TITLE}
    for head, base in (
        (kept(issue("open", judged=False)), kept()),
        (kept(issue("open")), kept(issue("open", judged=False))),
        (kept(issue("open")), kept(counts=without_count)),
    ):
        found = of(head, base, *pages)
        assert (found.outcome, found.rules_left_out) == ("pass", (TITLE,))
    measured = of(kept(issue("open", rule=SPEED)), kept(), [page(1, SPEED)], [page(1)])
    assert (measured.outcome, measured.rules_left_out) == ("pass", (SPEED,))


def test_the_gate_result_is_unclear_if_a_rule_with_new_findings_has_changed() -> None:
    found = of(kept(issue("open")), kept(ruleset="0"), [page(1, TITLE)], [page(1)])
    assert (found.outcome, new(found)) == ("unclear", {TITLE: ["page_1"]})
    assert of(kept(), kept(ruleset="0"), [page(1)], [page(1)]).outcome == "pass"


def test_only_new_issues_are_compared_if_page_data_is_missing() -> None:
    for missing in ((None, [page(1)]), ([page(1)], None), (None, None)):
        fresh = of(kept(issue("open", 3)), kept(), *missing)
        assert fresh.outcome == "fail" and fresh.new is not None and fresh.new[0].pages is not None
        assert (fresh.new[0].pages.count, fresh.compared) == (3, None)
        assert of(kept(issue("open")), kept(issue("open")), *missing).outcome == "unclear"
        assert of(kept(issue("open")), kept(partial_reason="page_budget"), *missing).outcome == "unclear"
        assert of(kept(), kept(issue("open")), *missing).outcome == "pass"


def test_without_a_previous_audit_new_findings_and_the_lost_points_are_unclear() -> None:
    found = of(kept(issue("open"), score=score(800)), None, [page(1, TITLE)], None, Asked(700, "high", 0))
    assert outcomes(found) == {"min_score": "pass", "no_new": "unclear", "max_loss": "unclear"}
    assert (found.outcome, found.new) == ("unclear", None)
    failing = of(kept(score=score(699)), None, None, None, Asked(700, "high", 0))
    assert failing.outcome == "fail", "one condition that fails is enough"


def test_a_minimum_score_passes_fails_or_is_unclear_if_there_is_no_score() -> None:
    for tenths, outcome in ((800, "pass"), (799, "fail"), (1000, "pass")):
        found = of(kept(score=score(tenths)), None, None, None, Asked(min_score=800))
        assert (found.outcome, len(found.verdicts)) == (outcome, 1)
    assert of(kept(), None, None, None, Asked(min_score=0)).outcome == "unclear"
    low = of(kept(score=score(799)), None, None, None, Asked(min_score=800))
    assert low.verdicts[0].reason == "The score is 79.9, below 80.0."


def test_points_are_counted_as_lost_only_between_scores_of_the_same_version() -> None:
    def lost(before: ScoreEntry | None, after: ScoreEntry | None, most: int) -> str:
        return of(kept(score=after), kept(score=before), None, None, Asked(max_loss=most)).outcome

    assert lost(score(800), score(790), 10) == "pass"
    assert lost(score(800), score(789), 10) == "fail"
    assert lost(score(800), score(900), 0) == "pass"
    assert lost(score(800), score(700, "2"), 0) == "unclear"
    assert lost(None, score(700), 0) == lost(score(700), None, 0) == "unclear"


def test_losses_are_listed_by_rule_with_the_largest_first() -> None:
    base = kept(score=score(900), losses=[RuleLoss(TITLE, 30), RuleLoss(LOW, 5), RuleLoss(SPEED, 1)])
    head = kept(score=score(850), losses=[RuleLoss(TITLE, 50), RuleLoss(SITEMAP, 40), RuleLoss(SPEED, 1)])
    found = of(head, base, None, None, Asked(max_loss=10))
    assert found.losses == ((SITEMAP, 40), (TITLE, 20), (LOW, -5))
    assert of(head, base, [], []).losses is None, "nobody asked"
    assert of(head, msgspec.structs.replace(base, losses=None), None, None, Asked(max_loss=10)).losses is None


def test_without_an_audit_the_gate_result_is_unclear() -> None:
    assert without_audit("The audit runs.") == ("unclear", (("audit", "unclear", "The audit runs."),), *[None] * 5, ())


def test_only_some_pages_of_a_rule_are_listed_but_all_are_counted() -> None:
    many = [page(number, TITLE) for number in range(MOST_LISTED + 20)]
    found = of(kept(issue("open", len(many))), kept(), many, [page(number) for number in range(MOST_LISTED + 20)])
    assert found.new is not None and found.new[0].pages is not None
    assert (found.new[0].pages.count, len(found.new[0].pages.pages)) == (MOST_LISTED + 20, MOST_LISTED)


_pages = st.lists(
    st.builds(
        lambda number, rules, read, current: page(number, *sorted(rules), read=read, current=current),
        st.integers(0, 6),
        st.sets(st.sampled_from([TITLE, LOW])),
        st.booleans(),
        st.sampled_from([True, False, None]),
    ),
    max_size=6,
    unique_by=lambda one: one.id,
)
_audits = st.builds(
    lambda one, other, partial: kept(issue(one), issue(other, 0, SITEMAP), partial_reason=partial),
    st.sampled_from(STATUSES),
    st.sampled_from(STATUSES),
    st.sampled_from([None, "page_budget"]),
)


@given(_audits, _pages)
def test_an_audit_compared_with_itself_has_no_new_findings(one: KeptAudit, pages: list[KeptPage]) -> None:
    found = of(one, one, pages, pages, Asked(no_new="low"))
    assert found.new == () and found.outcome in ("pass", "unclear")


@given(_audits, _audits, _pages, _pages)
def test_a_new_finding_is_in_this_audit_and_missing_in_the_previous_one(
    head: KeptAudit, base: KeptAudit, head_pages: list[KeptPage], base_pages: list[KeptPage]
) -> None:
    found = of(head, base, head_pages, base_pages, Asked(no_new="low"))
    listed, earlier = ({(rule, one.id) for one in pages for rule in one.rules} for pages in (head_pages, base_pages))
    told = {(rule_id, page_id) for rule_id, pages in new(found).items() for page_id in pages}
    assert told <= listed - earlier
    assert (found.outcome == "fail") == bool(found.new)
    assert found.compared is not None and 0 <= found.compared <= len(head_pages)
