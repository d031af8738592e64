"""Messages of a queue that is polled reach app.py's functions as in a deployment."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from chalice.app import Chalice

from chalicelib import clock
from chalicelib.store import client
from host.jobs import Jobs
from host.messages import Polling
from host.pump import Pump
from local import embedded
from tests.host.small import WAIT_SECONDS, SmallApp, send, until

LATER_SECONDS = 361  # than a failed message of this queue comes again


class Polled(SmallApp):
    """The small app, and the pump that polls for it."""

    def __init__(self) -> None:
        super().__init__()
        self._earlier = set(threading.enumerate())
        self.pump = Pump(self.app, Polling(), Jobs())

    def waiting(self) -> int:
        """How many messages could be taken now."""
        (queue,) = self.pump.queues
        answer = client.sqs().get_queue_attributes(QueueUrl=queue.url, AttributeNames=["ApproximateNumberOfMessages"])
        return int(answer["Attributes"]["ApproximateNumberOfMessages"])

    def until_stopped(self) -> None:
        """Waits until the polls that were under way have ended: one of them could take the next test's message."""
        until(lambda: not any(one.name.startswith("pump-") for one in set(threading.enumerate()) - self._earlier))

    def until_done(self) -> None:
        """Waits until no message is left to take and no job runs."""
        until(lambda: not self.waiting() and not self.pump.jobs.running())


@pytest.fixture
def polled() -> Iterator[Polled]:
    with embedded.running():
        polled = Polled()
        polled.pump.start()
        yield polled
        polled.release.set()
        polled.pump.stop()
        embedded.wake()
        polled.until_stopped()
    clock.set_offset(0.0)


def test_a_message_is_passed_to_its_function_and_deleted(polled: Polled) -> None:
    send("now")
    until(lambda: polled.names() == ["now"])
    polled.until_done()
    clock.set_offset(LATER_SECONDS)
    embedded.wake()
    polled.until_done()
    assert polled.names() == ["now"]


def test_a_function_can_read_its_remaining_time(polled: Polled) -> None:
    send("now")
    until(lambda: bool(polled.left_ms))
    assert 1000 < polled.left_ms[0] <= 900_000


def test_only_the_failed_messages_of_a_batch_are_delivered_again(polled: Polled) -> None:
    polled.failing.add("bad")
    polled.release.clear()
    send("first")
    for name in ("good", "bad", "fine"):
        send(name)
    polled.release.set()
    until(lambda: len(polled.seen) == 4)
    polled.until_done()
    polled.failing.clear()
    clock.set_offset(LATER_SECONDS)
    embedded.wake()
    until(lambda: len(polled.seen) > 4)
    polled.until_done()
    assert sorted(polled.names()) == ["bad", "bad", "fine", "first", "good"]


def test_running_jobs_are_listed_until_they_end(polled: Polled) -> None:
    polled.release.clear()
    send("slow")
    until(lambda: polled.pump.jobs.running() == ["outbox"])
    polled.release.set()
    until(lambda: polled.pump.jobs.running() == [])
    assert polled.names() == ["slow"]


def test_a_stopped_pump_receives_no_more_messages(polled: Polled) -> None:
    polled.pump.stop()
    until(lambda: not any(thread.name.startswith("pump-") for thread in threading.enumerate()))
    send("too late")
    assert polled.waiting() == 1
    assert polled.names() == []


def test_an_unknown_queue_is_refused(polled: Polled) -> None:
    app = Chalice(app_name="wrong", configure_logs=False)

    @app.on_sqs_message(queue_arn="NoSuchQueueArn", name="wrong")
    def wrong(event: Any) -> None:
        raise AssertionError(event)

    with pytest.raises(LookupError, match="NoSuchQueueArn"):
        Pump(app, Polling(), Jobs())


def test_running_jobs_are_told_that_little_time_is_left_when_the_process_stops(polled: Polled) -> None:
    polled.release.clear()
    send("slow")
    until(lambda: polled.pump.jobs.running() == ["outbox"])
    context = polled.pump.jobs.context("outbox")
    assert context.get_remaining_time_in_millis() > 30_000
    polled.pump.stop()
    assert polled.pump.jobs.end_within(0.05) == ["outbox"]
    assert context.get_remaining_time_in_millis() <= 50
    polled.release.set()
    assert polled.pump.jobs.end_within(WAIT_SECONDS) == []
    assert polled.names() == ["slow"]


def test_no_polling_thread_is_left_after_stopping(polled: Polled) -> None:
    polled.pump.stop()
    embedded.wake()
    polled.pump.wait(WAIT_SECONDS)
    assert not any(thread.is_alive() for thread in polled.pump._pollers)
