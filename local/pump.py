"""Brings messages to the functions that app.py registers for queues, as Lambda's event source mappings do.

A function gets batches of at most its batch size. What it answers in ``batchItemFailures``, or all of a batch when it
raises, stays in the queue until its visibility ends, and goes to the dead letters after too many tries. On the
embedded AWS a message is taken the moment it is due; on another store each queue is polled once a second.
"""

import contextlib
import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from chalice.app import Chalice, SQSEventConfig
from chalice.local import LambdaContext

from chalicelib import clock
from chalicelib.store import client
from local import embedded, template
from local.locking import CHANGED, LOCK

CONFIG = Path(__file__).resolve().parent.parent / ".chalice" / "config.json"
DEFAULT_TIMEOUT_SECONDS = 60  # Chalice's own
JOBS_AT_ONCE = 4  # of one queue, where app.py names no number
MOST_JOBS_AT_ONCE = 50
POLL_SECONDS = 1  # how long a poll of a store outside this process waits
RETRY_SECONDS = 2.0  # after a poll that failed

log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def _config() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(CONFIG.read_text(encoding="utf-8")) if CONFIG.exists() else {}
    return content


def timeout_seconds(function: str) -> int:
    """How long a function may run: what .chalice/config.json says of it, as in a deployment."""
    config = _config()
    stages = [*config.get("stages", {}).values(), config]
    for stage in stages:
        seconds = stage.get("lambda_functions", {}).get(function, {}).get("lambda_timeout")
        if seconds is not None:
            return int(seconds)
    return next(
        (int(stage["lambda_timeout"]) for stage in stages if "lambda_timeout" in stage), DEFAULT_TIMEOUT_SECONDS
    )


def context(function: str) -> LambdaContext:
    """What Lambda hands to a function beside the event: its request id, and how much time is left."""
    return LambdaContext(function, 1024, max_runtime_ms=timeout_seconds(function) * 1000)


@dataclass(frozen=True, slots=True)
class _Consumer:
    function: str
    handler: Any
    queue: str
    url: str
    arn: str
    batch_size: int
    free: threading.Semaphore


