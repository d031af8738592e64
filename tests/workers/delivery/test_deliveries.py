"""One try after the other: what arrives, the schedule, duplicates and races."""

import threading
import time

import pytest

from chalicelib import clock
from chalicelib.domain.webhooks import signature
from chalicelib.net.guard import Guard
from chalicelib.net.send import Sender
from chalicelib.store import deliveries as store
from chalicelib.store import slots
from chalicelib.workers import sweeper
from chalicelib.workers.delivery import deliveries
from tests import aws, webhooks
from tests.reference import loops_of
from tests.servers.receiver import Arrival, Receiver

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")


def failing(arrival: Arrival) -> int:
    return 500


def quick(seconds: float = 0.3) -> Sender:
    return Sender(Guard("127.0.0.0/8"), seconds=seconds)


# -- what arrives ------------------------------------------------------------------------------------------


def test_a_delivery_is_signed_and_has_the_specified_headers() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event("issue.resolved", crawlId="crawl_1"))
    (arrival,) = receiver.arrivals
    (delivery,) = webhooks.log()
    given = {
        name: value for name, value in arrival.headers.items() if name not in ("Host", "Content-Length", "Connection")
    }
    assert given == {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhooks/1",
        "X-Service-Event": "issue.resolved",
        "X-Service-Delivery": delivery.id,
        "X-Service-Signature": signature.sign(webhooks.SECRET, arrival.body),
    }
    assert arrival.body == delivery.body
    assert delivery.state == "delivered" and delivery.next_try_at is None
    assert [(attempt.status, attempt.phase) for attempt in delivery.attempts] == [(204, None)]


def test_the_first_attempt_is_made_without_any_delay() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        with aws.counted_calls() as calls:
            webhooks.publish(webhooks.event())
            assert aws.delays("outbox") == [0]
            webhooks.hand_over()
            assert aws.delays("deliveries") == [0]
            assert webhooks.deliver() == 1
        assert len(receiver.arrivals) == 1
    assert sum(calls.values()) <= 13, "two looked-up queues and a read secret are among them"


def test_a_delivery_costs_at_most_five_store_calls() -> None:
    answers = iter([204, 500])
    with Receiver(lambda arrival: next(answers)) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event(), webhooks.event())
        webhooks.hand_over()
        first, second = webhooks.take("deliveries")
        with aws.counted_calls() as success:
            deliveries.handle(first, None)
        with aws.counted_calls() as failure:
            deliveries.handle(second, None)
    assert {delivery.tries for delivery in webhooks.log()} == {1}
    assert sum(success.values()) <= 4 and sum(failure.values()) <= 5


def test_the_processor_time_of_a_delivery_stays_below_its_limit() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        costs = []
        for _ in range(3):
            webhooks.publish(*[webhooks.event() for _ in range(30)])
            webhooks.hand_over()
            costs.append(loops_of(webhooks.deliver) / 30)
    assert len(receiver.arrivals) == 90
    assert min(costs) <= 4  # the embedded store and the receiver are in it


# -- the schedule --------------------------------------------------------------------------------------------


def test_a_failed_delivery_is_retried_after_1_5_15_and_60_minutes() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        for number, minutes in enumerate((1, 5, 15, 60), start=1):
            assert len(receiver.arrivals) == number
            webhooks.advance(minutes * 60 - 2)
            webhooks.deliver()
            sweeper.run()
            webhooks.deliver()
            assert len(receiver.arrivals) == number, "never early"
            webhooks.advance(11)
            webhooks.deliver()
        assert len(receiver.arrivals) == 5
        webhooks.advance(86_400)
        sweeper.run()
        webhooks.deliver()
    (delivery,) = webhooks.log()
    assert len(receiver.arrivals) == 5 and delivery.state == "failed" and delivery.tries == 5
    assert len({arrival.body for arrival in receiver.arrivals}) == 1, "the same bytes each time"
    assert len({arrival.headers["X-Service-Signature"] for arrival in receiver.arrivals}) == 1
    waits = [round((b.at - a.at) / 60) for a, b in zip(delivery.attempts, delivery.attempts[1:], strict=False)]
    assert waits == [1, 5, 15, 60]


def test_a_later_successful_attempt_ends_the_delivery() -> None:
    answers = iter([500, 410, 200])
    with Receiver(lambda arrival: next(answers)) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        for minutes in (1, 5):
            webhooks.advance(minutes * 60 + 1)
            webhooks.deliver()
    (delivery,) = webhooks.log()
    assert [attempt.status for attempt in delivery.attempts] == [500, 410, 200]
    assert delivery.state == "delivered"
    assert webhooks.current().failures_in_a_row == 0


