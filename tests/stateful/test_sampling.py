"""Samplings against everything that can happen to them at once: crashes, lost and doubled messages, prompts that come
and go, keys that are refused, a workspace whose week has little room.

Two websites share the workspace's room. What must hold at every moment stands in the invariants.
"""

import contextlib
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.visibility.calendar import week_of
from chalicelib.operations import prompts, websites
from chalicelib.operations import sampling as samplings
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs, visibility
from chalicelib.workers import sampling, sweeper
from local import embedded
from local.standins.assistants import Assistants
from tests import aws
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples
from tests.visibility import Sampled, sampled

LIMIT = 7
PROVIDERS = ("openai", "gemini")
FAULTS = ("none", "down", "quota", "access", "unsearched", "refuse")


class Samplings(RuleBasedStateMachine):
    standin: Assistants

    @initialize()
    def begin(self) -> None:
        embedded.clear()
        self.patch = pytest.MonkeyPatch()
        self.context = sampled(self.patch, type(self).standin, PROVIDERS)
        first = self.context.__enter__()
        self.patch.setenv("SAMPLING_ANSWERS", str(LIMIT))
        self.patch.setattr(sampling, "AT_ONCE", 1)
        forget_settings()
        other = websites.add(OPERATOR, first.workspace_id, "https://other.example/", name="Other")
        self.houses: list[Sampled] = [first, first._replace(site_id=other.id)]
        self.added = 0
        self.week = week_of(clock.now())

    def _house(self, pick: int) -> Sampled:
        return self.houses[pick % 2]

    # -- what happens ------------------------------------------------------------------------------------

    @rule(pick=st.integers(0, 1))
    def a_prompt_is_added(self, pick: int) -> None:
        if self.added < 8:
            self.added += 1
            self._house(pick).add(f"Question {self.added}?")

    @rule(pick=st.integers(0, 1), which=st.integers(0, 9), active=st.booleans())
    def a_prompt_is_paused_or_resumed(self, pick: int, which: int, active: bool) -> None:
        house = self._house(pick)
        known = visibility.load_prompts(house.site_id).prompts
        if known:
            (prompts.resume if active else prompts.pause)(OPERATOR, house.site_id, known[which % len(known)].id)

    @rule(fault=st.sampled_from(FAULTS))
    def assistants_change(self, fault: str) -> None:
        type(self).standin.misbehave(fault)

    @rule(pick=st.integers(0, 1))
    def a_person_wants_it_now(self, pick: int) -> None:
        with contextlib.suppress(Refused):
            samplings.run(OPERATOR, self._house(pick).site_id)

    @rule(pick=st.integers(0, 1))
    def a_message_comes(self, pick: int) -> None:
        self._work(self._house(pick))

    @rule(pick=st.integers(0, 1), number=st.integers(0, 12), when=st.sampled_from(["before", "after"]))
    def a_worker_dies(self, pick: int, number: int, when: Any) -> None:
        with contextlib.suppress(Killed), killed_at(number, when):
            self._work(self._house(pick))

    @rule(seconds=st.sampled_from([30, 90, 301, 2_000]))
    def time_passes(self, seconds: int) -> None:
        clock.set_offset(clock.offset() + seconds)
        sweeper.run()
        aws.purge("sampling")  # the messages are lost

    def _work(self, house: Sampled) -> None:
        if jobs.get(house.site_id, prompts.JOB_ID) is not None:
            house.work()

    # -- what must hold ----------------------------------------------------------------------------------

    @invariant()
    def no_question_is_asked_more_than_twice(self) -> None:
        if hasattr(self, "houses"):
            assert max(self.houses[0].asked().values(), default=0) <= sampling.TRIES

    @invariant()
    def the_room_of_the_week_is_never_passed(self) -> None:
        if hasattr(self, "houses"):
            rows = sum(len(house.samples(self.week)) for house in self.houses)
            taken = visibility.answers_of_week(self.houses[0].workspace_id, self.week)
            assert rows <= taken <= LIMIT

    @invariant()
    def a_week_counts_every_sample_once(self) -> None:
        if not hasattr(self, "houses"):
            return
        for house in self.houses:
            week, samples = house.week(self.week), house.samples(self.week)
            if week is not None:
                known = {(one.prompt_id, one.provider): one for one in samples}
                counted = [(one.prompt_id, one.provider) for one in week.answers]
                assert len(set(counted)) == len(counted)
                assert all(known[pair].outcome == "answered" for pair in counted)
                assert week.asked <= len(samples)

    def teardown(self) -> None:
        if not hasattr(self, "houses"):
            return
        type(self).standin.misbehave("none")
        for house in self.houses:
            if jobs.get(house.site_id, prompts.JOB_ID) is not None:
                house.until_done()
                week, samples = house.week(self.week), house.samples(self.week)
                assert (week is None) == (not samples)
                if week is not None:
                    assert week.asked == len(samples)
                    assert len(week.answers) == sum(one.outcome == "answered" for one in samples)
        self.no_question_is_asked_more_than_twice()
        self.the_room_of_the_week_is_never_passed()
        self.context.__exit__(None, None, None)


@pytest.mark.hypothesis  # a state machine: longer in deep runs
@pytest.mark.usefixtures("store")
def test_samplings_stay_correct_under_any_sequence_of_events() -> None:
    Samplings.standin = Assistants()
    try:
        run_state_machine_as_test(
            Samplings,
            settings=settings(
                max_examples=examples(8),
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
    finally:
        Samplings.standin.stop()
