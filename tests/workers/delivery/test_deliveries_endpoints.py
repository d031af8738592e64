"""What tries do to their endpoint, and what people do to it meanwhile: switch-off, edits, pings, replays, lanes."""

import threading
import time

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.net.guard import Guard
from chalicelib.net.send import Sender
from chalicelib.operations import endpoints as operations
from chalicelib.store import deliveries as store
from chalicelib.store import endpoints, slots
from chalicelib.workers import sweeper
from chalicelib.workers.delivery import deliveries
from tests import aws, webhooks
from tests.servers.receiver import Arrival, Receiver

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")


def failing(arrival: Arrival) -> int:
    return 500


def quick(seconds: float = 0.3) -> Sender:
    return Sender(Guard("127.0.0.0/8"), seconds=seconds)


# -- switching off ---------------------------------------------------------------------------------------------


def fail_times(count: int) -> None:
    for _ in range(count):
        webhooks.send_all(webhooks.event())


def test_an_endpoint_is_switched_off_at_its_twentieth_failure_in_a_row() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        fail_times(19)
        endpoint = webhooks.current()
        assert (endpoint.state, endpoint.failures_in_a_row) == ("on", 19)
        fail_times(1)
    endpoint = webhooks.current()
    assert (endpoint.state, endpoint.failures_in_a_row) == ("off", 20)
    assert endpoint.off_reason == "20 tries in a row failed"
    assert endpoint.off_at is not None and abs(endpoint.off_at - clock.now()) < 60
    assert {delivery.state for delivery in webhooks.log()} == {"endpoint_off"}, "waiting tries end visibly"
    assert all(delivery.next_try_at is None and delivery.attempts for delivery in webhooks.log())


def test_failures_of_all_deliveries_are_counted_together_until_a_success() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        fail_times(19)
        receiver.answer = lambda arrival: 200
        fail_times(1)
        assert webhooks.current().failures_in_a_row == 0
        receiver.answer = failing
        fail_times(19)
        assert webhooks.current().state == "on"


def test_twenty_simultaneous_failures_switch_the_endpoint_off_once() -> None:
    with Receiver(lambda arrival: time.sleep(0.05) or 500) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(*[webhooks.event() for _ in range(25)])
        webhooks.hand_over()
        while messages := webhooks.take("deliveries") + webhooks.take("deliveries-failing"):
            workers = [threading.Thread(target=deliveries.handle_failing, args=(message, None)) for message in messages]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            webhooks.advance(11)
    endpoint = webhooks.current()
    assert (endpoint.state, endpoint.failures_in_a_row, endpoint.period) == ("off", 20, 1)
    assert 20 <= len(receiver.arrivals) <= 24, "those that were under way together with the twentieth"
    assert {delivery.state for delivery in webhooks.log()} == {"endpoint_off"}


def test_an_endpoint_is_also_switched_off_if_a_slow_attempt_is_the_twentieth_failure() -> None:
    """The slow attempt is in the queue of working endpoints. Its failure also ends the waiting deliveries."""
    others_failed = threading.Event()
    arrived = threading.Event()

    def first_is_slow(arrival: Arrival) -> int:
        if not arrived.is_set():
            arrived.set()
            others_failed.wait(60)
        return 500

    with Receiver(first_is_slow) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        (message,) = webhooks.take("deliveries")
        slow = threading.Thread(target=deliveries.handle, args=(message, None, quick(60)))
        slow.start()
        assert arrived.wait(60)
        fail_times(19)
        assert webhooks.current().state == "on"
        others_failed.set()
        slow.join()
    assert webhooks.current().state == "off"
    assert {delivery.state for delivery in webhooks.log()} == {"endpoint_off"}


def test_a_success_writes_nothing_to_an_endpoint_without_failures() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        from local import moto_tables

        written: list[object] = []
        end = moto_tables.listen(lambda key, item: written.append(key[1:]))
        webhooks.deliver()
        end()
    assert webhooks.log()[0].state == "delivered"
    assert not any("end_1" in str(key) and "WS#" in str(key) for key in written)


def test_deliveries_ended_by_switching_off_an_endpoint_do_not_return() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        endpoints.switch_off(webhooks.WORKSPACE, "end_1", clock.now())
        endpoints.switch_on(webhooks.WORKSPACE, "end_1")
        webhooks.advance(61)
        webhooks.deliver()
        assert len(receiver.arrivals) == 1 and webhooks.log()[0].state == "endpoint_off"
        webhooks.send_all(webhooks.event())
        assert len(receiver.arrivals) == 2, "new events come"


# -- what a person changes while a try waits ---------------------------------------------------------------------


