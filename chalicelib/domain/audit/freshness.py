"""How old the data is that a website is judged by beside its crawls."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.search.periods import LAG_DAYS

_DAY: Final = 86_400.0
STALE_SECONDS: Final = 14 * _DAY


def stale_inputs(newest: Mapping[str, float | None], now: float) -> list[str]:
    """The names of those inputs whose ``newest`` data (epoch seconds) is older than 14 days. None: there is none, which
    cannot grow old."""
    return sorted(name for name, at in newest.items() if at is not None and now - at > STALE_SECONDS)


def analytics_end(read_at: float | None) -> float | None:
    """When the last day was over that an analytics property told when it was read (epoch seconds): it is asked for days
    up to the third before. None: it was never read."""
    return None if read_at is None else (read_at // _DAY - (LAG_DAYS - 1)) * _DAY
