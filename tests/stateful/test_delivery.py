"""Deliveries against everything that can happen to them at once: crashes, lost and doubled messages, edits, clocks.

The queue is whatever order the machine chooses: messages may come late, twice or never. The receiver answers as it is
told. What must hold at every moment stands in the invariants; what must hold in the end, in ``teardown``.
"""

import json
from typing import Any

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
from chalicelib.domain.ids import hashed
from chalicelib.domain.webhooks.retries import TRIES, WAITS_SECONDS
from chalicelib.settings.core import core_settings
from chalicelib.store import endpoints
from chalicelib.workers import sweeper
from chalicelib.workers.delivery import deliveries, outbox
from local import embedded
from tests import webhooks
from tests.crash.crashing import Killed, killed_at
from tests.lengths import examples
from tests.servers.receiver import Arrival, Receiver

KINDS = ("audit.finished", "issue.resolved")
ENDPOINTS = ("end_1", "end_2")
CALM = "end_calm"  # nobody edits it and it answers 200 always: it must get every event
TERMINAL = {"delivered", "failed", "endpoint_off", "endpoint_removed", "event_not_ticked"}


class Deliveries(RuleBasedStateMachine):
    receiver: Receiver

    @initialize(count=st.integers(1, 8))
    def begin(self, count: int) -> None:
        embedded.clear()
        clock.set_offset(0.0)
        self.status = 500
        self.arrivals: dict[str, list[float]] = {}
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.committed: list[str] = []  # ids of events
        self.repeats_allowed: dict[str, int] = {}
        type(self).receiver.answer = self._answer
        for name in (*ENDPOINTS, CALM):
            webhooks.endpoint(type(self).receiver.url(f"/{name}"), KINDS, name)
        for _ in range(count):
            self._commit(KINDS[0])

    def _answer(self, arrival: Arrival) -> int:
        self.arrivals.setdefault(arrival.headers["X-Service-Delivery"], []).append(clock.now())
        return 200 if arrival.path == f"/{CALM}" else self.status

    def _commit(self, kind: str) -> None:
        event = webhooks.event(kind)
        webhooks.publish(event)
        self.committed.append(event.id)
        self._collect()

    def _collect(self) -> None:
        for queue in ("outbox", "deliveries", "deliveries-failing"):
            waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
            while waiting:
                self.messages.append((queue, json.loads(waiting.pop().body)))

    def _handle(self, queue: str, message: dict[str, Any]) -> None:
        if queue == "outbox":
            outbox.handle(message, None)
        elif queue == "deliveries":
            deliveries.handle(message, None)
        else:
            deliveries.handle_failing(message, None)

    # -- what happens ------------------------------------------------------------------------------------

    @rule(kind=st.sampled_from(KINDS))
    def commit_an_event(self, kind: str) -> None:
        self._commit(kind)

    @precondition(lambda self: self.messages)
    @rule(pick=st.integers(0, 10_000))
    def a_message_comes(self, pick: int) -> None:
        self._handle(*self.messages.pop(pick % len(self.messages)))
        self._collect()

    @precondition(lambda self: self.messages)
    @rule(pick=st.integers(0, 10_000))
    def a_message_comes_and_will_come_again(self, pick: int) -> None:
        self._handle(*self.messages[pick % len(self.messages)])
        self._collect()

    @precondition(lambda self: self.messages)
    @rule(pick=st.integers(0, 10_000))
    def a_message_is_lost(self, pick: int) -> None:
        self.messages.pop(pick % len(self.messages))

    @precondition(lambda self: self.messages)
    @rule(pick=st.integers(0, 10_000), number=st.integers(0, 5), when=st.sampled_from(["before", "after"]))
    def a_worker_dies(self, pick: int, number: int, when: Any) -> None:
        before = {name: len(times) for name, times in self.arrivals.items()}
        try:
            with killed_at(number, when):
                self._handle(*self.messages[pick % len(self.messages)])
        except Killed:
            for name, times in self.arrivals.items():
                # A try that nobody recorded may be made again.
                self.repeats_allowed[name] = self.repeats_allowed.get(name, 0) + len(times) - before.get(name, 0)
        self._collect()

    @rule(seconds=st.sampled_from([1, 30, 61, 61, 301, 301, 901, 3_601, 3_601]))
    def time_passes(self, seconds: int) -> None:
        webhooks.advance(seconds)

    @rule(seconds=st.sampled_from([1, 10, 40]))
    def the_clock_is_set_back(self, seconds: int) -> None:
        webhooks.advance(-seconds)

    @rule()
    def the_sweeper_runs(self) -> None:
        sweeper.run()
        self._collect()

    @rule(status=st.sampled_from([200, 500, 500, 500, 500]))
    def the_receiver_changes_its_mind(self, status: int) -> None:
        self.status = status

    @rule(name=st.sampled_from(ENDPOINTS), kinds=st.sampled_from([KINDS, KINDS, KINDS[:1], KINDS[1:]]))
    def somebody_edits_an_endpoint(self, name: str, kinds: tuple[str, ...]) -> None:
        endpoints.edit(webhooks.WORKSPACE, name, type(self).receiver.url(f"/{name}"), kinds)

    @rule(name=st.sampled_from(ENDPOINTS), mood=st.integers(0, 2))
    def somebody_switches_an_endpoint_on_and_seldom_off(self, name: str, mood: int) -> None:
        if mood or endpoints.switch_off(webhooks.WORKSPACE, name, clock.now()) is None:
            endpoints.switch_on(webhooks.WORKSPACE, name)

    @rule(count=st.integers(1, 12), status=st.sampled_from([500, 500, 500, 200]))
    def a_quiet_while(self, count: int, status: int) -> None:
        """Events are committed and every message comes: where most of the failures in a row are from."""
        self.status = status
        for _ in range(count):
            self._commit(KINDS[0])
        for _ in range(200):
            if not self.messages:
                break
            queue, message = self.messages.pop()
            if queue != "outbox" and message["at"] > clock.now():
                continue  # lost: the sweeper has to find it
            self._handle(queue, message)
            self._collect()

    # -- what holds at every moment ------------------------------------------------------------------------

    @invariant()
    def at_most_five_tries_and_none_early(self) -> None:
        for name in ENDPOINTS:
            for delivery in webhooks.log(name):
                assert delivery.tries == len(delivery.attempts) <= TRIES
                extra = self.repeats_allowed.get(delivery.id, 0)
                assert len(self.arrivals.get(delivery.id, [])) <= delivery.tries + extra
                for wait, earlier, later in zip(WAITS_SECONDS, delivery.attempts, delivery.attempts[1:], strict=False):
                    assert later.at - earlier.at >= wait

    @invariant()
    def what_has_ended_waits_for_nothing_and_what_waits_has_a_time(self) -> None:
        for name in ENDPOINTS:
            for delivery in webhooks.log(name):
                assert (delivery.state == "waiting") == (delivery.next_try_at is not None)

    @invariant()
    def an_endpoint_is_off_exactly_at_twenty_failures_in_a_row(self) -> None:
        for name in ENDPOINTS:
            endpoint = webhooks.current(name)
            assert endpoint.failures_in_a_row <= 20
            if endpoint.failures_in_a_row == 20:
                assert endpoint.state == "off"
            if endpoint.off_reason == "20 tries in a row failed":
                assert (endpoint.state, endpoint.failures_in_a_row) == ("off", 20)

    @invariant()
    def the_count_is_that_of_the_log(self) -> None:
        for name in ENDPOINTS:
            endpoint = webhooks.current(name)
            tries = [attempt for delivery in webhooks.log(name) for attempt in delivery.attempts]
            failed = sum(not attempt.succeeded for attempt in tries)
            assert endpoint.failures_in_a_row <= failed

    # -- what holds in the end -------------------------------------------------------------------------------

    def teardown(self) -> None:
        if not hasattr(self, "arrivals"):
            return
        self.messages.clear()
        for _ in range(80):  # every message was lost, and some hours pass
            webhooks.advance(120)
            sweeper.run()
            webhooks.hand_over()
            webhooks.deliver()
            if not webhooks.leftovers() and all(
                delivery.state in TERMINAL for name in (*ENDPOINTS, CALM) for delivery in webhooks.log(name)
            ):
                break
        assert webhooks.leftovers() == [], "every committed event was handed over"
        wanted = {hashed("dlv", event, CALM) for event in self.committed}
        assert {delivery.id for delivery in webhooks.log(CALM)} == wanted, "none was lost and none doubled"
        assert {delivery.state for delivery in webhooks.log(CALM)} <= {"delivered"}
        for name in ENDPOINTS:
            for delivery in webhooks.log(name):
                assert delivery.state in TERMINAL, "and every delivery has come to an end"
        self.at_most_five_tries_and_none_early()
        self.an_endpoint_is_off_exactly_at_twenty_failures_in_a_row()


@pytest.mark.hypothesis  # a state machine: longer in deep runs
@pytest.mark.usefixtures("store", "loopback_allowed")
def test_deliveries_stay_correct_under_any_sequence_of_events() -> None:
    with Receiver() as receiver:
        Deliveries.receiver = receiver
        run_state_machine_as_test(
            Deliveries,
            settings=settings(
                max_examples=examples(5),
                stateful_step_count=40,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
