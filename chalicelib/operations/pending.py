"""Counts the workers' pending work, and drops work that must not be done any more. Only for the operator."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from chalicelib.domain import report_mails
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.webhooks.delivery import Delivery
from chalicelib.operations import cancelling, holding
from chalicelib.operations.errors import Refused
from chalicelib.store import changes, crawls, deliveries, jobs, keys, notices, outbox, recipients, reports, websites
from chalicelib.store.transactions import committed

DROPPABLE: Final = ("audit", "deliveries", "events", "notices", "preview", "recheck", "reports", "write")
# The label of each kind of work, for people.
LABELS: Final = {
    "events": "batches of events for webhooks",
    "deliveries": "webhook deliveries",
    "notices": "notices by mail",
    "reports": "monthly reports by mail",
    "weekly": "weekly audits",
    "audit": "audits",
    "recheck": "rechecks",
    "preview": "audits of staging addresses",
    "write": "batches of approved changes",
    "connection_status": "checks of connections",
    "content_sync": "imports of content",
    "search_import": "imports of search data",
    "keyword_tasks": "updates of keyword tasks",
    "analytics_tasks": "updates of tasks from web analytics",
    "sampling": "samplings of AI visibility",
    "agentic_run": "Agentic browsing runs",
    "speed_tests": "speed tests",
    "speed_recheck": "speed tests of rechecks",
    "render": "renderings of pages",
    "field_data": "imports of field data",
    "index_now": "notifications of search engines (IndexNow)",
    "export": "exports of CSV files",
    "removal": "removals of websites",
    "drafts": "drafts of descriptions",
}
_EVER: Final = 1e11  # epoch seconds, in the year 5138
_AT_ONCE: Final = 100  # deliveries read in one call


@dataclass(frozen=True, slots=True)
class Kind:
    """Pending work of one kind: how much there is, and since when.

    ``name``: ``events`` (batches of events), ``deliveries``, ``notices``, ``reports`` (monthly reports whose mail is
    due), ``weekly`` (websites whose weekly audit is due), ``audit``, ``recheck``, ``preview``, or a kind of job. The
    kind ``write`` counts batches of changes.

    ``due``: how many of them can start now; the others are due later. ``oldest`` (epoch seconds): when the oldest of
    them was created. For ``reports``, ``weekly`` and kinds of jobs other than ``write``: when the oldest was due.
    """

    name: str
    count: int
    due: int
    oldest: float

    @property
    def label(self) -> str:
        """What the work is, for people."""
        return LABELS[self.name]


def count(actor: Actor, now: float) -> list[Kind]:
    """Count the pending work by kind. Reads the row of every pending piece of work, and the rows of due work a second
    time. Refused: ``not_allowed``. Raises botocore's errors."""
    holding.check(actor)
    everything = _by_kind(_waiting(_EVER, now))
    # The index lists jobs and crawls some time after they are due, which gives their messages time to arrive.
    due = _by_kind(_waiting(now + max(jobs.QUEUED_GRACE_SECONDS, crawls.QUEUED_GRACE_SECONDS), now))
    return [Kind(name, len(times), len(due.get(name, ())), min(times)) for name, times in sorted(everything.items())]


def check_kinds(kinds: Iterable[str]) -> None:
    """Check that work of these kinds can be dropped. Refused: ``bad_kind``."""
    unknown = sorted(set(kinds) - set(DROPPABLE))
    if unknown:
        raise Refused(
            "bad_kind", f"{unknown[0]!r} cannot be dropped; kinds of work that can be dropped: {', '.join(DROPPABLE)}."
        )


def drop(actor: Actor, kinds: Iterable[str], before: float, now: float) -> dict[str, int]:
    """End pending work of these kinds that was created before a time. Returns how much was ended, by kind. Only while
    the workers are held (paused).

    Deliveries end as ``dropped``. Crawls and batches of changes are cancelled: the workers end them after their
    release, and the changes fail with the reason. Events and notices are deleted. Reports that were due before the time
    are mailed next month.
    Refused: ``not_allowed``, ``not_held``, ``bad_kind``, ``busy``.
    """
    holding.check_held(actor)
    wanted = sorted(set(kinds))
    check_kinds(wanted)
    found = {}
    for kind in wanted:
        if kind == "deliveries":
            found[kind] = _drop_deliveries(before, now)
        elif kind == "events":
            found[kind] = _drop_events(before)
        elif kind == "notices":
            found[kind] = _drop_notices(before)
        elif kind == "reports":
            found[kind] = _drop_reports(before, now)
        elif kind == "write":
            found[kind] = sum(len(cancelling.cancel_restored(site_id, before)) for site_id in _written())
        else:
            found[kind] = _drop_crawls(kind, before)
    return found


