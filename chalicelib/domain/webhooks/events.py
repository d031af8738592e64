"""A webhook event in its stored form. It is written in one transaction with the state change that causes it."""

import msgspec


class Event(msgspec.Struct):
    """One event. ``id``: a hash of kind, website, subject and cause, so that creating an event twice gives one id.
    ``fields``: the fields that this kind of event adds to the common ones."""

    id: str
    kind: str
    at: float
    workspace_id: str
    site_id: str | None
    host: str | None
    link: str | None
    fields: dict[str, object]
