"""What audits and rechecks publish besides pages."""

from collections.abc import Mapping

import msgspec
import pytest

from chalicelib.domain.audit.issues import Issue, IssueBook, IssueStatus, RuleCount
from chalicelib.domain.audit.publish import (
    audit_confidence,
    audit_ended,
    counts_by_week,
    current_score,
    ended,
    last_week,
    score_entry,
    summary_after_audit,
    summary_after_recheck,
)
from chalicelib.domain.audit.records import Coverage, CrawlHeader
from chalicelib.domain.audit.score import RuleShare, ScoredRule
from chalicelib.domain.audit.summary import CurrentScore, Generation, LastAudit, RuleLoss, SiteSummary
from chalicelib.domain.audit.understood import Understood

TITLE, LINK = ScoredRule("SEO-ONP-001", "ONP", 50.0, 1.0), ScoredRule("SEO-LNK-001", "LNK", 50.0, 1.0)
DAY = 86_400.0


def issue(rule_id: str, status: IssueStatus = "open", first_seen: float = 10.0) -> Issue:
    return Issue(f"iss_{rule_id}", rule_id, status, 1, 4, first_seen, 20.0, "s")


def book(*issues: Issue, **counts: int) -> IssueBook:
    """A book whose title rule affects ``title`` of four pages, and whose link rule ``link`` of four."""
    affected = {TITLE.id: counts.get("title", 0), LINK.id: counts.get("link", 0)}
    return IssueBook(
        2, "crawl_2", 20.0, "r", list(issues), {name: RuleCount(4, n) for name, n in affected.items()}, ["LNK", "ONP"]
    )


def shares(counts: Mapping[str, RuleCount]) -> list[RuleShare]:
    return [RuleShare(rule, counts[rule.id].applicable, counts[rule.id].affected) for rule in (TITLE, LINK)]


def scored(of: IssueBook, now: float = 100.0) -> CurrentScore | None:
    return current_score(
        of, shares(of.counts), audit_id="crawl_2", version="2-r", now=now, coverage=80.0, confidence="medium"
    )


def header(**changes: object) -> CrawlHeader:
    values: dict[str, object] = {
        "id": "crawl_2",
        "site_id": "site_1",
        "workspace_id": "ws_1",
        "kind": "audit",
        "status": "running",
        "stage": "scoring",
        "queued_at": 1.0,
        "page_budget": 10,
        "time_limit_minutes": 5,
        "pages_crawled": 4,
        "lease_until": 500.0,
    }
    return CrawlHeader(**{**values, **changes})  # type: ignore[arg-type]


def critical(rule_id: str) -> bool:
    return rule_id == TITLE.id


def published(of: IssueBook, before: SiteSummary | None = None, now: float = 100.0) -> SiteSummary:
    after = ended(header(coverage=Coverage(4, 4, 100.0)), "done", now)
    generation = Generation("crawl_2", 1, 4)
    return summary_after_audit(before, after, of, scored(of, now), generation, critical, home_url="https://x.test/de/")


def rechecked(before: SiteSummary, after: IssueBook, *, now: float, version: str = "2-r") -> SiteSummary:
    return summary_after_recheck(before, after, shares(after.counts), critical, version=version, now=now)


def test_the_score_counts_the_open_issues_of_each_category() -> None:
    score = scored(book(issue(TITLE.id), issue(LINK.id, "resolved"), title=4))
    assert score is not None
    assert (score.entry.site, score.entry.audit_id, score.entry.version) == (score.entry.health, "crawl_2", "2-r")
    assert {part.category: (part.score, part.open_issues) for part in score.categories} == {
        "ONP": (500, 1),
        "LNK": (1000, 0),
    }
    assert (score.coverage, score.confidence) == (80.0, "medium")
    assert score.losses == [RuleLoss(TITLE.id, 1_000 - score.entry.site)]


def test_without_measured_categories_the_score_is_null() -> None:
    assert scored(msgspec.structs.replace(book(), measured=["AEO"])) is None


