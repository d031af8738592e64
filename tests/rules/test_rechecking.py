"""Judging the listed pages of one issue again."""

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.content import ContentItem
from chalicelib.domain.page.facts import PageFacts, Probe, TargetFacts
from chalicelib.rules.engine import Judge
from chalicelib.rules.rechecking import (
    PublishedAudit,
    judge_again,
    judge_site_again,
    linking_pages,
    redirects_after,
    renewed_rows,
    website_again,
)
from chalicelib.rules.redirects import NO_REDIRECT, Redirects
from chalicelib.rules.registry import BY_ID, RULES
from tests.rules.builders import HOME, NOW, address, answer, links, page, redirect, robots, shown, site_facts, site_of

NO_TITLE, SAME_TITLE = "SEO-ONP-001", "SEO-ONP-002"
FAILS, GONE, BROKEN_LINK = "SEO-TEC-003", "SEO-TEC-004", "SEO-LNK-001"


def by_address(pages: Sequence[PageFacts]) -> dict[str, PageFacts]:
    return {facts.url: facts for facts in pages}


def audited(pages: Sequence[PageFacts], **left: Any) -> PublishedAudit:
    """An audit that read these pages."""
    return PublishedAudit(by_address(pages), **left)


def again(rule_id: str, listed: Sequence[str], published: Sequence[PageFacts], *fresh: PageFacts) -> dict[str, str]:
    """What is decided of each listed path."""
    found = judge_again(
        BY_ID[rule_id],
        site_facts(),
        listed=map(address, listed),
        audit=audited(published),
        fresh=by_address(fresh),
        images=(),
        now=NOW,
    )
    return {path: found.outcomes[address(path)].outcome for path in listed}


def test_a_rechecked_page_has_passed_still_has_the_fault_is_gone_or_is_unread() -> None:
    untitled = [page(path, title=None, title_count=0) for path in ("/a", "/b", "/c", "/d", "/e")]
    fresh = (page("/a"), untitled[1], answer("/c", 404), answer("/d", 503))
    assert again(NO_TITLE, ["/a", "/b", "/c", "/d", "/e"], [page("/"), *untitled], *fresh) == {
        "/a": "passed",
        "/b": "present",
        "/c": "gone",
        "/d": "unread",
        "/e": "unread",
    }


def test_a_page_that_still_has_the_fault_keeps_its_evidence() -> None:
    untitled = page("/a", title=None, title_count=0)
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[untitled.url],
        audit=audited([untitled]),
        fresh=by_address([untitled]),
        images=(),
        now=NOW,
    )
    assert found.outcomes[untitled.url].outcome == "present"
    assert found.outcomes[untitled.url].evidence is not None


def test_rechecked_pages_are_compared_with_the_other_pages_of_the_audit() -> None:
    twins = [page("/a", title="The one title that both have"), page("/b", title="The one title that both have")]
    published = [page("/"), *twins]
    assert again(SAME_TITLE, ["/a"], published, twins[0]) == {"/a": "present"}
    assert again(SAME_TITLE, ["/a"], published, page("/a")) == {"/a": "passed"}


def test_rules_about_status_codes_judge_error_answers_too() -> None:
    assert BY_ID[FAILS].judges_answers
    assert again(FAILS, ["/a"], [page("/"), page("/a")], answer("/a", 503)) == {"/a": "present"}


def test_the_pages_to_fix_are_the_pages_that_contain_the_broken_link() -> None:
    published = by_address([page("/", links=links("/a", "/gone")), page("/a"), page("/b", links=links("/gone"))])
    gone = [address("/gone")]
    assert linking_pages(BY_ID[GONE], gone, published) == [address("/"), address("/b")]  # lists what does not work
    assert linking_pages(BY_ID[BROKEN_LINK], [address("/")], published) == [address("/")]  # lists who links to it
    assert linking_pages(BY_ID[NO_TITLE], gone, published) is None


def test_the_new_target_of_a_page_that_redirects_now_is_shown() -> None:
    fresh = [redirect("/a", "/b"), redirect("/b", "/c")]
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[address("/a"), address("/c")],
        audit=audited([page("/"), page("/a"), page("/b"), page("/c")]),
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


