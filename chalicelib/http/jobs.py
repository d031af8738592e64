"""Entry points of the service that are not HTTP requests: queue messages, schedules, and calls by other Lambda
functions. Each entry sets its own log keys and request id."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chalice.app import CloudWatchEvent, SQSEvent

from chalicelib import clock, metrics
from chalicelib.http import logs
from chalicelib.settings.core import core_settings
from chalicelib.store import context, ownership

_log = logging.getLogger(__name__)


def consume(event: SQSEvent, handle: Callable[[Mapping[str, Any], Any], object]) -> dict[str, Any]:
    """Pass each message to ``handle(message, context)``. If some fail, they are reported to SQS, which delivers only
    these again.

    While the workers are held (paused, see ``store.ownership``), messages are dropped. When the workers are released,
    the sweeper (a schedule that finds overdue work) sends new messages.
    """
    failures: list[dict[str, str]] = []
    if ownership.is_held():
        with _entry(None):
            _log.warning(
                "messages are dropped because the workers are held (paused); manage.py store release resumes them"
            )
        return {"batchItemFailures": failures}
    for record in event.to_dict()["Records"]:
        started = clock.monotonic()
        handled = _handled(record, handle, event.context)
        metrics.put(
            metrics.MESSAGES,
            _queue(record),
            MessagesHandled=int(handled),
            MessagesFailed=int(not handled),
            MessageTime=clock.monotonic() - started,
        )
        if not handled:
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}


def _queue(record: Mapping[str, Any]) -> str:
    """Return the name of the queue that a message came from, without the deployment's prefix."""
    name: str = record.get("eventSourceARN", "").rpartition(":")[2]
    return name.removeprefix(core_settings().queue_prefix) or "unknown"


def _handled(
    record: Mapping[str, Any], handle: Callable[[Mapping[str, Any], Any], object], lambda_context: Any
) -> bool:
    with _entry(None, messageId=record["messageId"]):
        try:
            message = json.loads(record["body"])
            request_id = message.get("requestId")
            context.request_id.set(request_id)
            logs.add(requestId=request_id)
            handle(message, lambda_context)
        except Exception:
            _log.exception("a message failed")
            return False
    return True


def run(name: str, event: CloudWatchEvent, work: Callable[[], object]) -> None:
    """Run a schedule's work. A failure is logged and raised, so that AWS retries the run.

    While the workers are held (paused, see ``store.ownership``), the work is skipped. A skipped run counts neither as
    done nor as failed. If the operator forgets to release the workers, an alarm reports that the schedule has not run.
    """
    with _entry(None, schedule=name):
        started, done, failed = clock.monotonic(), False, True
        try:
            held = ownership.settle()
            result = "held" if held else work()
            done, failed = not held, False
        except Exception:
            _log.exception("a schedule failed")
            raise
        finally:
            metrics.put(
                metrics.SCHEDULES,
                name,
                SchedulesDone=int(done),
                SchedulesFailed=int(failed),
                ScheduleTime=clock.monotonic() - started,
            )
        _log.info("schedule done", extra={"result": result})


def answer(name: str, work: Callable[[], Any]) -> Any:
    """Answer a call of another function. A failure is logged and raised, and Lambda reports it to the caller."""
    with _entry(None, function=name):
        try:
            return work()
        except Exception:
            _log.exception("a call failed")
            raise


@contextmanager
def _entry(request_id: str | None, **keys: object) -> Iterator[None]:
    """Set the request id and log keys of one entry, and clear them after it."""
    token = context.request_id.set(request_id)
    logs.begin(request_id, **keys)
    try:
        yield
    finally:
        context.request_id.reset(token)
