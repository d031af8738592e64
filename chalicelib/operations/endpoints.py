"""Manages webhook endpoints, sends pings, and replays deliveries."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

from chalicelib import clock
from chalicelib.connectors import receivers
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.ids import time_ordered
from chalicelib.domain.webhooks import bodies, kinds, signature
from chalicelib.domain.webhooks.delivery import Delivery, WebhookEndpoint
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.operations import addresses
from chalicelib.operations.accounts import existing_workspace
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.permission import require
from chalicelib.randomness import random_bytes
from chalicelib.store import acts, deliveries, endpoints, queues, secrets
from chalicelib.store.errors import Conflict
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Write

ENDPOINTS_PER_WORKSPACE = 100
LONGEST_URL = 2_000
LOG_ENTRIES = 50
MOST_ATTEMPTS = 25  # the tries of the schedule and twenty replays
ENDED_AT_ONCE = 500  # waiting deliveries that end at once; the rest end when their time comes


class NewEndpoint(NamedTuple):
    """An endpoint that was just created. ``secret`` is shown once."""

    endpoint: WebhookEndpoint
    secret: Secret


def add(actor: Actor, workspace_id: str, url: str, events: Iterable[str]) -> NewEndpoint:
    """Add an endpoint for the given events. The endpoint is on at once.

    Refused: ``not_found``, ``not_allowed``, ``bad_url``, ``bad_events``, ``too_many_endpoints``.
    """
    require(actor, "manage_endpoints", workspace_id)
    existing_workspace(workspace_id)
    address, ticked = _checked_url(url), _checked_events(events)
    if len(endpoints.list_all(workspace_id)) >= ENDPOINTS_PER_WORKSPACE:
        raise Refused("too_many_endpoints", f"A workspace has at most {ENDPOINTS_PER_WORKSPACE} endpoints.")
    now = clock.now()
    endpoint_id = time_ordered("end", now, random_bytes(10))
    secret = Secret(signature.make_secret(random_bytes(signature.SECRET_BYTES)))
    endpoint = WebhookEndpoint(
        id=endpoint_id,
        workspace_id=workspace_id,
        url=address,
        events=ticked,
        state="on",
        created_at=now,
        secret=secrets.seal(secret, **endpoints.context(workspace_id, endpoint_id)),
    )
    endpoints.create(endpoint, _noted(actor, "endpoint.added", endpoint, now))
    return NewEndpoint(endpoint, secret)


def existing(actor: Actor, workspace_id: str, endpoint_id: str) -> WebhookEndpoint:
    """Return an endpoint of a workspace. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_endpoints", workspace_id)
    return _existing(workspace_id, endpoint_id)


def list_all(actor: Actor, workspace_id: str) -> list[WebhookEndpoint]:
    """List the endpoints of a workspace, oldest first. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_endpoints", workspace_id)
    existing_workspace(workspace_id)
    return endpoints.list_all(workspace_id)


def edit(
    actor: Actor, workspace_id: str, endpoint_id: str, url: str | None = None, events: Iterable[str] | None = None
) -> WebhookEndpoint:
    """Change an endpoint's address, its events, or both. The secret stays. Waiting deliveries go to the new address.
    Waiting deliveries of events that are no longer chosen end without being sent.

    Refused: ``not_found``, ``not_allowed``, ``bad_url``, ``bad_events``, ``no_changes``, ``busy``.
    """
    require(actor, "manage_endpoints", workspace_id)
    endpoint = _existing(workspace_id, endpoint_id)
    if url is None and events is None:
        raise Refused("no_changes", "Give another address, other events, or both.")
    address = None if url is None else _checked_url(url)
    ticked = None if events is None else _checked_events(events)
    noted = _noted(actor, "endpoint.edited", endpoint, clock.now(), address)
    with _changing():
        changed = endpoints.edit(workspace_id, endpoint_id, address, ticked, noted)
    if changed is None:
        raise _no_endpoint(endpoint_id)
    if ticked is not None:
        latest = deliveries.list_latest(workspace_id, endpoint_id, ENDED_AT_ONCE)
        unticked = [delivery for delivery in latest if delivery.event not in ticked]
        deliveries.end_waiting(unticked, "event_not_ticked", clock.now())
    return changed


def switch_on(actor: Actor, workspace_id: str, endpoint_id: str) -> WebhookEndpoint:
    """Switch an endpoint on again, and reset its count of failures. Deliveries that ended when the endpoint was
    switched off stay ended.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    require(actor, "manage_endpoints", workspace_id)
    noted = _noted(actor, "endpoint.on", _existing(workspace_id, endpoint_id), clock.now())
    with _changing():
        changed = endpoints.switch_on(workspace_id, endpoint_id, noted)
    return changed or _existing(workspace_id, endpoint_id)


