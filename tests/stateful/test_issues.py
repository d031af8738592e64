"""The life of an issue against a small model of it, whatever audits, rechecks and people do, in any order.

A real website of three pages is audited and rechecked by the real workers. The model knows which pages are broken or
silent, and what the specification says must become of the one issue that it follows; what must hold of all issues at
every moment stands in the invariants.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import OPEN_STATUSES, TRANSITIONS, Issue, IssueBook
from chalicelib.operations import issues as operations
from chalicelib.operations import rechecks
from chalicelib.operations.errors import Refused
from chalicelib.rules import registry
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues, keys, outbox
from chalicelib.store import websites as stored
from chalicelib.store.websites import Website
from chalicelib.workers.audit import reading, recheck
from local import embedded
from tests import aws
from tests.lengths import examples
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Runtime, Site, audit, html, new_website

TITLE = "SEO-ONP-001"
PATHS = ("/a", "/b")
HOUR = 3_600
MOVES = {(before, after) for (before, _), after in TRANSITIONS.items()}


def refusal(operation: Callable[..., object], *arguments: Any, **named: Any) -> str | None:
    """The code with which the operation refuses; None: it was done."""
    try:
        operation(*arguments, **named)
    except Refused as refused:
        return refused.code
    return None


class Life(RuleBasedStateMachine):
    server: WireServer
    site: Site

    @initialize()
    def begin(self) -> None:
        embedded.clear()
        clock.set_offset(0.0)
        self.broken: set[str] = set()
        self.silent: set[str] = set()
        self.listed: set[str] = set()  # the pages that the issue lists
        self.status: str | None = None
        self.waiting = False  # whether a recheck of it is queued
        self.told: list[str] = []  # the events that the model expects of it
        self.before: dict[str, str] = {}
        self._serve()
        self.website: Website = new_website(type(self).server)
        self.an_audit_runs()

    def _serve(self) -> None:
        pages: dict[str, Any] = {"/": html("The home page of a small website", *PATHS)}
        for path in PATHS:
            title = None if path in self.broken else f"Everything there is to know about {path}"
            silent = ("403 Forbidden", {}, "")
            pages[path] = silent if path in self.silent else html(title, "/")
        type(self).site.pages = pages

    def _book(self) -> IssueBook:
        book = issues.load_state(self.website.id)
        assert book is not None
        return book

    @property
    def issue_id(self) -> str:
        return ids.issue_id(self.website.id, TITLE)

    def _issue(self) -> Issue | None:
        return self._book().by_id(self.issue_id)

    # -- what happens ------------------------------------------------------------------------------------

    @rule(path=st.sampled_from(PATHS), state=st.sampled_from(["broken", "mended", "silent", "answering"]))
    def a_page_changes(self, path: str, state: str) -> None:
        if state in ("broken", "mended"):
            (self.broken.add if state == "broken" else self.broken.discard)(path)
        else:
            (self.silent.add if state == "silent" else self.silent.discard)(path)
        self._serve()

    @rule()
    def an_audit_runs(self) -> None:
        clock.set_offset(clock.offset() + HOUR)
        assert audit(self.website).status == "done"
        self.listed = {path for path in PATHS if path in (self.listed if path in self.silent else self.broken)}
        if self.listed:
            if self.status is None:
                self.status = "open"
            elif self.status == "resolved":
                self.status = "reopened"
                self.told.append("issue.reopened")
        elif self.status in OPEN_STATUSES:
            self.status = "resolved"
            self.told.append("issue.resolved")

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_recheck_is_asked_for(self) -> None:
        current = stored.get(self.website.workspace_id, self.website.id)
        assert current is not None
        expected = None
        if self.status in ("resolved", "ignored"):
            expected = "cannot_recheck"
        elif self.waiting:
            expected = "already_queued"
        said = refusal(rechecks.start, current, self.issue_id, person_id=None, now=clock.now())
        assert said == expected
        if said is None:
            self.status, self.waiting = "recheck_queued", True

    @precondition(lambda self: self.waiting)
    @rule()
    def the_recheck_runs(self) -> None:
        clock.set_offset(clock.offset() + HOUR)
        while messages := aws.messages("recheck"):
            aws.purge("recheck")
            for message in messages:
                recheck.handle(message, Runtime())
        self.waiting = False
        if self.status not in OPEN_STATUSES:
            return  # an audit or a person was first
        present = self.listed & self.broken - self.silent
        unread = self.listed & self.silent
        self.listed = present | unread
        if not self.listed:
            self.status = "resolved"
            self.told.append("issue.resolved")
        else:
            self.told.append("recheck.failed")
            self.status = "open" if self.status == "recheck_queued" else self.status

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_person_ignores_it(self) -> None:
        said = refusal(operations.ignore, OPERATOR, self.website.id, self.issue_id)
        assert said == (None if self.status in ("open", "reopened") else "wrong_state")
        if said is None:
            self.status = "ignored"

    @precondition(lambda self: self.status is not None)
    @rule()
    def a_person_takes_it_back(self) -> None:
        said = refusal(operations.unignore, OPERATOR, self.website.id, self.issue_id)
        assert said == (None if self.status == "ignored" else "wrong_state")
        if said is None:
            self.status = "open" if self.listed else "resolved"

    # -- what holds at every moment ------------------------------------------------------------------------

    @invariant()
    def the_issue_is_what_the_model_says(self) -> None:
        issue = self._issue()
        assert (issue.status if issue else None) == self.status
        if issue is None:
            return
        assert (issue.pending_recheck is not None) == self.waiting
        assert issue.affected_pages == len(self.listed)
        pages = issues.load_affected(self.website.id, issue)
        assert {"/" + page.url.rpartition("/")[2] for page in pages} == self.listed
        assert (issue.resolved_at is not None) == (issue.status == "resolved")

    @invariant()
    def only_transitions_of_the_table_happen(self) -> None:
        now: dict[str, str] = {issue.id: issue.status for issue in self._book().issues}
        for issue_id, status in now.items():
            before = self.before.get(issue_id)
            assert status == "open" if before is None else status == before or (before, status) in MOVES
        self.before = now

    @invariant()
    def the_summary_counts_the_open_issues(self) -> None:
        current = stored.get(self.website.workspace_id, self.website.id)
        assert current is not None and current.summary is not None and current.summary.score is not None
        standing = [issue for issue in self._book().issues if issue.status in OPEN_STATUSES]
        summary = current.summary
        assert sorted(summary.issue_first_seen) == sorted(issue.first_seen for issue in standing)
        assert sorted(summary.action_first_seen) == sorted(issue.first_seen for issue in standing)
        assert summary.critical_issues == sum(registry.is_critical(issue.rule_id) for issue in standing)
        by_category = {part.category: part.open_issues for part in current.summary.score.categories if part.open_issues}
        found: dict[str, int] = {}
        for issue in standing:
            category = registry.BY_ID[issue.rule_id].category
            found[category] = found.get(category, 0) + 1
        assert by_category == found

    @invariant()
    def an_ignored_issue_stays_in_the_score(self) -> None:
        book, issue = self._book(), self._issue()
        if issue is not None:
            assert book.counts[TITLE].affected == issue.affected_pages

    def teardown(self) -> None:
        if not hasattr(self, "website"):
            return
        found = [event for shard in keys.shards() for batch in outbox.pending(shard) for event in batch.events]
        ours = [
            event
            for event in found
            if event.fields.get("issue", {}).get("id") == self.issue_id  # type: ignore[attr-defined]
        ]
        assert [event.kind for event in sorted(ours, key=lambda event: event.at)] == self.told


@pytest.fixture(autouse=True)
def environment(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.mark.hypothesis  # a state machine: longer in deep runs
def test_an_issue_follows_its_state_table_under_any_sequence_of_events() -> None:
    from hypothesis.stateful import run_state_machine_as_test

    Life.site = Site({})
    with WireServer(Life.site) as Life.server:
        run_state_machine_as_test(
            Life,
            settings=settings(
                max_examples=examples(5),
                stateful_step_count=12,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
