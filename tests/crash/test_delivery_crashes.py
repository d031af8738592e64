"""Killing the workers of webhooks before and after each of their writes: nothing is lost, nothing counts twice."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

import pytest

from chalicelib.connectors import ses
from chalicelib.store import slots
from chalicelib.workers import sweeper
from chalicelib.workers.delivery import deliveries, outbox
from tests import aws, webhooks
from tests.crash.crashing import dies_at, each_step, killed_at
from tests.plugins import aws_weather
from tests.servers.receiver import Receiver

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")
When = Literal["before", "after"]


def recover(hours: bool = False) -> None:
    """What the minutes (or hours) after a crash bring: leases end, the sweeper runs, messages are handled."""
    soon = slots.LEASE_SECONDS + 5
    for seconds in (soon, soon, 330, 930, 3_630, 3_630) if hours else (soon, soon):
        webhooks.advance(seconds)
        sweeper.run()
        webhooks.hand_over()
        webhooks.deliver()


def every_kill(run: Callable[[], None], prepare: Callable[[], None]) -> Iterator[tuple[int, When]]:
    """Prepare, run, and kill at each write in turn; what the caller does with the wreck comes after each yield."""
    prepare()
    ses._asked_at.clear()
    with killed_at(None) as counter:
        run()
    assert counter.count > 0
    for number in range(counter.count):
        for when in ("before", "after"):
            prepare()
            ses._asked_at.clear()  # each worker is a new process, which asks SES about its addresses
            with dies_at(number, when):  # type: ignore[arg-type]
                run()
            yield number, when  # type: ignore[misc]


def fresh() -> None:
    from local import embedded

    embedded.clear()


def test_a_change_and_its_events_are_stored_in_one_transaction() -> None:
    event = webhooks.event()
    for number, when in every_kill(lambda: webhooks.publish(event), fresh):
        with_state = [key for key in aws.rows("ops") if key[0].startswith("STATE#")]
        assert len(with_state) == len(webhooks.leftovers())
        # In bad weather the first write may be one that comes to nothing.
        assert aws_weather.bad() or len(with_state) == (0 if (number, when) == (0, "before") else 1)


def test_a_killed_fan_out_neither_loses_nor_repeats_deliveries() -> None:
    with Receiver() as receiver:

        def prepare() -> None:
            fresh()
            receiver.arrivals.clear()
            for name in ("end_1", "end_2", "end_3"):
                webhooks.endpoint(receiver.url(f"/{name}"), endpoint_id=name)
            webhooks.publish(webhooks.event("issue.resolved", "evt_1"), webhooks.event("audit.finished", "evt_2"))

        def run() -> None:
            (message,) = aws.messages("outbox")
            outbox.handle(message, None)

        for _ in every_kill(run, prepare):
            aws.purge("outbox")  # not even the message comes again
            recover()
            came = Counter((arrival.path, arrival.headers["X-Service-Event"]) for arrival in receiver.arrivals)
            assert came == {
                (f"/{name}", kind): 1
                for name in ("end_1", "end_2", "end_3")
                for kind in ("issue.resolved", "audit.finished")
            }
            assert webhooks.leftovers() == []


@pytest.mark.parametrize("status", [204, 500])
def test_a_delivery_whose_worker_is_killed_counts_each_try_only_once(status: int) -> None:
    """At most the interrupted try is repeated, with the same delivery id."""
    with Receiver(lambda arrival: status) as receiver:

        def prepare() -> None:
            fresh()
            receiver.arrivals.clear()
            webhooks.endpoint(receiver.url())
            webhooks.publish(webhooks.event())
            webhooks.hand_over()

        def run() -> None:
            (message,) = webhooks.take("deliveries")
            deliveries.handle(message, None)

        for _, _ in every_kill(run, prepare):
            recover(hours=True)
            (delivery,) = webhooks.log()
            expected = 1 if status == 204 else 5
            assert delivery.state == ("delivered" if status == 204 else "failed")
            assert len(delivery.attempts) == delivery.tries == expected
            assert webhooks.current().failures_in_a_row == (0 if status == 204 else 5)
            assert expected <= len(receiver.arrivals) <= expected + 1
            assert {arrival.headers["X-Service-Delivery"] for arrival in receiver.arrivals} == {delivery.id}


@each_step
def test_an_endpoint_is_disabled_after_twenty_failures_despite_kills(step: int) -> None:
    with Receiver(lambda arrival: 500) as receiver:

        def prepare() -> None:
            fresh()
            receiver.arrivals.clear()
            webhooks.endpoint(receiver.url())
            for _ in range(19):
                webhooks.send_all(webhooks.event())
            assert webhooks.current().failures_in_a_row == 19
            webhooks.publish(webhooks.event())
            webhooks.hand_over()

        def run() -> None:
            (message,) = webhooks.take("deliveries-failing")
            deliveries.handle_failing(message, None)

        before = 0
        prepare()
        with killed_at(None) as counter:
            run()
        writes = counter.operations
        # Claim and record, and of the many writes that end what waits the first two and the last stand for all.
        few = sorted({*range(min(4, len(writes))), len(writes) - 1})
        for number in range(len(writes)) if step == 1 else few:
            for when in ("before", "after"):
                prepare()
                with dies_at(number, when):  # type: ignore[arg-type]
                    run()
                recover()
                endpoint = webhooks.current()
                assert (endpoint.state, endpoint.failures_in_a_row, endpoint.period) == ("off", 20, 1)
                webhooks.advance(2 * 3_600)
                sweeper.run()
                webhooks.deliver()
                assert {delivery.state for delivery in webhooks.log()} == {"endpoint_off"}
                before += 1
    assert before >= 8
