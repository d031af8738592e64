"""When speed is looked at by itself: tests some hours before the weekly audit, Saturday evening where that is Sunday's,
so that it judges fresh ones; field data every day. Websites are spread by their ids, not all due at once."""

from typing import Final

from chalicelib.domain.crawl.weekly import next_weekly_run
from chalicelib.domain.ids import digest

DAY_SECONDS: Final = 86_400.0
TESTS_BEFORE_AUDIT: Final = 4 * 3_600.0  # Saturday 22:00 UTC, where the website has no hour of its own
TESTS_SPREAD: Final = 3 * 3_600.0  # the last begin an hour before the audits


def next_tests(site_id: str, now: float, hour: int | None = None) -> float:
    """When the website's weekly tests begin, the first time after ``now`` (epoch seconds). ``hour``: of the week, at
    which it is audited; None: Sundays 02:00."""
    lead = TESTS_BEFORE_AUDIT - _share(site_id, "tests") * TESTS_SPREAD
    return next_weekly_run(now + lead, hour) - lead


def next_collection(site_id: str, now: float) -> float:
    """When the website's field data is fetched, the first time after ``now``: once a day."""
    at = _share(site_id, "field") * DAY_SECONDS
    return ((now - at) // DAY_SECONDS + 1) * DAY_SECONDS + at


def _share(site_id: str, of: str) -> float:
    """From 0 to 1, as evenly as hashes are."""
    return int.from_bytes(digest(of, site_id)[:4], "big") / 2**32
