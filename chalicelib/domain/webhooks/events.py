"""The ten webhook events as they are written with the state change that causes them."""

import msgspec

EVENT_KINDS = (
    "issue.resolved",
    "issue.reopened",
    "audit.finished",
    "score.changed",
    "connection.broken",
    "recheck.failed",
    "write.applied",
    "write.failed",
    "write.not_live",
    "agentic.finished",
)


class Event(msgspec.Struct):
    """One thing that happened. ``id`` is a hash of kind, website, subject and cause: the same happening made twice
    has the same id. ``fields`` are the members that the event adds to the common ones."""

    id: str
    kind: str
    at: float
    workspace_id: str
    site_id: str | None
    host: str | None
    link: str | None
    fields: dict[str, object]
