"""The life of a keyword task against a small model, whatever imports, audits, writes and people do, in any order.

A real website of two pages is connected to a CMS and to search data, and judged by the real workers. The model knows of
which pages the data say that there is something to do, and what must become of the one task that it follows; what must
hold of all tasks at every moment stands in the invariants.
"""

import contextlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Literal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import OPEN_STATUSES, TRANSITIONS, Issue, is_keyword_task
from chalicelib.domain.changes.batch import WRITTEN, Batch
from chalicelib.operations import issues as operations
from chalicelib.operations import keyword_tasks, rechecks
from chalicelib.store import issue_details, issues, jobs, search
from chalicelib.store.transactions import commit
from chalicelib.workers import imports, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from tests import aws, topics, webhooks
from tests.changes import House, open_house
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples
from tests.stateful.test_issues import refusal
from tests.workers.audit.websites import audit

TASK = "KW-001"
PATHS = ("/a", "/b")
QUERIES = {"/a": "red tents", "/b": "blue boots"}
MOVES = {(before, after) for (before, _), after in TRANSITIONS.items()}
TURNS = 10


class Tasks(RuleBasedStateMachine):
    house: House

    @initialize()
    def begin(self) -> None:
        house = type(self).house
        house.cms.misbehave("none")
        for path in PATHS:
            house.cms.edit(f"page:{path}", "title", None)
        house.begin_again()
        topics.connect(house.current())
        self.count = 0
        self.poor: set[str] = set()  # the pages that are clicked too rarely, as search knows
        self.listed: set[str] = set()  # those that the task lists
        self.status: str | None = None
        self.last: Batch | None = None  # what was approved for the task last
        self.first_seen: float | None = None
        self.before: dict[str, str] = {}
        self.rules = [issue for issue in house.book().issues if not is_keyword_task(issue.rule_id)]
        self.poor.add(PATHS[0])
        self.an_import_ends(kill=None, when="before", meanwhile=False)

    @property
    def task_id(self) -> str:
        return ids.issue_id(self.house.site_id, TASK)

    def _task(self) -> Issue | None:
        return self.house.book().by_id(self.task_id)

    # -- what happens ------------------------------------------------------------------------------------

    @rule(path=st.sampled_from(PATHS), poor=st.booleans())
    def searchers_change_their_minds(self, path: str, poor: bool) -> None:
        (self.poor.add if poor else self.poor.discard)(path)

    @rule(
        kill=st.sampled_from([None, None, 0, 1, 2, 3, 4]),
        when=st.sampled_from(["before", "after"]),
        meanwhile=st.booleans(),
    )
    def an_import_ends(self, kill: int | None, when: Literal["before", "after"], meanwhile: bool) -> None:
        self._import()
        self._work(kill, when)
        self._judged()
        if meanwhile:  # told twice: nothing more follows
            self._work(None, "before")

    @rule()
    def the_data_are_lost(self) -> None:
        """As where the website is connected to another property: unknown is no verdict."""
        commit(search.forgotten(self.house.site_id))
        self._begin()
        self._work(None, "before")

    @precondition(lambda self: self.status is not None)
    @rule(paths=st.sets(st.sampled_from(PATHS), min_size=1))
    def somebody_approves_values(self, paths: set[str]) -> None:
        self.count += 1
        given = {path: f"Value {self.count} of {path}" for path in sorted(paths)}
        said = refusal(lambda: self._approved(given))
        refused = self.status in ("resolved", "ignored") or not paths <= self.listed
        assert said == ("not_applied" if refused else None)
        if said is None:
            self.status = "in_progress"

    @precondition(lambda self: self.last is not None)
    @rule(fault=st.sampled_from(["none", "none", "refuse", "fail"]))
    def the_writes_are_done(self, fault: str) -> None:
        self.house.cms.misbehave(fault)
        self.house.write()
        self.house.cms.misbehave("none")
        assert self.last is not None
        written = any(change.status in WRITTEN for change in self.house.loaded(self.last).changes)
        if not written and self.status == "in_progress":
            self.status = "open"
        self.last = None
        assert not aws.messages("recheck"), "what was written is judged by the next data"

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_person_ignores_it(self) -> None:
        said = refusal(operations.ignore, OPERATOR, self.house.site_id, self.task_id)
        assert said == (None if self.status in ("open", "reopened") else "wrong_state")
        if said is None:
            self.status = "ignored"

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_person_takes_it_back(self) -> None:
        said = refusal(operations.unignore, OPERATOR, self.house.site_id, self.task_id)
        assert said == (None if self.status == "ignored" else "wrong_state")
        if said is None:
            self.status = "open" if self.listed else "resolved"

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_recheck_is_refused(self) -> None:
        current = self.house.current()
        said = refusal(rechecks.start, current, self.task_id, person_id=None, now=clock.now())
        assert said == "cannot_recheck"

    @rule(now=st.sampled_from([True, False, False]))  # it takes most of the time
    def an_audit_runs(self, now: bool) -> None:
        if not now:
            return
        clock.set_offset(clock.offset() + 3_600)
        assert audit(self.house.current()).status == "done"
        self.rules = [issue for issue in self.house.book().issues if not is_keyword_task(issue.rule_id)]

    # -- how ---------------------------------------------------------------------------------------------

    def _approved(self, given: dict[str, str]) -> None:
        self.last = self.house.apply(given, TASK)

    def _import(self) -> None:
        """Store what search knows, and begin the job as the end of an import does."""
        clock.set_offset(clock.offset() + 60)
        last = topics.today() - timedelta(3)
        rows = [
            topics.Shown(QUERIES[path], self.house.url(path), 0 if path in self.poor else 12, 24, 2.0) for path in PATHS
        ]
        topics.imported(self.house.current(), {last - timedelta(number): rows for number in range(28)})
        self._begin()

    def _begin(self) -> None:
        _, begins = keyword_tasks.begin(self.house.site_id, self.house.website.workspace_id, clock.now())
        commit([begins])

    def _work(self, kill: int | None, when: Literal["before", "after"]) -> None:
        """Do the job, whose first worker may be killed at one of its writes; the sweeper finds what is left."""
        for turn in range(TURNS):
            job = jobs.get(self.house.site_id, keyword_tasks.JOB_ID)
            assert job is not None
            if job.ended:
                return
            with contextlib.suppress(Killed), killed_at(kill if turn == 0 else None, when):
                imports.handle({"siteId": job.site_id, "jobId": job.id, "kind": job.kind}, None)
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
            aws.purge("imports")
        raise AssertionError("the job does not end")

    def _judged(self) -> None:
        """The state of the task after the new data."""
        self.listed = set(self.poor)
        if self.listed:
            found = {None: "open", "resolved": "reopened", "in_progress": "open"}
            self.status = found.get(self.status, self.status)
        elif self.status in OPEN_STATUSES:
            self.status = "resolved"

    # -- what holds at every moment ------------------------------------------------------------------------

    @invariant()
    def the_task_is_what_the_model_says(self) -> None:
        if not hasattr(self, "before"):
            return
        task = self._task()
        assert (task.status if task else None) == self.status
        if task is None:
            return
        pages = issues.load_affected(self.house.site_id, task)
        assert {"/" + page.url.rpartition("/")[2] for page in pages} == self.listed
        assert task.affected_pages == len(self.listed)
        assert (task.clicks_to_win is not None) == bool(self.listed)
        assert (task.resolved_at is not None) == (task.status == "resolved")
        assert task.pending_recheck is None and task.last_recheck is None
        assert self.first_seen in (None, task.first_seen)
        self.first_seen = task.first_seen
        if self.listed:
            detail = issue_details.load(self.house.site_id, task, offset=0, limit=10)
            assert {one.url for one in detail.suggestions} == {page.url for page in pages}

    @invariant()
    def only_transitions_of_the_table_happen(self) -> None:
        if not hasattr(self, "before"):
            return
        now: dict[str, str] = {one.id: one.status for one in self.house.book().issues if is_keyword_task(one.rule_id)}
        for issue_id, status in now.items():
            before = self.before.get(issue_id)
            assert status == "open" if before is None else status == before or (before, status) in MOVES
        self.before = now

    @invariant()
    def tasks_change_nothing_of_rules_and_send_nothing(self) -> None:
        if not hasattr(self, "before"):
            return
        book = self.house.book()
        assert [issue for issue in book.issues if not is_keyword_task(issue.rule_id)] == self.rules
        assert not any(is_keyword_task(rule_id) for rule_id in book.counts)
        told = [event for event in webhooks.pending() if event.kind.startswith(("issue.", "recheck."))]
        assert not [event for event in told if event.fields.get("issue", {}).get("id") in self.before]  # type: ignore[attr-defined]

    @invariant()
    def the_summary_counts_open_tasks_as_actions(self) -> None:
        if not hasattr(self, "before"):
            return
        summary = self.house.current().summary
        assert summary is not None
        standing = [issue for issue in self.house.book().issues if issue.status in OPEN_STATUSES]
        assert sorted(summary.action_first_seen) == sorted(issue.first_seen for issue in standing)
        rules = [issue.first_seen for issue in standing if not is_keyword_task(issue.rule_id)]
        assert sorted(summary.issue_first_seen) == sorted(rules)


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch, PATHS) as found:
        yield found


@pytest.mark.hypothesis  # a state machine: longer in deep runs
def test_a_keyword_task_follows_its_model_under_any_sequence_of_events(house: House) -> None:
    Tasks.house = house
    run_state_machine_as_test(
        Tasks,
        settings=settings(
            max_examples=examples(5),
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
