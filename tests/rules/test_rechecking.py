"""Judging the listed pages of one issue again."""

from collections.abc import Sequence
from typing import Any

import pytest

from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.page.facts import PageFacts, Probe
from chalicelib.rules.engine import Judge
from chalicelib.rules.rechecking import judge_again, judge_site_again, linking_pages, redirects_after, renewed_rows
from chalicelib.rules.redirects import NO_REDIRECT, Redirects
from chalicelib.rules.registry import BY_ID, RULES
from tests.rules.builders import HOME, NOW, address, answer, links, page, redirect, robots, site_facts, site_of

NO_TITLE, SAME_TITLE = "SEO-ONP-001", "SEO-ONP-002"
FAILS, GONE, BROKEN_LINK = "SEO-TEC-003", "SEO-TEC-004", "SEO-LNK-001"


def by_address(pages: Sequence[PageFacts]) -> dict[str, PageFacts]:
    return {facts.url: facts for facts in pages}


def again(rule_id: str, listed: Sequence[str], published: Sequence[PageFacts], *fresh: PageFacts) -> dict[str, str]:
    """What is decided of each listed path."""
    found = judge_again(
        BY_ID[rule_id],
        site_facts(),
        listed=map(address, listed),
        published=by_address(published),
        fresh=by_address(fresh),
        images=(),
        now=NOW,
    )
    return {path: found.outcomes[address(path)].outcome for path in listed}


def test_each_listed_page_has_an_outcome() -> None:
    untitled = [page(path, title=None, title_count=0) for path in ("/a", "/b", "/c", "/d", "/e")]
    fresh = (page("/a"), untitled[1], answer("/c", 404), answer("/d", 503))
    assert again(NO_TITLE, ["/a", "/b", "/c", "/d", "/e"], [page("/"), *untitled], *fresh) == {
        "/a": "passed",
        "/b": "present",
        "/c": "gone",
        "/d": "unread",
        "/e": "unread",
    }


def test_a_page_that_still_shows_it_says_what_was_seen() -> None:
    untitled = page("/a", title=None, title_count=0)
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[untitled.url],
        published=by_address([untitled]),
        fresh=by_address([untitled]),
        images=(),
        now=NOW,
    )
    assert found.outcomes[untitled.url].outcome == "present"
    assert found.outcomes[untitled.url].evidence is not None


def test_pages_are_judged_beside_the_published_ones() -> None:
    twins = [page("/a", title="The one title that both have"), page("/b", title="The one title that both have")]
    published = [page("/"), *twins]
    assert again(SAME_TITLE, ["/a"], published, twins[0]) == {"/a": "present"}
    assert again(SAME_TITLE, ["/a"], published, page("/a")) == {"/a": "passed"}


def test_rules_about_answers_judge_by_any_answer() -> None:
    assert BY_ID[FAILS].population == "crawled"
    assert again(FAILS, ["/a"], [page("/"), page("/a")], answer("/a", 503)) == {"/a": "present"}


def test_the_pages_to_mend_are_those_that_hold_the_links() -> None:
    published = by_address([page("/", links=links("/a", "/gone")), page("/a"), page("/b", links=links("/gone"))])
    gone = [address("/gone")]
    assert linking_pages(BY_ID[GONE], gone, published) == [address("/"), address("/b")]  # lists what does not work
    assert linking_pages(BY_ID[BROKEN_LINK], [address("/")], published) == [address("/")]  # lists who links to it
    assert linking_pages(BY_ID[NO_TITLE], gone, published) is None


def test_what_is_read_again_says_where_it_leads() -> None:
    fresh = [redirect("/a", "/b"), redirect("/b", "/c")]
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[address("/a"), address("/c")],
        published=by_address([page("/"), page("/a"), page("/b"), page("/c")]),
        fresh=by_address([*fresh, page("/c")]),
        images=(),
        now=NOW,
    )
    assert {url: outcome.outcome for url, outcome in found.outcomes.items()} == {
        address("/a"): "gone",
        address("/c"): "passed",
    }
    assert found.pages[address("/a")].redirects == Redirects((address("/b"), address("/c")), "answer")
    assert found.pages[address("/c")].redirects == NO_REDIRECT


def test_a_page_that_redirects_now_is_gone() -> None:
    untitled = page("/a", title=None, title_count=0)
    assert again(NO_TITLE, ["/a"], [page("/"), untitled], redirect("/a", "/")) == {"/a": "gone"}


def row(facts: PageFacts, *rules: str) -> PageRow:
    """The row of a page on which these rules fire."""
    return PageRow(
        f"page of {facts.url}", facts.url, 200, facts.title, "old", 100, 100, list(rules), 3, 5, "crawl_1", 7, 2, True
    )


