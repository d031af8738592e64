"""The approval of a batch: one transaction with the batch, its changes, the website's place of writes with the batch's
sequence, the job of its worker, and what else follows from it.

A batch that has to wait for another stands in no index of jobs: whoever ends the other puts it back.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.changes.batch import Batch, BatchKind, Change, Field
from chalicelib.domain.connections import WriterKind
from chalicelib.domain.jobs import Job
from chalicelib.operations.issues import busy
from chalicelib.operations.jobs import send_job
from chalicelib.randomness import random_bytes
from chalicelib.store import changes, jobs
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write, commit
from chalicelib.store.websites import Website

_TRIES: Final = 5


class Approval(NamedTuple):
    """Who approved what. ``person_id`` None: the operator; ``undoes``: of an undo, the batch that it takes back."""

    kind: BatchKind
    field: Field
    source: WriterKind
    person_id: str | None
    issue_id: str | None = None
    undoes: str | None = None


def approve(
    website: Website,
    approval: Approval,
    approved: Sequence[Change],
    beside: Callable[[Batch, bool], Sequence[Write]],
) -> Batch:
    """Store the batch and make its worker's job. ``beside``: what else is written, given the batch and whether others
    were quicker, so that what was read before has to be read again. Refused: ``busy``, and as ``beside``."""
    now = clock.now()
    batch_id = ids.time_ordered("batch", now, random_bytes(10))
    for attempt in range(_TRIES):
        after = changes.place(website.id).with_batch(batch_id, now)
        batch = Batch(
            id=batch_id,
            site_id=website.id,
            workspace_id=website.workspace_id,
            kind=approval.kind,
            sequence=after.sequence,
            issue_id=approval.issue_id,
            field=approval.field,
            source=approval.source,
            approved_by=approval.person_id,
            approved_at=now,
            count=len(approved),
            undoes=approval.undoes,
        )
        job = Job(
            id=job_id(batch_id),
            kind="write",
            site_id=website.id,
            workspace_id=website.workspace_id,
            queued_at=now,
            due_at=now,
            payload={"batch": batch_id},
        )
        runs = after.running == batch_id
        writes = [
            changes.put_place(website.id, after),
            *changes.put_new(batch, approved),
            jobs.put_new(job, waits=not runs),
            *beside(batch, attempt > 0),
        ]
        try:
            commit(writes)
        except Conflict:
            continue
        if runs:
            send_job(job)
        return batch
    raise busy()


def job_id(batch_id: str) -> str:
    """The id of the job that writes a batch."""
    return f"write.{batch_id}"