class Pump:
    """One poller a queue; each batch runs in a thread of its own, as many of a queue at once as app.py allows."""

    def __init__(self, app: Chalice, in_process: bool = True) -> None:
        """``in_process``: the queues are the embedded ones of this process. Raises ``LookupError`` when app.py names
        a queue that infra/template.yaml does not have."""
        self._in_process = in_process
        self._stopping = False
        self._running: dict[int, str] = {}
        self._count = 0
        self._consumers = [
            self._consumer(app, source) for source in app.event_sources if isinstance(source, SQSEventConfig)
        ]

    def _consumer(self, app: Chalice, source: SQSEventConfig) -> _Consumer:
        queue = template.queue_of_placeholder(source.queue_arn or "").name
        sqs = client.sqs()
        url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        return _Consumer(
            function=source.name,
            handler=app.handler_map[source.name],
            queue=queue,
            url=url,
            arn=arn,
            batch_size=min(source.batch_size, 10),
            free=threading.Semaphore(min(source.maximum_concurrency or JOBS_AT_ONCE, MOST_JOBS_AT_ONCE)),
        )

    def start(self) -> None:
        """Begins to poll."""
        for consumer in self._consumers:
            threading.Thread(target=self._poll, args=(consumer,), name=f"pump-{consumer.queue}", daemon=True).start()

    def stop(self) -> None:
        """Takes no more messages. Jobs that run are not waited for."""
        self._stopping = True
        with LOCK:
            CHANGED.notify_all()

    @contextlib.contextmanager
    def job(self, name: str) -> Iterator[None]:
        """Counts the block as a job that runs, for ``idle``."""
        number = self._begin(name)
        try:
            yield
        finally:
            self._end(number)

    def running(self) -> list[str]:
        """The functions that run now, one entry a job."""
        with LOCK:
            return list(self._running.values())

    def idle(self) -> bool:
        """Whether no job runs, and none could begin now."""
        with LOCK:
            return not self._running and not any(self._is_due(consumer) for consumer in self._consumers)

    def wait_idle(self, seconds: float) -> bool:
        """Waits until ``idle``. False: it did not come to that in this time."""
        with CHANGED:
            return CHANGED.wait_for(self.idle, seconds)

    def next_due(self) -> float | None:
        """When the next message becomes due (seconds, service's clock; embedded queues only). None: there is none."""
        times = [embedded.next_due(consumer.queue) for consumer in self._consumers]
        return min((at for at in times if at is not None), default=None)

    def _is_due(self, consumer: _Consumer) -> bool:
        if not self._in_process or self._stopping:
            return False
        at = embedded.next_due(consumer.queue)
        return at is not None and at <= clock.now()

    def _begin(self, name: str) -> int:
        with LOCK:
            self._count += 1
            self._running[self._count] = name
            return self._count

    def _end(self, number: int) -> None:
        with LOCK:
            del self._running[number]
            CHANGED.notify_all()

    def _poll(self, consumer: _Consumer) -> None:
        while not self._stopping:
            consumer.free.acquire()
            try:
                number, messages = self._take(consumer)
            except Exception:
                consumer.free.release()
                log.exception("queue %s could not be read", consumer.queue)
                clock.sleep(RETRY_SECONDS)
                continue
            if number is None:
                consumer.free.release()
                continue
            threading.Thread(
                target=self._run, args=(consumer, number, messages), name=f"job-{consumer.function}", daemon=True
            ).start()

    def _take(self, consumer: _Consumer) -> tuple[int | None, list[dict[str, Any]]]:
        """The next batch, already counted as a running job; (None, []) when there was none."""
        if not self._in_process:
            messages = self._receive(consumer, POLL_SECONDS)
            return (self._begin(consumer.function), messages) if messages else (None, [])
        # Taking and counting under one lock: nobody sees the moment between the two, so idle() is exact.
        with CHANGED:
            while not self._stopping:
                at = embedded.next_due(consumer.queue)
                wait = None if at is None else at - clock.now()
                if wait is not None and wait <= 0:
                    messages = self._receive(consumer, 0)
                    if messages:
                        return self._begin(consumer.function), messages
                else:
                    CHANGED.wait(wait)
        return None, []

    def _receive(self, consumer: _Consumer, wait_seconds: int) -> list[dict[str, Any]]:
        answer = client.sqs().receive_message(
            QueueUrl=consumer.url,
            MaxNumberOfMessages=consumer.batch_size,
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        found: list[dict[str, Any]] = answer.get("Messages", [])  # type: ignore[assignment]
        return found

    def _run(self, consumer: _Consumer, number: int, messages: list[dict[str, Any]]) -> None:
        try:
            failed = self._handle(consumer, messages)
            done = [message for message in messages if message["MessageId"] not in failed]
            if done:
                client.sqs().delete_message_batch(
                    QueueUrl=consumer.url,
                    Entries=[
                        {"Id": str(position), "ReceiptHandle": message["ReceiptHandle"]}
                        for position, message in enumerate(done)
                    ],
                )
        except Exception:
            log.exception("messages of %s stay in the queue", consumer.queue)
        finally:
            consumer.free.release()
            self._end(number)

    def _handle(self, consumer: _Consumer, messages: list[dict[str, Any]]) -> set[str]:
        """Calls the function. Returns the ids of the messages that are to come again."""
        event = {"Records": [_record(message, consumer.arn) for message in messages]}
        try:
            answer = consumer.handler(event, context(consumer.function)) or {}
        except Exception:
            log.exception("function %s failed; its messages come again", consumer.function)
            return {message["MessageId"] for message in messages}
        return {failure["itemIdentifier"] for failure in answer.get("batchItemFailures", [])}


def _record(message: dict[str, Any], arn: str) -> dict[str, Any]:
    """A message as a function sees it."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message.get("Attributes", {}),
        "messageAttributes": message.get("MessageAttributes", {}),
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": arn.split(":")[3],
    }
