"""Judging pages by their facts before and now: only what differs counts."""

from collections.abc import Sequence
from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.domain.audit.alert import PageChange
from chalicelib.domain.audit.records import PageFinding
from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules import registry
from chalicelib.rules.alerting import Judged, Reread, judge_changes
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.rechecking import PublishedAudit
from tests.rules.builders import NOW, address, answer, links, page, redirect, site_facts

NO_TITLE, SAME_TITLE, BROKEN_LINK, DEAD = "SEO-ONP-001", "SEO-ONP-002", "SEO-LNK-001", "SEO-TEC-004"
UNTITLED: dict[str, Any] = {"title": None, "title_count": 0}
HOME = page("/", links=links("/a", "/b"))


def judged(published: Sequence[PageFacts], fresh: Sequence[PageFacts], beside: Sequence[PageFacts] = ()) -> Judged:
    reread = Reread(
        site_facts(), {one.url: one for one in [*beside, *fresh]}, images=(), asked=[one.url for one in fresh]
    )
    known = {one.url: one for one in published}
    return judge_changes(
        "site_1", reread, audit=PublishedAudit(known), known=known.keys(), now=NOW, keep_lease=lambda: None
    )


def change(path: str, found: Judged) -> PageChange:
    return found.pages[address(path)].change


def test_new_and_resolved_findings_are_listed() -> None:
    found = judged([HOME, page("/a", **UNTITLED), page("/b")], [page("/a"), page("/b", **UNTITLED)])
    mended, broken = change("/a", found), change("/b", found)
    assert (mended.went, mended.came) == ({NO_TITLE}, frozenset())
    assert (broken.went, broken.came, broken.joined) == (frozenset(), {NO_TITLE}, frozenset())
    assert broken.page_id == ids.page_id("site_1", address("/b")) and broken.shows[NO_TITLE]["message"]


def test_a_finding_whose_message_alone_changed_does_not_count_as_changed() -> None:
    """The title of the other page is unchanged, so the message of the last audit is kept."""
    twin = {"title": "The one title that both have"}
    found = change("/a", judged([HOME, page("/a", **twin), page("/b", **twin)], [page("/a", **twin)]))
    assert SAME_TITLE in found.shows
    assert (found.came, found.went) == (frozenset(), frozenset())
    listed_by_an_audit = [PageFinding("SEO-LNK-008", {"message": "An external link is broken."}, 5)]
    assert found.findings(listed_by_an_audit) == listed_by_an_audit


def test_a_page_before_and_after_its_change_is_judged_with_the_same_link_targets() -> None:
    gone = answer("/gone", 404)
    linking = page("/a", links=links("/", "/gone"))
    assert change("/a", judged([HOME, page("/a", links=links("/"))], [linking], [gone])).came == {BROKEN_LINK}
    assert change("/a", judged([HOME, linking], [page("/a", links=links("/"))], [gone])).went == {BROKEN_LINK}
    assert change("/a", judged([HOME, linking], [linking], [gone])).came == frozenset(), "only its target changed"


@pytest.mark.parametrize("now", [answer("/a", 404), answer("/a", 410), redirect("/a", "/b")], ids=["404", "410", "301"])
def test_a_page_that_is_missing_or_redirects_now_loses_its_findings(now: PageFacts) -> None:
    found = change("/a", judged([HOME, page("/a"), page("/b")], [now]))
    stored = [PageFinding(rule.id, {"message": "said"}, 5) for rule in registry.RULES if rule.scope == "page"]
    left = [finding.rule_id for finding in found.findings(stored) if finding.rule_id not in found.shows]
    assert [rule_id for rule_id in left if registry.BY_ID[rule_id].population != "crawled"] == []


@pytest.mark.parametrize("status", [0, 403, 429, 500, 503])
def test_a_page_that_did_not_answer_is_not_judged(status: int) -> None:
    found = judged([HOME, page("/a", **UNTITLED)], [answer("/a", status, error="timeout" if status == 0 else None)])
    assert found.pages == {}


def test_all_findings_of_a_page_read_for_the_first_time_count_as_new() -> None:
    reread = Reread(site_facts(), {address("/a"): page("/a", **UNTITLED)}, images=(), asked=[address("/a")])
    found = judge_changes(
        "site_1",
        reread,
        audit=PublishedAudit({HOME.url: HOME}),
        known={HOME.url, address("/a")},
        now=NOW,
        keep_lease=lambda: None,
    )
    page_now = change("/a", found)
    assert NO_TITLE in page_now.came & page_now.joined and "SEO-ONP-015" in page_now.went


def test_a_new_address_is_judged_only_if_it_leads_to_a_page() -> None:
    fresh = [
        page("/new", **UNTITLED),
        answer("/not-there", 404),
        page("/file", is_html=False, content_type="text/plain"),
    ]
    found = judged([HOME], fresh)
    assert found.pages.keys() == {address("/new")}
    assert NO_TITLE in change("/new", found).joined


def test_the_stored_row_of_a_page_has_the_rules_and_scores_of_its_findings() -> None:
    published = [HOME, page("/a"), page("/b")]
    found = judged(published, [page("/a", **UNTITLED)]).pages[address("/a")]
    standing = found.change.findings([PageFinding("SEO-LNK-008", {"message": "An audit saw it."}, 5)])
    row = found.row(None, standing, "crawl_2", 7)
    assert row.rules == ["SEO-LNK-008", NO_TITLE] and (row.facts_crawl, row.facts_block) == ("crawl_2", 7)
    clean = found.row(row, [], "crawl_2", 7)
    assert row.page_score is not None and clean.page_score is not None and row.page_score < clean.page_score


def test_a_page_that_cannot_be_processed_is_reported_and_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_up = SiteBuilder.add

    def add(self: SiteBuilder, facts: PageFacts, **how: bool) -> None:
        if facts.title == "hostile":
            raise ValueError("no such page was ever thought of")
        taken_up(self, facts, **how)

    monkeypatch.setattr(SiteBuilder, "add", add)
    published = [HOME, page("/a", **UNTITLED), page("/b", **UNTITLED)]
    found = judged(published, [page("/a", title="hostile"), page("/b")])
    assert found.pages.keys() == {address("/b")} and change("/b", found).went == {NO_TITLE}
    assert [failure.url for failure in found.failures] == [address("/a")]


def test_a_page_keeps_the_earlier_findings_of_a_rule_that_fails() -> None:
    def fails(*_: object) -> None:
        raise ValueError("no rule does that")

    rule = registry.BY_ID[NO_TITLE]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(rule), "__setattr__", object.__setattr__)
        patch.setattr(rule, "page_check", fails)
        found = judged([HOME, page("/a", **UNTITLED)], [page("/a")])
    assert NO_TITLE not in change("/a", found).went
    assert {failure.rule_id for failure in found.failures} == {NO_TITLE}


def test_the_lease_is_renewed_while_many_pages_are_judged() -> None:
    kept = []
    published = {address(f"/{number}"): page(f"/{number}") for number in range(50)}
    reread = Reread(site_facts(), published, images=(), asked=list(published))
    judge_changes(
        "site_1",
        reread,
        audit=PublishedAudit(published),
        known=published.keys(),
        now=NOW,
        keep_lease=lambda: kept.append(1),
    )
    assert len(kept) >= 50


def test_a_linked_page_that_disappeared_is_reported() -> None:
    found = change("/a", judged([HOME, page("/a")], [answer("/a", 404)]))
    assert found.came == {DEAD} and found.joined == frozenset(), "the rule spoke of the page before"
