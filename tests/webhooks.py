"""Helpers for tests of webhooks: endpoints, events, and running the workers as the queues would."""

import json
from collections.abc import Iterable
from typing import Any

from chalicelib import clock
from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.net.send import Sender
from chalicelib.randomness import random_bytes
from chalicelib.settings.core import core_settings
from chalicelib.store import deliveries as store
from chalicelib.store import endpoints, keys, secrets
from chalicelib.store import outbox as stored_outbox
from chalicelib.store.queues import Queue
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Put, commit
from chalicelib.workers.delivery import deliveries, outbox
from local import embedded
from tests.plugins import aws_weather

WORKSPACE = "wsp_1"
SECRET = "wos_wh_" + "5" * 64


def endpoint(
    url: str, events: Iterable[str] = EVENT_KINDS, endpoint_id: str = "end_1", workspace_id: str = WORKSPACE
) -> WebhookEndpoint:
    """An endpoint that is on, without asking the operation that adds one."""
    made = WebhookEndpoint(
        id=endpoint_id,
        workspace_id=workspace_id,
        url=url,
        events=list(events),
        state="on",
        created_at=clock.now(),
        secret=secrets.seal(Secret(SECRET), workspaceId=workspace_id, endpointId=endpoint_id),
    )
    endpoints.create(made)
    return made


def event(kind: str = "audit.finished", event_id: str | None = None, **fields: object) -> Event:
    """An event of a website."""
    identifier = event_id or f"evt_{random_bytes(8).hex()}"
    link = "https://app.test/sites/site_1"
    return Event(identifier, kind, clock.now(), WORKSPACE, "site_1", "shop.test", link, dict(fields))


def publish(*events: Event) -> None:
    """Commit a change of state that causes these events."""
    commit([Put("ops", {"pk": f"STATE#{random_bytes(8).hex()}", "sk": "META"})], events)


def pending() -> list[Event]:
    """The events that nobody has handed over yet."""
    return [event for shard in keys.shards() for batch in stored_outbox.pending(shard) for event in batch.events]


def take(queue: Queue) -> list[dict[str, Any]]:
    """The messages of a queue that are due; they are gone from it."""
    waiting = embedded.queues().queues[core_settings().queue_prefix + queue]._messages
    now = clock.now() * 1000
    due = [message for message in waiting if message.delayed_until <= now]
    for message in due:
        waiting.remove(message)
    return [json.loads(message.body) for message in due]


def hand_over() -> None:
    """Run the outbox worker over every message that is due."""
    for message in take("outbox"):
        outbox.handle(message, None)


def deliver(sender: Sender | None = None) -> int:
    """Run the delivery worker until no message is due. Gives how many messages there were."""
    count = 0
    while True:
        fast, failing = take("deliveries"), take("deliveries-failing")
        if not fast and not failing:
            return count
        for message in fast:
            deliveries.handle(message, None, sender)
        for message in failing:
            deliveries.handle_failing(message, None, sender)
        count += len(fast) + len(failing)


def send_all(*events: Event) -> None:
    """Events from their commit to the first try of each delivery."""
    publish(*events)
    hand_over()
    deliver()


def advance(seconds: float) -> None:
    """Move the service's clock."""
    clock.set_offset(clock.offset() + seconds)


def log(endpoint_id: str = "end_1") -> list[Delivery]:
    """The deliveries of an endpoint, oldest first, also those that the index does not show yet."""
    with aws_weather.calm():
        return store.list_latest(WORKSPACE, endpoint_id, 1000)[::-1]


def current(endpoint_id: str = "end_1") -> WebhookEndpoint:
    """The endpoint as it is stored; it must exist."""
    found = endpoints.get(WORKSPACE, endpoint_id)
    assert found is not None
    return found


def leftovers() -> list[tuple[str, str]]:
    """Keys of events that nobody handed over yet."""
    from tests import aws

    return [key for key in aws.rows("webhooks") if key[0].startswith(keys.outbox_partition(""))]