@pytest.mark.parametrize(
    ("changes", "confidence"),
    [({}, "high"), ({"fetches": 100, "refused": 5}, "medium"), ({"partial_reason": "page_budget"}, "medium")],
)
def test_confidence_is_lower_if_requests_were_refused_or_the_audit_ended_early(
    changes: dict[str, object], confidence: str
) -> None:
    assert audit_confidence(header(**changes), 95.0) == confidence


@pytest.mark.parametrize(
    ("understood", "confidence"),
    [
        (Understood(readable=100), "high"),
        (Understood(readable=100, refused=5, asked=100), "medium"),
        (Understood(readable=100, refused=34, asked=100), "low"),
        (Understood(readable=100, shells=51), "low"),
        (Understood(readable=100, shells=50), "high"),
        (Understood(readable=0), "low"),
        (Understood(readable=4, unread=5), "low"),
        (Understood(readable=4, unread=4), "high"),
    ],
)
def test_confidence_is_low_if_an_audit_could_judge_only_few_pages(understood: Understood, confidence: str) -> None:
    assert audit_confidence(header(), 95.0, understood=understood) == confidence


def test_confidence_is_low_if_more_than_a_third_of_requests_were_refused() -> None:
    assert audit_confidence(header(fetches=100, refused=34), 95.0) == "low"
    assert audit_confidence(header(fetches=100, refused=33), 95.0) == "medium"


def test_an_audit_replaces_the_summary_and_keeps_the_score_history() -> None:
    first = published(book(issue(TITLE.id), title=4), now=100.0)
    second = published(book(issue(LINK.id, first_seen=30.0), link=1), first, now=100.0 + 7 * DAY)
    assert first.previous_audit is None and second.previous_audit == score_entry(first)
    assert second.history == [score_entry(first), score_entry(second)]
    assert (first.critical_issues, second.critical_issues) == (1, 0)
    assert second.issue_first_seen == second.action_first_seen == [30.0]
    assert second.last_audit == LastAudit("crawl_2", 100.0 + 7 * DAY, 4, None, Coverage(4, 4, 100.0))
    assert (second.generation, second.measured) == (Generation("crawl_2", 1, 4), ["LNK", "ONP"])
    assert second.home_url == "https://x.test/de/"


def test_a_recheck_changes_the_score_and_keeps_the_results_of_the_audit() -> None:
    before = published(book(issue(TITLE.id), issue(LINK.id), title=4, link=4))
    mended = book(issue(TITLE.id, "resolved"), issue(LINK.id), link=4)
    after = rechecked(before, mended, now=200.0)
    entry, old = score_entry(after), score_entry(before)
    assert entry is not None and old is not None and after.score is not None
    assert entry.site > old.site and entry.computed_at == 200.0
    assert (entry.audit_id, entry.version) == (old.audit_id, old.version)
    assert (after.score.coverage, after.score.confidence) == (80.0, "medium")
    assert {part.category: part.open_issues for part in after.score.categories} == {"ONP": 0, "LNK": 1}
    assert (after.critical_issues, after.issue_first_seen) == (0, [10.0])
    assert (after.last_audit, after.audited, after.generation) == (before.last_audit, old, before.generation)
    assert after.history == [entry], "the last score of the week"


def test_a_recheck_uses_the_current_score_version() -> None:
    before = published(book(issue(TITLE.id), title=4))
    after = rechecked(before, book(issue(TITLE.id), title=4), now=200.0, version="2-later")
    entry = score_entry(after)
    assert entry is not None and entry.version == "2-later"
    assert after.audited is not None and after.audited.version == "2-r"


def test_weekly_counts_are_kept_for_thirteen_weeks() -> None:
    kept = msgspec.structs.replace(book(), weeks={})
    for week in range(20):
        for day, affected in ((0, 1), (2, week % 4)):  # the second audit of a week replaces the first
            counts = {TITLE.id: RuleCount(4, affected), LINK.id: RuleCount(4, 0)}
            weeks = counts_by_week(kept, (week * 7 + day) * DAY, counts)
            kept = msgspec.structs.replace(kept, weeks=weeks)
    assert len(kept.weeks) == 13 and list(kept.weeks) == sorted(kept.weeks)
    assert kept.weeks["1970-05-11"] == {TITLE.id: RuleCount(4, 3)}
    assert kept.weeks["1970-05-04"] == {TITLE.id: RuleCount(4, 2)}


