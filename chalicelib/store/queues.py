"""Messages to the service's queues. A message is only a hint: rows are the truth, and sweepers repair lost hints."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from chalicelib.settings.core import core_settings
from chalicelib.store import client
from chalicelib.store.context import request_id

Queue = Literal["crawl", "recheck", "writes", "agentic", "outbox", "deliveries", "deliveries-failing"]

LONGEST_DELAY_SECONDS = 900  # the queue's own limit: a hint that comes early is sent again by its worker

_BATCH = 10  # messages in one call

_urls: dict[tuple[int, str], str] = {}


def _url(name: str) -> str:
    sqs = client.sqs()
    known = _urls.get((id(sqs), name))
    if known is None:
        known = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        _urls[id(sqs), name] = known
    return known


def send(queue: Queue, body: dict[str, Any], delay_seconds: float = 0) -> None:
    """Send ``body`` as JSON, to be received after ``delay_seconds`` (cut to 900).

    The request id of the present context goes along as ``requestId``, unless the body names one itself. Raises
    botocore's errors.
    """
    name = core_settings().queue_prefix + queue
    current = request_id.get()
    message = body if current is None else {"requestId": current, **body}
    client.sqs().send_message(
        QueueUrl=_url(name),
        MessageBody=json.dumps(message, separators=(",", ":")),
        DelaySeconds=round(min(max(delay_seconds, 0), LONGEST_DELAY_SECONDS)),
    )


def send_many(queue: Queue, bodies: Sequence[dict[str, Any]]) -> None:
    """Send many messages at once, ten a call, as ``send`` does each. Those that the queue itself refuses are lost."""
    url = _url(core_settings().queue_prefix + queue)
    current = request_id.get()
    for start in range(0, len(bodies), _BATCH):
        entries = []
        for number, body in enumerate(bodies[start : start + _BATCH]):
            message = body if current is None else {"requestId": current, **body}
            entries.append({"Id": str(number), "MessageBody": json.dumps(message, separators=(",", ":"))})
        client.sqs().send_message_batch(QueueUrl=url, Entries=entries)  # type: ignore[arg-type]
