"""What a recheck renews: the book's counts, the rows of pages, what the rule says of them."""

from collections.abc import Mapping
from typing import Any

from chalicelib.domain.audit.issues import NOT_FOUND, Issue, IssueBook, RuleCount
from chalicelib.domain.audit.recheck import Decision, Reread, book_after, decide, decide_site, renewed_findings
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.suggestion import SuggestionSet

RULE = "SEO-ONP-001"
LISTED = [AffectedPage(f"/{name}", f"page_{name}", {"message": "old"}, 5, 6) for name in "abc"]
OUTCOMES = {"/a": Reread("present", {"message": "new"}), "/b": Reread("passed"), "/c": Reread("unread")}


ROWS = {
    f"/{name}": PageRow(f"page_{name}", f"/{name}", 200, "t", template, 881, 700, [RULE], 2, 5)
    for name, template in (("a", "article"), ("b", "product"), ("c", "article"), ("d", "product"))
}


def decided(outcomes: Mapping[str, Reread] = OUTCOMES, **known: Any) -> Decision:
    issue = Issue("iss_1", RULE, "recheck_queued", 3, 10, 1.0, 2.0, "3 of 10 pages.", **known)
    return decide(issue, LISTED, outcomes, crawl_id="crawl_2", now=9.0, rows=ROWS, evidence={"count": 1})


def test_a_recheck_updates_the_count_of_affected_pages() -> None:
    other = Issue("iss_2", "SEO-ONP-002", "open", 1, 10, 1.0, 2.0, "s")
    counts = {RULE: RuleCount(10, 3), "SEO-ONP-002": RuleCount(10, 1)}
    before = Issue("iss_1", RULE, "recheck_queued", 3, 10, 1.0, 2.0, "s")
    book = IssueBook(4, "crawl_1", 1.0, "r", [before, other], counts, ["ONP"])
    after = book_after(book, decided())
    assert after.version == 5 and after.counts == {RULE: RuleCount(10, 2), "SEO-ONP-002": RuleCount(10, 1)}
    assert [one.affected_pages for one in after.issues] == [2, 1]
    assert (book.version, book.counts[RULE].affected) == (4, 3)


def seen(content: int, *layout: str) -> dict[str, object]:
    targets = [{"url": url, "inLayout": True} for url in layout]
    return {"message": "m", "inContent": content, "inLayout": len(layout), "targets": targets}


def linking(units: int | None, outcomes: Mapping[str, Reread]) -> RuleCount:
    """The count after a recheck of pages that link /x in their footer, and one more address each."""
    pages = [AffectedPage(f"/{name}", f"page_{name}", seen(1, "/x"), 5, 6) for name in "abc"]
    issue = Issue("iss_1", RULE, "recheck_queued", 3, 10, 1.0, 2.0, "s")
    book = IssueBook(4, "crawl_1", 1.0, "r", [issue], {RULE: RuleCount(10, 3, units)}, ["LNK"])
    decision = decide(issue, pages, outcomes, crawl_id="crawl_2", now=9.0, rows=ROWS)
    return book_after(book, decision).counts[RULE]


def test_faulty_links_are_counted_only_on_pages_that_are_still_affected() -> None:
    passed = Reread("passed")
    left = linking(400, {"/a": Reread("present", seen(1)), "/b": passed, "/c": Reread("unread")})
    assert left == RuleCount(10, 2, 300)
    assert linking(400, dict.fromkeys(("/a", "/b", "/c"), passed)) == RuleCount(10, 0, 0)


def test_a_recheck_never_raises_the_count_of_faulty_links() -> None:
    more = Reread("present", seen(9, "/x", "/y"))
    assert linking(400, dict.fromkeys(("/a", "/b", "/c"), more)) == RuleCount(10, 3, 400)


def test_link_counts_stored_by_older_versions_still_count_whole_pages() -> None:
    assert linking(None, {"/a": Reread("passed"), "/b": Reread("unread"), "/c": Reread("unread")}) == RuleCount(10, 2)


def test_after_a_recheck_the_summary_describes_only_the_remaining_pages() -> None:
    issue = decided(evidence={"count": 3}, template=None, importance=0.75).issue
    assert issue.summary == "2 of 10 pages. For example /a: new"
    assert (issue.template, issue.evidence, issue.importance) == ("article", {"count": 1}, 0.5)
    assert (issue.affected_pages, issue.applicable_pages, issue.last_seen) == (2, 10, 9.0)


def test_a_resolved_issue_keeps_no_page_details() -> None:
    passed = dict.fromkeys(OUTCOMES, Reread("passed"))
    issue = decided(passed, evidence={"count": 3}, template="article", importance=0.75).issue
    assert (issue.status, issue.resolved_at, issue.affected_pages) == ("resolved", 9.0, 0)
    assert (issue.summary, issue.template, issue.evidence, issue.importance) == ("0 of 10 pages.", None, None, 0.0)


def test_a_resolved_issue_keeps_its_suggestions_for_an_undo() -> None:
    suggested = SuggestionSet("crawl_1", [3])
    assert decided(dict.fromkeys(OUTCOMES, Reread("passed")), suggestions=suggested).issue.suggestions == suggested


def test_an_issue_keeps_its_text_if_no_page_answered_at_a_recheck() -> None:
    unread = dict.fromkeys(OUTCOMES, Reread("unread"))
    issue = decided(unread, evidence={"count": 3}).issue
    assert issue.evidence == {"count": 3} and issue.affected_pages == 3 and issue.last_seen == 2.0
    assert issue.last_recheck is not None and issue.last_recheck.passed is None


def of_site(reread: Reread) -> Issue:
    issue = Issue("iss_1", "SEO-SMP-001", "recheck_queued", 1, 1, 1.0, 2.0, "Old.", evidence={"message": "Old."})
    return decide_site(issue, reread, crawl_id="crawl_2", now=9.0, note="It did not answer.").issue


def test_an_issue_about_the_website_follows_the_current_result_of_its_rule() -> None:
    gone = of_site(Reread("passed"))
    assert (gone.status, gone.affected_pages, gone.evidence, gone.summary) == ("resolved", 0, None, NOT_FOUND)
    still = of_site(Reread("present", {"message": "New."}))
    assert (still.status, still.affected_pages, still.evidence) == ("open", 1, {"message": "New."})
    assert (still.summary, still.last_seen) == ("New.", 9.0)
    unread = of_site(Reread("unread"))
    assert (unread.status, unread.summary, unread.last_seen) == ("open", "Old.", 2.0)
    last = [issue.last_recheck for issue in (gone, still, unread)]
    assert [(one.present, one.checked, one.passed, one.note) for one in last if one is not None] == [
        (0, 1, True, None),
        (1, 1, False, None),
        (0, 0, None, "It did not answer."),
    ]


def test_a_page_that_could_not_be_judged_keeps_its_finding() -> None:
    assert renewed_findings(RULE, LISTED, OUTCOMES) == {
        "page_a": PageFinding(RULE, {"message": "new"}, 5),
        "page_b": None,
    }