def test_the_next_attempt_uses_the_new_address() -> None:
    with Receiver(failing) as old, Receiver() as new:
        webhooks.endpoint(old.url())
        webhooks.send_all(webhooks.event())
        operations.edit(OPERATOR, webhooks.WORKSPACE, "end_1", new.url())
        webhooks.advance(61)
        webhooks.deliver()
    assert (len(old.arrivals), len(new.arrivals)) == (1, 1)
    assert old.arrivals[0].body == new.arrivals[0].body


@pytest.mark.parametrize("at_once", [True, False], ids=["when it is changed", "at the next try"])
@pytest.mark.parametrize("change", ["event_not_ticked", "endpoint_off", "endpoint_removed"])
def test_deliveries_end_if_their_endpoint_no_longer_wants_the_event(change: str, at_once: bool) -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event("audit.finished"))
        scope = operations if at_once else endpoints
        first = (OPERATOR,) if at_once else ()
        if change == "event_not_ticked":
            scope.edit(*first, webhooks.WORKSPACE, "end_1", None, ["issue.resolved"])
        elif change == "endpoint_off":
            scope.switch_off(*first, webhooks.WORKSPACE, "end_1", *(() if at_once else (clock.now(),)))
        else:
            scope.remove(*first, webhooks.WORKSPACE, "end_1")
        if not at_once:
            webhooks.advance(61)
            webhooks.deliver()
    (delivery,) = webhooks.log()
    assert (delivery.state, delivery.next_try_at, len(delivery.attempts)) == (change, None, 1)
    assert len(receiver.arrivals) == 1


@pytest.mark.parametrize("change", ["off", "removed", "edited"])
def test_a_change_to_the_endpoint_during_an_attempt_is_respected(change: str) -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())

        def meanwhile(arrival: Arrival) -> int:
            if change == "off":
                operations.switch_off(OPERATOR, webhooks.WORKSPACE, "end_1")
            elif change == "removed":
                operations.remove(OPERATOR, webhooks.WORKSPACE, "end_1")
            else:
                endpoints.edit(webhooks.WORKSPACE, "end_1", "https://new.example/", None)
            return 500

        receiver.answer = meanwhile
        webhooks.send_all(webhooks.event())
    (delivery,) = webhooks.log()
    assert len(delivery.attempts) == 1, "the try is in the log"
    assert delivery.state == {"off": "endpoint_off", "removed": "endpoint_removed", "edited": "waiting"}[change]
    if change == "off":
        assert webhooks.current().failures_in_a_row == 0


# -- pings and replays ------------------------------------------------------------------------------------------


def test_a_ping_is_sent_at_once_and_does_not_count_as_a_failure() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        fail_times(1)
        for answer in (failing, lambda arrival: 204):
            receiver.answer = answer
            operations.ping(OPERATOR, webhooks.WORKSPACE, "end_1")
            webhooks.deliver()
            assert webhooks.current().failures_in_a_row == 1
    states = [(delivery.event, delivery.state) for delivery in webhooks.log()]
    assert sorted(states) == [("audit.finished", "waiting"), ("ping", "delivered"), ("ping", "failed")]
    assert receiver.arrivals[-1].headers["X-Service-Event"] == "ping"


def test_a_ping_reaches_an_endpoint_that_is_switched_off() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        operations.switch_off(OPERATOR, webhooks.WORKSPACE, "end_1")
        operations.ping(OPERATOR, webhooks.WORKSPACE, "end_1")
        webhooks.deliver()
    assert len(receiver.arrivals) == 1


def test_a_replay_sends_the_same_bytes_once_and_does_not_count_as_a_failure() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        (delivery,) = webhooks.log()
        receiver.answer = failing
        operations.replay(OPERATOR, webhooks.WORKSPACE, delivery.id)
        webhooks.deliver()
        webhooks.advance(86_400)
        sweeper.run()
        webhooks.deliver()
    (replayed,) = webhooks.log()
    assert [arrival.body for arrival in receiver.arrivals] == [delivery.body] * 2
    assert receiver.arrivals[0].headers == receiver.arrivals[1].headers
    assert replayed.state == "delivered", "it was, and a failed replay does not undo that"
    assert [attempt.replay for attempt in replayed.attempts] == [False, True]
    assert webhooks.current().failures_in_a_row == 0


def test_a_successful_replay_marks_a_failed_delivery_as_delivered() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        operations.switch_off(OPERATOR, webhooks.WORKSPACE, "end_1")
        receiver.answer = lambda arrival: 200
        operations.replay(OPERATOR, webhooks.WORKSPACE, webhooks.log()[0].id)
        webhooks.deliver()
    assert webhooks.log()[0].state == "delivered"


# -- one does not hold up the others ------------------------------------------------------------------------------


