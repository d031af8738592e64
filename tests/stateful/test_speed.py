"""Re-runs and weekly tests of one website against a plain model: no test of the budget is lost or counted twice, each
run ends once with one event, and whatever was stored is there.

Runs are asked for, messages are lost, come twice and to two workers, workers are killed at any write, the provider has
no quota, midnight passes.
"""

import contextlib
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chalicelib import clock
from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import Quota
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.budget import DAY_SECONDS, MOST_WAITING
from chalicelib.operations import accounts, speed, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import jobs
from chalicelib.store import speed as store
from chalicelib.workers import agentic, sweeper
from chalicelib.workers.speed import series
from chalicelib.workers.speed.testing import LEASE_SECONDS
from local import embedded
from tests import aws, webhooks
from tests import speed as made
from tests.api import seed
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples

PER_DAY = 10  # of the plan Free
PATHS = st.sampled_from(["", "a", "b", "c", "d"])
STRATEGIES: list[Strategy] = ["mobile", "desktop"]


class Runs(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.kept = speed_tests.connected, series.LAST_START_SECONDS
        self.engine = made.Engine()
        speed_tests.connected = lambda: self.engine
        series.LAST_START_SECONDS = -1.0
        embedded.clear()
        workspace = accounts.create_workspace(OPERATOR, "Acme", "free")
        self.site = websites.add(OPERATOR, workspace.id, "https://shop.example/")
        seed.audited(self.site)
        self.runs: dict[str, tuple[str, Strategy]] = {}  # asked for, and not seen at its end
        self.ended: dict[str, str] = {}
        self.used: Counter[int] = Counter()  # re-runs asked for, by day

    def teardown(self) -> None:
        speed_tests.connected, series.LAST_START_SECONDS = self.kept

    @property
    def day(self) -> int:
        return int(clock.now() // DAY_SECONDS)

    # -- what people and the schedule do -------------------------------------------------------------------

    @rule(path=PATHS, strategy=st.sampled_from(STRATEGIES))
    def ask(self, path: str, strategy: Strategy) -> None:
        self._ends()
        known = store.load_state(self.site.id)
        wanted = (self.site.url + path, strategy)
        code = None
        try:
            queued = speed.queue_run(self.site, *wanted, per_day=PER_DAY, now=clock.now())
        except Refused as refused:
            code = refused.code
        if code is not None:
            why = {
                "already_queued": wanted in self.runs.values(),
                "too_many_runs": len(self.runs) >= MOST_WAITING,
                "budget_used": known.budget(PER_DAY, clock.now()).left == 0,
            }
            assert why[code]
            return
        assert wanted not in self.runs.values() and len(self.runs) < MOST_WAITING
        self.runs[queued.job.id] = wanted
        self.used[self.day] += 1

    @rule()
    def weekly_tests_begin(self) -> None:
        with contextlib.suppress(Refused):  # a worker is at it
            speed.begin_tests(OPERATOR, self.site.id, None)

    @rule(quota=st.booleans())
    def the_provider_has_quota(self, quota: bool) -> None:
        self.engine.failure = lambda test: None if quota else Quota("No more today.")

    # -- what becomes of it ---------------------------------------------------------------------------------

    @rule()
    def workers_work(self) -> None:
        made.work("agentic", agentic.handle)

    @rule(number=st.integers(0, 8), when=st.sampled_from(["before", "after"]))
    def a_worker_is_killed(self, number: int, when: Any) -> None:
        waiting = aws.messages("agentic")
        aws.purge("agentic")
        for message in waiting:
            try:
                with killed_at(number, when):
                    agentic.handle(message, None)
            except Killed:
                continue

    @rule()
    def messages_come_twice(self) -> None:
        for message in [*aws.messages("agentic"), *aws.messages("agentic")]:
            agentic.handle(message, None)
        aws.purge("agentic")

    @rule()
    def messages_are_lost(self) -> None:
        aws.purge("agentic")

    @rule()
    def another_worker_is_quicker(self) -> None:
        """Somebody takes a worker for gone while it tests a page."""
        waiting = aws.messages("agentic")
        if not waiting:
            return

        def meanwhile() -> None:
            self.engine.meanwhile = lambda: None
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            agentic.handle(waiting[0], None)

        self.engine.meanwhile = meanwhile
        agentic.handle(waiting[0], None)
        self.engine.meanwhile = lambda: None

    @rule(seconds=st.sampled_from([61.0, LEASE_SECONDS + 1, DAY_SECONDS / 3]))
    def time_passes(self, seconds: float) -> None:
        clock.set_offset(clock.offset() + seconds)
        sweeper.run()

    # -- what is true all the time --------------------------------------------------------------------------

    def _ends(self) -> None:
        for job_id in list(self.runs):
            job = jobs.get(self.site.id, job_id)
            assert job is not None
            if job.ended:
                self.ended[job_id] = "done" if job.error is None else "failed"
                del self.runs[job_id]

    @invariant()
    def what_waits_is_what_has_not_ended(self) -> None:
        self._ends()
        state = store.load_state(self.site.id)
        assert {run.job_id: (run.url, run.strategy) for run in state.waiting} == self.runs

    @invariant()
    def each_end_is_told_once(self) -> None:
        self._ends()
        told = Counter((event.fields["jobId"], event.fields["status"]) for event in webhooks.pending())
        assert told == Counter(self.ended.items())

    @invariant()
    def the_budget_holds(self) -> None:
        state = store.load_state(self.site.id)
        budget = state.budget(PER_DAY, clock.now())
        assert self.used[self.day] <= budget.used_today <= PER_DAY
        weekly = jobs.get(self.site.id, "speed_tests")
        chosen = None if weekly is None else series.of(weekly)
        if weekly is None:
            assert budget.used_today == self.used[self.day]
        if chosen is not None:
            assert len(chosen.left) <= PER_DAY // 2

    @invariant()
    def no_result_has_more_runs_than_tests_were_made(self) -> None:
        tests = Counter(self.engine.made)
        for result in store.load(self.site.id).results:
            assert 1 <= len(result.runs) <= min(5, tests[result.key])


@pytest.mark.hypothesis  # a state machine: longer in deep runs
@pytest.mark.usefixtures("store")
def test_no_speed_test_is_lost_or_counted_twice_in_any_sequence_of_events() -> None:
    run_state_machine_as_test(
        Runs,
        settings=settings(
            max_examples=examples(6),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
