"""Sends messages (hints) that ask a worker to check a webhook delivery. Each message goes to the queue that serves the
delivery's endpoint."""

from collections.abc import Sequence
from typing import Any

from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.retries import delay_until
from chalicelib.store import queues
from chalicelib.store.deliveries import Due
from chalicelib.store.queues import Queue

LANE: Queue = "deliveries"
FAILING_LANE: Queue = "deliveries-failing"  # in this queue, failing endpoints delay only each other


def lane_of(endpoint: WebhookEndpoint | None) -> Queue:
    """Return the queue for an endpoint's deliveries."""
    return FAILING_LANE if endpoint is not None and endpoint.keeps_failing else LANE


def send_hint(lane: Queue, due: Due, at: float, now: float) -> None:
    """Schedule a check of a delivery at the time ``at`` (epoch seconds).

    A queue delays by at most 15 minutes. If a worker gets a message before the time ``at``, it sends the message again.
    """
    queues.hint(lane, _message(due, at), delay_until(at, now))


def send_hints(made: Sequence[tuple[Delivery, WebhookEndpoint]]) -> None:
    """Schedule an immediate check of new deliveries."""
    for lane in (LANE, FAILING_LANE):
        messages = [
            _message(Due(delivery.id, endpoint.id, endpoint.workspace_id), delivery.created_at)
            for delivery, endpoint in made
            if lane_of(endpoint) == lane
        ]
        queues.hint_many(lane, messages)


def send_overdue(found: Sequence[Due], now: float) -> None:
    """Schedule a check of overdue deliveries whose messages were lost. The worker chooses the queue."""
    queues.hint_many(LANE, [_message(due, now) for due in found])


def _message(due: Due, at: float) -> dict[str, Any]:
    return {
        "deliveryId": due.delivery_id,
        "endpointId": due.endpoint_id,
        "workspaceId": due.workspace_id,
        "at": at,
    }