def test_an_endpoint_has_at_most_five_deliveries_at_once() -> None:
    under_way, most = 0, 0
    lock, five_came = threading.Lock(), threading.Event()

    def slow(arrival: Arrival) -> int:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
            if most == 5:
                five_came.set()
        five_came.wait(60)
        time.sleep(0.1)  # for a sixth to come, if one may
        with lock:
            under_way -= 1
        return 204

    with Receiver(slow) as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(*[webhooks.event() for _ in range(20)])
        webhooks.hand_over()
        while messages := webhooks.take("deliveries"):
            workers = [threading.Thread(target=deliveries.handle, args=(message, None)) for message in messages]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            webhooks.advance(11)
    assert most == 5
    assert len(receiver.arrivals) == 20 and {delivery.state for delivery in webhooks.log()} == {"delivered"}


def test_an_endpoint_that_keeps_failing_gets_a_separate_queue() -> None:
    with Receiver(failing) as receiver:
        webhooks.endpoint(receiver.url())
        fail_times(3)
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        assert [len(aws.messages(lane)) for lane in ("deliveries", "deliveries-failing")] == [4, 0]
        webhooks.deliver()
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        assert len(webhooks.take("deliveries-failing")) == 1, "after more than three failures"
        webhooks.advance(30)
        sweeper.run()
        (message,) = webhooks.take("deliveries")
        before = len(receiver.arrivals)
        deliveries.handle(message, None)
        assert len(receiver.arrivals) == before, "the usual lane only passes it on"
        webhooks.deliver()
        assert len(receiver.arrivals) == before + 1


def test_an_endpoint_that_hangs_does_not_delay_other_endpoints() -> None:
    over = threading.Event()
    patient = quick(600)  # a try that hangs does so for the whole test
    with Receiver(lambda arrival: 204 if over.wait(600) else 500) as hanging, Receiver() as healthy:
        webhooks.endpoint(hanging.url(), endpoint_id="end_1")
        webhooks.endpoint(healthy.url(), endpoint_id="end_2")
        webhooks.publish(*[webhooks.event() for _ in range(30)])
        webhooks.hand_over()
        gate = threading.Semaphore(10)  # ten workers for thirty deliveries that hang, and thirty behind them

        def work(message: dict[str, object]) -> None:
            with gate:
                deliveries.handle(message, None, patient)

        give_up = time.monotonic() + 120
        workers = []
        while len(healthy.arrivals) < 30 and time.monotonic() < give_up:
            for message in sorted(webhooks.take("deliveries"), key=lambda message: message["endpointId"]):
                workers.append(threading.Thread(target=work, args=(message,)))
                workers[-1].start()
            time.sleep(0.02)
        arrived, held = len(healthy.arrivals), len(hanging.arrivals)
        over.set()
        for worker in workers:
            worker.join()
    assert arrived == 30, "all of them while those that hang still do"
    assert held <= slots.ENDPOINT_SLOTS


# -- the log tells no secret ---------------------------------------------------------------------------------------


def test_no_signature_is_logged_if_a_receiver_echoes_its_request() -> None:
    from tests.servers.wire import Connection, WireServer

    def echo(c: Connection) -> None:
        c.answer(c.head.partition(b"\r\n\r\n")[0] + webhooks.SECRET.encode())

    with WireServer(echo) as server:
        webhooks.endpoint(server.url())
        webhooks.send_all(webhooks.event())
    (attempt,) = webhooks.log()[0].attempts
    assert "X-Service-Signature: sha256=[signature]" in attempt.reply
    assert webhooks.SECRET not in attempt.reply


@pytest.mark.parametrize("cut", [8, 40, 70])
def test_no_part_of_a_secret_is_logged_if_a_shortened_response_echoes_it(cut: int) -> None:
    from tests.servers.wire import Connection, WireServer

    digests = []

    def echo(c: Connection) -> None:
        digest = c.head.partition(b"sha256=")[2][:64]
        digests.append(digest.decode())
        hidden = "\u200d".join(digest.decode()).encode()
        body = hidden + b"." * (1024 - cut - len(hidden)) + webhooks.SECRET.encode()
        c.answer(body, "503 No", Retry_After=digest.decode()[:50])

    with WireServer(echo) as server:
        webhooks.endpoint(server.url())
        webhooks.send_all(webhooks.event())
    (attempt,) = webhooks.log()[0].attempts
    readable = f"{attempt.reply} {attempt.error}".replace("\u200d", "")
    assert webhooks.SECRET[:8] not in readable and digests[0][:8] not in readable
    assert attempt.error == "the answer was 503 with Retry-After: [signature]"


def test_an_expired_delivery_is_not_sent() -> None:
    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.publish(webhooks.event())
        webhooks.hand_over()
        webhooks.advance(store.KEPT_SECONDS + 1)
        webhooks.deliver()
    assert receiver.arrivals == []
