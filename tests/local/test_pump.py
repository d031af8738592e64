"""Queue messages and schedules reach app.py's functions as in a deployment, and time passes in order."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from chalice.app import Chalice, Cron, Rate

from chalicelib import clock
from chalicelib.store import client, queues
from local import embedded
from local.control import Clock, Control, Refused
from local.pump import Pump
from local.schedules import Schedules, next_after

WAIT_SECONDS = 10.0
START = datetime(2026, 11, 18, 10, 10, tzinfo=UTC).timestamp()  # a Wednesday, ten minutes past the hour


class Service:
    """A small app with a queue, a dead-letter queue and schedules, and what happened in it."""

    def __init__(self) -> None:
        self.app = Chalice(app_name="small", configure_logs=False)
        self.seen: list[tuple[str, float]] = []
        self.failing: set[str] = set()
        self.release = threading.Event()
        self.release.set()
        self.events: list[dict[str, Any]] = []
        self.left_ms: list[float] = []

        @self.app.on_sqs_message(queue_arn="OutboxQueueArn", name="outbox", batch_size=10)
        def outbox(event: Any) -> dict[str, Any]:
            self.left_ms.append(event.context.get_remaining_time_in_millis())
            self.release.wait(WAIT_SECONDS)
            failures = []
            for record in event.to_dict()["Records"]:
                body = json.loads(record["body"])
                self.seen.append((body["name"], clock.now()))
                if body["name"] in self.failing:
                    failures.append({"itemIdentifier": record["messageId"]})
                if body["name"] == "raise":
                    raise RuntimeError("a test failure")
            return {"batchItemFailures": failures}

        @self.app.schedule(Rate(1, unit=Rate.HOURS), name="hourly")
        def hourly(event: Any) -> None:
            self.events.append(event.to_dict())
            self.seen.append(("hourly", clock.now()))

        @self.app.schedule(Cron("0", "2", "?", "*", "SUN", "*"), name="weekly")
        def weekly(event: Any) -> None:
            self.seen.append(("weekly", clock.now()))
            queues.send("outbox", {"name": "from weekly"}, delay_seconds=600)

        self.pump = Pump(self.app)
        self.schedules = Schedules(self.app, self.pump)
        self.clock = Clock(self.pump, self.schedules)

    def names(self) -> list[str]:
        return [name for name, _ in self.seen]


@pytest.fixture
def service() -> Iterator[Service]:
    with embedded.running():
        clock.set_offset(START - time.time())
        service = Service()
        service.pump.start()
        yield service
        service.release.set()
        service.pump.stop()
        service.schedules.stop()
    clock.set_offset(0.0)


def send(name: str, delay_seconds: float = 0) -> None:
    queues.send("outbox", {"name": name}, delay_seconds=delay_seconds)


def dead_letters() -> list[Any]:
    url = client.sqs().get_queue_url(QueueName="wos-outbox-dead")["QueueUrl"]
    return list(client.sqs().receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []))


# ------------------------------------------------------------------------------------------------- queues


def test_a_message_reaches_its_function_at_once_and_is_deleted(service: Service) -> None:
    started = time.monotonic()
    send("now")
    assert service.pump.wait_idle(WAIT_SECONDS)
    assert service.names() == ["now"]
    assert time.monotonic() - started < 1
    service.clock.advance(1000)
    assert service.names().count("now") == 1


def test_a_function_is_told_how_much_time_it_has_left(service: Service) -> None:
    send("now")
    assert service.pump.wait_idle(WAIT_SECONDS)
    assert 1000 < service.left_ms[0] <= 900_000


def test_only_the_failed_messages_of_a_batch_come_again(service: Service) -> None:
    service.failing.add("bad")
    service.release.clear()
    send("first")
    for name in ("good", "bad", "fine"):
        send(name)
    service.release.set()
    assert service.pump.wait_idle(WAIT_SECONDS)
    service.failing.clear()
    service.clock.advance(361)
    assert sorted(service.names()) == ["bad", "bad", "fine", "first", "good"]


def test_a_message_that_keeps_failing_goes_to_the_dead_letters_after_five_tries(service: Service) -> None:
    service.failing.add("bad")
    send("bad")
    send("raise")
    service.clock.advance(3000)
    tries = service.names()
    assert tries.count("bad") == 5 and tries.count("raise") == 5
    assert len(dead_letters()) == 2


def test_it_is_not_idle_while_a_job_runs(service: Service) -> None:
    service.release.clear()
    send("slow")
    assert not service.pump.wait_idle(0.2)
    assert service.pump.running() == ["outbox"]
    service.release.set()
    assert service.pump.wait_idle(WAIT_SECONDS)


def test_an_idle_pump_uses_no_processor_time(service: Service) -> None:
    send("later", delay_seconds=600)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.1


def test_a_queue_that_the_template_does_not_have_is_refused(service: Service) -> None:
    app = Chalice(app_name="wrong", configure_logs=False)

    @app.on_sqs_message(queue_arn="NoSuchQueueArn", name="wrong")
    def wrong(event: Any) -> None:
        raise AssertionError(event)

    with pytest.raises(LookupError, match="NoSuchQueueArn"):
        Pump(app)


# ------------------------------------------------------------------------------------------------- schedules


@pytest.mark.parametrize(
    ("expression", "now", "expected"),
    [
        ("rate(1 minute)", "2026-11-21T10:00:30Z", "2026-11-21T10:01:00Z"),
        ("rate(5 minutes)", "2026-11-21T10:00:00Z", "2026-11-21T10:05:00Z"),
        ("rate(1 day)", "2026-11-21T10:00:30Z", "2026-11-22T00:00:00Z"),
        ("cron(0 2 ? * SUN *)", "2026-11-21T10:00:00Z", "2026-11-22T02:00:00Z"),
        ("cron(0 2 ? * SUN *)", "2026-11-22T02:00:00Z", "2026-11-29T02:00:00Z"),
        ("cron(0 2 ? * 1 *)", "2026-11-22T01:59:59Z", "2026-11-22T02:00:00Z"),
        ("cron(0/15 8-9 * * ? *)", "2026-11-21T08:50:00Z", "2026-11-21T09:00:00Z"),
        ("cron(30 6 1 JAN,JUL ? *)", "2026-02-01T00:00:00Z", "2026-07-01T06:30:00Z"),
        ("cron(0 0 29 2 ? *)", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
    ],
)
def test_a_schedule_fires_next_when_its_expression_says(expression: str, now: str, expected: str) -> None:
    at = next_after(expression, datetime.fromisoformat(now).timestamp())
    assert at == datetime.fromisoformat(expected).timestamp()


@pytest.mark.parametrize("expression", ["rate(1 week)", "cron(0 2 * *)", "cron(0 25 ? * * *)", "cron(0 0 L * ? *)", ""])
def test_a_schedule_that_is_not_understood_is_refused(expression: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - int() words some of them itself
        next_after(expression, 0)


def test_schedules_fire_by_themselves_when_their_time_comes(service: Service) -> None:
    service.schedules.start()
    assert service.seen == []
    clock.set_offset(clock.offset() + 3601)
    service.schedules.wake()
    give_up = time.monotonic() + WAIT_SECONDS
    while not service.seen and time.monotonic() < give_up:
        time.sleep(0.01)
    assert service.names() == ["hourly"]


# ------------------------------------------------------------------------------------------------- the clock


def test_advancing_the_clock_fires_everything_once_at_its_own_time_in_order(service: Service) -> None:
    start = clock.now()
    send("in ten minutes", delay_seconds=600)
    service.clock.advance(8 * 86400)
    assert clock.now() >= start + 8 * 86400
    names = service.names()
    assert names.count("hourly") == 8 * 24
    assert names.count("in ten minutes") == 1
    assert names.count("weekly") == names.count("from weekly") == 1
    times = [at for _, at in service.seen]
    assert times == sorted(times)
    at = dict(service.seen)
    assert 600 <= at["in ten minutes"] - start < 602
    assert 600 <= at["from weekly"] - at["weekly"] < 602
    for name, when in service.seen:
        if name == "hourly":
            assert when % 3600 < 2
    assert service.events[0]["time"].endswith(":00:00Z")


def test_running_jobs_end_before_the_clock_moves(service: Service) -> None:
    service.release.clear()
    send("slow")
    before = clock.offset()
    advanced = threading.Thread(target=service.clock.advance, args=(1800,))
    advanced.start()
    time.sleep(0.1)
    assert clock.offset() == before
    service.release.set()
    advanced.join(WAIT_SECONDS)
    assert dict(service.seen)["slow"] < START + 60
    assert clock.offset() - before > 1700


def test_the_clock_does_not_move_back_or_with_a_store_that_is_not_ours(service: Service) -> None:
    before = clock.offset()
    with pytest.raises(Refused, match="above 0"):
        service.clock.advance(-5)
    with pytest.raises(Refused, match="embedded store"):
        Clock(service.pump, service.schedules, in_process=False).advance(5)
    assert clock.offset() == before


def test_the_clock_is_moved_over_http(service: Service) -> None:
    import httpx

    control = Control(service.clock)
    try:
        with httpx.Client(base_url=control.url, trust_env=False) as http:
            before = http.get("/clock").json()["offsetSeconds"]
            answer = http.post("/clock/advance", json={"seconds": 60})
            assert answer.status_code == 200
            assert answer.json()["id"] == "clock"
            assert answer.json()["offsetSeconds"] == pytest.approx(before + 60, abs=1)
            for body in ("{}", "x", '{"seconds": "5"}', '{"seconds": true}'):
                assert http.post("/clock/advance", content=body).json()["error"]["code"] == "bad_body"
            assert http.post("/clock/advance", json={"seconds": -1}).status_code == 409
            assert http.post("/nothing").status_code == 404
    finally:
        control.stop()
