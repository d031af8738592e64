"""The daily import of field data (measurements of visitors): a part of the worker of ``imports``.

First the data of the website as a whole is requested, for phones and for desktops. Then the data of each tested page is
requested, for phones. All workers together make at most ``CRUX_REQUESTS_A_SECOND`` requests per second. A website with
many pages takes several slices. Each slice is one worker's turn, and commits its data together with the progress.

Failure policy
- Killed before a slice was committed: the next worker, when the lease is over, requests its records again.
- Killed after a slice was committed: the next worker continues after that slice.
- "No record" counts as an answer, and is stored. An address that the provider rejects is skipped.
- No quota, or no answer: three more tries within an hour and a half, then the collection waits for the next day.
  Fetched data stays, and records that were not renewed keep their time.
- Without the provider's key nothing is requested, and existing data stays.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from chalicelib import clock, typed
from chalicelib.connectors import field_data
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError
from chalicelib.connectors.field_data import FieldData
from chalicelib.domain.speed.field import FieldRecord, FormFactor
from chalicelib.domain.speed.records import Collected, FieldBook
from chalicelib.domain.speed.times import next_collection
from chalicelib.operations.readiness import home_of
from chalicelib.settings.speed import speed_settings
from chalicelib.store import rate_limits, speed, websites
from chalicelib.store.errors import Conflict
from chalicelib.workers.jobs import JobLease

SLICE_SECONDS: Final = 180.0
PACE: Final = "crux"
TRY_AGAIN_AFTER: Final = (60.0, 900.0, 3_600.0)  # seconds between the tries
TRIES: Final = 5
DEVICES: Final[tuple[FormFactor, ...]] = ("phone", "desktop")
STALLED: Final = "The service was interrupted at this step several times."
GONE: Final = "The website no longer exists."

_log = logging.getLogger(__name__)


class Progress(msgspec.Struct, frozen=True):
    """The progress of a day's collection.

    It consists of the address that was requested last ("" for the website itself), and of the number of times that the
    collection was postponed since the last record was fetched. Addresses are requested in order.
    """

    after: str | None = None
    tries: int = 0


def run(lease: JobLease) -> None:
    """Continue the day's collection. Raises ``FenceLost``."""
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    if website is None:
        lease.commit(job.done(clock.now(), GONE), [])
        return
    try:
        asked = field_data.connected()
    except NotConnected as error:
        _until_tomorrow(lease, error.message)
        return
    _Collection(lease, asked, home_of(website)).run()


def give_up(lease: JobLease) -> None:
    """End the day's collection, because its workers died too often. Raises ``FenceLost``."""
    _until_tomorrow(lease, STALLED)


class _Collection:
    """A day's collection that this worker has claimed."""

    def __init__(self, lease: JobLease, asked: FieldData, home_url: str) -> None:
        self._lease, self._asked, self._home_url = lease, asked, home_url
        self._step = 1 / float(speed_settings().crux_requests)  # seconds between two requests, of all workers
        self._progress = typed.convert(lease.job.payload.get("collection") or {}, Progress)
        self._found: dict[str, Collected] = {}
        self._site: dict[str, Collected] = {}

    def run(self) -> None:
        until = clock.monotonic() + SLICE_SECONDS
        tested = sorted({result.url for result in speed.load(self._lease.job.site_id).results})
        after = self._progress.after
        waiting = [url for url in tested if after is None or url > after]
        try:
            if after is None:
                for device in DEVICES:
                    self._fetch(self._site, device, partial(self._asked.site, self._home_url, device))
                after = ""
            for url in waiting:
                self._lease.wait()
                self._fetch(self._found, url, partial(self._asked.page, url, "phone"))
                after = url
                if clock.monotonic() >= until:
                    break
        except OutsideError as error:
            self._put_off(after, tested, error)
            return
        if waiting and after != waiting[-1]:
            self._commit(Progress(after), tested)
        else:
            self._commit(None, tested)

    def _fetch(self, found: dict[str, Collected], name: str, ask: Callable[[], FieldRecord]) -> None:
        """Request a record. If the provider rejects the address, its earlier record stays."""
        rate_limits.wait(PACE, self._step)
        try:
            found[name] = Collected(ask(), clock.now())
            self._lease.answered()
        except Declined as error:
            _log.warning("field data was declined", extra={"siteId": self._lease.job.site_id, "error": error.message})

    def _put_off(self, after: str | None, tested: list[str], error: OutsideError) -> None:
        """Store the fetched data, and continue later or, after the last try, tomorrow."""
        tries = 0 if self._found or self._site else self._progress.tries
        said = {"siteId": self._lease.job.site_id, "error": error.message}
        _log.warning("field data was not fetched", extra=said)
        if isinstance(error, NoAccess) or tries >= len(TRY_AGAIN_AFTER):
            self._commit(None, tested, error=error.message)
        else:
            self._commit(Progress(after, tries + 1), tested, delay=max(TRY_AGAIN_AFTER[tries], error.retry_after or 0))

    def _commit(
        self, progress: Progress | None, tested: list[str], *, error: str | None = None, delay: float = 0.0
    ) -> None:
        """Store the fetched data with the progress. ``progress``: None ends the day's collection."""
        job, now = self._lease.job, clock.now()
        for attempt in range(TRIES):
            field = speed.load_field(job.site_id)
            book = self._book(field.book, tested)
            writes = [] if book == field.book else [speed.put_field(job.site_id, field, book)]
            try:
                if progress is None:
                    next_day = next_collection(job.site_id, now)
                    self._lease.commit(job.goes_on(next_day, error=error, collection=None), writes)
                else:
                    self._lease.hand_over(delay, writes, collection=msgspec.to_builtins(progress))
                return
            except Conflict:  # a worker that lost this job wrote last; it does not write again
                if attempt == TRIES - 1:
                    raise

    def _book(self, before: FieldBook, tested: list[str]) -> FieldBook:
        """Merge the fetched data into the stored data, and drop pages that are not tested any more."""
        pages = {**before.pages, **self._found}
        return FieldBook(
            phone=self._site.get("phone", before.phone),
            desktop=self._site.get("desktop", before.desktop),
            pages={url: pages[url] for url in tested if url in pages},
        )


def _until_tomorrow(lease: JobLease, error: str) -> None:
    now = clock.now()
    lease.commit(lease.job.goes_on(next_collection(lease.job.site_id, now), error=error, collection=None), [])
