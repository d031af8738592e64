"""What the workers would do as soon as they run: counted by the operator, changing nothing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations.errors import Refused
from chalicelib.store import crawls, deliveries, jobs, keys, outbox

_EVER: Final = 1e11  # epoch seconds, in the year 5138


@dataclass(frozen=True, slots=True)
class Kind:
    """Work of one kind: ``events`` (batches of them), ``deliveries``, ``audit``, ``recheck``, or a kind of job.
    ``due``: how much of ``count`` is begun at once; the rest has its time later."""

    name: str
    count: int
    due: int


def count(actor: Actor, now: float) -> list[Kind]:
    """How much work waits, by kind. Reads every waiting row, and due ones twice. Refused: ``not_allowed``. Raises
    botocore's errors."""
    if not actor.is_operator:
        raise Refused("not_allowed", "Only the operator counts the work of all workspaces.")
    everything = Counter(_waiting(_EVER))
    # Rows of jobs and crawls stand in their index some time after they are due, which leaves their messages time.
    due = Counter(_waiting(now + max(jobs.QUEUED_GRACE_SECONDS, crawls.QUEUED_GRACE_SECONDS)))
    return [Kind(name, everything[name], due[name]) for name in sorted(everything)]


def _waiting(before: float) -> Iterator[str]:
    """The kind of each piece of work whose time is before a time."""
    for shard in keys.shards():
        yield from ("events" for _ in outbox.overdue(shard, before))
        yield from (header.kind for header in crawls.overdue(shard, before))
    for shard in keys.due_deliveries_shards():
        yield from ("deliveries" for _ in deliveries.overdue(shard, before))
    for shard in keys.job_shards():
        yield from (job.kind for job in jobs.overdue(shard, before))
