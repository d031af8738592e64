"""What a recheck renews: the book's counts, the rows of pages, what the rule says of them."""

import pytest

from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount
from chalicelib.domain.audit.recheck import Reread, book_after, decide, renewed_findings, renewed_rows
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.page.facts import PageFacts

RULE = "SEO-ONP-001"
LISTED = [AffectedPage(f"/{name}", f"page_{name}", {"message": "old"}, 5, 6) for name in "abc"]
OUTCOMES = {"/a": Reread("present", {"message": "new"}), "/b": Reread("passed"), "/c": Reread("unread")}


def test_the_book_counts_the_pages_that_are_still_affected() -> None:
    issue = Issue("iss_1", RULE, "recheck_queued", 3, 10, 1.0, 2.0, "s")
    other = Issue("iss_2", "SEO-ONP-002", "open", 1, 10, 1.0, 2.0, "s")
    counts = {RULE: RuleCount(10, 3), "SEO-ONP-002": RuleCount(10, 1)}
    book = IssueBook(4, "crawl_1", 1.0, "r", [issue, other], counts, ["ONP"])
    after = book_after(book, decide(issue, LISTED, OUTCOMES, crawl_id="crawl_2", now=9.0))
    assert after.version == 5 and after.counts == {RULE: RuleCount(10, 2), "SEO-ONP-002": RuleCount(10, 1)}
    assert [one.affected_pages for one in after.issues] == [2, 1]
    assert (book.version, book.counts[RULE].affected) == (4, 3)


def test_rows_take_what_was_read_and_keep_the_rest() -> None:
    row = PageRow("page_a", "/a", 200, "Old", "article", 881, 700, [RULE], 3, 5, "crawl_1", 7, 2, True)
    read = [(PageFacts(url="/a", status=404, fetched_at=9), 100), (PageFacts(url="/new", status=200), 100)]
    assert renewed_rows({"/a": row}, read, OUTCOMES, "crawl_2") == {
        "page_a": PageRow("page_a", "/a", 404, None, "article", 881, 700, [RULE], 3, 9, "crawl_2", 100, 2, True)
    }


@pytest.mark.parametrize(
    ("read", "redirects", "end"),
    [
        (Reread("gone", None, ("/c", "/d"), "answer"), ["/c", "/d"], "answer"),
        (Reread("gone", None, ("/x",), "unread"), ["/x"], "unread"),
        (Reread("gone", None, ("/b",), "unread"), ["/b", "/z"], "answer"),  # it asked for less than the audit
        (Reread("passed"), [], None),
    ],
)
def test_rows_take_where_the_page_leads_now(read: Reread, redirects: list[str], end: str | None) -> None:
    row = PageRow("page_a", "/a", 301, None, None, None, None, [], 3, 5, redirects=["/b", "/z"], redirects_end="answer")
    (renewed,) = renewed_rows({"/a": row}, [(PageFacts(url="/a", status=301), 1)], {"/a": read}, "crawl_2").values()
    assert (renewed.redirects, renewed.redirects_end) == (redirects, end)


def test_a_page_that_could_not_be_judged_keeps_its_finding() -> None:
    assert renewed_findings(RULE, LISTED, OUTCOMES) == {
        "page_a": PageFinding(RULE, {"message": "new"}, 5),
        "page_b": None,
    }
