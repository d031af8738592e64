"""The schedule of speed measurements.

Weekly tests run some hours before the weekly audit (on Saturday evening for an audit on Sunday), so that the audit gets
fresh results. Field data is fetched daily. A hash of the website's id spreads the measurements of different websites
over time.
"""

from typing import Final

from chalicelib.domain.crawl.weekly import next_weekly_run
from chalicelib.domain.ids import digest

DAY_SECONDS: Final = 86_400.0
TESTS_BEFORE_AUDIT: Final = 4 * 3_600.0  # by default Saturday 22:00 UTC
TESTS_SPREAD: Final = 3 * 3_600.0  # the last tests begin an hour before the audit


def next_tests(site_id: str, now: float, hour: int | None = None) -> float:
    """Return the start of the website's next weekly tests after ``now`` (epoch seconds).

    ``hour``: the hour of the week at which its audit runs; None for Sundays, 02:00.
    """
    lead = TESTS_BEFORE_AUDIT - _share(site_id, "tests") * TESTS_SPREAD
    return next_weekly_run(now + lead, hour) - lead


def next_collection(site_id: str, now: float) -> float:
    """Return the next time after ``now`` at which the website's field data is fetched. It is fetched daily."""
    at = _share(site_id, "field") * DAY_SECONDS
    return ((now - at) // DAY_SECONDS + 1) * DAY_SECONDS + at


def _share(site_id: str, of: str) -> float:
    """Return a number from 0 to 1 from a hash, evenly distributed."""
    return int.from_bytes(digest(of, site_id)[:4], "big") / 2**32
