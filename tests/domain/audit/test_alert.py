"""What an alert makes of issues: the pages they list, the counts, and how addresses are shared out."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.alert import (
    MOST_ADDRESSES,
    MOST_CHARACTERS,
    PageChange,
    book_after,
    outcome,
    shared_out,
    touched,
)
from chalicelib.domain.audit.issues import Issue, IssueBook, RuleCount, RuleOutcome
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow

RULE, OTHER = "SEO-ONP-001", "SEO-HRE-003"
NAMES = "abcdef"


def change(
    name: str, *, shows: bool = False, came: bool = False, joined: bool = False, went: bool = False
) -> PageChange:
    rule = frozenset({RULE})
    return PageChange(
        url=f"/{name}",
        page_id=f"page_{name}",
        seen_at=9,
        shows={RULE: {"message": "new"}} if shows or came else {},
        came=rule if came else frozenset(),
        joined=rule if joined else frozenset(),
        went=rule if went else frozenset(),
    )


def listed(names: str) -> list[AffectedPage]:
    return [AffectedPage(f"/{name}", f"page_{name}", {"message": "old"}, 5, 6) for name in names]


def rows(names: str = NAMES) -> dict[str, PageRow]:
    return {f"/{name}": PageRow(f"page_{name}", f"/{name}", 200, "t", "post", 1, 1, [], 1, 5) for name in names}


def after(names: str, *changes: PageChange, count: RuleCount | None = None) -> RuleOutcome:
    issue = Issue("iss_1", RULE, "open", len(names), 6, 1.0, 2.0, "s", impressions=7)
    return outcome(
        RULE,
        issue,
        count or RuleCount(6, len(names)),
        listed(names),
        {change.url: change for change in changes},
        rows=rows(),
        evidence=None,
    )


def test_an_alert_adds_removes_and_updates_affected_pages() -> None:
    found = after(
        "abc", change("a", shows=True), change("b", went=True), change("d", came=True), change("e", shows=True)
    )
    assert [(page.url, page.evidence["message"], page.first_seen, page.last_seen) for page in found.affected] == [
        ("/a", "new", 5, 9),
        ("/c", "old", 5, 6),
        ("/d", "new", 9, 9),
    ]
    assert (found.applicable, found.impressions, found.template, found.importance) == (6, 7, "post", 0.5)
    assert found.summary == "3 of 6 pages. For example /a: new"


def test_an_alert_changes_the_count_of_faulty_links() -> None:
    old = {"message": "old", "inContent": 1, "inLayout": 0, "targets": []}
    pages = [msgspec.structs.replace(page, evidence=old) for page in listed("ab")]
    new = {"message": "new", "inContent": 1, "inLayout": 1, "targets": [{"url": "/x", "inLayout": True}]}
    came = change("c", came=True)._replace(shows={RULE: new})
    both = {one.url: one for one in (change("a", went=True), came)}
    found = outcome(RULE, None, RuleCount(6, 2, 250), pages, both, rows=rows(), evidence=None)
    assert found.units == 250 - 100 + 200
    gone = {one.url: one for one in (change("a", went=True), change("b", went=True))}
    assert outcome(RULE, None, RuleCount(6, 2, 250), pages, gone, rows=rows(), evidence=None).units == 0
    assert outcome(RULE, None, RuleCount(6, 2), pages, both, rows=rows(), evidence=None).units is None
    after_it = book_after(IssueBook(1, None, 1.0, "r", [], {}, []), [], [found], 1_000.0)
    assert after_it.counts[RULE] == RuleCount(6, 2, 350)


def test_the_number_of_applicable_pages_grows_only_by_newly_affected_pages() -> None:
    assert after("a", change("b", came=True)).applicable == 6
    small = RuleCount(2, 1)
    assert after("a", change("b", came=True), count=small).applicable == 2
    assert after("a", change("b", came=True, joined=True), count=small).applicable == 3
    assert after("a", change("a", went=True), count=small).applicable == 2
    assert after("a", change("b", came=True, joined=True), count=RuleCount(6, 1)).applicable == 6, "no more than pages"


@given(
    names=st.sets(st.sampled_from(NAMES)),
    changes=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["shows", "came", "joined", "went", "nothing"])),
    applicable=st.integers(0, 6),
)
def test_after_an_alert_only_changed_pages_differ_and_the_counts_are_consistent(
    names: set[str], changes: dict[str, str], applicable: int
) -> None:
    count = RuleCount(max(applicable, len(names)), len(names))
    seen = [
        change(
            name, shows=what == "shows", came=what in ("came", "joined"), joined=what == "joined", went=what == "went"
        )
        for name, what in changes.items()
    ]
    found = after("".join(sorted(names)), *seen, count=count)
    urls = {page.url.removeprefix("/") for page in found.affected}
    assert urls - changes.keys() == names - changes.keys()
    assert urls == (names - {name for name, what in changes.items() if what == "went"}) | {
        name for name, what in changes.items() if what in ("came", "joined")
    }
    assert len(found.affected) == len(urls) <= found.applicable
    assert found.applicable >= count.applicable


def test_an_alert_rewrites_only_issues_whose_findings_changed() -> None:
    stored = {"page_a": [PageFinding(RULE, {}, 5), PageFinding(OTHER, {}, 5)], "page_b": [PageFinding(OTHER, {}, 5)]}
    assert touched(stored, [change("a", went=True)]) == {RULE}
    assert touched(stored, [change("b", came=True), change("a")]) == {RULE}
    assert touched(stored, [change("c", went=True, shows=True)]) == set()


def test_an_alert_keeps_counts_of_rules_it_did_not_judge_and_adds_new_categories() -> None:
    book = IssueBook(
        4, "crawl_1", 1.0, "r", [], {"SEO-TEC-003": RuleCount(9, 1), RULE: RuleCount(9, 1)}, ["ONP", "TEC"]
    )
    outcomes = [
        RuleOutcome(RULE, 9, listed("a"), "s"),
        RuleOutcome(OTHER, 1, listed("b"), "s"),
        RuleOutcome("SEO-TEC-003", 0, [], "", judged=False),
    ]
    after = book_after(book, [], outcomes, 1_000.0)
    assert after.counts == {"SEO-TEC-003": RuleCount(9, 1), RULE: RuleCount(9, 1), OTHER: RuleCount(1, 1)}
    assert (after.version, after.measured) == (5, ["HRE", "ONP", "TEC"])
    assert after.weeks == {"1969-12-29": after.counts}


@given(
    waiting=st.lists(st.integers(0, 400), unique=True, max_size=60),
    sent=st.lists(st.integers(0, 2_000), max_size=120),
    length=st.sampled_from([20, 2_000, 6_000]),
)
def test_each_address_goes_into_exactly_one_alert_in_order_of_arrival(
    waiting: list[int], sent: list[int], length: int
) -> None:
    def url(number: int) -> str:
        return f"https://example.com/{number}".ljust(length, "x")

    before = [url(number) for number in waiting][: MOST_CHARACTERS // length]
    alerts = shared_out(before, map(url, sent))
    flat = [url for alert in alerts for url in alert]
    assert flat == list(dict.fromkeys([*before, *map(url, sent)]))
    assert alerts[0][: len(before)] == before
    for alert in alerts:
        assert len(alert) <= MOST_ADDRESSES and sum(map(len, alert)) <= MOST_CHARACTERS
    assert all(alerts[1:])


def test_an_alert_holds_at_most_500_addresses() -> None:
    alerts = shared_out([], [f"https://example.com/{number}" for number in range(1_200)])
    assert list(map(len, alerts)) == [500, 500, 200]