def test_a_page_that_redirects_now_counts_as_gone() -> None:
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
        audit=audited([page("/"), old]),
        fresh=by_address([fresh]),
        images=(),
        now=NOW,
    )
    renewed = renewed_rows(BY_ID[NO_TITLE], {old.url: row(old, *rules)}, [(fresh, 100)], judged, "crawl_2")
    return renewed[f"page of {old.url}"]


def test_a_fixed_page_has_the_same_scores_as_after_an_audit() -> None:
    untitled, mended = page("/a", title=None, title_count=0), page("/a")
    expected = Judge(site_of([page("/"), mended])).page(mended)
    found = rows_again(untitled, mended, NO_TITLE, *(rule_id for rule_id, _ in expected.findings))
    assert found.page_score == expected.page_score and found.aeo_score == expected.aeo_score
    assert found.category_scores == expected.category_scores and found.template == expected.template
    assert (found.title, found.facts_crawl, found.facts_block) == (mended.title, "crawl_2", 100)
    still = rows_again(untitled, untitled, NO_TITLE)
    assert still.page_score is not None and found.page_score is not None and still.page_score < found.page_score


def test_findings_of_other_rules_still_count_in_page_scores_after_a_recheck() -> None:
    untitled, mended = page("/a", title=None, title_count=0), page("/a")
    clean, faulty = rows_again(untitled, mended), rows_again(untitled, mended, NO_TITLE, "SEO-ONP-010")
    assert faulty.category_scores["ONP"] < clean.category_scores["ONP"]


def test_a_removed_page_has_no_scores() -> None:
    found = rows_again(page("/a", title=None, title_count=0), answer("/a", 404), NO_TITLE)
    assert (found.status, found.title, found.template, found.indexable) == (404, None, None, False)
    assert (found.page_score, found.aeo_score, found.category_scores) == (None, None, {})


def site_again(rule_id: str, *fresh: PageFacts, **site: Any) -> Reread:
    return judge_site_again(
        BY_ID[rule_id],
        site_facts(**site),
        audit=audited([page("/", headers={}), page("/a")]),
        fresh=by_address(fresh),
        now=NOW,
    )


def test_a_website_rule_is_judged_by_its_files_and_the_home_page() -> None:
    closed = robots("User-agent: *\nDisallow: /")
    assert site_again("SEO-TEC-001", robots=closed).outcome == "present"
    assert site_again("SEO-TEC-001").outcome == "passed"
    assert site_again("SEO-SEC-004", page("/")).outcome == "passed"
    assert site_again("SEO-SEC-004", page("/", headers={})).outcome == "present"


def test_a_website_rule_without_its_data_is_not_judged() -> None:
    assert site_again("SEO-SEC-004").outcome == "unread"
    assert site_again("SEO-SEC-004", answer("/", 503)).outcome == "unread"
    assert site_again("SEO-AEO-005", page("/"), llms_txt=None).outcome == "unread"


def test_an_inconclusive_rule_gives_its_reason() -> None:
    refused = [Probe("browser", HOME, 403), Probe("agent", HOME, 403, agent="Claude-User")]
    found = site_again("SEO-AEO-004", page("/"), probes=refused)
    assert found.outcome == "unread" and found.why is not None and "is inconclusive" in found.why
    assert site_again("SEO-AEO-004", page("/"), probes=[]).why is None


def test_a_rule_that_needs_all_pages_is_not_judged_until_the_next_audit() -> None:
    whole = [rule.id for rule in RULES if rule.whole_website]
    assert whole == ["SEO-TEC-007", "SEO-TEC-020", "SEO-AEO-010", "SEO-AEO-011", "SEO-AEO-019"]
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
def test_a_row_shows_the_current_redirects_of_its_page(now: Redirects, after: Redirects) -> None:
    row = PageRow("page_a", "/a", 301, None, None, None, None, [], 3, 5, redirects=["/b", "/z"], redirects_end="answer")
    assert redirects_after(row, now) == after


ORPHAN, IMPORTANT_NOINDEX, NOINDEX_UNREADABLE = "SEO-LNK-003", "SEO-TEC-008", "SEO-TEC-010"
NOBODY_LINKS = [page("/"), page("/a")]
HIDDEN = page("/a", robots_meta=[("robots", "noindex")])