def rows_again(old: PageFacts, fresh: PageFacts, *rules: str) -> PageRow:
    """The row of a page of a small website after the recheck of ``NO_TITLE``."""
    judged = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[old.url],
        published=by_address([page("/"), old]),
        fresh=by_address([fresh]),
        images=(),
        now=NOW,
    )
    renewed = renewed_rows(BY_ID[NO_TITLE], {old.url: row(old, *rules)}, [(fresh, 100)], judged, "crawl_2")
    return renewed[f"page of {old.url}"]


def test_a_mended_page_has_the_scores_that_an_audit_would_give_it() -> None:
    untitled, mended = page("/a", title=None, title_count=0), page("/a")
    expected = Judge(site_of([page("/"), mended])).page(mended)
    found = rows_again(untitled, mended, NO_TITLE, *(rule_id for rule_id, _ in expected.findings))
    assert found.page_score == expected.page_score and found.aeo_score == expected.aeo_score
    assert found.category_scores == expected.category_scores and found.template == expected.template
    assert (found.title, found.facts_crawl, found.facts_block) == (mended.title, "crawl_2", 100)
    still = rows_again(untitled, untitled, NO_TITLE)
    assert still.page_score is not None and found.page_score is not None and still.page_score < found.page_score


def test_what_other_rules_found_counts_until_the_next_audit() -> None:
    untitled, mended = page("/a", title=None, title_count=0), page("/a")
    clean, faulty = rows_again(untitled, mended), rows_again(untitled, mended, NO_TITLE, "SEO-ONP-010")
    assert faulty.category_scores["ONP"] < clean.category_scores["ONP"]


def test_a_page_that_is_gone_has_no_scores() -> None:
    found = rows_again(page("/a", title=None, title_count=0), answer("/a", 404), NO_TITLE)
    assert (found.status, found.title, found.template, found.indexable) == (404, None, None, False)
    assert (found.page_score, found.aeo_score, found.category_scores) == (None, None, {})


def site_again(rule_id: str, *fresh: PageFacts, **site: Any) -> Reread:
    return judge_site_again(
        BY_ID[rule_id],
        site_facts(**site),
        published=by_address([page("/", headers={}), page("/a")]),
        fresh=by_address(fresh),
        now=NOW,
    )


def test_a_rule_about_the_website_is_judged_by_its_files_and_its_home_page() -> None:
    closed = robots("User-agent: *\nDisallow: /")
    assert site_again("SEO-TEC-001", robots=closed).outcome == "present"
    assert site_again("SEO-TEC-001").outcome == "passed"
    assert site_again("SEO-SEC-004", page("/")).outcome == "passed"
    assert site_again("SEO-SEC-004", page("/", headers={})).outcome == "present"


def test_a_rule_about_the_website_that_lacks_what_it_judges_by_decides_nothing() -> None:
    assert site_again("SEO-SEC-004").outcome == "unread"
    assert site_again("SEO-SEC-004", answer("/", 503)).outcome == "unread"
    assert site_again("SEO-AEO-005", page("/"), llms_txt=None).outcome == "unread"


def test_a_rule_that_says_why_it_decides_nothing_is_quoted() -> None:
    refused = [Probe("browser", HOME, 403), Probe("agent", HOME, 403, agent="Claude-User")]
    found = site_again("SEO-AEO-004", page("/"), probes=refused)
    assert found.outcome == "unread" and found.why is not None and "is inconclusive" in found.why
    assert site_again("SEO-AEO-004", page("/"), probes=[]).why is None


def test_a_rule_that_needs_every_page_is_left_to_the_next_audit() -> None:
    whole = [rule.id for rule in RULES if rule.whole_website]
    assert whole == ["SEO-TEC-007", "SEO-TEC-020", "SEO-AEO-010", "SEO-AEO-011"]
    assert {site_again(rule_id, page("/")).outcome for rule_id in whole} == {"unread"}


@pytest.mark.parametrize(
    ("now", "after"),
    [
        (Redirects(("/c", "/d"), "answer"), Redirects(("/c", "/d"), "answer")),
        (Redirects(("/x",), "unread"), Redirects(("/x",), "unread")),
        (Redirects(("/b",), "unread"), Redirects(("/b", "/z"), "answer")),  # it asked for less than the audit
        (NO_REDIRECT, NO_REDIRECT),
    ],
)
def test_a_row_takes_where_its_page_leads_now(now: Redirects, after: Redirects) -> None:
    row = PageRow("page_a", "/a", 301, None, None, None, None, [], 3, 5, redirects=["/b", "/z"], redirects_end="answer")
    assert redirects_after(row, now) == after
