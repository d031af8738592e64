"""The lists of a website that an export contains, and why others are missing."""

import msgspec


class Exported(msgspec.Struct, frozen=True):
    """One list of an export. ``rows``: how many rows it has; None if the list could not be read; ``note`` then says
    why."""

    name: str
    rows: int | None = None
    note: str | None = None