def switch_off(actor: Actor, workspace_id: str, endpoint_id: str) -> WebhookEndpoint:
    """Switch an endpoint off: it gets no more events, and its waiting deliveries end.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    require(actor, "manage_endpoints", workspace_id)
    now = clock.now()
    noted = _noted(actor, "endpoint.off", _existing(workspace_id, endpoint_id), now)
    with _changing():
        changed = endpoints.switch_off(workspace_id, endpoint_id, now, noted)
    if changed is None:
        return _existing(workspace_id, endpoint_id)
    latest = deliveries.list_latest(workspace_id, endpoint_id, ENDED_AT_ONCE)
    deliveries.end_waiting(latest, "endpoint_off", clock.now())
    return changed


def remove(actor: Actor, workspace_id: str, endpoint_id: str) -> None:
    """Remove an endpoint and its secret; its waiting deliveries end. Refused: ``not_found``, ``not_allowed``,
    ``busy``."""
    require(actor, "manage_endpoints", workspace_id)
    noted = _noted(actor, "endpoint.removed", _existing(workspace_id, endpoint_id), clock.now())
    with _changing():
        removed = endpoints.remove(workspace_id, endpoint_id, noted)
    if not removed:
        raise _no_endpoint(endpoint_id)
    latest = deliveries.list_latest(workspace_id, endpoint_id, ENDED_AT_ONCE)
    deliveries.end_waiting(latest, "endpoint_removed", clock.now())


def ping(actor: Actor, workspace_id: str, endpoint_id: str) -> Delivery:
    """Send a ``ping`` at once, even to an endpoint that is off. It is tried only once, and the result does not change
    the endpoint's count of failures.

    Refused: ``not_found``, ``not_allowed``.
    """
    require(actor, "manage_endpoints", workspace_id)
    endpoint = _existing(workspace_id, endpoint_id)
    now = clock.now()
    delivery_id = time_ordered("dlv", now, random_bytes(10))
    link = f"{addresses.app_address()}/settings/webhooks/{endpoint.id}"
    delivery = Delivery(
        id=delivery_id,
        workspace_id=workspace_id,
        endpoint_id=endpoint.id,
        event=kinds.PING,
        created_at=now,
        body=bodies.ping(delivery_id, workspace_id, now, link),
        kind="ping",
        period=endpoint.period,
        next_try_at=now,
    )
    deliveries.create([delivery], _noted(actor, "endpoint.tested", endpoint, now))
    _send_now(delivery)
    return delivery


def log(actor: Actor, workspace_id: str, endpoint_id: str, limit: int = LOG_ENTRIES) -> list[Delivery]:
    """Return the latest deliveries of an endpoint with their tries, newest first. Deliveries of a removed endpoint are
    included for 30 days.

    Refused: ``not_found``, ``not_allowed``.
    """
    require(actor, "manage_endpoints", workspace_id)
    latest = deliveries.list_latest(workspace_id, endpoint_id, limit)
    if not latest:
        _existing(workspace_id, endpoint_id)
    return latest


def replay(actor: Actor, workspace_id: str, delivery_id: str) -> Delivery:
    """Send an ended delivery again, with the same bytes and the same id. It is tried only once, and the result does not
    change the endpoint's count of failures.

    Refused: ``not_found``, ``not_allowed``, ``still_waiting``, ``too_many_replays``.
    """
    require(actor, "manage_endpoints", workspace_id)
    delivery = _delivery(workspace_id, delivery_id)
    endpoint = _existing(workspace_id, delivery.endpoint_id)
    if len(delivery.attempts) >= MOST_ATTEMPTS:
        raise Refused("too_many_replays", f"This delivery has been sent {len(delivery.attempts)} times already.")
    now = clock.now()
    noted = _noted(actor, "delivery.replayed", endpoint, now)
    if delivery.state == "waiting" or not deliveries.replay(delivery, now, noted):
        raise Refused("still_waiting", "This delivery is still being tried; it can be replayed when it has ended.")
    _send_now(delivery)
    return delivery


def delivery(actor: Actor, workspace_id: str, delivery_id: str) -> Delivery:
    """Return a delivery with its body and its tries. Refused: ``not_found``, ``not_allowed``."""
    require(actor, "manage_endpoints", workspace_id)
    return _delivery(workspace_id, delivery_id)


def _delivery(workspace_id: str, delivery_id: str) -> Delivery:
    found = deliveries.get(delivery_id)
    if found is None or found.workspace_id != workspace_id:
        raise Refused("not_found", f"This workspace has no delivery {delivery_id}, or it is older than 30 days.")
    return found


def _noted(actor: Actor, act: str, endpoint: WebhookEndpoint, now: float, url: str | None = None) -> Write:
    """Return the write that logs an act on an endpoint. The log shows only the host, since the address may contain a
    secret."""
    host = urlsplit(url or endpoint.url).hostname or ""
    return acts.done(endpoints.TABLE, actor, endpoint.workspace_id, act, now, endpoint.id, host)


@contextmanager
def _changing() -> Iterator[None]:
    """Run the block. Refused: ``busy`` if deliveries keep changing the endpoint."""
    try:
        yield
    except Conflict:
        raise busy("this endpoint") from None


def _send_now(delivery: Delivery) -> None:
    queues.hint(
        "deliveries",
        {
            "deliveryId": delivery.id,
            "endpointId": delivery.endpoint_id,
            "workspaceId": delivery.workspace_id,
            "at": 0,
        },
    )


def _existing(workspace_id: str, endpoint_id: str) -> WebhookEndpoint:
    endpoint = endpoints.get(workspace_id, endpoint_id)
    if endpoint is None:
        raise _no_endpoint(endpoint_id)
    return endpoint


def _no_endpoint(endpoint_id: str) -> Refused:
    return Refused("not_found", f"There is no endpoint {endpoint_id} in this workspace.")


def _checked_url(url: str) -> str:
    address = url.strip()
    if len(address) > LONGEST_URL:
        raise Refused("bad_url", f"An address has at most {LONGEST_URL:,} characters.")
    reason = receivers.why_refused(address)
    if reason is not None:
        raise Refused("bad_url", f"{address[:100]!r} cannot be an endpoint: {reason}.")
    return address


def _checked_events(events: Iterable[str]) -> list[str]:
    wanted = set(events)
    unknown = sorted(wanted - set(EVENT_KINDS))
    if unknown:
        raise Refused("bad_events", f"There is no event {unknown[0]!r}; the events are {', '.join(EVENT_KINDS)}.")
    if not wanted:
        raise Refused("bad_events", f"Tick at least one event: {', '.join(EVENT_KINDS)}.")
    return [kind for kind in EVENT_KINDS if kind in wanted]
