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
    rows: Annotated[Count | None, Meta(description="Null: the list is not in the export; `note` says why.")]
    note: Annotated[str | None, Meta(description="Why it is left out or incomplete; null: it is not.")]


class Export(Shape):
    """An export. It is kept for 30 days after its end, its file for one day."""

    export_id: ExportId
    status: ExportStatus
    queued_at: QueuedAt
    finished_at: EndedAt
    error: Annotated[str | None, Meta(description="Why it failed, in words.")]
    file_bytes: Annotated[Count | None, Meta(description="Of the zip file.")]
    lists: Annotated[list[ExportedList], Meta(description="The lists in the file.")]
    available_until: Annotated[Timestamp | None, Meta(description="Until when the file is there.")]
    url: Annotated[
        Address | None,
        Meta(
            description="Address of the file for anybody, for ten minutes: another each time. Null until it is done, "
            "and once it is gone."
        ),
    ]
