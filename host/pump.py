"""Brings messages to the functions that app.py registers for queues, like Lambda's event source mappings.

A function gets batches of at most its batch size. The messages that it returns in ``batchItemFailures`` become visible
in the queue again. If it raises an exception, all messages of the batch become visible again. After too many tries, a
message is moved to the dead-letter queue.
"""

import logging
import threading
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, get_args

from chalice.app import Chalice, SQSEventConfig

from chalicelib import clock
from chalicelib.settings.core import core_settings
from chalicelib.store import client, health, queues
from chalicelib.store.errors import AWS_ERRORS
from host.jobs import Jobs
from host.messages import Batch, Message, Queue, Source

MOST_IN_BATCH = 10  # SQS's own limit
# How many batches of one queue this process runs at once. A Lambda deployment uses the numbers in app.py.
JOBS_AT_ONCE = 4
MORE_AT_ONCE = {"sampling": 10, "deliveries": 50, "deliveries_failing": 10}  # they mostly wait for the network
RETRY_SECONDS = 2.0  # wait after a poll that failed; doubled after each further one
LONGEST_RETRY_SECONDS = 30.0
_MISSING = "missing"  # the cause of a queue that does not exist
STOP_SECONDS = 5.0  # how long to wait for polls to end; a queue at its limit of jobs is not polled

log = logging.getLogger(__name__)


def queue_name(placeholder: str) -> str:
    """Return the name of a queue from the name that app.py uses for it, for example ``DeliveriesFailingQueueArn``.

    Chalice cannot refer to a resource of the template, so app.py names a queue by its logical id followed by ``Arn``.
    Raises ``LookupError`` for an unknown queue.
    """
    for name in get_args(queues.Queue):
        if placeholder == "".join(word.capitalize() for word in name.split("-")) + "QueueArn":
            return core_settings().queue_prefix + str(name)
    raise LookupError(f"the service has no queue for {placeholder}")


@dataclass(frozen=True, slots=True)
class _Consumer:
    function: str
    handler: Any
    queue: Queue
    free: threading.Semaphore


class _Outage:
    """Logs that queues cannot be read: each cause once, as long as it lasts for any queue."""

    def __init__(self, names: list[str]) -> None:
        """``names``: of all queues that are polled."""
        self._lock = threading.Lock()
        self._names = names
        self._failing: dict[str, Hashable] = {}  # the cause by queue

    def failed(self, name: str, error: Exception) -> None:
        """Note that a poll of this queue failed."""
        with self._lock:
            if health.is_missing(error):
                self._log_missing(name)
                return
            cause = type(error), health.code_of(error)
            is_known = cause in self._failing.values()
            self._failing[name] = cause
            if is_known:
                return
            if isinstance(error, AWS_ERRORS):
                log.error("queue %s could not be read: %s", name, " ".join(str(error).split()))
            else:
                log.exception("queue %s could not be read", name)

    def ended(self, name: str) -> None:
        """Note that a poll of this queue succeeded."""
        with self._lock:
            if self._failing.pop(name, None) is not None and not self._failing:
                log.warning("all queues can be read again")

    def _log_missing(self, name: str) -> None:
        """Log in one line all queues that are missing: often all were lost at the same time."""
        if self._failing.get(name) != _MISSING:
            known = {one for one, cause in self._failing.items() if cause == _MISSING}
            found = {one for one in self._names if one == name or _is_missing(one)} - known
            self._failing.update(dict.fromkeys(found, _MISSING))
            log.error(
                "queues could not be read because they are missing: %s: manage.py store create creates them",
                ", ".join(sorted(found)),
            )


