"""The bodies of webhook events: the members of each kind, and the bytes that are sent.

``MEMBERS`` is the one definition of what each event adds to the common members. The functions below make the
fields of events; a body is built from an event once for each endpoint, and never written out again.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec

from chalicelib import typed
from chalicelib.domain.severity import Severity
from chalicelib.domain.webhooks.events import Event

PING = "ping"
PING_MESSAGE = "A test of this endpoint, sent by a person."
MOST_CHANGES = 50

Source = Literal["cms", "shop"]
Count = Annotated[int, msgspec.Meta(ge=0)]
Points = Annotated[float, msgspec.Meta(ge=0, le=100)]


class Members(msgspec.Struct, rename="camel"):
    """What all shapes of this module derive from: camelCase members, unknown values null."""


class CommonMembers(Members, kw_only=True):
    """What every body has. ``siteId``, ``host`` and ``link`` are left out where an event has none."""

    id: str
    event: str
    at: str
    workspace_id: str
    site_id: str | msgspec.UnsetType = msgspec.UNSET
    host: str | msgspec.UnsetType = msgspec.UNSET
    link: str | msgspec.UnsetType = msgspec.UNSET


class EventIssue(Members):
    """The issue that an event is about. ``pages`` counts the pages that it affects now: 0 once it is resolved.
    ``pagesBefore`` counts those that it affected until it was resolved; null in other events."""

    id: str
    rule_id: str
    title: str
    severity: Severity
    pages: Count
    pages_before: Count | None


class IssueMoved(Members):
    """issue.resolved, issue.reopened."""

    issue: EventIssue
    crawl_id: str


class EventScore(Members):
    """Scores from 0 to 100; null when there is none yet."""

    site: Points | None
    health: Points | None
    aeo: Points | None


class AuditFinished(Members):
    """audit.finished. An audit that failed tells the open issues and the score that stand; null when the website was
    never judged. ``durationSeconds`` from its start to its end; null when it never started."""

    crawl_id: str
    status: Literal["done", "failed", "cancelled"]
    pages_crawled: Count
    open_issues: Count | None
    score: EventScore
    duration_seconds: Count | None


class ScoreChanged(Members):
    """score.changed: the website score as shown before and after, and when the score before was computed."""

    from_: Points = msgspec.field(name="from")
    to: Points
    delta: float
    since: str


class ConnectionBroken(Members):
    """connection.broken."""

    connection: str
    error: str


class RecheckCounts(Members):
    """Pages that still show the issue, of pages read."""

    present: Count
    checked: Count


class RecheckFailed(Members):
    """recheck.failed."""

    issue: EventIssue
    reason: Literal["still_present", "not_live", "error"]
    recheck: RecheckCounts
    crawl_id: str


class EventChange(Members):
    """One change of an approved batch."""

    url: str
    field: str
    value: str
    status: str
    error: str | None


class ChangesWritten(Members):
    """write.applied, write.failed: one event for each approved batch, at most 50 of its changes."""

    batch_id: str
    issue_ids: list[str]
    source: Source
    changes: Annotated[list[EventChange], msgspec.Meta(max_length=MOST_CHANGES)]


class UnseenChange(EventChange):
    """A change that the live page does not show. ``liveValue`` is what it shows."""

    not_live_reason: str | None
    live_value: str | None


class ChangesNotLive(Members):
    """write.not_live: as the other two, and for each change what the page shows."""

    batch_id: str
    issue_ids: list[str]
    source: Source
    changes: Annotated[list[UnseenChange], msgspec.Meta(max_length=MOST_CHANGES)]


class FailingCheck(Members):
    """A check of the page that failed."""

    id: str
    title: str
    detail: str | None = None


class AgenticFinished(Members):
    """agentic.finished. ``passed`` of ``applicable`` and ``failing`` are null and empty when the run failed."""

    job_id: str
    url: str
    strategy: Literal["mobile", "desktop"]
    status: Literal["done", "failed"]
    passed: Count | None
    applicable: Count | None
    failing: list[FailingCheck]
    error: str | None


class Ping(Members):
    """ping: sent by Test. It has no ``siteId``."""

    message: str


MEMBERS: dict[str, type[Members]] = {
    "issue.resolved": IssueMoved,
    "issue.reopened": IssueMoved,
    "audit.finished": AuditFinished,
    "score.changed": ScoreChanged,
    "connection.broken": ConnectionBroken,
    "recheck.failed": RecheckFailed,
    "write.applied": ChangesWritten,
    "write.failed": ChangesWritten,
    "write.not_live": ChangesNotLive,
    "agentic.finished": AgenticFinished,
    PING: Ping,
}


def fields(members: Members) -> dict[str, object]:
    """The members as the ``fields`` of an event."""
    built: dict[str, object] = msgspec.to_builtins(members)
    return built


def check(kind: str, given: Mapping[str, object]) -> None:
    """Raise ``msgspec.ValidationError`` when the fields are not those of the kind: one missing, one of another type
    or one too many. For tests of what makes events; a delivery is never held up by it."""
    known = typed.convert(given, MEMBERS[kind])
    surplus = given.keys() - fields(known).keys()
    if surplus:
        raise msgspec.ValidationError(f"{kind} has no {', '.join(sorted(surplus))}")


def changes_written(
    batch_id: str, issue_ids: Sequence[str], source: Source, changes: Sequence[EventChange]
) -> dict[str, object]:
    """The fields of write.applied and write.failed. Of more than 50 changes the first 50 are told."""
    return fields(ChangesWritten(batch_id, list(issue_ids), source, list(changes[:MOST_CHANGES])))


def changes_not_live(
    batch_id: str, issue_ids: Sequence[str], source: Source, changes: Sequence[UnseenChange]
) -> dict[str, object]:
    """The fields of write.not_live. Of more than 50 changes the first 50 are told."""
    return fields(ChangesNotLive(batch_id, list(issue_ids), source, list(changes[:MOST_CHANGES])))


def instant(seconds: float) -> str:
    """Epoch seconds as a UTC timestamp to the second."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build(event: Event, delivery_id: str) -> bytes:
    """The body of a delivery: UTF-8 JSON. Raises ``ValueError`` for text that is no Unicode (lone surrogates)."""
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
    """The body of a ping."""
    return build(Event("", PING, at, workspace_id, None, None, link, fields(Ping(PING_MESSAGE))), delivery_id)
