"""A webhook event in its stored form, written in one transaction with the state change that causes it."""

import msgspec


class Event(msgspec.Struct):
    """One event. ``id`` is a hash of kind, website, subject and cause: creating the same event twice gives the same id.
    ``fields`` are the members that the event adds to the common ones."""

    id: str
    kind: str
    at: float
    workspace_id: str
    site_id: str | None
    host: str | None
    link: str | None
    fields: dict[str, object]
