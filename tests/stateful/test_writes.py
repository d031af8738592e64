"""Approved changes against what must always hold, whatever is approved, taken back, killed, hidden or out of order, in
any order.

A real website is audited, connected to the stand-in of a CMS or of a shop, and written by the real workers. Each
approved value is another one, so that everything that was written and that the pages showed can be told apart.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import (
    FILE_FIELDS,
    TRANSITIONS,
    UNWRITTEN,
    WAITING,
    WRITTEN,
    Batch,
    Change,
    FileField,
)
from chalicelib.domain.connections import WRITER_KINDS
from chalicelib.domain.readiness.robots_block import written_block
from chalicelib.domain.readiness.written import rules_of
from chalicelib.operations import cancelling, rechecks
from chalicelib.operations.errors import Refused
from chalicelib.store import changes as stored
from chalicelib.workers import sweeper, writes
from chalicelib.workers.audit import recheck
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import aws
from tests.changes import House, open_house
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples
from tests.stateful.test_issues import refusal
from tests.workers.audit.websites import Runtime

PATHS = ("/a", "/b")
FILES = ("llmsTxt", "robotsBlock")
NAMED = re.compile(r"User-agent: (\S+)")
WORKERS = {"writes": writes.handle, "recheck": recheck.handle}
FAULTS = ["none", "none", "hide_writes", "refuse", "fail", "down", "partial"]


class Writes(RuleBasedStateMachine):
    house: House

    @initialize()
    def begin(self) -> None:
        house = type(self).house
        house.cms.misbehave("none")
        for path in PATHS:
            house.cms.edit(f"page:{path}", "title", None)
        for file in FILES if house.kind == "cms" else ():
            house.cms.edit("", file, None)
        house.cms.writes.clear()
        house.shop.asked.clear()
        house.shop.shown.clear()
        house.begin_again()
        self.count = 0
        self.before: dict[tuple[str, int], str] = {}
        self.fields: list[Batch] = []
        self.wishes: list[dict[str, str]] = []
        self.fresh: Counter[tuple[str, str]] = Counter()

    # -- what happens ------------------------------------------------------------------------------------

    @rule(paths=st.sets(st.sampled_from(PATHS), min_size=1), times=st.integers(1, 3))
    def somebody_approves_values(self, paths: set[str], times: int) -> None:
        self.count += 1
        for _ in range(times):
            self._approve({path: f"Value {self.count} of {path}" for path in sorted(paths)})

    def _approve(self, wishes: dict[str, str]) -> None:
        before = {batch.id for batch, _ in self.house.batches()}
        last = {path: self._last(path) for path in wishes}
        with contextlib.suppress(Refused):  # the issue is resolved, or the pages have the values
            batch = self.house.apply(wishes)
            if batch.id in before:
                return
            self.fields.append(batch)
            self.wishes.append(wishes)
            for change in self.house.loaded(batch).changes:
                path = urlsplit(change.url).path
                # Equal to what was approved last, with no undo or failure since: it is left out.
                assert last[path] != change.value, (path, change.value)
                self.fresh[f"page:{path}", change.value] += 1

    def _last(self, path: str) -> str | None:
        """The value that was approved last for a page, where it waits or was written; None after an undo."""
        cancelled = stored.place(self.house.site_id).cancelled
        found = None
        for batch, change in self._changes():
            if urlsplit(change.url).path == path and change.status == "failed" and batch.is_file:
                found = None  # an answer that never came: it may have been written
            elif urlsplit(change.url).path == path and change.status not in UNWRITTEN:
                lost = change.status in WAITING and batch.id in cancelled
                taken_back = batch.kind == "undo" or change.status == "reverted"
                found = None if taken_back else found if lost else change.value
        return found

    @precondition(lambda self: self.wishes)
    @rule(data=st.data())
    def somebody_approves_the_same_again(self, data: st.DataObject) -> None:
        self._approve(data.draw(st.sampled_from(self.wishes)))

    @rule(waiting=st.booleans())
    def somebody_cancels(self, waiting: bool) -> None:
        place = stored.place(self.house.site_id)
        if waiting or place.running is None:
            cancelling.cancel_waiting(OPERATOR, self.house.site_id)
        else:
            cancelling.cancel(OPERATOR, self.house.site_id, place.running)

    @rule(what=st.sampled_from(["new", "new", "again", "removed"]))
    def somebody_approves_a_text(self, what: str) -> None:
        self.count += 1
        text = "" if what == "removed" else f"# Text {self.count if what == 'new' else self.count - 1}\n"
        before, last = {batch.id for batch, _ in self.house.batches()}, self._last("/llms.txt")
        with contextlib.suppress(Refused):  # there is nothing to remove, or it was written last
            batch = self.house.publish(text)
            if batch.id not in before:
                self.fields.append(batch)
                assert last != text
                self.fresh["", text] += 1

    @rule(named=st.sets(st.sampled_from(["GPTBot", "CCBot", "Applebot"])))
    def somebody_approves_rules(self, named: set[str]) -> None:
        with contextlib.suppress(Refused):  # that is what was written last
            self.fields.append(self.house.rule(**dict.fromkeys(named, "deny")))

    @precondition(lambda self: self.fields)
    @rule(data=st.data())
    def somebody_takes_a_batch_back(self, data: st.DataObject) -> None:
        batch = data.draw(st.sampled_from(self.fields))
        done = self.house.loaded(batch)
        said = refusal(self.house.undo, batch)
        assert said in (None, "wrong_state", "nothing_to_undo")
        if said is None:
            assert done.batch.status == "done" and any(change.status in WRITTEN for change in done.changes)

    @rule(
        kill=st.sampled_from([None, None, 1, 2, 2, 3, 4]),
        when=st.sampled_from(["before", "after"]),
        queue=st.sampled_from(["writes", "writes", "recheck"]),
    )
    def a_worker_works(self, kill: int | None, when: Literal["before", "after"], queue: str) -> None:
        if not aws.messages(queue):
            self.time_passes(LEASE_SECONDS + 90)
        messages = aws.messages(queue)
        aws.purge(queue)
        for message in messages:
            with contextlib.suppress(Killed), killed_at(kill, when):
                WORKERS[queue](message, Runtime())

    @rule(seconds=st.sampled_from([30.0, 1_000.0]))
    def time_passes(self, seconds: float) -> None:
        clock.set_offset(clock.offset() + seconds)
        sweeper.run()

    @rule(fault=st.sampled_from(FAULTS))
    def the_cms_changes(self, fault: str) -> None:
        self.house.cms.misbehave(fault)

    @rule(path=st.sampled_from([*PATHS, "/llms.txt", "/robots.txt"]), silent=st.booleans())
    def a_page_stops_answering_or_does_again(self, path: str, silent: bool) -> None:
        (self.house.shop.silent.add if silent else self.house.shop.silent.discard)(path)

    @rule()
    def somebody_asks_for_a_recheck(self) -> None:
        with contextlib.suppress(Refused):
            rechecks.start(self.house.current(), self.house.issue_id, person_id=None, now=clock.now())

    # -- what holds at every moment ------------------------------------------------------------------------

    def _changes(self) -> Iterator[tuple[Batch, Change]]:
        for batch, found in self.house.batches():
            for change in found:
                yield batch, change

    @invariant()
    def only_steps_of_the_table_are_taken(self) -> None:
        for batch, change in self._changes():
            before = self.before.get((batch.id, change.number), "approved")
            # More than one step may lie between two looks.
            assert _leads(before, change.status), (before, change.status)
            self.before[batch.id, change.number] = change.status

    @invariant()
    def nothing_is_applied_that_no_page_has_shown(self) -> None:
        for batch, change in self._changes():
            if change.status != "applied" or batch.kind == "undo":
                continue
            shown = self.house.shop.shown[urlsplit(change.url).path]
            if change.field == "ai_crawlers":
                blocks = [written_block((text or "").encode()) for text in shown]
                wanted = set(rules_of(change.value))
                assert any(wanted == set(NAMED.findall(block or "")) for block in blocks)
            else:
                assert (change.value or None) in shown

    @invariant()
    def the_cms_has_written_nothing_twice(self) -> None:
        # A value is written again where it was approved again after something else; an undo writes one of them again.
        # Sets of rules come again; texts do not.
        found = (write for write in self.house.cms.writes if write[1] != "robotsBlock")
        written = Counter((item, value) for item, _, value in found if value is not None)
        undone = [one for batch, one in self._changes() if batch.kind == "undo"]
        back = Counter((f"page:{urlsplit(one.url).path}" if one.cms_id else "", one.value) for one in undone)
        assert all(count <= max(1, self.fresh[target]) + back[target] for target, count in written.items()), written

    @invariant()
    def batches_run_one_by_one_in_their_order(self) -> None:
        open_ = [batch.id for batch in stored.list_all(self.house.site_id) if batch.status != "done"]
        place = stored.place(self.house.site_id)
        out_of_turn = [batch_id for batch_id in place.cancelled if batch_id != place.running]
        assert sorted([*place.will_write, *out_of_turn]) == sorted(open_)
        assert place.will_write == [batch_id for batch_id in open_ if batch_id not in out_of_turn]
        done = [batch for batch, found in self.house.batches() for one in found if batch.status == "done"]
        assert all(one.status not in ("approved", "applying") for batch, one in self._changes() if batch in done)
        waiting = [change for batch, change in self._changes() if batch.id in place.waiting]
        assert all(change.status == "approved" for change in waiting)

    @invariant()
    def each_event_of_a_batch_is_told_once_and_only_when_it_is_done(self) -> None:
        told = Counter((event.kind, event.fields.get("batchId")) for event in self.house.events())
        for batch, found in self.house.batches():
            done, fields = batch.status == "done", batch.kind != "undo"
            wrote = any(change.status in (*WRITTEN, "reverted") for change in found)
            lost = any(change.status in ("failed", "refused") for change in found)
            assert told["write.applied", batch.id] == int(done and fields and wrote)
            assert told["write.failed", batch.id] == int(done and fields and lost)
            assert told["write.not_live", batch.id] <= 1
            if batch.is_file and batch.kind != "undo" and found[0].status != "reverted":
                # Its block may say so before the batch is done.
                assert told["write.not_live", batch.id] == int(done and found[0].status == "not_live")
        assert len({event.id for event in self.house.events()}) == len(self.house.events())

    @invariant()
    def what_was_approved_last_is_told_as_it_is(self) -> None:
        for field in FILE_FIELDS:
            last = self.house.last(field)
            of_field = [(batch, found[0]) for batch, found in self.house.batches() if batch.field == field]
            approved = [(batch, change) for batch, change in of_field if batch.kind != "undo"]
            assert (last is None) == (approved == [])
            if last is None:
                continue
            batch, change = approved[-1]
            undone = [undo.status for undo, _ in of_field if undo.undoes == batch.id]
            assert last.batch_id == batch.id
            if batch.status == "done" and undone in ([], ["done"]):
                assert last.status == change.status

    # -- in the end ----------------------------------------------------------------------------------------

    def teardown(self) -> None:
        if not hasattr(self, "fields"):
            return
        house = self.house
        house.cms.misbehave("none")
        house.shop.silent.clear()
        house.work()
        assert all(batch.status == "done" for batch, _ in house.batches())
        for path in PATHS:
            held: str | None = None
            maybe: set[str | None] = set()
            for _, change in self._changes():
                if urlsplit(change.url).path != path:
                    continue
                if change.status in WRITTEN:
                    held, maybe = change.value or None, set()
                elif change.status == "failed":  # an answer that never came: written or not
                    maybe.add(change.value or None)
                elif change.status == "reverted":  # what took it back follows
                    held = change.value
            assert house.held(path) in {held, *maybe}, (path, [(b.kind, c.value, c.status) for b, c in self._changes()])
        if house.kind == "cms":
            for field, file in zip(FILE_FIELDS, FILES, strict=True):
                self._file_is_as_it_was_told(field, house.cms.value("", file))
        for name in ("only_steps_of_the_table_are_taken", "nothing_is_applied_that_no_page_has_shown"):
            getattr(self, name)()

    def _file_is_as_it_was_told(self, field: FileField, held: str | None) -> None:
        """Where every answer came, the CMS holds what the last change says that it holds."""
        last = self.house.last(field)
        statuses = {change.status for batch, change in self._changes() if batch.field == field}
        if "failed" in statuses:  # an answer that never came: written or not
            return
        if field == "llms_txt":
            assert (held or "") == ("" if last is None else last.held or "")
        else:
            assert set(NAMED.findall(held or "")) == (set() if last is None else set(last.held))


def _leads(before: str, after: str) -> bool:
    reached, seen = {before}, set[str]()
    while reached - seen:
        state = (reached - seen).pop()
        seen.add(state)
        reached |= TRANSITIONS[state]  # type: ignore[index]
    return after in reached


@pytest.fixture(params=WRITER_KINDS)
def house(store: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[House]:
    with open_house(monkeypatch, PATHS, request.param) as found:
        yield found


@pytest.mark.hypothesis  # a state machine: longer in deep runs
def test_approved_changes_end_correctly_under_any_sequence_of_events(house: House) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    Writes.house = house
    run_state_machine_as_test(
        Writes,
        settings=settings(
            max_examples=examples(5),
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
