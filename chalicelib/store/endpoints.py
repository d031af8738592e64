"""Webhook endpoints of workspaces (table webhooks).

Access patterns
- an endpoint of a workspace: Get WS#w, END#e
- all endpoints of a workspace (fan-out, list): Query WS#w, END#

Every function that changes an endpoint commits the writes of ``beside``, such as a log entry, in the same transaction.
It raises ``Conflict`` if other processes keep changing the endpoint.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.domain.webhooks.delivery import OFF_BY_PERSON, WebhookEndpoint
from chalicelib.store import items, keys
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Delete, Put, Update, Write, commit

TABLE = "webhooks"


def get(workspace_id: str, endpoint_id: str) -> WebhookEndpoint | None:
    """Return the endpoint with this id, or None if the workspace has no such endpoint."""
    row = items.get(TABLE, *keys.endpoint(workspace_id, endpoint_id))
    return None if row is None else from_item(row)


def list_all(workspace_id: str) -> list[WebhookEndpoint]:
    """Return the endpoints of a workspace, oldest first."""
    rows = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.ENDPOINT_PREFIX)
    return sorted(map(from_item, rows), key=lambda endpoint: (endpoint.created_at, endpoint.id))


def context(workspace_id: str, endpoint_id: str) -> dict[str, str]:
    """Return the encryption context of an endpoint's secret."""
    return {"workspaceId": workspace_id, "endpointId": endpoint_id}


def create(endpoint: WebhookEndpoint, *beside: Write) -> None:
    """Write a new endpoint."""
    pk, sk = keys.endpoint(endpoint.workspace_id, endpoint.id)
    item = {
        "pk": pk,
        "sk": sk,
        "id": endpoint.id,
        "workspaceId": endpoint.workspace_id,
        "url": endpoint.url,
        "events": endpoint.events,
        "state": endpoint.state,
        "createdAt": endpoint.created_at,
        "secret": endpoint.secret,
        "failuresInARow": endpoint.failures_in_a_row,
        "period": endpoint.period,
    }
    commit([Put(TABLE, item, condition="attribute_not_exists(pk)"), *beside])


def edit(
    workspace_id: str, endpoint_id: str, url: str | None, events: Sequence[str] | None, *beside: Write
) -> WebhookEndpoint | None:
    """Change the address of an endpoint, its events, or both. Returns None if there is no such endpoint."""
    changes = {"url": url, "events": None if events is None else list(events)}
    given = {name: value for name, value in changes.items() if value is not None}
    return _update(
        workspace_id,
        endpoint_id,
        "SET " + ", ".join(f"#{name} = :{name}" for name in given),
        "attribute_exists(pk)",
        {f"#{name}": name for name in given},
        {f":{name}": value for name, value in given.items()},
        beside,
    )


def switch_on(workspace_id: str, endpoint_id: str, *beside: Write) -> WebhookEndpoint | None:
    """Switch an endpoint on and reset its count of failures. Returns None if the endpoint is already on or does not
    exist."""
    return _update(
        workspace_id,
        endpoint_id,
        "SET #state = :on, failuresInARow = :none REMOVE offReason, offAt",
        "#state = :off",
        {"#state": "state"},
        {":on": "on", ":off": "off", ":none": 0},
        beside,
    )


def switch_off(workspace_id: str, endpoint_id: str, now: float, *beside: Write) -> WebhookEndpoint | None:
    """Switch an endpoint off on a person's request. Returns None if the endpoint is already off or does not exist."""
    return _update(
        workspace_id,
        endpoint_id,
        "SET #state = :off, offReason = :reason, offAt = :now, #period = #period + :one",
        "#state = :on",
        {"#state": "state", "#period": "period"},
        {":on": "on", ":off": "off", ":reason": OFF_BY_PERSON, ":now": now, ":one": 1},
        beside,
    )


def remove(workspace_id: str, endpoint_id: str, *beside: Write) -> bool:
    """Remove an endpoint and its secret. Returns False if there was none."""
    return _done(Delete(TABLE, keys.endpoint(workspace_id, endpoint_id), condition="attribute_exists(pk)"), beside)


def from_item(row: Mapping[str, Any]) -> WebhookEndpoint:
    """Return the endpoint that an item stores."""
    return WebhookEndpoint(
        id=row["id"],
        workspace_id=row["workspaceId"],
        url=row["url"],
        events=row["events"],
        state=row["state"],
        created_at=row["createdAt"],
        secret=row["secret"],
        failures_in_a_row=row["failuresInARow"],
        off_reason=row.get("offReason"),
        off_at=row.get("offAt"),
        period=row["period"],
    )


def _update(
    workspace_id: str,
    endpoint_id: str,
    expression: str,
    condition: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    beside: Sequence[Write],
) -> WebhookEndpoint | None:
    change = Update(TABLE, keys.endpoint(workspace_id, endpoint_id), expression, condition, names, values)
    return get(workspace_id, endpoint_id) if _done(change, beside) else None


def _done(write: Write, beside: Sequence[Write]) -> bool:
    """Commit the write and the writes of ``beside``. Returns False if a condition fails."""
    try:
        commit([write, *beside])
    except Conflict as conflict:
        if not conflict.failed:
            raise
        return False
    return True
