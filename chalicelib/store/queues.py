"""Messages to the service's queues. A message is only a hint: rows are the truth, and sweepers repair lost hints."""

import json
from typing import Any, Literal

from chalicelib.settings import get_settings
from chalicelib.store import client
from chalicelib.store.context import request_id

Queue = Literal["crawl", "recheck", "writes", "agentic", "outbox", "deliveries"]

LONGEST_DELAY_SECONDS = 900  # the queue's own limit: a hint that comes early is sent again by its worker

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

    The request id of the present context goes along as ``requestId``. Raises botocore's errors.
    """
    name = get_settings().queue_prefix + queue
    current = request_id.get()
    message = body if current is None else {**body, "requestId": current}
    client.sqs().send_message(
        QueueUrl=_url(name),
        MessageBody=json.dumps(message, separators=(",", ":")),
        DelaySeconds=round(min(max(delay_seconds, 0), LONGEST_DELAY_SECONDS)),
    )
