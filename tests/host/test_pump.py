"""Messages of a queue that is polled reach app.py's functions as in a deployment."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from chalice.app import Chalice

from chalicelib import clock
from chalicelib.store import client
from host import pump
from host.jobs import Jobs
from host.messages import Batch, Polling, Queue
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
def quick_polls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queue of each poll. A poll that failed is soon tried again."""
    polls: list[str] = []
    take = Polling.take

    def counted(self: Polling, queue: Queue, begin: Callable[[], int]) -> Batch | None:
        polls.append(queue.name)
        return take(self, queue, begin)

    monkeypatch.setattr(Polling, "take", counted)
    monkeypatch.setattr(pump, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(pump, "LONGEST_RETRY_SECONDS", 0.01)
    return polls


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


def attributes_of(url: str) -> dict[str, str]:
    """The attributes with which the queue was made."""
    found = client.sqs().get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    return {name: found[name] for name in ("RedrivePolicy", "VisibilityTimeout", "MessageRetentionPeriod")}


def test_lost_queues_are_logged_once_and_read_again_when_they_exist(
    quick_polls: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    app = Chalice(app_name="two", configure_logs=False)
    received: list[str] = []

    @app.on_sqs_message(queue_arn="OutboxQueueArn", name="outbox")
    def outbox(event: Any) -> None:
        received.extend(record.body for record in event)

    @app.on_sqs_message(queue_arn="CrawlQueueArn", name="crawl")
    def crawl(event: Any) -> None:
        raise AssertionError(event)

    def logged() -> list[str]:
        return [one.getMessage() for one in caplog.records if one.name == "host.pump"]

    with embedded.running():
        pumping = Pump(app, Polling(), Jobs())
        kept = {queue.name: attributes_of(queue.url) for queue in pumping.queues}
        for queue in pumping.queues:
            client.sqs().delete_queue(QueueUrl=queue.url)
        pumping.start()
        until(lambda: all(quick_polls.count(queue.name) > 5 for queue in pumping.queues))
        (line,) = logged()
        assert line.endswith("missing: wos-crawl, wos-outbox: manage.py store create creates them")
        assert not any(one.exc_info for one in caplog.records), "no traceback"
        for queue in pumping.queues:
            client.sqs().create_queue(QueueName=queue.name, Attributes=kept[queue.name])
        send("back")
        until(lambda: received == ['{"name":"back"}'] and len(logged()) > 1)
        assert logged() == [line, "all queues can be read again"]
        pumping.stop()
        embedded.wake()
        pumping.wait(WAIT_SECONDS)


def test_the_waits_between_failing_polls_grow_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Polling):
        def take(self, queue: Queue, begin: Callable[[], int]) -> Batch | None:
            raise RuntimeError("a test failure")

    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        source.stopped = len(waits) == 6
        return source.stopped

    with embedded.running():
        source = Failing()
        pumping = Pump(SmallApp().app, source, Jobs())
        monkeypatch.setattr(pumping._stopping, "wait", wait)
        pumping.start()
        pumping.wait(WAIT_SECONDS)
    assert waits == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    (record,) = [one for one in caplog.records if one.name == "host.pump"]
    assert record.exc_info, "the traceback of an unexpected failure is logged, once"


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


def test_each_new_cause_of_an_outage_is_logged_while_another_queue_stays_lost(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pump, "_is_missing", lambda name: name == "gone")
    outage = pump._Outage(["gone", "a", "b"])
    lost = ClientError({"Error": {"Code": "AWS.SimpleQueueService.NonExistentQueue"}}, "ReceiveMessage")
    denied = ClientError({"Error": {"Code": "AccessDenied"}}, "ReceiveMessage")
    outage.failed("gone", lost)
    for name in ("a", "b"):
        outage.failed(name, denied)
        outage.failed(name, denied)
        outage.ended(name)
    outage.failed("gone", lost)
    outage.ended("gone")
    said = [record.getMessage() for record in caplog.records]
    assert ["gone" in said[0], "queue a" in said[1], "queue b" in said[2]] == [True] * 3
    assert said[3:] == ["all queues can be read again"]