def test_a_message_that_comes_early_is_queued_again_for_the_remaining_time() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        for minutes in (1, 5, 15):
            webhooks.advance(minutes * 60 + 1)
            webhooks.deliver()
        assert aws.delays("deliveries") == [900], "a queue waits at most 15 minutes"
        webhooks.advance(901)
        webhooks.deliver()
        assert aws.delays("deliveries") == [900] and len(receiver.arrivals) == 4


def test_the_sweeper_finds_a_delivery_whose_message_was_lost() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        for wait in (30, 90, 330, 930, 3_630):
            aws.purge("deliveries")
            webhooks.advance(wait)
            sweeper.run()
            webhooks.deliver()
    assert len(receiver.arrivals) == 5


def test_no_attempt_is_made_early_if_the_clock_was_set_back() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        webhooks.advance(-30)
        webhooks.deliver()
        assert len(receiver.arrivals) == 1
        webhooks.advance(95)
        sweeper.run()
        webhooks.deliver()
        assert len(receiver.arrivals) == 2


def test_an_attempt_that_hangs_is_logged_with_its_phase() -> None:
    over = threading.Event()
    with Receiver(lambda arrival: over.wait(60) and 204) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        webhooks.deliver(quick())
        over.set()
    (attempt,) = webhooks.log()[0].attempts
    assert (attempt.phase, attempt.status, attempt.error) == ("headers", None, "no answer within 0.3 seconds")


# -- duplicates and races -------------------------------------------------------------------------------------


def test_a_duplicate_message_makes_one_attempt() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        (message,) = webhooks.take("deliveries")
        for _ in range(3):
            deliveries.handle(message, None)
    assert len(receiver.arrivals) == 1 and webhooks.current().failures_in_a_row == 1


def test_simultaneous_messages_make_one_attempt() -> None:
    with Receiver(lambda arrival: time.sleep(0.1) or 500) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        (message,) = webhooks.take("deliveries")
        workers = [threading.Thread(target=deliveries.handle, args=(message, None)) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert len(receiver.arrivals) == 1 and webhooks.current().failures_in_a_row == 1


def test_a_dead_worker_is_replaced_after_its_lease_ends() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        (message,) = webhooks.take("deliveries")
        loaded = store.load(message["workspaceId"], message["endpointId"], message["deliveryId"])
        assert store.claim(loaded, clock.now()) is not None
        deliveries.handle(message, None)
        assert receiver.arrivals == []
        webhooks.advance(slots.LEASE_SECONDS + 1)
        sweeper.run()
        webhooks.deliver()
    assert len(receiver.arrivals) == 1


def test_an_attempt_counts_once_even_if_two_workers_make_it() -> None:
    with Receiver(failing) as receiver:
        made = webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        (message,) = webhooks.take("deliveries")
        loaded = store.load(message["workspaceId"], message["endpointId"], message["deliveryId"])
        claimed = store.claim(loaded, clock.now())
        webhooks.advance(slots.LEASE_SECONDS + 1)
        deliveries.handle(message, None)
        assert claimed is not None and loaded.delivery is not None
        attempt = webhooks.log()[0].attempts[0]
        after = deliveries.after(loaded.delivery, attempt, clock.now())
        assert store.record(loaded.delivery, made, claimed, attempt, after, clock.now()) is None
    assert webhooks.current().failures_in_a_row == 1 and len(webhooks.log()[0].attempts) == 1


def test_a_success_between_failures_resets_the_failure_count() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())

        def meanwhile(arrival: Arrival) -> int:
            receiver.answer = failing
            webhooks.deliver()  # two others fail while this one is on its way
            return 200

        receiver.answer = meanwhile
        webhooks.publish(*[webhooks.event() for _ in range(3)])
        webhooks.hand_over()
        first = webhooks.take("deliveries")
        aws.purge("deliveries")
        from chalicelib.store import queues

        queues.send_many("deliveries", first[1:])
        deliveries.handle(first[0], None)
    assert sorted(len(d.attempts) for d in webhooks.log()) == [1, 1, 1]
    assert sorted(delivery.state for delivery in webhooks.log()) == ["delivered", "waiting", "waiting"]
    assert webhooks.current().failures_in_a_row == 0
