"""The status of the lists in an export of a website."""

import msgspec


class Exported(msgspec.Struct, frozen=True):
    """One list of an export. ``rows`` None: it could not be read, and ``note`` says why."""

    name: str
    rows: int | None = None
    note: str | None = None
