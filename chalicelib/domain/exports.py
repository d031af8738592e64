"""The status of each list in an export of a website."""

import msgspec


class Exported(msgspec.Struct, frozen=True):
    """One list of an export. ``rows``: None if the list could not be read; ``note`` then says why."""

    name: str
    rows: int | None = None
    note: str | None = None
