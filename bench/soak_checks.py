"""Checks the result of a soak, once no work is left. Each check yields a description of every failure that it finds.

The checks read the store and the records of the outside systems. They send no requests to the service.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bench.soak_outside import Arrival, Report
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.changes.batch import UNWRITTEN, WRITTEN, Batch, Change
from chalicelib.domain.jobs import Job
from chalicelib.domain.webhooks import signature
from chalicelib.domain.webhooks.delivery import Delivery
from chalicelib.store import changes, crawls, deliveries, endpoints, items, jobs, keys, outbox, slots, websites

RECURRING: Final = frozenset(
    {"connection_status", "content_sync", "search_import", "analytics_tasks", "sampling", "speed_tests", "field_data"}
)
ENDED_CHANGES: Final = WRITTEN | UNWRITTEN | {"reverted"}
MOST_AUDITS, MOST_DELIVERIES = 1_000, 100_000
ALWAYS: Final = 1e12  # later than any time
TAKING: Final = ("good", "flaky")  # receivers that must have every event at the end
MOST_UNDER_WAY: Final = (
    slots.ENDPOINT_SLOTS
)  # deliveries of one endpoint that a killed process may have sent and not recorded


class Left(NamedTuple):
    """A piece of unfinished work, and when it continues (epoch seconds of the service's clock)."""

    what: str
    due_at: float


class Batches(NamedTuple):
    """A batch and its changes."""

    batch: Batch
    changes: list[Change]


class Found(NamedTuple):
    """The stored audits, jobs and batches of all websites."""

    audits: list[CrawlHeader]
    jobs: list[Job]
    batches: list[Batches]


def found(sites: Iterable[str]) -> Found:
    """Read the audits, jobs and batches of the websites."""
    audits, held, batches = [], [], []
    for site in sites:
        audits += crawls.list_audits(site, MOST_AUDITS)
        held += jobs.list_all(site)
        batches += [Batches(one.batch, one.changes) for one in changes.load_all(site, changes.list_all(site))]
    return Found(audits, held, batches)


def left(workspace_id: str, sites: Sequence[str], now: float) -> list[Left]:
    """Find work that is queued, running, waiting or leased. Recurring jobs count only while they are due."""
    seen = []
    for shard in keys.shards():
        seen += [Left(f"{one.kind} {one.id}", _due(one)) for one in crawls.overdue(shard, ALWAYS)]
        seen += [Left(f"events {pk} {sk}", now) for pk, sk in outbox.overdue(shard, ALWAYS)]
    for site in sites:
        seen += [Left(f"recheck {one.id}", max(now, one.due_at)) for one in crawls.queued_rechecks(site)]
        seen += [
            Left(f"job {job.kind} {job.id} of {site}", max(job.due_at, job.lease_until))
            for job in jobs.list_all(site)
            if not job.ended and not (job.kind in RECURRING and job.lease_until == 0 and job.due_at > now)
        ]
    stored = websites.get_many(workspace_id, list(sites))
    taken = [site for site in sites if site not in stored or stored[site].place is not None]
    seen += [Left(f"the place of {site}", now) for site in taken]
    for endpoint in endpoints.list_all(workspace_id):
        owner = slots.of_endpoint(endpoint.id)
        held = slots.taken(items.get(owner.table, *owner.key))
        seen += [Left(f"slot {number} of {endpoint.id}", until) for number, until in held.items() if until > now]
        waiting = [one for one in logged(workspace_id, endpoint.id) if one.state == "waiting"]
        seen += [
            Left(f"delivery {one.id} to {endpoint.url}", max(one.next_try_at or now, one.lease_until))
            for one in waiting
        ]
    return seen


def _due(header: CrawlHeader) -> float:
    return max(header.lease_until, header.due_at, header.queued_at)


def logged(workspace_id: str, endpoint_id: str) -> list[Delivery]:
    """List all deliveries of an endpoint."""
    return deliveries.list_latest(workspace_id, endpoint_id, MOST_DELIVERIES)


# -- audits, writes ----------------------------------------------------------------------------------------


def audit_faults(audits: Iterable[CrawlHeader]) -> Iterator[str]:
    """Describe audits that did not end, and audits that failed without a stored reason."""
    for audit in audits:
        if not audit.ended:
            yield f"audit {audit.id} is {audit.status}"
        elif audit.status == "failed" and not audit.error:
            yield f"audit {audit.id} failed without a reason"


def write_faults(batches: Sequence[Batches], report: Report, cms_sites: Sequence[str]) -> Iterator[str]:
    """Describe changes that did not end, that were written twice, or that were reported as written although they were
    not.

    Also describe items of the CMS that do not have the value that was written last.
    """
    for batch, of_batch in batches:
        if batch.status != "done":
            yield f"batch {batch.id} is {batch.status}"
        for change in of_batch:
            if change.status not in ENDED_CHANGES:
                yield f"change {change.number} of {batch.id} is {change.status}"
            if change.status in UNWRITTEN and not change.error:
                yield f"change {change.number} of {batch.id} is {change.status} without a reason"
    for number, site in enumerate(cms_sites):
        of_site = sorted((one for one in batches if one.batch.site_id == site), key=lambda one: one.batch.sequence)
        yield from _values_faults(site, of_site, report.writes[number], report.values[number])


def _values_faults(
    site: str,
    batches: Sequence[Batches],
    writes: Iterable[tuple[str, str, str | None]],
    values: Mapping[str, Mapping[str, str | None]],
) -> Iterator[str]:
    asked = Counter((one.cms_id, one.field, one.value) for _, of_batch in batches for one in of_batch)
    written = Counter((item, field, value) for item, field, value in writes)
    for change, count in written.items():
        if count > asked[change]:  # type: ignore[index]
            yield f"{site}: {change} was approved {asked[change]} times and written {count} times"  # type: ignore[index]
    may_hold: dict[tuple[str, str], set[str]] = {}
    for _, of_batch in batches:
        for one in of_batch:
            place = one.cms_id, one.field
            if one.status in WRITTEN:
                may_hold[place] = {one.value}
                if not written[one.cms_id, one.field, one.value]:
                    yield f"{site}: {place} is reported as written, but was not written"
            elif place in may_hold:  # if the answer was lost, the service cannot know whether the value was written
                may_hold[place].add(one.value)
    for (item, field), allowed in may_hold.items():
        held = values[item][field]
        if held not in allowed:
            yield f"{site}: {item} has the {field} {held!r}, but should have one of {sorted(allowed)}"


# -- events ------------------------------------------------------------------------------------------------


def owed(seen: Found) -> set[tuple[str, ...]]:
    """Return the events that the service must have sent, each as a tuple (see ``identity``)."""
    events: set[tuple[str, ...]] = {("audit.finished", audit.id) for audit in seen.audits if audit.ended}
    events |= {("agentic.finished", job.id) for job in seen.jobs if job.kind == "agentic_run" and job.ended}
    for batch, of_batch in seen.batches:
        if batch.status != "done" or batch.kind == "undo":
            continue
        states = {one.status for one in of_batch}
        if states & WRITTEN:
            events.add(("write.applied", batch.id))
        if states & UNWRITTEN:
            events.add(("write.failed", batch.id))
    return events


def identity(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a tuple that identifies an event by its kind and subject. Two different events never have equal tuples."""
    event = body["event"]
    named = [body.get("siteId"), body["at"]] if event in ("score.changed", "connection.broken") else []
    about = [body.get(name) for name in ("batchId", "jobId", "connection")]
    about += [(body.get("issue") or {}).get("id"), body.get("crawlId"), *named]
    return (event, *(str(one) for one in about if one is not None))


def event_faults(
    expected: Iterable[tuple[str, ...]],
    arrivals: Sequence[Arrival],
    logs: Mapping[str, Sequence[Delivery]],
    secrets: Mapping[str, str],
    kills: int,
) -> Iterator[str]:
    """Describe lost events, and deliveries that differ from each other or from their log.

    An event must arrive signed, always with the same id and the same body. It must not arrive more often than the log
    of its delivery has tries.

    - ``logs``: the deliveries of each receiver.
    - ``kills``: how many processes were killed, perhaps after sending a delivery and before recording it.
    """
    by_receiver: dict[str, list[Arrival]] = defaultdict(list)
    for arrival in arrivals:
        by_receiver[arrival.receiver].append(arrival)
        if not signature.verify(secrets[arrival.receiver], arrival.body.encode(), arrival.signature):
            yield f"{arrival.receiver}: {arrival.delivery} has a wrong signature"
    for name, came in by_receiver.items():
        yield from _identity_faults(name, came)
    for name in TAKING:
        taken = {one.delivery for one in by_receiver[name] if 200 <= one.status < 300}
        told = {identity(json.loads(one.body)) for one in by_receiver[name] if one.delivery in taken}
        yield from (f"{name}: the event {event} was lost" for event in sorted(set(expected) - told))
        for delivery in logs[name]:
            if delivery.state != "delivered":
                yield f"{name}: delivery {delivery.id} ({delivery.event}) is {delivery.state}"
            elif delivery.id not in taken:
                yield f"{name}: delivery {delivery.id} is reported as delivered, but did not arrive"
        yield from _repeat_faults(name, by_receiver[name], logs[name], kills)
    for name in logs.keys() - set(TAKING):
        yield from (f"{name}: {one.id} still waits" for one in logs[name] if one.state == "waiting")


def _identity_faults(name: str, arrivals: Iterable[Arrival]) -> Iterator[str]:
    ids: dict[tuple[str, ...], set[str]] = defaultdict(set)
    bodies: dict[str, set[str]] = defaultdict(set)
    for one in arrivals:
        ids[identity(json.loads(one.body))].add(one.delivery)
        bodies[one.delivery].add(one.body)
    yield from (
        f"{name}: {event} was sent as several deliveries: {sorted(told)}"
        for event, told in ids.items()
        if len(told) > 1
    )
    yield from (
        f"{name}: {delivery} arrived with two different bodies" for delivery, found in bodies.items() if len(found) > 1
    )


def _repeat_faults(name: str, arrivals: Iterable[Arrival], log: Iterable[Delivery], kills: int) -> Iterator[str]:
    tries = {delivery.id: len(delivery.attempts) for delivery in log}
    unexplained = 0
    for delivery, count in Counter(one.delivery for one in arrivals).items():
        if delivery not in tries:
            yield f"{name}: {delivery} arrived, but the service knows no such delivery"
        unexplained += max(0, count - tries.get(delivery, count))
    if unexplained > MOST_UNDER_WAY * kills:
        yield (
            f"{name}: {unexplained} deliveries arrived more often than they were attempted, with {kills} processes "
            "killed"
        )


def endpoint_faults(workspace_id: str, names: Mapping[str, str]) -> Iterator[str]:
    """Describe receivers that were switched off although they accepted deliveries.

    ``names``: the endpoint's id of each receiver.
    """
    for name in TAKING:
        endpoint = endpoints.get(workspace_id, names[name])
        if endpoint is None or endpoint.state != "on":
            yield f"{name}: the endpoint is switched off"