class Pump:
    """Polls each queue in a thread, and runs each batch in a thread.

    The number of concurrent batches of a queue is limited.
    """

    def __init__(self, app: Chalice, source: Source, jobs: Jobs) -> None:
        """``source`` gives the messages; ``jobs`` counts running batches.

        Raises ``LookupError`` if app.py names an unknown queue, and botocore's errors if SQS has no queue of that name.
        """
        self._source = source
        self.jobs = jobs
        self._pollers: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._consumers = [_consumer(app, given) for given in app.event_sources if isinstance(given, SQSEventConfig)]
        self._outage = _Outage([queue.name for queue in self.queues])

    @property
    def queues(self) -> list[Queue]:
        """The queues that the pump reads."""
        return [consumer.queue for consumer in self._consumers]

    def start(self) -> None:
        """Begin to read the queues."""
        for consumer in self._consumers:
            name = f"pump-{consumer.queue.name}"
            poller = threading.Thread(target=self._poll, args=(consumer,), name=name, daemon=True)
            poller.start()
            self._pollers.append(poller)

    def stop(self) -> None:
        """Take no more messages. Does not wait for running jobs."""
        self._source.stop()
        self._stopping.set()

    def wait(self, seconds: float = STOP_SECONDS) -> None:
        """Wait until all polls have ended. Call this after ``stop``.

        Before that, ``jobs`` may not count every job, because a poll may still begin one.
        """
        give_up = clock.monotonic() + seconds
        for poller in self._pollers:
            poller.join(max(0.0, give_up - clock.monotonic()))

    def _poll(self, consumer: _Consumer) -> None:
        def begin() -> int:
            return self.jobs.begin(consumer.function)

        wait = RETRY_SECONDS
        while not self._source.stopped:
            consumer.free.acquire()
            try:
                batch = self._source.take(consumer.queue, begin)
            except Exception as error:
                consumer.free.release()
                self._outage.failed(consumer.queue.name, error)
                self._stopping.wait(wait)
                wait = min(2 * wait, LONGEST_RETRY_SECONDS)
                continue
            wait = RETRY_SECONDS
            if not self._source.stopped:
                self._outage.ended(consumer.queue.name)
            if batch is None:
                consumer.free.release()
                continue
            threading.Thread(
                target=self._run, args=(consumer, batch), name=f"job-{consumer.function}", daemon=True
            ).start()

    def _run(self, consumer: _Consumer, batch: Batch) -> None:
        try:
            failed = _handle(consumer, batch.messages, self.jobs)
            done = [message for message in batch.messages if message["MessageId"] not in failed]
            if done:
                client.sqs().delete_message_batch(
                    QueueUrl=consumer.queue.url,
                    Entries=[
                        {"Id": str(position), "ReceiptHandle": message["ReceiptHandle"]}
                        for position, message in enumerate(done)
                    ],
                )
        except Exception:
            log.exception("messages of %s stay in the queue", consumer.queue.name)
        finally:
            consumer.free.release()
            self.jobs.end(batch.job)


def _is_missing(name: str) -> bool:
    try:
        return health.queue_is_missing(name.removeprefix(core_settings().queue_prefix))
    except AWS_ERRORS:
        return False


def _consumer(app: Chalice, given: SQSEventConfig) -> _Consumer:
    name = queue_name(given.queue_arn or "")
    sqs = client.sqs()
    url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return _Consumer(
        function=given.name,
        handler=app.handler_map[given.name],
        queue=Queue(name, url, arn, min(given.batch_size, MOST_IN_BATCH)),
        free=threading.Semaphore(MORE_AT_ONCE.get(given.name, JOBS_AT_ONCE)),
    )


def _handle(consumer: _Consumer, messages: list[Message], jobs: Jobs) -> set[str]:
    """Call the function with a batch. Returns the ids of the messages to make visible in the queue again."""
    event = {"Records": [_record(message, consumer.queue.arn) for message in messages]}
    try:
        answer = consumer.handler(event, jobs.context(consumer.function)) or {}
    except Exception:
        log.exception("function %s failed; its messages will be retried", consumer.function)
        return {message["MessageId"] for message in messages}
    return {failure["itemIdentifier"] for failure in answer.get("batchItemFailures", [])}


def _record(message: Message, arn: str) -> dict[str, Any]:
    """Convert a message to a record of Lambda's SQS event."""
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
