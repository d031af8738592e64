"""A webhook event as it is written, in one transaction with the state change that causes it."""

import msgspec


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
