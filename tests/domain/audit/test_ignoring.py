"""Some pages of an issue are ignored: which, what the issue then shows, and what mending the others is worth."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit import recheck
from chalicelib.domain.audit.ignoring import (
    MOST_PATTERN,
    Appearance,
    Ignored,
    Scope,
    bad_pattern,
    escaped,
    matches,
    part,
)
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount, is_open_on
from chalicelib.domain.audit.recheck import Reread, decide
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.audit.score import Standing
from chalicelib.rules import registry

HOST = "https://example.org"
TITLE, LINKS = "SEO-ONP-001", "SEO-LNK-001"


def page(path: str, **evidence: object) -> AffectedPage:
    return AffectedPage(f"{HOST}{path}", f"page_{path}", evidence, 1, 1)


def counted(pages: Sequence[AffectedPage]) -> Appearance:
    return Appearance(f"{len(pages)} pages", None, 0.0, 0)


def ignored(*patterns: str, pages: tuple[str, ...] = (), until: float | None = None) -> Ignored:
    return Ignored(1.0, None, "Meant so", until, Scope(pages, patterns))


@given(st.text("ab*", max_size=12), st.text("ab", max_size=12))
def test_an_asterisk_in_a_pattern_matches_any_characters(pattern: str, rest: str) -> None:
    expected = re.fullmatch(".*".join(map(re.escape, f"/{pattern}".split("*"))), f"/{rest}") is not None
    assert matches(f"/{pattern}", f"{HOST}/{rest}") is expected


@pytest.mark.parametrize(
    ("pattern", "path", "held"),
    [
        ("/tag/*", "/tag/a", True),
        ("/tag/*", "/tags/a", False),
        ("/tag", "/tag/", False),
        ("*?print=1", "/a?print=1", True),
        ("/", "", True),
        ("/a*a", "/a", False),
        ("/tag/*", "/tag/a?b=/c", True),
    ],
)
def test_a_pattern_is_matched_against_path_and_query(pattern: str, path: str, held: bool) -> None:
    assert matches(pattern, f"{HOST}{path}") is held


def test_matching_the_slowest_pattern_takes_linear_time() -> None:
    pattern = "/" + "*a" * (MOST_PATTERN // 2 - 1) + "b"
    for _ in range(2_000):  # seconds if it were tried in every way
        assert not matches(pattern, f"{HOST}/{'a' * 2_000}")


@pytest.mark.parametrize(
    "pattern",
    ["tag", "", "/*", "*", "//", "/a b", "/a\n", "/\u202e", "/\udc80", "/" + "a" * MOST_PATTERN, f"/{'ä' * 34}"],
)
def test_an_invalid_pattern_is_refused_with_an_explanation(pattern: str) -> None:
    assert str(bad_pattern(pattern)).endswith(".")


def test_the_home_page_alone_is_a_valid_pattern() -> None:
    assert bad_pattern("/") is None and bad_pattern(f"/{'ä' * 33}*") is None


def test_a_pattern_is_percent_encoded_like_addresses() -> None:
    assert escaped("/über/*?a=b&c[]=%20") == "/%C3%BCber/*?a=b&c[]=%20"


def test_ignored_pages_are_separated_from_the_other_pages() -> None:
    pages = [page("/a"), page("/tag/b"), page("/c")]
    others, shown, after = part(ignored("/tag/*", pages=("page_/c",)), pages, counted)
    assert (others, shown.summary) == (pages[:1], "1 pages")
    assert after is not None and after.aside is not None
    assert (after.aside.pages, after.aside.whole.summary) == (2, "3 pages")
    others, shown, after = part(after, pages[:1], counted)
    assert others == pages[:1] and after is not None and after.aside is None, "the pattern stays for later pages"
    assert part(ignored("/*a*", "/tag/*", "/c"), pages, counted)[:2] == ([], counted(pages))


def test_an_issue_that_is_ignored_completely_still_lists_all_its_pages() -> None:
    pages = [page("/a"), page("/b")]
    whole = Ignored(1.0, None, None)
    assert part(whole, pages, counted) == (pages, counted(pages), whole)


def test_an_issue_does_not_count_as_open_on_pages_where_it_is_ignored() -> None:
    rules = {TITLE: ignored("/tag/*")}
    assert is_open_on(rules, TITLE, "page_1", f"{HOST}/a") and not is_open_on(rules, TITLE, "page_1", f"{HOST}/tag/a")
    assert not is_open_on(rules, LINKS, "page_1", f"{HOST}/a")


def partly(pages: Sequence[AffectedPage], rule_id: str, ignoring: Ignored, status: str = "open") -> Issue:
    """An issue of these pages, of which some are ignored."""
    others, shown, after = part(ignoring, pages, counted)
    return Issue(
        id="iss_1",
        rule_id=rule_id,
        status=status,  # type: ignore[arg-type]
        affected_pages=len(others),
        applicable_pages=40,
        first_seen=1.0,
        last_seen=1.0,
        summary=shown.summary,
        affected_chunks=1,
        ignored=after,
    )


def book(issue: Issue, count: RuleCount, others: dict[str, RuleCount]) -> IssueBook:
    return IssueBook(1, "crawl_1", 1.0, "r", [issue], {**others, issue.rule_id: count}, ["ONP", "LNK", "TEC"])


def site_tenths(of: IssueBook) -> int:
    return Standing(registry.shares(of.counts, of.aside()), of.measured).score().site_tenths


links = st.builds(
    lambda content, layout: {
        "inContent": content,
        "inLayout": len(layout),
        "targets": [{"url": url, "inLayout": True} for url in sorted(layout)],
    },
    st.integers(0, 120),
    st.sets(st.sampled_from("uvw")),
)


@given(st.lists(links, min_size=1, max_size=12), st.integers(1, 11), st.integers(0, 40), st.booleans())
def test_the_expected_gain_excludes_ignored_pages(
    evidence: list[dict[str, object]], kept: int, elsewhere: int, counts_links: bool
) -> None:
    rule_id = LINKS if counts_links else TITLE
    pages = [page(f"/{'tag' if number >= kept else 'a'}/{number}", **one) for number, one in enumerate(evidence)]
    issue = partly(pages, rule_id, ignored("/tag/*"), "recheck_queued")
    exact = recheck.units_of(one.evidence for one in pages)
    before = book(
        issue, RuleCount(40, len(pages), exact if counts_links else None), {"SEO-TEC-013": RuleCount(40, elsewhere)}
    )
    promised = Standing(registry.shares(before.counts, before.aside()), before.measured).gain(rule_id)
    listed = [one for one in pages if "/a/" in one.url]
    aside = [one for one in pages if "/tag/" in one.url]
    passed = {one.url: Reread("passed") for one in listed}
    decision = decide(issue, listed, passed, crawl_id="crawl_2", now=2.0, rows={}, aside=aside)
    after = recheck.book_after(before, decision)
    assert site_tenths(after) - site_tenths(before) == promised
    assert decision.issue.status == ("ignored" if aside else "resolved") and decision.affected == aside
    left = Standing(registry.shares(after.counts, after.aside()), after.measured)
    assert left.gain(rule_id) == 0


def test_pages_ignored_until_a_date_come_back_after_it() -> None:
    pages = [page("/a"), page("/tag/b"), page("/tag/c")]
    issue = partly(pages, TITLE, ignored("/tag/*", until=100.0))
    before = book(issue, RuleCount(40, 3), {})
    assert before.as_of(99.0) is not before and before.as_of(99.0).issues == [issue]
    (back,) = before.as_of(100.0).issues
    assert (back.status, back.affected_pages, back.summary, back.ignored) == ("open", 3, "3 pages", None)
    assert not before.as_of(100.0).aside()


def test_pages_unignored_during_a_recheck_keep_the_issue_open() -> None:
    pages = [page("/a"), page("/tag/b")]
    issue = partly(pages, TITLE, ignored("/tag/*"), "recheck_queued").unignored(1.0)
    passed = {pages[0].url: Reread("passed")}
    decision = decide(issue, pages[:1], passed, crawl_id="crawl_2", now=2.0, rows={}, aside=pages[1:])
    assert (decision.issue.status, decision.issue.affected_pages, decision.affected) == ("open", 1, pages[1:])
