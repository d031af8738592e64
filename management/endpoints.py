"""The command group ``endpoints``: add, list, edit, test, log, on, off, remove, replay."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import DeliveryId, EndpointId, WorkspaceId
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.webhooks.delivery import Attempt, Delivery, WebhookEndpoint

# A receiver has 20 seconds to answer. The rest of the wait is for the message to the worker and for its result.
TRY_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 0.1

commands = typer.Typer(
    help="Webhook endpoints. An endpoint's secret is shown once, when it is added.", no_args_is_help=True
)

EventsOption = Annotated[
    list[str] | None, typer.Option("--event", help="an event, such as audit.finished (may be repeated)")
]


def _shown(endpoint: "WebhookEndpoint") -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "state": endpoint.state,
        "offReason": endpoint.off_reason,
        "offAt": timestamp(endpoint.off_at),
        "failuresInARow": endpoint.failures_in_a_row,
        "createdAt": timestamp(endpoint.created_at),
    }


def _entry(delivery: "Delivery") -> dict[str, Any]:
    return {
        "id": delivery.id,
        "event": delivery.event,
        "createdAt": timestamp(delivery.created_at),
        "state": delivery.state,
        "tries": [_try(attempt) for attempt in delivery.attempts],
        "nextTryAt": timestamp(delivery.next_try_at),
    }


def _try(attempt: "Attempt") -> dict[str, Any]:
    return {
        "at": timestamp(attempt.at),
        "phase": attempt.phase,
        "status": attempt.status,
        "ms": attempt.ms,
        "reply": attempt.reply,
        "error": attempt.error,
        "replay": attempt.replay,
    }


@commands.command()
def add(
    workspace_id: WorkspaceId,
    url: Annotated[str, typer.Argument(metavar="URL", help="the address that receives the deliveries")],
    event: EventsOption = None,
) -> None:
    """Add an endpoint for the named events."""
    from chalicelib.operations import endpoints

    new = endpoints.add(OPERATOR, workspace_id, url, event or [])
    show({**_shown(new.endpoint), "secret": new.secret.reveal()})


@commands.command("list")
def list_(workspace_id: WorkspaceId) -> None:
    """List the endpoints of a workspace."""
    from chalicelib.operations import endpoints

    show({"items": [_shown(endpoint) for endpoint in endpoints.list_all(OPERATOR, workspace_id)]})


@commands.command()
def edit(
    workspace_id: WorkspaceId,
    endpoint_id: EndpointId,
    url: Annotated[str | None, typer.Option("--url", help="the new address")] = None,
    event: EventsOption = None,
) -> None:
    """Change an endpoint's address, its events, or both. The named events replace all earlier events of the
    endpoint."""
    from chalicelib.operations import endpoints

    show(_shown(endpoints.edit(OPERATOR, workspace_id, endpoint_id, url, event or None)))


@commands.command()
def test(workspace_id: WorkspaceId, endpoint_id: EndpointId) -> None:
    """Send a ping at once, and show the result."""
    from chalicelib.operations import endpoints

    show(_after_its_try(endpoints.ping(OPERATOR, workspace_id, endpoint_id)))


@commands.command()
def log(
    workspace_id: WorkspaceId,
    endpoint_id: EndpointId,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="how many deliveries to list")] = 50,
) -> None:
    """Show an endpoint's latest deliveries, newest first, with each of their tries."""
    from chalicelib.operations import endpoints

    show({"items": [_entry(delivery) for delivery in endpoints.log(OPERATOR, workspace_id, endpoint_id, limit)]})


@commands.command("on")
def switch_on(workspace_id: WorkspaceId, endpoint_id: EndpointId) -> None:
    """Switch an endpoint on, and reset its count of failures."""
    from chalicelib.operations import endpoints

    show(_shown(endpoints.switch_on(OPERATOR, workspace_id, endpoint_id)))


@commands.command("off")
def switch_off(workspace_id: WorkspaceId, endpoint_id: EndpointId) -> None:
    """Switch an endpoint off, and end its deliveries that wait for a try."""
    from chalicelib.operations import endpoints

    show(_shown(endpoints.switch_off(OPERATOR, workspace_id, endpoint_id)))


@commands.command()
def remove(workspace_id: WorkspaceId, endpoint_id: EndpointId) -> None:
    """Remove an endpoint and its secret, and end its deliveries that wait for a try."""
    from chalicelib.operations import endpoints

    endpoints.remove(OPERATOR, workspace_id, endpoint_id)
    show({"id": endpoint_id, "removed": True})


@commands.command()
def replay(
    workspace_id: WorkspaceId,
    delivery_id: DeliveryId,
) -> None:
    """Send an ended delivery once more, and show the result."""
    from chalicelib.operations import endpoints

    show(_after_its_try(endpoints.replay(OPERATOR, workspace_id, delivery_id)))


def _after_its_try(delivery: "Delivery") -> dict[str, Any]:
    """Wait for the requested try and return the delivery.

    If the wait takes too long, returns the unfinished delivery.
    """
    from chalicelib import clock
    from chalicelib.store import deliveries

    before = len(delivery.attempts)
    until = clock.monotonic() + TRY_SECONDS
    current = delivery
    while clock.monotonic() < until:
        current = deliveries.get(delivery.id) or current
        if len(current.attempts) > before:
            break
        clock.sleep(LOOK_AGAIN_SECONDS)
    return _entry(current)
