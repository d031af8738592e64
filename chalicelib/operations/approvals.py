"""Approves a batch of changes: loads the data, decides, and commits one transaction.

The transaction writes the batch, its changes, the website's queue of batches, the job of the worker that will write to
the CMS, and further writes of the caller, such as the changed issue. The transaction also checks that the key and the
person may still approve, so that nothing is approved after a revocation. If the queue has changed since it was loaded,
the transaction fails. Then everything is loaded and decided again, so that no decision is based on old data.

If a batch waits for an earlier one, its job is not in the index of jobs until the transaction that ends the earlier
batch adds it.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, WORKING_ROLES, Actor
from chalicelib.domain.changes.batch import Batch, BatchKind, Field, job_id
from chalicelib.domain.changes.place import MOST_WAITING, Place
from chalicelib.domain.changes.proposal import NotProposed, Proposal
from chalicelib.domain.connections import WriterKind
from chalicelib.domain.jobs import Job
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import send_job
from chalicelib.randomness import random_bytes
from chalicelib.store import accounts, acts, api_keys, changes, jobs
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Write, commit
from chalicelib.store.websites import Website

APPLY: Final = "actions:apply"  # the scope of a key that approves


class Approver(NamedTuple):
    """The person who approves, or the operator. ``person_id``: None for the operator; ``key_id``: the API key that was
    used, or None."""

    person_id: str | None
    key_id: str | None = None

    def checks(self, website: Website) -> list[Write]:
        """Return checks for a transaction, which fail if the key or the person has lost the right to approve since the
        request began."""
        found: list[Write] = []
        if self.key_id is not None:
            found.append(api_keys.still_allows(website.workspace_id, self.key_id, APPLY, website.id))
        if self.person_id is not None:
            found.append(accounts.has_role(website.workspace_id, self.person_id, WORKING_ROLES))
        return found


class Approval(NamedTuple):
    """The subject of an approval, and the approver.

    - ``undoes``: for an undo, the id of the batch that is undone.
    - ``gain``: by how many tenths the score rises once the issue is fixed; None if unknown.
    """

    kind: BatchKind
    field: Field
    source: WriterKind
    by: Approver
    issue_id: str | None = None
    undoes: str | None = None
    gain: int | None = None


class Decided(NamedTuple):
    """The data that ``approve`` commits. ``place``: the website's queue of batches, as it was loaded for the decision.
    ``beside``: a function that returns further writes for the new batch's transaction."""

    place: Place
    approval: Approval
    proposal: Proposal
    beside: Callable[[Batch], Sequence[Write]]


def approve(website: Website, decide: Callable[[int], Decided]) -> Batch:
    """Approve the changes that ``decide`` returns. If an earlier batch will write the same values, return that batch.

    ``decide`` gets the number of the attempt, from 0, and loads the data that it needs. It is called again after a
    conflict.
    Refused: the codes of ``decide``; ``too_many_waiting``; ``busy``; ``site_not_covered`` or ``owner_lost_access`` if
    the approver lost the right to approve since the request began.
    """
    for number in tries():
        try:
            decided = decide(number)
        except NotProposed as reason:
            raise Refused(reason.code, reason.message) from None
        if not decided.proposal.changes:
            older = None if decided.proposal.older is None else changes.get(website.id, decided.proposal.older)
            if older is None:
                continue  # the older batch no longer exists, or the queue has changed since it was loaded
            return older
        if decided.place.is_full:
            raise _too_many()
        batch = _commit(website, decided)
        if batch is not None:
            return batch
    raise busy("the website's changes")


def current_place(site_id: str) -> Place:
    """Load the website's queue of batches. Refused: ``too_many_waiting`` if the queue is over its limit."""
    place = changes.place(site_id)
    if place.is_overfull:
        raise _too_many()
    return place


def _too_many() -> Refused:
    return Refused(
        "too_many_waiting",
        f"{MOST_WAITING} batches of this website are already waiting. Send this again when some of them are done.",
    )


def _refuse_lost(conflict: Conflict) -> None:
    """Refuse if the conflict shows that the key or the person may not approve any more.
    If the queue has changed too, the next try finds that out."""
    if changes.PLACE in conflict.failed:
        return
    if api_keys.KEY in conflict.failed:
        raise Refused("site_not_covered", "This API key was revoked or lost rights: it may not write to this website.")
    if accounts.PERSON in conflict.failed:
        raise Refused("owner_lost_access", "The person who approves this has left the workspace or may not write.")


def _noted(website: Website, batch: Batch, now: float) -> Write:
    """Return the write that logs the approval."""
    by = batch.approved_by
    actor = OPERATOR if by is None else Actor(website.workspace_id, by, key_id=batch.approved_key)
    act = "changes.undone" if batch.kind == "undo" else "changes.approved"
    return acts.done(changes.TABLE, actor, website.workspace_id, act, now, batch.id, f"{batch.field}: {website.name}")


def _commit(website: Website, decided: Decided) -> Batch | None:
    """Commit the new batch and return it. Returns None after a conflict."""
    now, (_, approval, proposal, beside) = clock.now(), decided
    batch_id = ids.time_ordered("batch", now, random_bytes(10))
    after = decided.place.with_batch(batch_id, now)
    batch = Batch(
        id=batch_id,
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind=approval.kind,
        sequence=after.sequence,
        issue_id=approval.issue_id,
        field=approval.field,
        source=approval.source,
        approved_by=approval.by.person_id,
        approved_key=approval.by.key_id,
        approved_at=now,
        count=len(proposal.changes),
        undoes=approval.undoes,
        gain_promised=approval.gain,
    )
    job = Job(
        id=job_id(batch_id),
        kind="write",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
        payload={"batch": batch_id, "connection": approval.source},
    )
    runs = after.running == batch_id
    try:
        commit(
            [
                changes.put_place(website.id, after),
                *changes.put_new(batch, proposal.changes),
                jobs.put_new(job, waits=not runs),
                *beside(batch),
                _noted(website, batch, now),
                *approval.by.checks(website),
            ]
        )
    except Conflict as conflict:
        _refuse_lost(conflict)
        return None
    if runs:
        send_job(job)
    return batch
