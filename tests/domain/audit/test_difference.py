"""What changed between two audits: nothing is counted twice, unknown is no change, and turning them round turns all."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.difference import MOST_LISTED, PAGE_FIELDS, Difference, FieldDifference, difference
from chalicelib.domain.audit.issues import STATUSES
from chalicelib.domain.audit.kept import KeptAudit, KeptIssue, KeptPage, KeptRobots, shortened

RULES = ["SEO-ONP-001", "SEO-ONP-002", "SEO-TEC-001"]


def audit(*issues: KeptIssue, **members: Any) -> KeptAudit:
    values: dict[str, Any] = {
        "id": "crawl_1",
        "status": "done",
        "started_at": 1.0,
        "finished_at": 2.0,
        "pages_crawled": 3,
        "partial_reason": None,
        "ruleset": "1",
        "score": None,
        "categories": [],
        "losses": None,
        "counts": {},
        "issues": list(issues),
        "partitions": 1,
    }
    return KeptAudit(**{**values, **members})


def issue(status: Any, pages: int = 1, rule: str = RULES[0], *, judged: bool = True) -> KeptIssue:
    return KeptIssue(f"iss_{rule}", rule, status, pages, judged)


def page(number: int, *rules: str, **members: Any) -> KeptPage:
    values = {"read": True, "status": 200, "title": "A title", "indexable": True, "words": 100, "rules": list(rules)}
    return KeptPage(f"page_{number}", f"https://shop.example/{number:05d}", **{**values, **members})


def kinds(found: Difference) -> dict[str, str]:
    return {one.rule_id: one.change for one in found.issues}


def test_issues_are_new_resolved_reopened_or_unchanged() -> None:
    moves = {
        (None, "open"): "new",
        ("open", "resolved"): "resolved",
        ("recheck_queued", "resolved"): "resolved",
        ("resolved", "reopened"): "reopened",
        ("open", "open"): None,
        ("open", "ignored"): None,
        ("ignored", "open"): None,
        ("ignored", "resolved"): None,
        ("resolved", "resolved"): None,
        (None, "resolved"): None,
    }
    for (before, after), change in moves.items():
        base = audit() if before is None else audit(issue(before))
        found = difference(base, audit(issue(after)), None, None)
        assert kinds(found).get(RULES[0]) == change, (before, after)


def test_an_issue_change_lists_added_and_removed_pages() -> None:
    base_pages = [page(1, RULES[0]), page(2, RULES[0]), page(3)]
    head_pages = [page(1), page(2, RULES[0]), page(3, RULES[0]), page(4, RULES[0])]
    base, head = audit(issue("open", 2)), audit(issue("open", 3))
    (grown,) = difference(base, head, base_pages, head_pages).issues
    assert grown.change == "grown" and (grown.pages_before, grown.pages_after) == (2, 3)
    assert grown.came is not None and [one.page_id for one in grown.came.pages] == ["page_3", "page_4"]
    assert grown.went is not None and (grown.went.count, grown.went.pages[0].page_id) == (1, "page_1")
    (shrunk,) = difference(head, base, head_pages, base_pages).issues
    assert (shrunk.change, shrunk.came, shrunk.went) == ("shrunk", grown.went, grown.came)
    (other,) = difference(base, audit(issue("open", 2)), base_pages, [page(2, RULES[0]), page(3, RULES[0])]).issues
    assert other.change == "changed", "as many pages, and not the same ones"


def test_a_rule_that_was_not_judged_lists_no_pages() -> None:
    base, head = audit(issue("open", 2)), audit(issue("resolved", 0, judged=False))
    (found,) = difference(base, head, [page(1, RULES[0])], [page(1)]).issues
    assert (found.change, found.came, found.went) == ("resolved", None, None)
    (counted,) = difference(audit(issue("open", 2)), audit(issue("open", 5)), None, None).issues
    assert (counted.change, counted.came) == ("grown", None), "the pages are kept no more, their number is"


def test_appeared_removed_and_changed_pages_are_listed() -> None:
    before = [page(1), page(2), page(3, title="Old"), page(5)]
    after = [page(1), page(3, title=None, status=404), page(4)]
    unread = msgspec.structs.replace(page(5), read=False)
    found = difference(audit(), audit(), before, [*after, unread]).pages
    assert found is not None
    assert [one.page_id for one in found.appeared.pages] == ["page_4"]
    assert [one.page_id for one in found.left.pages] == ["page_2", "page_5"], "what was not read has left"
    (changed,) = found.changed
    assert changed.fields == (FieldDifference("status", 200, 404), FieldDifference("title", "Old", None))
    assert found.by_field == {**dict.fromkeys(PAGE_FIELDS, 0), "status": 1, "title": 1}


def test_a_value_that_one_audit_does_not_know_is_not_listed_as_changed() -> None:
    before = [page(1), page(2, words=None, indexable=None)]
    after = [page(1, status=None, title=None, indexable=None, words=None), page(2)]
    found = difference(audit(), audit(), before, after).pages
    assert found is not None and found.changed_count == 1
    assert found.changed[0].fields == (FieldDifference("status", 200, None),), "it did not answer"


def test_lists_are_limited_but_counts_are_complete() -> None:
    many = [page(number, RULES[0]) for number in range(1_000)]
    other = [page(number, title="Another") for number in range(500, 2_000)]
    found = difference(audit(issue("open", 1_000)), audit(issue("resolved", 0)), many, other)
    assert found.pages is not None and found.issues[0].went is not None
    assert (found.pages.left.count, found.pages.appeared.count, found.pages.changed_count) == (500, 1_000, 500)
    assert found.issues[0].went.count == 1_000
    lists = [found.pages.left.pages, found.pages.appeared.pages, found.pages.changed, found.issues[0].went.pages]
    assert {len(one) for one in lists} == {MOST_LISTED}
    assert found.pages.appeared.pages[0].url < found.pages.appeared.pages[-1].url, "the first ones by address"


def test_crawler_and_robots_changes_are_listed_only_if_both_audits_have_data() -> None:
    base = audit(crawlers={"A": True, "B": False, "C": None}, robots=KeptRobots(200, "x"))
    head = audit(crawlers={"A": False, "B": False, "C": True, "D": True}, robots=KeptRobots(200, "y"))
    found = difference(base, head, None, None)
    assert [tuple(one) for one in found.crawlers or ()] == [("A", True, False), ("C", None, True)]
    assert found.robots_changed is True and difference(base, base, None, None).robots_changed is False
    unknown = difference(base, audit(), None, None)
    assert (unknown.crawlers, unknown.robots_changed, unknown.pages) == (None, None, None)


def test_long_texts_that_differ_only_after_the_cut_are_still_listed_as_changed() -> None:
    long = "x" * 5_000
    assert shortened(long) != shortened(long + "y") and len(shortened(long) or "") == 300
    assert shortened("short") == "short" and shortened(None) is None


pages_of = st.dictionaries(
    st.integers(0, 12),
    st.tuples(
        st.sets(st.sampled_from(RULES)),
        st.sampled_from([200, 404, None]),
        st.sampled_from(["A", "B", None]),
        st.sampled_from([True, False, None]),
        st.booleans(),
    ),
    max_size=10,
)


def made(drawn: dict[int, tuple[Any, ...]], statuses: dict[str, Any]) -> tuple[KeptAudit, list[KeptPage]]:
    pages = [
        msgspec.structs.replace(
            page(number, *sorted(rules), status=status, title=title, indexable=indexable), read=read
        )
        for number, (rules, status, title, indexable, read) in drawn.items()
    ]
    counts = {rule: sum(rule in one.rules for one in pages) for rule in RULES}
    return audit(*(issue(statuses[rule], counts[rule], rule) for rule in sorted(statuses))), pages


statuses_of = st.dictionaries(st.sampled_from(RULES), st.sampled_from(STATUSES))


@given(pages_of, statuses_of)
def test_an_audit_compared_with_itself_has_no_differences(drawn: dict[int, Any], statuses: dict[str, Any]) -> None:
    kept, pages = made(drawn, statuses)
    found = difference(kept, kept, pages, pages)
    assert found.issues == () and found.pages is not None
    assert (found.pages.appeared.count, found.pages.left.count, found.pages.changed_count) == (0, 0, 0)


@given(pages_of, statuses_of, pages_of, statuses_of)
def test_comparing_in_the_other_direction_swaps_appeared_and_removed_pages(
    before: dict[int, Any], was: dict[str, Any], after: dict[int, Any], now: dict[str, Any]
) -> None:
    (base, base_pages), (head, head_pages) = made(before, was), made(after, now)
    there = difference(base, head, base_pages, head_pages)
    back = difference(head, base, head_pages, base_pages)
    assert there.pages is not None and back.pages is not None
    assert (there.pages.appeared, there.pages.left) == (back.pages.left, back.pages.appeared)
    assert there.pages.by_field == back.pages.by_field
    turned = [
        [FieldDifference(one.field, one.after, one.before) for one in changed.fields] for changed in back.pages.changed
    ]
    assert [list(changed.fields) for changed in there.pages.changed] == turned
    opposite = {"grown": "shrunk", "shrunk": "grown", "changed": "changed"}
    assert {rule: opposite[kind] for rule, kind in kinds(there).items() if kind in opposite} == {
        rule: kind for rule, kind in kinds(back).items() if kind in opposite
    }
    for one in there.issues:
        assert one.came is not None and one.went is not None
        if one.rule_id in was and one.rule_id in now:
            assert one.pages_before + one.came.count - one.went.count == one.pages_after