def beside_again(rule_id: str, pages: list[PageFacts], beside: SiteInputs, **left: Any) -> Reread:
    """What is decided of ``/a``, which says what it said."""
    fresh = {facts.url: facts for facts in pages if facts.url == address("/a")}
    audit = audited(pages, **left)
    found = judge_again(
        BY_ID[rule_id],
        site_facts(),
        listed=fresh,
        audit=audit,
        fresh=fresh,
        images=(),
        now=NOW,
        beside=beside,
    )
    return found.outcomes[address("/a")]


@pytest.mark.parametrize(
    ("rule_id", "pages"), [(ORPHAN, NOBODY_LINKS), (IMPORTANT_NOINDEX, [page("/"), HIDDEN])], ids=["orphan", "noindex"]
)
def test_findings_from_search_data_are_not_rechecked_without_search_data(rule_id: str, pages: list[PageFacts]) -> None:
    searched = SiteInputs(search=shown({address("/a"): 500}))
    assert beside_again(rule_id, pages, searched, inputs=frozenset({"search"})).outcome == "present"
    assert beside_again(rule_id, pages, SiteInputs(), inputs=frozenset({"search"})).outcome == "unread"
    # Where the audit had none either, the rule decides by what there is.
    assert beside_again(rule_id, pages, SiteInputs()).outcome == "passed"


def test_a_rule_that_needs_cms_content_is_not_judged_without_it() -> None:
    content = {address("/a"): ContentItem(cms_id="a", url=address("/a"), type="page", status="published", title="A")}
    assert beside_again(NOINDEX_UNREADABLE, [page("/"), HIDDEN], SiteInputs(content=content)).outcome == "passed"
    assert beside_again(NOINDEX_UNREADABLE, [page("/"), HIDDEN], SiteInputs()).outcome == "unread"


def test_a_recheck_uses_the_coverage_of_the_audit() -> None:
    searched = SiteInputs(search=shown({address("/a"): 500}))
    assert beside_again(ORPHAN, NOBODY_LINKS, searched, coverage=89.0).outcome == "unread"
    assert beside_again(ORPHAN, NOBODY_LINKS, searched, coverage=90.0).outcome == "present"


def test_a_link_target_keeps_its_status_from_the_audit_until_requested_again() -> None:
    linking = page("/a", links=links("/b"))
    broken = TargetFacts(url=address("/b"), own_host=True, status=404, tries=2)
    fresh = [linking]
    for read_beside, outcome in (([], "present"), ([page("/b")], "passed"), ([answer("/b", 404)], "present")):
        found = judge_again(
            BY_ID[BROKEN_LINK],
            site_facts(),
            listed=[linking.url],
            audit=audited([page("/"), linking], targets=[broken]),
            fresh=by_address([*fresh, *read_beside]),
            images=(),
            now=NOW,
        )
        assert found.outcomes[linking.url].outcome == outcome


def test_the_number_of_links_not_requested_again_is_reported() -> None:
    linking = page("/a", links=links("/b"))
    found = judge_again(
        BY_ID[BROKEN_LINK],
        site_facts(),
        listed=[linking.url],
        audit=audited([page("/"), linking], links_unasked=7),
        fresh=by_address([linking, answer("/b", 404)]),
        images=(),
        now=NOW,
    )
    assert found.evidence == {"linksNotAsked": 7}


def test_every_rule_declares_which_additional_data_it_uses() -> None:
    """A recheck needs this to leave an issue alone when such data is missing."""
    for rule in RULES:
        check = rule.page_check or rule.site_check
        assert check is not None
        source = Path(inspect.getsourcefile(inspect.unwrap(check)) or "").read_text(encoding="utf-8")
        judged_by = {name for name in SiteInputs._fields if re.search(rf"\bsite\.{name}\b", source)}
        judged_by |= {"search"} if "page.impressions" in source else set()
        assert judged_by == set(rule.needs), rule.id


def test_a_recheck_knows_the_addresses_that_the_audit_did_not_read() -> None:
    audit = audited([page("/"), page("/a")], unread=[address("/b"), address("/a")])
    site = website_again(site_facts(), audit, {}, now=NOW)
    assert site.unread == {address("/b")} and address("/b") in site.known


def test_a_newly_disallowed_page_is_judged_by_its_earlier_reading() -> None:
    audit = audited([page("/"), page("/a")])
    site = website_again(site_facts(robots=robots("User-agent: *\nDisallow: /a")), audit, {}, now=NOW)
    assert site.addresses[address("/a")].indexable and not site.allowed(address("/a"))
