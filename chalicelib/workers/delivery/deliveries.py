"""The worker of the queues ``deliveries`` and ``deliveries-failing``: one try of one webhook delivery.

Trigger: a message {deliveryId, endpointId, workspaceId, at}, sent when the delivery is created, for each later try, and
by the sweeper for overdue deliveries. The message only asks a worker to check the delivery; the stored row says what is
due.

Claim: one transaction takes the delivery and one of its endpoint's slots. Its condition is that this try was not made
yet and that no other worker has claimed the delivery. The endpoint and its secret are read just before the claim, so
that no claim remains if the key service fails.

Failure policy
- Killed before the claim, or the message lost: the message is delivered again, or the sweeper sends another.
- Killed between claim and record: it is unknown whether the receiver was reached. When the lease is over, the try is
  made again with the same delivery id and the same bytes. So delivery is at least once, and the receiver can detect
  repeats.
- The record is one transaction: the try in the log, the endpoint's count of failures, the slot, the next try. If
  another worker has recorded the try, the transaction fails as a whole. So no try counts twice.
- Killed after the record: the next try's message is missing, and the sweeper finds it.
- Two workers claim one try: the second claim fails.
- The secret cannot be read: an error is logged, no try is made, and no failure of the endpoint is counted. The delivery
  is checked again at the intervals of the retry schedule, then each hour. This ends when the secret can be read, or
  when the delivery expires after 30 days.
- All slots of the endpoint are taken: the delivery goes to the end of the queue. After a while, it is postponed for
  some seconds. So an endpoint that hangs does not delay other endpoints, and uses no more workers than it has slots.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from chalicelib import clock, metrics
from chalicelib.domain import hiding
from chalicelib.domain.webhooks import retries, signature
from chalicelib.domain.webhooks.delivery import Attempt, Delivery, WebhookEndpoint, after, ended_by
from chalicelib.net.guard import Guard
from chalicelib.net.send import Sender
from chalicelib.settings.network import network_settings
from chalicelib.store import deliveries, endpoints, secrets
from chalicelib.store.deliveries import Claim, Due, Recorded
from chalicelib.store.errors import AWS_ERRORS
from chalicelib.store.queues import Queue
from chalicelib.store.slots import NoSlot
from chalicelib.workers.delivery.hints import FAILING_LANE, LANE, lane_of, send_hint

ENDED_AT_ONCE = 500  # deliveries that end at once with their endpoint; the rest end at their next try

_log = logging.getLogger(__name__)


def handle(message: Mapping[str, Any], context: object, sender: Sender | None = None) -> None:
    """Make the try that the message names, if it is due. ``sender``: for tests, a sender with other limits."""
    _handle(message, LANE, sender or _sender())


def handle_failing(message: Mapping[str, Any], context: object, sender: Sender | None = None) -> None:
    """Make the try that the message names, if it is due. Used for the queue of endpoints that keep failing."""
    _handle(message, FAILING_LANE, sender or _sender())


def _sender() -> Sender:
    settings = network_settings()
    return _sender_of(settings.allow_addresses, settings.extra_hosts, settings.extra_ca_file)


@lru_cache(maxsize=1)
def _sender_of(allow_addresses: str, extra_hosts: str, ca_file: str) -> Sender:
    return Sender(Guard(allow_addresses, extra_hosts), ca_file=ca_file)


def _handle(message: Mapping[str, Any], lane: Queue, sender: Sender) -> None:
    due = Due(message["deliveryId"], message["endpointId"], message["workspaceId"])
    now = clock.now()
    if message["at"] > now:
        send_hint(lane, due, message["at"], now)
        return
    loaded = deliveries.load(due.workspace_id, due.endpoint_id, due.delivery_id)
    delivery, endpoint = loaded.delivery, loaded.endpoint
    if delivery is None or delivery.state != "waiting" or delivery.next_try_at is None:
        return
    if delivery.next_try_at > now:
        send_hint(lane, due, delivery.next_try_at, now)
        return
    ending = ended_by(delivery, endpoint)
    if ending is not None or endpoint is None:
        deliveries.end(delivery, ending or "endpoint_removed", now)
        return
    if lane == LANE and lane_of(endpoint) == FAILING_LANE:
        send_hint(FAILING_LANE, due, now, now)
        return
    try:
        secret = secrets.unseal(endpoint.secret, **endpoints.context(endpoint.workspace_id, endpoint.id))
    except AWS_ERRORS as error:
        _hold_up(delivery, due, lane, error)
        return
    try:
        claimed = deliveries.claim(loaded, now)
    except NoSlot:
        _postpone(delivery, due, lane, now)
        return
    if claimed is not None:
        _try(delivery, endpoint, claimed, secret.reveal(), sender, due)


def _postpone(delivery: Delivery, due: Due, lane: Queue, now: float) -> None:
    """Postpone the delivery. Only the worker that changes the row's time sends a message, so messages do not
    multiply."""
    at = retries.postponed(now, delivery.waiting_since)
    if deliveries.postpone(delivery, at):
        send_hint(lane, due, at, now)


def _hold_up(delivery: Delivery, due: Due, lane: Queue, error: Exception) -> None:
    """Postpone the delivery because its signing secret cannot be read. This is the service's own failure, so it does
    not count as a try."""
    now = clock.now()
    wait = retries.wait_after_own_failure(delivery.own_failures)
    if deliveries.hold_up(delivery, now + wait):
        keys = {"deliveryId": due.delivery_id, "endpointId": due.endpoint_id, "workspaceId": due.workspace_id}
        told = {**keys, "failures": delivery.own_failures + 1, "waitSeconds": wait}
        _log.error("webhook not tried, its secret cannot be read: %s", error, extra=told)
        send_hint(lane, due, now + wait, now)


def _try(delivery: Delivery, endpoint: WebhookEndpoint, claimed: Claim, secret: str, sender: Sender, due: Due) -> None:
    headers = signature.headers(delivery.event, delivery.id, secret, delivery.body)
    at = clock.now()
    outcome = sender.post(endpoint.url, headers, delivery.body)
    now = clock.now()
    hidden = _hidden(secret, headers[signature.SIGNATURE_HEADER])
    attempt = Attempt(
        at=at,
        phase=outcome.phase,
        status=outcome.status,
        ms=outcome.ms,
        reply=hiding.without(outcome.reply, hidden),
        error=None if outcome.error is None else hiding.without(outcome.error, hidden),
        replay=delivery.replay_of is not None,
    )
    recorded = deliveries.record(delivery, endpoint, claimed, attempt, after(delivery, attempt, now), now)
    if recorded is None:
        return
    _tell(delivery, endpoint, attempt, recorded)
    if recorded.next_try_at is not None:
        send_hint(lane_of(recorded.endpoint), due, recorded.next_try_at, now)
    if recorded.switched_off:
        latest = deliveries.list_latest(endpoint.workspace_id, endpoint.id, ENDED_AT_ONCE)
        deliveries.end_waiting(latest, "endpoint_off", now)


def _hidden(secret: str, signed: str) -> dict[str, str]:
    """Return the secrets that the log of tries must hide, each with its replacement. A receiver may echo its
    request."""
    return {secret: "[secret]", signed.partition("=")[2]: "[signature]"}


def _tell(delivery: Delivery, endpoint: WebhookEndpoint, attempt: Attempt, recorded: Recorded) -> None:
    _log.info(
        "webhook tried",
        extra={
            "deliveryId": delivery.id,
            "endpointId": endpoint.id,
            "eventKind": delivery.event,
            "state": recorded.state,
            "status": attempt.status,
            "phase": attempt.phase,
            "milliseconds": attempt.ms,
        },
    )
    metrics.put(
        metrics.DELIVERIES,
        Delivered=int(attempt.phase is None),
        TriesFailed=int(attempt.phase is not None),
        EndpointsSwitchedOff=int(recorded.switched_off),
    )
    metrics.use("deliveries", endpoint.workspace_id, 1)
    if recorded.switched_off:
        _log.warning("webhook endpoint switched off", extra={"endpointId": endpoint.id})
