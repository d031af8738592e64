"""Messages that say when a webhook delivery is to be looked at, each in the lane of its endpoint."""

from collections.abc import Sequence
from typing import Any

from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.retries import delay_until
from chalicelib.store import queues
from chalicelib.store.deliveries import Due
from chalicelib.store.queues import Queue

LANE: Queue = "deliveries"
FAILING_LANE: Queue = "deliveries-failing"  # endpoints that keep failing wait here for each other, not for them


def lane_of(endpoint: WebhookEndpoint | None) -> Queue:
    """The queue that an endpoint's deliveries travel in."""
    return FAILING_LANE if endpoint is not None and endpoint.keeps_failing else LANE


def send_hint(lane: Queue, due: Due, at: float, now: float) -> None:
    """Have a delivery looked at at a time. A queue waits at most 15 minutes: the worker sends early ones again."""
    queues.hint(lane, _message(due, at), delay_until(at, now))


def send_hints(made: Sequence[tuple[Delivery, WebhookEndpoint]]) -> None:
    """Have new deliveries looked at now."""
    for lane in (LANE, FAILING_LANE):
        messages = [
            _message(Due(delivery.id, endpoint.id, endpoint.workspace_id), delivery.created_at)
            for delivery, endpoint in made
            if lane_of(endpoint) == lane
        ]
        queues.hint_many(lane, messages)


def send_overdue(found: Sequence[Due], now: float) -> None:
    """Have deliveries looked at whose hints were lost. Their worker finds the lane."""
    queues.hint_many(LANE, [_message(due, now) for due in found])


def _message(due: Due, at: float) -> dict[str, Any]:
    return {
        "deliveryId": due.delivery_id,
        "endpointId": due.endpoint_id,
        "workspaceId": due.workspace_id,
        "at": at,
    }
