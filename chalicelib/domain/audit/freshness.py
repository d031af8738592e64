"""The age of a website's data that does not come from crawls, such as search data."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.search.periods import LAG_DAYS

_DAY: Final = 86_400.0
STALE_SECONDS: Final = 14 * _DAY


def stale_inputs(newest: Mapping[str, float | None], now: float) -> list[str]:
    """Return the names of the inputs that are older than 14 days.

    ``newest``: the time of each input's newest data (epoch seconds). An input without data (None) is not reported.
    """
    return sorted(name for name, at in newest.items() if at is not None and now - at > STALE_SECONDS)


def analytics_end(read_at: float | None) -> float | None:
    """Return the end of the last day that an import from an analytics property covers (epoch seconds).

    An import covers the days up to three days before the import. ``read_at``: the time of the import. Returns None if
    ``read_at`` is None.
    """
    return None if read_at is None else (read_at // _DAY - (LAG_DAYS - 1)) * _DAY