# -- pending work ------------------------------------------------------------------------------------


def _by_kind(found: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for kind, at in found:
        times.setdefault(kind, []).append(at)
    return times


def _waiting(before: float, now: float) -> Iterator[tuple[str, float]]:
    """Yield kind and time of each piece of work that is due before ``before``. Reports and weekly audits are included
    if they are due now."""
    for shard in keys.shards():
        yield from (("events", keys.outbox_time(sk)) for _, sk in outbox.overdue(shard, before))
        yield from ((header.kind, header.queued_at) for header in crawls.overdue(shard, before))
    for shard in keys.due_deliveries_shards():
        yield from (("deliveries", one.created_at) for one in _deliveries(shard, before))
    for shard in keys.due_mails_shards():
        for mail in notices.due(shard, before):
            yield from (("notices", at) for at in notices.waiting_since(*mail))
    for site_id, key in recipients.due(now):
        found = recipients.get(site_id, key)
        if found is not None and found.due is not None and found.due <= now:
            yield "reports", found.due
    for shard in keys.job_shards():
        for job in jobs.overdue(shard, before):
            if job.kind != "write":
                yield job.kind, job.due_at
    yield from _batches(before)
    for shard in keys.due_shards():
        start = None
        while True:
            due, start = websites.list_due(shard, now, limit=_AT_ONCE, start=start)
            yield from (("weekly", one.next_audit_at or now) for one, _ in websites.get_with_workspaces(due))
            if start is None:
                break


def _deliveries(shard: str, before: float) -> Iterator[Delivery]:
    """Yield the waiting deliveries of a shard that are due before a time."""
    found = deliveries.overdue(shard, before)
    while some := [one.delivery_id for one in islice(found, _AT_ONCE)]:
        yield from (one for one in deliveries.get_many(some) if one.state == "waiting")


def _batches(before: float) -> Iterator[tuple[str, float]]:
    """Yield the unfinished batches of changes, including those that wait for another batch of their website."""
    for site_id in _written(before):
        place = changes.place(site_id)
        yield from (("write", batch.approved_at) for batch in changes.get_many(site_id, place.will_write))


def _written(before: float = _EVER) -> set[str]:
    """Return the ids of the websites with a job that writes changes and is due before a time."""
    every = (job for shard in keys.job_shards() for job in jobs.overdue(shard, before))
    return {job.site_id for job in every if job.kind == "write"}


# -- dropping work -----------------------------------------------------------------------------------


def _drop_deliveries(before: float, now: float) -> int:
    old = (
        one for shard in keys.due_deliveries_shards() for one in _deliveries(shard, _EVER) if one.created_at < before
    )
    return sum(deliveries.end(one, "dropped", now) for one in old)


def _drop_events(before: float) -> int:
    dropped = 0
    for shard in keys.shards():
        for pk, sk in outbox.overdue(shard, before):
            batch = outbox.load(pk, sk)
            if batch is not None:
                outbox.remove(batch)
                dropped += 1
    return dropped


def _drop_notices(before: float) -> int:
    mails = (mail for shard in keys.due_mails_shards() for mail in notices.due(shard, _EVER))
    return sum(notices.drop(*mail, before) for mail in mails)


def _drop_reports(before: float, now: float) -> int:
    dropped = 0
    for site_id, key in recipients.due(min(before, now)):
        found = recipients.get(site_id, key)
        if found is None or found.due is None or found.due >= before:
            continue
        # If the mail was tried, revoke its link, as after the last try.
        link = None if found.token is None else sign_in.hashed(found.token)
        back = [] if link is None or reports.find(link) is None else reports.taken_back(site_id, link)
        dropped += committed([recipients.ended(found, report_mails.next_mail(now), None), *back])
    return dropped


def _drop_crawls(kind: str, before: float) -> int:
    dropped = 0
    for shard in keys.shards():
        for header in crawls.overdue(shard, _EVER):
            if header.kind == kind and header.queued_at < before and not header.cancel_requested:
                dropped += committed([crawls.request_cancel(header)])  # not counted if the crawl has just ended
    return dropped
