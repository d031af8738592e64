"""Submits a website's changes to search engines (IndexNow): a part of the worker of ``imports``.

The transaction that ends a batch of changes records the batch. If no job is waiting yet, it also creates one. The job
submits the pages of all recorded batches in one request, at most every ten minutes for a website. Before the first
request, and after the CMS was connected again, the service sends the IndexNow key to the connector, which must serve it
at an address of the website. Then the service reads the key at this address.

Failure policy
- Killed before the request is recorded (``asked``): nothing was sent. When the lease is over, the next worker
  continues.
- Killed after that: the pages may have been submitted. The next worker submits them again after ten minutes. The
  protocol allows this for the same page. It is better to submit them twice than not at all.
- One transaction stores the answer, removes the submitted batches, and ends the job or sets its next time. If another
  batch of changes ends at the same moment, the transaction is repeated without another request.
- The key is sent with a permanent id, so it can safely be sent to the connector again.
- No answer, or a server error: tried again after 10, 20, 40 … minutes (at most a day), or at the time that the service
  gives. After an answer of 429, the submissions of all websites wait, because search engines count requests by the
  sender's IP address. If the answer gives no time, they wait ten minutes.
- The key cannot be read at its address: four more tries, then submitting stops. It stops at once if search engines do
  not find the key (403), know the website by another key (422), or the connector refuses the key. A person sees the
  reason, and can turn submitting on again. The waiting pages are not submitted.
- A request that is rejected as invalid (400) is a fault of the service: an error is logged, and the request is not sent
  again.
- Another IndexNow sender in the CMS submits changes now, or the CMS is no longer connected: the waiting pages are not
  submitted. A connector that does not answer, or asks to wait, delays only its own website.
- If the job is taken over repeatedly without an outcome, it waits for an hour.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from chalicelib import clock
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.index_now import HttpSearchEngines, OtherHost, SearchEngines
from chalicelib.connectors.live_files import key_at
from chalicelib.domain.changes.index_now import (
    APART_SECONDS,
    FILE,
    MOST_ADDRESSES,
    IndexNow,
    location_of,
    pages_of,
    why_not,
)
from chalicelib.domain.connector.messages import FileChange
from chalicelib.operations import connections
from chalicelib.operations.contention import tries
from chalicelib.store import changes, index_now, rate_limits, websites
from chalicelib.store import connections as credentials
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease

PACE: Final = "indexnow"
STEP_SECONDS: Final = 1.0  # seconds between two requests, for all websites together
FIRST_WAIT: Final = APART_SECONDS
LONGEST_WAIT: Final = 86_400.0
KEY_TRIES: Final = 5
STALLED_SECONDS: Final = 3_600.0
GONE: Final = "The website no longer exists."
AGAIN: Final = "Turn IndexNow on again after the correction."

_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """Raised for a failure that only people can fix. The text describes it."""


class _Unread(Unavailable):
    """Raised if the key cannot be read at its address."""


def run(lease: JobLease) -> None:
    """Submit waiting pages. Raises ``FenceLost``."""
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    if website is None:
        lease.commit(job.done(clock.now(), GONE), [])
        return
    telling = _Telling(lease, website)
    try:
        telling.tell(HttpSearchEngines.connected())
    except NotConnected as error:
        telling.end(lambda state: state.dropped(state.pending), error.message)


def give_up(lease: JobLease) -> None:
    """Postpone the job for an hour, because its workers died too often. Raises ``FenceLost``."""
    lease.hand_over(STALLED_SECONDS)


class _Telling:
    """Submits a website's waiting pages. This worker has claimed the job."""

    def __init__(self, lease: JobLease, website: Website) -> None:
        self._lease, self._website = lease, website

    @property
    def _free_at(self) -> float:
        """The earliest time of the next request, given the time of the last one (epoch seconds)."""
        return float(self._lease.job.payload.get("asked", -APART_SECONDS)) + APART_SECONDS

    def tell(self, engines: SearchEngines) -> None:
        """Submit the waiting pages in one request. If no request is allowed yet, postpone the job until one is."""
        state = index_now.load(self._website.id)
        why = why_not(self._website.connections)
        if why is not None or not state.goes:
            self.end(lambda now: now.dropped(now.pending), why)
            return
        wait = max(state.due_at, self._free_at, rate_limits.held_until(PACE)) - clock.now()
        if wait > 0:
            self._lease.hand_over(wait)
            return
        assert state.key is not None
        location = location_of(self._website.home_url, state.key)
        try:
            if not self._is_seen(state, location):
                self._show(state, location)
            self._send(engines, state, location)
        except (NoAccess, OtherHost) as error:
            self._stop(error.message)
        except _Stopped as stopped:
            self._stop(str(stopped))
        except (Quota, Unavailable) as error:
            self._put_off(error)

    def end(self, change: Callable[[IndexNow], IndexNow], error: str | None = None) -> None:
        """Commit the changed state together with the job's end. If more pages wait, the job gets the time of its next
        run instead of ending."""

        def commit(before: IndexNow) -> None:
            after = change(before)
            writes = [index_now.put(self._website.id, after, before)]
            now = clock.now()
            if after.pending:
                self._lease.hand_over(max(after.due_at, self._free_at) - now, writes, tries=0, unread=0)
            else:
                self._lease.commit(self._lease.job.done(now, error), writes)

        self._until_committed(commit)

    def _stop(self, problem: str) -> None:
        """Stop submitting until a member turns it on again."""
        self.end(lambda now: now.stopped(f"{problem} {AGAIN}"), problem)

    # -- the key -------------------------------------------------------------------------------------------

    def _is_seen(self, state: IndexNow, location: str) -> bool:
        cms = self._website.connections.cms
        return (
            state.location == location
            and state.seen_at is not None
            and (cms is None or state.seen_at >= cms.connected_at)
        )

    def _show(self, state: IndexNow, location: str) -> None:
        """Send the connector the key, and read the key at its address."""
        connected = credentials.get(self._website.id, "cms")
        assert state.key is not None and state.on_since is not None
        if connected is None:
            raise Unavailable("The website is no longer connected to its CMS.")
        since = int(state.on_since)
        change = FileChange(change_id=f"index_now.{since}", sequence=since, file=FILE, value=state.key)
        try:
            outcome = connections.connect(connected.base_url, connected.secret()).change_file(change)
        except (NoAccess, Quota) as error:  # only this website waits
            raise Unavailable(error.message, error.retry_after) from error
        except Declined as error:
            raise _Stopped(error.message) from error
        self._lease.answered()
        if outcome.state != "written":
            said = outcome.reason or "it gave no reason"
            raise _Stopped(f"The website's connector does not show the key to search engines: {said}")
        self._lease.wait()
        why = asyncio.run(key_at(location, state.key))
        if why is not None:
            raise _Unread(f"The key cannot be read at {location}: {why}.")
        now = clock.now()

        def commit(before: IndexNow) -> None:
            after = before.found(location, now)
            self._lease.checkpoint([index_now.put(self._website.id, after, before)])

        self._until_committed(commit)

    # -- the request ---------------------------------------------------------------------------------------

    def _send(self, engines: SearchEngines, state: IndexNow, location: str) -> None:
        taken, urls = self._addresses(state)
        if not urls:
            self.end(lambda now: now.dropped(taken))
            return
        assert state.key is not None
        rate_limits.wait(PACE, STEP_SECONDS)
        self._lease.begin([], asked=clock.now())
        try:
            engines.tell(location, state.key, urls)
        except OtherHost:
            raise
        except Declined as error:
            _log.error("IndexNow calls a request wrong", extra={"siteId": self._website.id, "error": error.message})
            self.end(lambda now: now.dropped(taken), error.message)
            return
        self._lease.answered()
        told_at = clock.now()
        self.end(lambda now: now.sent(taken, told_at))

    def _addresses(self, state: IndexNow) -> tuple[list[str], list[str]]:
        """Return the oldest batches whose pages fit into one request, and their addresses, each once."""
        taken: list[str] = []
        urls: dict[str, None] = {}
        for batch_id in state.pending:
            loaded = changes.load(self._website.id, batch_id)
            pages = [] if loaded is None else pages_of(loaded.changes, self._website.home_url)
            together = urls | dict.fromkeys(pages)
            if len(together) > MOST_ADDRESSES:
                break
            taken.append(batch_id)
            urls = together
        return taken, list(urls)

    def _put_off(self, error: OutsideError) -> None:
        """Postpone the request. The state shows the reason."""
        payload = self._lease.job.payload
        tries_before, unread = payload.get("tries", 0), payload.get("unread", 0) + isinstance(error, _Unread)
        if unread >= KEY_TRIES:
            self._stop(error.message)
            return
        wait = max(error.retry_after or 0.0, min(FIRST_WAIT * 2.0 ** min(tries_before, 20), LONGEST_WAIT))
        if isinstance(error, Quota):
            # The longer wait after repeated tries holds for this website only.
            rate_limits.hold(PACE, clock.now() + (error.retry_after or FIRST_WAIT))
        _log.warning("search engines were not notified", extra={"siteId": self._website.id, "error": error.message})

        def commit(before: IndexNow) -> None:
            after = before.waits(error.message)
            writes = [index_now.put(self._website.id, after, before)]
            self._lease.hand_over(wait, writes, tries=tries_before + 1, unread=unread)

        self._until_committed(commit)

    def _until_committed(self, commit: Callable[[IndexNow], None]) -> None:
        """Load the state, and commit a change of it. Repeat both if another write has changed the state meanwhile."""
        for _ in tries():
            try:
                commit(index_now.load(self._website.id))
            except Conflict:
                continue
            return
        raise Conflict({index_now.STATE: None})
