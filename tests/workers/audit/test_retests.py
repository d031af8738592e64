"""Audits judge by speed tests, and rechecks of what they found have the listed pages tested again."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors.errors import Declined, OutsideError, Quota
from chalicelib.domain import ids
from chalicelib.domain.agentic import LargestImage
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.records import Collected, FieldBook
from chalicelib.domain.speed.report import LabRun
from chalicelib.operations import audits, rechecks
from chalicelib.store import crawls, issues, jobs, pages
from chalicelib.store import speed as store
from chalicelib.store import websites as stored
from chalicelib.store.transactions import commit
from chalicelib.workers import agentic, sweeper
from chalicelib.workers.audit import recheck
from chalicelib.workers.speed.rechecked import NO_BUDGET
from tests import aws, speed, webhooks
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, found, html, new_website

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

LCP, TREE, IMAGE, CATALOGUE = "SEO-PRF-001", "SEO-AGT-001", "SEO-IMG-007", "SEO-AGT-006"
TURNS = 60
SLOW, FAST = LabRun(5_000.0, 0.0, 10.0), LabRun(1_200.0, 0.0, 10.0)


class House:
    """A website of four pages, of which two were slow in the lab three times when it was audited."""

    def __init__(self, server: WireServer, engine: speed.Engine, plan: str) -> None:
        self.website = new_website(server, plan=plan)
        self.engine = engine
        self.slow = [self.url("a"), self.url("b")]
        engine.reports = lambda test: speed.report(*test, lab=FAST, checks={"agent-accessibility-tree": speed.PASSING})

    def url(self, path: str) -> str:
        return self.website.url + path

    def tested(self, **changed: Any) -> None:
        """Three tests of each page have been made in the last three days."""
        at = clock.now() - 3_600
        results = [
            speed.result(url, at=at, runs=3, lcp_ms=SLOW.lcp_ms if url in self.slow else FAST.lcp_ms, **changed)
            for url in (self.website.url, *self.slow, self.url("c"))
        ]
        speed.stored(self.website.id, results)

    def issue(self, rule_id: str) -> Issue:
        book = issues.load_state(self.website.id)
        assert book is not None
        issue = book.by_id(ids.issue_id(self.website.id, rule_id))
        assert issue is not None
        return issue

    def recheck(self, rule_id: str) -> CrawlHeader:
        current = stored.get(self.website.workspace_id, self.website.id)
        assert current is not None
        issue_id = ids.issue_id(self.website.id, rule_id)
        return rechecks.start(current, issue_id, person_id=None, now=clock.now())

    def run(self, header: CrawlHeader, step: float = 130.0) -> CrawlHeader:
        """Work both queues until the recheck has ended."""
        for _ in range(TURNS):
            current = crawls.get(header.site_id, header.id)
            assert current is not None
            if current.ended:
                return current
            waiting = aws.messages("recheck")
            aws.purge("recheck")
            for message in waiting:
                recheck.handle(message, Runtime())
            if not speed.work("agentic", agentic.handle) and not waiting:
                clock.set_offset(clock.offset() + step)
                sweeper.run()
        raise AssertionError("the recheck does not end")


@pytest.fixture
def server() -> Iterator[WireServer]:
    site = Site(
        {
            "/": html("The home page of a small website", "/a", "/b", "/c"),
            "/a": html("Everything about the letter A", "/"),
            "/b": html("Everything about the letter B", "/"),
            "/c": html("Everything about the letter C", "/"),
        }
    )
    with WireServer(site) as server:
        server.site = site  # type: ignore[attr-defined]
        yield server


@pytest.fixture
def house(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(server, speed.engine(monkeypatch), "enterprise")


# -- audits ---------------------------------------------------------------------------------------------


def test_the_agentic_category_counts_as_measured_after_the_first_test(
    house: House,
) -> None:
    audit(house.website)
    before = issues.load_state(house.website.id)
    assert before is not None and "AGT" not in before.measured and "PRF" in before.measured
    house.tested()
    audit(house.website)
    assert found(house.website, LCP) == ["/a", "/b"]
    assert found(house.website, TREE) == ["/", "/a", "/b", "/c"]
    evidence = issues.load_affected(house.website.id, house.issue(LCP))[0].evidence
    assert (evidence["source"], evidence["lcpMs"]) == ("lab", 5_000.0)
    after = issues.load_state(house.website.id)
    assert after is not None and "AGT" in after.measured
    assert house.issue(LCP).applicable_pages == 4  # those that were tested


def test_an_audit_adds_the_template_of_the_page_to_earlier_speed_test_results(house: House) -> None:
    house.tested(template=None)
    audit(house.website)
    current = stored.get(house.website.workspace_id, house.website.id)
    assert current is not None and current.current_crawl is not None
    shown = {row.url: row.template for row in pages.load_list(house.website.id, current.current_crawl)}
    assert {one.url: one.template for one in store.load(house.website.id).results} == shown
    assert set(shown.values()) != {None}


def test_speed_findings_are_kept_for_a_month_without_tests(house: House) -> None:
    house.tested()
    audit(house.website)
    clock.set_offset(clock.offset() + 29 * 86_400)
    speed.stored(house.website.id, [speed.result(house.url("c"), runs=3)])
    audit(house.website)
    assert found(house.website, LCP) == ["/a", "/b"]


def test_two_weeks_without_a_test_lower_the_confidence_of_the_score(house: House) -> None:
    house.tested()
    audit(house.website)
    confidence = _confidence(house)
    clock.set_offset(clock.offset() + 15 * 86_400)
    audit(house.website)
    assert (confidence, _confidence(house)) == ("high", "medium")


def _confidence(house: House) -> str:
    current = stored.get(house.website.workspace_id, house.website.id)
    assert current is not None and current.summary is not None and current.summary.score is not None
    return current.summary.score.confidence


def test_a_finished_audit_starts_weekly_tests_and_field_data(house: House) -> None:
    audit(house.website)
    assert {job.id for job in jobs.list_all(house.website.id)} == {"speed_tests", "field_data"}


# -- rechecks -------------------------------------------------------------------------------------------


def test_a_recheck_tests_each_page_three_times_and_resolves_the_issue_if_fast(house: House) -> None:
    house.tested()
    audit(house.website)
    ended = house.run(house.recheck(LCP))
    assert ended.status == "done" and sorted(house.engine.made) == sorted((url, "mobile") for url in house.slow * 3)
    issue = house.issue(LCP)
    assert issue.status == "resolved" and issue.last_recheck is not None
    assert (issue.last_recheck.passed, issue.last_recheck.checked, issue.last_recheck.note) == (True, 2, None)
    assert store.load_state(house.website.id).used == 6
    assert "agentic.finished" not in {event.kind for event in webhooks.pending()}


def test_a_recheck_of_an_agentic_check_needs_one_test_for_each_page(house: House) -> None:
    house.tested()
    audit(house.website)
    house.run(house.recheck(TREE))
    assert len(house.engine.made) == 4 and house.issue(TREE).status == "resolved"


def test_pages_that_are_still_slow_keep_the_issue(house: House) -> None:
    house.tested()
    audit(house.website)
    house.engine.reports = lambda test: speed.report(*test, lab=SLOW if test[0] == house.slow[0] else FAST)
    house.run(house.recheck(LCP))
    issue = house.issue(LCP)
    assert found(house.website, LCP) == ["/a"]
    assert issue.last_recheck is not None and (issue.last_recheck.passed, issue.last_recheck.present) == (False, 1)


def test_a_recheck_of_an_image_issue_tests_the_page_again(house: House, server: WireServer) -> None:
    server.site.pages["/a"] = html("A", "/", body='<img src="/a.jpg" alt="A" width="9" height="9">')  # type: ignore[attr-defined]
    slow = speed.result(house.url("a"))
    lazy = slow.agentic._replace(largest_image=LargestImage(True, "img", "<img>"))
    speed.stored(house.website.id, [_with(slow, lazy)])
    audit(house.website)
    assert found(house.website, IMAGE) == ["/a"]
    house.engine.reports = lambda test: _report(test, LargestImage(False, "img", "<img>"))
    house.run(house.recheck(IMAGE))
    assert house.issue(IMAGE).status == "resolved" and house.engine.made == [(house.url("a"), "mobile")]


def _with(result: Any, agentic_result: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(result, agentic=agentic_result)


def _report(test: Test, image: LargestImage) -> Any:
    told = speed.report(*test)
    return told._replace(agentic=told.agentic._replace(largest_image=image))


def test_a_website_rule_is_rechecked_on_the_home_page(house: House) -> None:
    bad = {"ard-schema": speed.FAILING}
    speed.stored(house.website.id, [speed.result(house.website.url, checks=bad)])
    audit(house.website)
    assert house.issue(CATALOGUE).status == "open"
    house.engine.reports = lambda test: speed.report(*test, checks={"ard-schema": speed.PASSING})
    house.run(house.recheck(CATALOGUE))
    assert house.issue(CATALOGUE).status == "resolved" and house.engine.made == [(house.website.url, "mobile")]


def test_a_note_counts_the_pages_not_rechecked_for_lack_of_test_budget(
    server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(server, speed.engine(monkeypatch), "free")
    house.tested()
    audit(house.website)
    state = store.load_state(house.website.id)
    commit([store.put_state(house.website.id, state.taken(6, clock.now()))])  # four are left: one page's three
    house.run(house.recheck(LCP))
    assert len(house.engine.made) == 3
    issue = house.issue(LCP)
    last = issue.last_recheck
    assert last is not None and (last.passed, last.present, last.checked, last.not_rechecked) == (None, 0, 1, 1)
    assert last.note == f"1 page was not tested again ({NO_BUDGET}); it stays as the last check saw it."
    assert found(house.website, LCP) == ["/b"] and store.load_state(house.website.id).used == 9


@pytest.mark.parametrize("error", [Quota, Declined])
def test_pages_keep_their_findings_when_their_tests_fail(house: House, error: type[OutsideError]) -> None:
    house.tested()
    audit(house.website)
    house.engine.failure = lambda test: error("The provider said so.")
    house.run(house.recheck(LCP))
    last = house.issue(LCP).last_recheck
    assert last is not None and (last.passed, last.checked, last.not_rechecked) == (None, 0, 2)
    assert last.note is not None and "(The provider said so)" in last.note
    assert found(house.website, LCP) == ["/a", "/b"]


def test_a_removed_page_is_not_affected_any_more_even_if_it_cannot_be_tested(house: House, server: WireServer) -> None:
    house.tested()
    audit(house.website)
    server.site.pages["/a"] = None  # type: ignore[attr-defined]
    house.engine.failure = lambda test: Declined("404") if test[0] == house.slow[0] else None
    house.run(house.recheck(LCP))
    assert house.issue(LCP).status == "resolved"


def test_a_page_with_field_data_needs_no_speed_test(house: House) -> None:
    record = FieldRecord(True, lcp_ms=6_000.0, period_end="2026-11-19")
    book = FieldBook(pages={house.slow[0]: Collected(record, clock.now())})
    commit([store.put_field(house.website.id, store.load_field(house.website.id), book)])
    audit(house.website)
    assert found(house.website, LCP) == ["/a"]
    house.run(house.recheck(LCP))
    last = house.issue(LCP).last_recheck
    assert house.engine.made == [] and last is not None and (last.passed, last.present) == (False, 1)


def test_a_recheck_waits_for_speed_tests_for_at_most_twelve_minutes(house: House) -> None:
    house.tested()
    audit(house.website)
    header = house.recheck(LCP)
    asked = clock.now()
    aws.purge("agentic")
    while (current := crawls.get(house.website.id, header.id)) is not None and not current.ended:
        clock.set_offset(clock.offset() + 60)
        sweeper.run()
        aws.purge("agentic")
        speed.work("recheck", lambda message, _: recheck.handle(message, Runtime()))
    assert rechecks.TESTS_SECONDS <= clock.now() - asked < rechecks.TESTS_SECONDS + 300
    last = house.issue(LCP).last_recheck
    assert last is not None and last.not_rechecked == 2 and house.engine.made == []
    made = store.load_state(house.website.id).used
    sweeper.run()
    speed.work("agentic", agentic.handle)  # the job finds nobody who waits for it
    assert (house.engine.made, store.load_state(house.website.id).used) == ([], made)


def test_a_recheck_cancelled_while_waiting_returns_its_tests_to_the_budget(house: House) -> None:
    house.tested()
    audit(house.website)
    header = house.recheck(LCP)
    audits.cancel(house.website.id, header.id, now=clock.now())
    ended = house.run(header)
    assert ended.status == "cancelled"
    speed.work("agentic", agentic.handle)
    assert house.engine.made == [] and store.load_state(house.website.id).used == 0
    assert house.issue(LCP).status == "open"
