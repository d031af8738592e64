"""Once a website was audited in full, nothing that looks at it again changes what is said of it, as long as it stays as
it is: audits of any budget, cancelled or killed at any write, rechecks of any issue, alerts, in any order, within the
four weeks for which what was read is carried.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
import trustme
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chalicelib import clock
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.operations import audits
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import pages
from chalicelib.store import websites as stored
from chalicelib.workers.audit import checking, reading
from local import demo, embedded
from local.demo.serve import start
from local.demo.variants import FAULTY
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples
from tests.servers.wire import WireServer
from tests.sites import auditing, linked
from tests.sites.standing import Standing, differences, moves, standing
from tests.workers.audit import alerting, rechecking, websites

WEEKS = 4 * 7 * 86_400.0
SPARE = 3 * 3_600.0  # before the four weeks are over: for leases that run out, and for the time that reading takes
PAGES = 5_000
WHEN: list[Literal["before", "after"]] = ["before", "after"]


class Unchanged(RuleBasedStateMachine):
    """``home``, ``most`` and ``writes`` are of the website: its address, its pages, and how many writes an audit of it
    makes."""

    home = ""
    most = 0
    writes = 0

    def __init__(self) -> None:
        super().__init__()
        embedded.clear()
        clock.set_offset(0.0)
        self.website = auditing.new_website(self.home)
        websites.audit(self.website, page_budget=PAGES)
        self.began = clock.now()
        self.before: Standing = standing(self.website)

    # -- what happens ----------------------------------------------------------------------------------------

    @rule(share=st.floats(0, 1))
    def an_audit_reads_a_part(self, share: float) -> None:
        if (header := self._start(share)) is not None:
            websites.work(header)

    @rule()
    def an_audit_reads_everything(self) -> None:
        if (header := self._start(1.0)) is not None:
            assert websites.work(header).partial_reason is None

    @rule(share=st.floats(0, 1), at=st.floats(0, 1))
    def an_audit_is_cancelled(self, share: float, at: float) -> None:
        header = self._start(share)
        if header is None:
            return

        def cancel() -> None:
            with contextlib.suppress(Refused):  # it has ended
                audits.cancel(self.website.id, header.id, now=clock.now())

        with killed_at(int(at * self.writes), "after", instead=cancel):
            websites.work(header)

    @rule(share=st.floats(0, 1), at=st.floats(0, 1), when=st.sampled_from(WHEN))
    def the_worker_of_an_audit_is_killed(self, share: float, at: float, when: Literal["before", "after"]) -> None:
        header = self._start(share)
        if header is None:
            return
        with contextlib.suppress(Killed), killed_at(int(at * self.writes), when):
            websites.work(header)
        websites.work(header)

    @rule(which=st.integers(0, 200))
    def an_issue_is_rechecked(self, which: int) -> None:
        header = self._recheck(which)
        if header is not None:
            rechecking.run(header)

    @rule(which=st.integers(0, 200), at=st.integers(0, 20), when=st.sampled_from(WHEN))
    def the_worker_of_a_recheck_is_killed(self, which: int, at: int, when: Literal["before", "after"]) -> None:
        header = self._recheck(which)
        if header is None:
            return
        with contextlib.suppress(Killed), killed_at(at, when):
            rechecking.run(header)
        rechecking.run(header)

    @rule(which=st.lists(st.integers(0, 500), min_size=1, max_size=5))
    def an_alert_names_pages(self, which: list[int]) -> None:
        if self._is_late():
            return
        current = stored.get(self.website.workspace_id, self.website.id)
        assert current is not None and current.current_crawl is not None
        known = sorted(row.url for row in pages.load_list(self.website.id, current.current_crawl))
        if alerting.send(self.website, *{known[number % len(known)] for number in which}):
            alerting.work(self.website)

    @rule(hours=st.floats(1, 24 * 14))
    def time_passes(self, hours: float) -> None:
        left = self.began + WEEKS - SPARE - clock.now()
        clock.set_offset(clock.offset() + max(0.0, min(hours * 3_600, left / 2)))

    # -- what stays as it is ----------------------------------------------------------------------------------

    @invariant()
    def nothing_changes(self) -> None:
        found = differences(self.before, standing(self.website))
        assert found == [], "\n".join(found)
        assert moves(self.website) == []

    def _is_late(self) -> bool:
        return clock.now() > self.began + WEEKS - SPARE

    def _start(self, share: float) -> CrawlHeader | None:
        if self._is_late():
            return None
        budget = PAGES if share == 1.0 else 1 + int(share * self.most)
        return websites.start(self.website, page_budget=budget)

    def _recheck(self, which: int) -> CrawlHeader | None:
        found = [rule_id for rule_id, issue in self.before.issues.items() if issue["status"] != "resolved"]
        if not found or self._is_late():
            return None
        try:
            return rechecking.start_recheck(self.website, sorted(found)[which % len(found)])
        except Refused:
            return None


def run(home: str, most: int, *, quick: int, steps: int) -> None:
    """Run the machine on the website whose home page is at this address."""
    embedded.clear()
    with killed_at(None) as counter:
        websites.audit(auditing.new_website(home), page_budget=PAGES)
    machine = type("UnchangedThere", (Unchanged,), {"home": home, "most": most, "writes": counter.count})
    limits = settings(max_examples=examples(quick), stateful_step_count=steps)
    run_state_machine_as_test(machine, settings=limits)


@pytest.fixture
def linked_website(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    forget_settings()
    site = linked.linked_site()
    with WireServer(site) as server:
        linked.serve(site, server)
        yield server
    forget_settings()


def test_a_website_of_links_and_languages_keeps_its_issues_while_unchanged(linked_website: WireServer) -> None:
    run(linked_website.url(), 50, quick=4, steps=8)


@pytest.mark.deep
def test_an_unchanged_demo_website_keeps_its_issues(
    store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    server = start(FAULTY, tls=authority, host=demo.DEMO_HOST)
    try:
        run(server.url, 160, quick=1, steps=6)
    finally:
        server.stop()
        forget_settings()
