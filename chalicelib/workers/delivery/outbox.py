"""The worker of the queue ``outbox``: turns the events of one committed batch into deliveries to subscribed endpoints,
and into notices for the people who want them by mail.

Trigger: a message {pk, sk} that names a batch of events, sent after the transaction that wrote the batch. The sweeper
sends it again for batches that are still stored some seconds later.

There is no claim. Every worker writes the same rows: a delivery's id is computed from event and endpoint, and an
existing delivery is not changed.

Failure policy
- Killed before or while the deliveries are written: the message is delivered again, or the sweeper sends it. Deliveries
  that exist stay, and the missing ones are written.
- Killed before or while the messages to the queue ``deliveries`` are sent: the message is delivered again, and the
  sweeper finds deliveries without a message.
- Killed before or while the notices are written: the message is delivered again. Each notice is written together with a
  row that marks its event as seen, so a person gets the notice only once. For a notice about values that wait
  for approval, the row marks the website and the week instead of the event.
- Killed before the batch is removed: the next worker finds everything done. It sends the messages to the queue
  ``deliveries`` once more, which does no harm, and removes the batch. The batch is removed last, so no event is lost.
  Ids are computed, so no event is sent twice.
- An event whose body cannot be written (invalid Unicode) is logged and skipped, so it delays no other event.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from chalicelib import clock
from chalicelib.domain.ids import hashed
from chalicelib.domain.webhooks import bodies
from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.notices import of_event
from chalicelib.operations import addresses, awaiting
from chalicelib.settings.core import APP_PATH
from chalicelib.settings.mail import mail_settings
from chalicelib.store import deliveries, endpoints, notices, outbox
from chalicelib.workers.delivery.hints import send_hints

_log = logging.getLogger(__name__)


def handle(message: Mapping[str, Any], context: object) -> None:
    """Create the deliveries and notices of the batch that the message names. Does nothing if the batch is done."""
    batch = outbox.load(message["pk"], message["sk"])
    if batch is None:
        return
    events = _with_links(batch.events)
    made = _fan_out(events, clock.now(), batch.request_id)
    deliveries.create([delivery for delivery, _ in made])
    send_hints(made)
    _notify(events)
    outbox.remove(batch)
    _log.info("events handed over", extra={"events": len(batch.events), "deliveries": len(made)})


def _with_links(events: Sequence[Event]) -> list[Event]:
    """Return the events with full URLs as links. Without ``APP_URL``, links are stored as paths of the app. They stay
    paths if no public address is stored either."""
    if not any((event.link or "").startswith(APP_PATH) for event in events):
        return list(events)
    root = addresses.app_address()
    return [_with_link(event, root) for event in events]


def _with_link(event: Event, root: str) -> Event:
    if event.link is None or not event.link.startswith(APP_PATH):
        return event
    return msgspec.structs.replace(event, link=root + event.link.removeprefix(APP_PATH))


def _fan_out(events: Sequence[Event], now: float, request_id: str | None) -> list[tuple[Delivery, WebhookEndpoint]]:
    """Make the deliveries of the events, each with its endpoint."""
    made = []
    for workspace_id in dict.fromkeys(event.workspace_id for event in events):
        receivers = [endpoint for endpoint in endpoints.list_all(workspace_id) if endpoint.state == "on"]
        for event in events:
            if event.workspace_id != workspace_id:
                continue
            for endpoint in receivers:
                if event.kind in endpoint.events:
                    delivery = _delivery(event, endpoint, now, request_id)
                    if delivery is not None:
                        made.append((delivery, endpoint))
    return made


def _notify(events: Sequence[Event]) -> None:
    """Add the notices of the events to the next mails of the people who want notices."""
    told = [(event, notice) for event in events if (notice := of_event(event)) is not None]
    if not told or not mail_settings().sender:
        return
    for workspace_id in dict.fromkeys(event.workspace_id for event, _ in told):
        people = notices.of_workspace(workspace_id)
        if not people:
            continue
        of_workspace = [(event, notice) for event, notice in told if event.workspace_id == workspace_id]
        waiting = [made for event, _ in of_workspace if (made := awaiting.notice_after(event)) is not None]
        for found in people:
            person = found
            for notice in [*(notice for _, notice in of_workspace), *waiting]:
                person = notices.add(person, notice, clock.now())


def _delivery(event: Event, endpoint: WebhookEndpoint, now: float, request_id: str | None) -> Delivery | None:
    delivery_id = hashed("dlv", event.id, endpoint.id)
    try:
        body = bodies.build(event, delivery_id)
    except ValueError:
        _log.error("an event cannot be written as JSON", extra={"eventId": event.id, "eventKind": event.kind})
        return None
    return Delivery(
        id=delivery_id,
        workspace_id=event.workspace_id,
        endpoint_id=endpoint.id,
        event=event.kind,
        created_at=now,
        body=body,
        period=endpoint.period,
        next_try_at=now,
        request_id=request_id,
    )
