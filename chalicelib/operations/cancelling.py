"""Cancels unfinished batches. Their changes that were not sent to the CMS fail, with the reason.

One transaction marks the batches in the website's queue as cancelled, and puts the jobs of waiting batches back into
the index of jobs (``overdueJobs``), so that workers start them. The worker of a cancelled batch does not wait for
earlier batches: it marks the changes as failed, updates the issue or the file, and sends the event ``write.failed``. If
the batch is being written, the worker finishes the block of changes that it is sending. After that it sends nothing
more, and does not repeat changes that got no answer.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.changes.batch import Batch, job_id
from chalicelib.domain.changes.place import Place
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.jobs import tell
from chalicelib.operations.permission import require
from chalicelib.store import changes, jobs, website_names, websites
from chalicelib.store.transactions import MAX_WRITES, committed

BEFORE: Final = " before it was written."
BY_PERSON: Final = f"A person cancelled the change{BEFORE}"
KEY_REVOKED: Final = f"The API key that approved the change was revoked{BEFORE}"
PERSON_REMOVED: Final = f"The person who approved the change was removed{BEFORE}"
RESTORED: Final = f"After a backup was restored, the operator cancelled the change{BEFORE}"
DROPPED: Final = f"The change was cancelled{BEFORE}"
_UNKNOWN: Final = ". It was sent before and the CMS did not answer, so it may have been written."


def cancel(actor: Actor, site_id: str, batch_id: str) -> Batch:
    """Cancel a batch that waits or is being written. A second call changes nothing.

    Refused: ``not_found``, ``not_allowed``, ``wrong_state`` (the batch is done), ``busy``.
    """
    _check(actor, site_id)
    batch = changes.get(site_id, batch_id)
    if batch is None:
        raise Refused("not_found", f"The website has no batch {batch_id}.")
    _cancel(site_id, lambda place: [batch_id], BY_PERSON)
    after = changes.get(site_id, batch_id)
    if after is None or after.status == "done":
        raise Refused("wrong_state", "The batch is done. `changes undo` undoes the values that it wrote.")
    return after


def cancel_waiting(actor: Actor, site_id: str) -> list[str]:
    """Cancel every waiting batch of a website, and return their ids. A batch that is being written continues.

    Refused: ``not_found``, ``not_allowed``, ``busy``.
    """
    _check(actor, site_id)
    return _cancel(site_id, lambda place: place.waiting, BY_PERSON)


def cancel_of_key(workspace_id: str, key_id: str) -> None:
    """Cancel the batches that a revoked key approved. Looks at all websites of the workspace, since the key may have
    covered more websites before.
    Refused: ``busy``."""
    _cancel_approved(workspace_id, lambda batch: batch.approved_key == key_id, KEY_REVOKED)


def cancel_of_person(workspace_id: str, person_id: str) -> None:
    """Cancel the batches that a removed person approved. Refused: ``busy``."""
    _cancel_approved(workspace_id, lambda batch: batch.approved_by == person_id, PERSON_REMOVED)


def cancel_restored(site_id: str, before: float) -> list[str]:
    """Cancel the unfinished batches that were approved before a time. Used after a backup was restored. Returns their
    ids.
    Refused: ``busy``. ``before``: epoch seconds."""

    def approved_before(place: Place) -> list[str]:
        return [one.id for one in changes.get_many(site_id, place.will_write) if one.approved_at < before]

    return _cancel(site_id, approved_before, RESTORED)


def words(reason: str, *, was_sent: bool) -> str:
    """Return the error text for a change of a cancelled batch. ``was_sent``: whether the change was sent to the CMS and
    got no answer."""
    return reason.removesuffix(BEFORE) + _UNKNOWN if was_sent else reason


def _check(actor: Actor, site_id: str) -> None:
    workspace_id = actor.workspace_id or websites.workspace_of(site_id)
    if workspace_id is None or websites.get(workspace_id, site_id) is None:
        raise Refused("not_found", f"There is no website {site_id}.")
    require(actor, "work", workspace_id)


def _cancel_approved(workspace_id: str, is_theirs: Callable[[Batch], bool], reason: str) -> None:
    """Cancel the batches that ``is_theirs`` selects. One round trip per 100 websites, and one per 100 batches of a
    website."""
    everywhere = [row.id for row in website_names.list_all(workspace_id)]
    for site_id, place in changes.places(everywhere).items():
        if place.will_write:
            _cancel(site_id, partial(_theirs, site_id, is_theirs), reason)


def _theirs(site_id: str, is_theirs: Callable[[Batch], bool], place: Place) -> list[str]:
    return [batch.id for batch in changes.get_many(site_id, place.will_write) if is_theirs(batch)]


def _cancel(site_id: str, choose: Callable[[Place], Collection[str]], reason: str) -> list[str]:
    """Cancel the unfinished batches among those that ``choose`` selects. Returns their ids."""
    cancelled: list[str] = []
    while True:
        some = _cancel_some(site_id, choose, reason)
        if not some:
            return cancelled
        cancelled += some


def _cancel_some(site_id: str, choose: Callable[[Place], Collection[str]], reason: str) -> list[str]:
    """Cancel as many of the selected batches as one transaction holds. Returns their ids; empty if none is left."""
    for _ in tries():
        place, now = changes.place(site_id), clock.now()
        chosen = set(choose(place)) - place.cancelled.keys()
        # A transaction holds 100 writes: the queue of batches, and a job for each batch.
        wanted = [batch_id for batch_id in place.will_write if batch_id in chosen][: MAX_WRITES - 1]
        if not wanted:
            return []
        jobs_back = [jobs.put_back(site_id, job_id(one), now) for one in wanted if one != place.running]
        if committed([changes.put_place(site_id, place.with_cancelled(wanted, reason)), *jobs_back]):
            if place.running in wanted:
                _bring_forward(site_id, place.running, now)
            for batch_id in wanted:
                if batch_id != place.running:
                    tell(site_id, job_id(batch_id), "write")
            return wanted
    raise busy("the website's changes")


def _bring_forward(site_id: str, batch_id: str, now: float) -> None:
    """Make the running batch's next try due now, so that the batch ends soon. A worker that holds the batch notices the
    cancellation itself."""
    if committed([jobs.due_earlier(site_id, job_id(batch_id), now)]):
        tell(site_id, job_id(batch_id), "write")
