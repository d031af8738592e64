"""Makes a re-run: one test of one page, which a person requested in the app or a client requested through the API.
After this test, the re-run is done or has failed.

Failure policy
- Killed before the transaction that ends the run: nothing was written. After ten minutes without a renewal of the
  lease, another worker repeats the test once. If that worker is killed too, the run fails and gives this reason.
- Killed after that transaction: the result, the end of the run and the event are stored.
- The provider has no quota or does not answer, or the page cannot be tested: the run fails with that reason. The test
  counts in the budget in any case.
"""

from typing import Final, cast

from chalicelib import clock
from chalicelib.connectors import speed_tests
from chalicelib.connectors.errors import NotConnected, OutsideError, Unavailable
from chalicelib.domain.agentic import Strategy
from chalicelib.domain.speed.choosing import Test
from chalicelib.domain.speed.events import finished
from chalicelib.domain.speed.records import SpeedResult
from chalicelib.settings.core import core_settings
from chalicelib.store import shapes, websites
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.speed.testing import Ending, Tested, make, store

GONE: Final = "The website no longer exists."
STALLED: Final = "The test was started twice, and each time there was no result for ten minutes."


def run(lease: JobLease) -> None:
    """Make the job's test, and end the run. Raises ``FenceLost``."""
    try:
        (tested,) = make(speed_tests.connected(), [_test(lease)])
    except NotConnected as error:
        tested = Tested(_test(lease), None, error)
    _end(lease, tested)


def give_up(lease: JobLease) -> None:
    """End a run as failed, because two of its workers died. Raises ``FenceLost``."""
    _end(lease, Tested(_test(lease), None, Unavailable(STALLED)))


def _end(lease: JobLease, tested: Tested) -> None:
    website = websites.get(lease.job.workspace_id, lease.job.site_id)
    if website is None:
        lease.commit(lease.job.done(clock.now(), GONE), [])
        return
    store(lease, website, tested, lambda result: _ending(lease, website, result, tested.error))


def _ending(lease: JobLease, website: Website, result: SpeedResult | None, error: OutsideError | None) -> Ending:
    now, job = clock.now(), lease.job
    reason = None if error is None else error.message
    event = finished(job, website.host, core_settings().app_root, now, result=result, error=reason)
    packed = None if result is None else shapes.SPEED_RESULT.pack(result)
    return Ending(job.done(now, reason, packed), job.id, [event])


def _test(lease: JobLease) -> Test:
    return lease.job.payload["url"], cast(Strategy, lease.job.payload["strategy"])
