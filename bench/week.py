"""Moves the weekly schedules, so that the work of Saturday to Monday does not become due during a test or a soak."""

from typing import Any, Final

HOUR: Final = 3_600
DAY: Final = 24 * HOUR
UNTIL_AUDIT: Final = 3 * DAY + 12 * HOUR

_own: dict[Any, dict[str, int]] = {}  # module -> its real values


def place_week(audits: int | None) -> None:
    """Make weekly audits due at ``audits`` (epoch seconds) and every seven days after that.

    If ``audits`` is None, the schedule of production (Sundays) is restored. Weekly speed tests and samplings are moved
    by as many hours.
    """
    from chalicelib.domain.crawl import weekly
    from chalicelib.domain.visibility import calendar

    if not _own:
        _own[weekly] = {"_FIRST_RUN": weekly._FIRST_RUN, "_HOUR_OF_RUN": weekly._HOUR_OF_RUN}
        _own[calendar] = {"_FIRST_SAMPLING": calendar._FIRST_SAMPLING}
    for module, own in _own.items():
        vars(module).update(own)
    if audits is not None:
        later = audits - weekly._FIRST_RUN
        weekly._FIRST_RUN, weekly._HOUR_OF_RUN = audits, audits % DAY
        vars(calendar)["_FIRST_SAMPLING"] += later
