"""A webhook event, as it is stored. It is written in one transaction with the state change that causes it."""

import msgspec


class Event(msgspec.Struct):
    """One event. ``id``: a hash of kind, website, subject and cause. An event that is created twice gets the same id
    both times. ``fields``: the fields that this kind of event has in addition to the common members."""

    id: str
    kind: str
    at: float
    workspace_id: str
    site_id: str | None
    host: str | None
    link: str | None
    fields: dict[str, object]
