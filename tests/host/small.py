"""A small app with a queue, a dead-letter queue and schedules, and what happened in it."""

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from chalice.app import Chalice, Cron, Rate

from chalicelib import clock
from chalicelib.store import client, queues

WAIT_SECONDS = 120.0  # for what takes milliseconds on a machine that is not busy
START = datetime(2026, 11, 18, 10, 10, tzinfo=UTC).timestamp()  # a Wednesday, ten minutes past the hour


class SmallApp:
    """``seen`` has the name of each message and schedule that came, with its time; ``failing`` names messages that
    fail; jobs wait while ``release`` is not set."""

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

    def names(self) -> list[str]:
        return [name for name, _ in self.seen]


def send(name: str, delay_seconds: float = 0) -> None:
    queues.send("outbox", {"name": name}, delay_seconds=delay_seconds)


def dead_letters() -> list[Any]:
    url = client.sqs().get_queue_url(QueueName="wos-outbox-dead")["QueueUrl"]
    return list(client.sqs().receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []))


def until(holds: Callable[[], bool]) -> None:
    """Waits until a condition holds, for the outcome of other threads."""
    give_up = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.01)
