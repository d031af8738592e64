"""The age of the data that a website is judged by besides its crawls."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.search.periods import LAG_DAYS

_DAY: Final = 86_400.0
STALE_SECONDS: Final = 14 * _DAY


def stale_inputs(newest: Mapping[str, float | None], now: float) -> list[str]:
    """The names of the inputs whose ``newest`` data (epoch seconds) is older than 14 days. None: there is no data,
    which cannot be old."""
    return sorted(name for name, at in newest.items() if at is not None and now - at > STALE_SECONDS)


def analytics_end(read_at: float | None) -> float | None:
    """The end of the last day (epoch seconds) that a reading of an analytics property covers: requests end three days
    back. ``read_at`` None: it was never read."""
    return None if read_at is None else (read_at // _DAY - (LAG_DAYS - 1)) * _DAY