def test_a_recheck_changes_only_counts_if_the_website_has_no_score() -> None:
    before = msgspec.structs.replace(published(book(issue(TITLE.id))), score=None)
    after = rechecked(before, book(), now=200.0)
    assert after.score is None and after.issue_first_seen == []


def test_an_ended_crawl_has_no_lease() -> None:
    end = ended(header(), "failed", 99.0)
    assert (end.status, end.stage, end.finished_at, end.lease_until) == ("failed", "finished", 99.0, 0.0)


def test_a_published_audit_stores_its_findings_and_the_audit_before_it() -> None:
    coverage = Coverage(4, 4, 100.0)
    first = audit_ended(header(), None, now=99.0, coverage=coverage, issues_found=3, notes=["A note."])
    assert (first.status, first.stage, first.coverage) == ("done", "finished", coverage)
    assert (first.issues_found, first.replaces) == (3, None)
    cancelled = header(id="crawl_3", partial_reason="cancelled")
    second = audit_ended(cancelled, published(book()), now=99.0, coverage=None, issues_found=0, notes=())
    assert (second.status, second.replaces) == ("cancelled", "crawl_2")


def test_the_previous_audit_is_never_a_recheck() -> None:
    first = published(book(issue(TITLE.id), title=4), now=100.0)
    mended = book(issue(TITLE.id, "resolved"))
    between = rechecked(first, mended, now=200.0)
    second = published(mended, between, now=300.0)
    assert score_entry(between) != score_entry(first)
    assert second.previous_audit == score_entry(first)


def test_if_an_old_record_lacks_the_last_audit_its_score_is_taken_from_the_history() -> None:
    first = published(book(issue(TITLE.id), title=4), now=100.0)
    between = rechecked(msgspec.structs.replace(first, audited=None), book(issue(TITLE.id, "resolved")), now=200.0)
    assert between.audited == score_entry(first) != score_entry(between)


@pytest.mark.parametrize(
    ("days_ago", "expected"),
    [
        ((20, 10, 6, 0), 10),
        ((9, 8, 2, 1), 8),
        ((3, 1, 0), None),
        ((6.99,), None),
        ((7,), 7),
        ((40, 0), 40),
        ((7, 7.5), 7),
        ((8,), 8),
    ],
)
@pytest.mark.parametrize("by_rechecks", [False, True])
def test_the_score_shown_for_last_week_is_at_least_seven_days_old(
    days_ago: tuple[float, ...], expected: float | None, by_rechecks: bool
) -> None:
    now, of_website = 2_000 * DAY, book(issue(TITLE.id), title=4)
    summary = None
    for days in sorted(days_ago, reverse=True):
        at = now - days * DAY
        if summary is not None and by_rechecks:
            summary = rechecked(summary, of_website, now=at)
        else:
            summary = published(of_website, summary, now=at)
    assert summary is not None
    found = last_week(summary, now)
    assert (found.computed_at if found else None) == (None if expected is None else now - expected * DAY)


def test_if_there_are_too_many_scores_those_valid_for_the_shortest_time_are_dropped() -> None:
    first = published(book(), now=0.0)
    summary = first
    for minute in range(200):
        summary = rechecked(summary, book(), now=3 * DAY + minute * 60.0)
    summary = rechecked(summary, book(), now=5 * DAY)
    assert len(summary.recent) == 60
    for now, expected in ((9 * DAY, 0.0), (11 * DAY, 3 * DAY + 199 * 60.0), (12 * DAY, 5 * DAY)):
        found = last_week(summary, now)
        assert found is not None and found.computed_at == expected
    later = rechecked(summary, book(), now=20 * DAY)
    assert [entry.computed_at for entry in later.recent] == [5 * DAY, 20 * DAY]
