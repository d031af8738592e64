"""What is told of an export of a website."""

import msgspec


class Exported(msgspec.Struct, frozen=True):
    """A list of an export. ``rows`` None: it could not be had, and ``note`` says why."""

    name: str
    rows: int | None = None
    note: str | None = None
