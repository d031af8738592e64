"""Batches of approved changes of a website, and the result of each change."""

from typing import Annotated

from msgspec import Meta

from chalicelib.api.shapes.values import (
    Address,
    AppLink,
    ApprovedAt,
    BatchId,
    ChangeKey,
    Count,
    NextOffset,
    Offset,
    Person,
    Timestamp,
    Truncated,
)
from chalicelib.domain.changes.batch import BatchKind, BatchStatus, ChangeStatus, Field
from chalicelib.domain.connections import WriterKind
from chalicelib.http.answers import Shape


class ChangeCounts(Shape):
    """How many changes of a batch are in each state."""

    approved: Annotated[Count, Meta(description="Waiting to be written.")]
    applying: Annotated[Count, Meta(description="Being written.")]
    applied: Annotated[Count, Meta(description="Written, and seen live.")]
    not_live: Annotated[Count, Meta(description="Written, but the live page shows another value.")]
    failed: Annotated[Count, Meta(description="Not written after an error.")]
    refused: Annotated[Count, Meta(description="Not written: the CMS refused.")]
    reverted: Annotated[Count, Meta(description="Undone later.")]


class Batch(Shape):
    """Changes that one person approved together, for one issue or one file."""

    batch_id: BatchId
    kind: Annotated[BatchKind, Meta(description="What was approved.")]
    status: Annotated[BatchStatus, Meta(description="Its state.")]
    field: Field
    source: Annotated[WriterKind, Meta(description="The connection through which the values are written.")]
    issue_id: Annotated[
        str | None,
        Meta(
            description="The id of the issue; null for a file, such as llms.txt, and for redirects that no issue lists."
        ),
    ]
    approved_by: Person
    approved_at: ApprovedAt
    ended_at: Annotated[Timestamp | None, Meta(description="When the batch ended; null while it is being written.")]
    undoes: Annotated[str | None, Meta(description="For an undo: the batch that it undoes.")]
    total: Annotated[Count, Meta(description="Changes of the batch.")]
    counts: ChangeCounts
    link: AppLink


class BatchList(Shape):
    """The batches of the last 90 days, newest first."""

    batches: Annotated[list[Batch], Meta(description="The batches.")]
    next_cursor: Annotated[str | None, Meta(description="Pass it as `cursor`; null after the oldest batch.")]


class ApprovedChange(Shape):
    """A value that was approved for a page or a file, and its result."""

    url: Annotated[Address, Meta(description="The address of the page or file.")]
    page_id: Annotated[str | None, Meta(description="The id of the page; null for a file.")]
    field: Field
    key: ChangeKey
    before: Annotated[
        str | None, Meta(description="The earlier value in the CMS; null: none, or the change was not written.")
    ]
    after: Annotated[
        str,
        Meta(
            description="The approved value. Empty: the CMS value is removed; for alt texts: the image is decorative."
        ),
    ]
    state: ChangeStatus
    reason: Annotated[
        str | None, Meta(description="Why the value was not written, or why the live page does not show it.")
    ]
    written_at: Annotated[Timestamp | None, Meta(description="When the value was written; null: not yet.")]
    live: Annotated[bool | None, Meta(description="Whether the live page showed the value when it was last read.")]


class BatchDetail(Batch, kw_only=True):
    """A batch with its changes."""

    offset: Offset
    next_offset: NextOffset
    truncated: Truncated
    changes: Annotated[list[ApprovedChange], Meta(description="The changes.")]
