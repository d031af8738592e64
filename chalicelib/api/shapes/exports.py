"""Exports: all data of a website, as files."""

from typing import Annotated, Literal

from msgspec import Meta

from chalicelib.api.shapes.values import Address, Count, EndedAt, ExportId, Poll, QueuedAt, Timestamp
from chalicelib.http.answers import Shape

ExportStatus = Literal["queued", "running", "done", "failed"]


class ExportQueued(Shape):
    """The export that was started."""

    queued: Annotated[bool, Meta(description="Always true.")]
    export_id: ExportId
    status: Literal["queued"]
    poll: Poll


class ExportedList(Shape):
    """A list of the export: ``<name>.csv`` and ``<name>.jsonl`` in the zip file."""

    name: Annotated[str, Meta(description="Name of the list.")]
    rows: Annotated[
        Count | None, Meta(description="The number of rows. Null: the list is not in the export, and `note` says why.")
    ]
    note: Annotated[str | None, Meta(description="Why the list is left out or incomplete; null: it is complete.")]


class Export(Shape):
    """An export. It is kept for 30 days after its end, its file for one day."""

    export_id: ExportId
    status: ExportStatus
    queued_at: QueuedAt
    finished_at: EndedAt
    error: Annotated[str | None, Meta(description="Why it failed, in words.")]
    file_bytes: Annotated[Count | None, Meta(description="Size of the zip file, in bytes.")]
    lists: Annotated[list[ExportedList], Meta(description="The lists in the file.")]
    available_until: Annotated[Timestamp | None, Meta(description="The time until which the file can be downloaded.")]
    url: Annotated[
        Address | None,
        Meta(
            description="A download address that works for ten minutes without a key; each answer has a new one. Null "
            "before the export is done and after the file is deleted."
        ),
    ]
