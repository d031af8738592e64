"""The worker of the queue ``exports``: writes all data of one website into a zip file, and puts the file into the
bucket.

Trigger: a message {siteId, jobId, kind}, sent when the export is requested, and again by the sweeper if the export is
overdue. One worker writes the whole export.

Failure policy
- The worker is killed before the file was put into the bucket: no part of the file remains. When the lease has expired,
  another worker starts again.
- The worker is killed after that: the next worker replaces the file, under the same name. Nobody gets the file's
  address before the transaction that ends the job and stores the list of the file's contents.
- Several workers were killed, or the export takes more than a quarter of an hour: the job fails with a reason.
- The website is removed meanwhile: its job is gone, so nobody gets the address of the file, which expires in the bucket
  within a day.
- A list is left out if its source is not connected or does not answer. The README and the answer say why.
- An import replaced the data of a list during the export: the list is exported again from the beginning, three times at
  most.
- ``workers.jobs`` limits how many exports of a workspace run at once. There is no slow queue, since an export requests
  nothing from the website.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.exports import Exported
from chalicelib.domain.jobs import STALLED_TAKEOVERS
from chalicelib.exports import archive
from chalicelib.http.inside import of_person
from chalicelib.store import exports, objects, websites
from chalicelib.store.api_keys import Auth
from chalicelib.store.lanes import LANES
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease, at_work, take

MOST_SECONDS: Final = 780.0  # time limit for putting the file; the function may run for 900 seconds
STOPPED: Final = "The export was interrupted several times. Start a new one."
TOO_LONG: Final = "The export took too long. Read the lists of this website through the API."
CHANGING: Final = "Imports kept replacing the data during the export. Start another export later."
GONE: Final = "The website was removed."

_log = logging.getLogger(__name__)


class _OutOfTime(Exception):
    pass


def handle(message: Mapping[str, Any], context: object) -> None:
    """Make the export that the message names. Does nothing if this worker cannot claim the job."""
    lease = take(message, LANES["exports"])
    if lease is None:
        return
    with at_work(lease):
        if lease.job.stalled > STALLED_TAKEOVERS:
            _log.error("an export failed repeatedly", extra={"jobId": lease.job.id})
            _end(lease, STOPPED)
        else:
            _export(lease)


def _export(lease: JobLease) -> None:
    job, until = lease.job, clock.monotonic() + MOST_SECONDS
    website = websites.get(job.workspace_id, job.site_id)
    if website is None:
        _end(lease, GONE)
        return

    def keep() -> None:
        if clock.monotonic() > until:
            raise _OutOfTime
        lease.keep()

    try:
        with archive.written(reader_of(website), website, keep) as (file, lists):
            size = file.seek(0, 2)
            file.seek(0)
            objects.put(exports.name_of(job.site_id, job.id), file, archive.MEDIA_TYPE)
    except _OutOfTime:
        _log.warning("an export took too long", extra={"jobId": job.id})
        _end(lease, TOO_LONG)
    except archive.Changing:
        _end(lease, CHANGING)
    else:
        _end(lease, None, lists=lists, size=size)


def reader_of(website: Website) -> Auth:
    """Make an ``Auth`` that may read all data of one website, and nothing else."""
    reader = Actor(website.workspace_id, "export", "client_viewer")
    return of_person(reader, [website.id], limit=0, remaining=0, now=clock.now())


def _end(lease: JobLease, error: str | None, lists: list[Exported] | None = None, size: int | None = None) -> None:
    """End the job. Raises ``FenceLost`` if another worker has claimed the job, or if the website was removed."""
    done = lease.job.done(clock.now(), error)
    told = {} if lists is None else {"lists": msgspec.to_builtins(lists), "bytes": size}
    lease.commit(msgspec.structs.replace(done, payload={**done.payload, **told}), [])
