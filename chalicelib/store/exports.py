"""Exports of websites: jobs, one at a time per website (table jobs).

Access patterns
- the job of the last export: Get SITE#s, EXPORT; then the job itself
- its file: in the bucket whose objects expire within a day; the file's name is derived from the job's id
"""

from typing import Any, Final, NamedTuple

from chalicelib.domain.jobs import Job
from chalicelib.store import items, jobs, keys
from chalicelib.store.transactions import Put, Write

ID_PREFIX: Final = "exp"
LAST: Final = "last export"  # in a ``Conflict``, the name of the write that starts an export


class Last(NamedTuple):
    """The last export that was started. ``job``: None if the export ended so long ago that its job has expired."""

    job_id: str
    job: Job | None


def last(site_id: str) -> Last | None:
    """Return the website's last export. Returns None if no export was started, or the last one has expired. At most two
    round trips."""
    row = items.get(jobs.TABLE, *keys.last_export(site_id))
    return None if row is None else Last(row["jobId"], jobs.get(site_id, row["jobId"]))


def begun(job: Job, before: Last | None) -> list[Write]:
    """Return the writes that start an export. They fail when another export was started since ``before`` was read."""
    pk, sk = keys.last_export(job.site_id)
    # Reads leave out an expired row, but DynamoDB removes it only days later.
    condition, names = "attribute_not_exists(pk) OR #ttl <= :now", {"#ttl": "ttl"}
    values: dict[str, Any] = {":now": job.queued_at}
    if before is not None:
        condition, names, values = "#job = :before", {"#job": "jobId"}, {":before": before.job_id}
    pointer = Put(
        jobs.TABLE,
        {"pk": pk, "sk": sk, "jobId": job.id, "ttl": int(job.queued_at + 2 * jobs.KEPT_SECONDS)},
        condition=condition,
        names=names,
        values=values,
        name=LAST,
    )
    return [pointer, jobs.put_new(job)]


def files(site_id: str) -> list[str]:
    """Return the names of all files in the bucket that exports of a website may have created."""
    rows = items.query_all(jobs.TABLE, *keys.job(site_id, ID_PREFIX), keys_only=True)
    return [name_of(site_id, row["sk"].removeprefix(keys.JOB_PREFIX)) for row in rows]


def name_of(site_id: str, job_id: str) -> str:
    """Return the name of an export's file in the bucket."""
    return f"exports/{site_id}/{job_id}.zip"
