"""The bodies of webhook events: their fields, and the bytes that are sent.

A body is built once for each event and endpoint. Later tries send the same bytes.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from chalicelib import typed
from chalicelib.domain.webhooks.events import Event
from chalicelib.domain.webhooks.kinds import (
    BY_NAME,
    MOST_CHANGES,
    PING,
    PING_MESSAGE,
    ChangesNotLive,
    ChangesWritten,
    EventChange,
    Ping,
    Source,
    UnseenChange,
    fields,
)


def check(kind: str, given: Mapping[str, object]) -> None:
    """Raise ``msgspec.ValidationError`` if a field is missing, has a wrong type, or is not defined for the kind of
    event.

    Only tests call this function, to check the events that the service makes. Deliveries do not call it.
    """
    known = typed.convert(given, BY_NAME[kind].members)
    surplus = given.keys() - fields(known).keys()
    if surplus:
        raise msgspec.ValidationError(f"{kind} has no {', '.join(sorted(surplus))}")


def changes_written(
    batch_id: str, issue_ids: Sequence[str], source: Source, changes: Sequence[EventChange]
) -> dict[str, object]:
    """Return the fields of the events write.applied and write.failed, with at most the first 50 changes."""
    return fields(ChangesWritten(batch_id, list(issue_ids), source, list(changes[:MOST_CHANGES])))


def changes_not_live(
    batch_id: str, issue_ids: Sequence[str], source: Source, changes: Sequence[UnseenChange]
) -> dict[str, object]:
    """Return the fields of the event write.not_live, with at most the first 50 changes."""
    return fields(ChangesNotLive(batch_id, list(issue_ids), source, list(changes[:MOST_CHANGES])))


def instant(seconds: float) -> str:
    """Return epoch seconds as a UTC timestamp, to the second."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build(event: Event, delivery_id: str) -> bytes:
    """Build the body of a delivery as UTF-8 JSON. Raises ``ValueError`` for invalid Unicode (lone surrogates)."""
    body: dict[str, Any] = {
        "id": delivery_id,
        "event": event.kind,
        "at": instant(event.at),
        "workspaceId": event.workspace_id,
    }
    for name, value in (("siteId", event.site_id), ("host", event.host), ("link", event.link)):
        if value is not None:
            body[name] = value
    return msgspec.json.encode(body | {name: event.fields[name] for name in event.fields if name not in body})


def ping(delivery_id: str, workspace_id: str, at: float, link: str) -> bytes:
    """Build the body of a ping, the test event."""
    return build(Event("", PING, at, workspace_id, None, None, link, fields(Ping(PING_MESSAGE))), delivery_id)
