"""The service's clock: the only place from which the current time is read.

In production it is the machine's clock. The local service adds an offset: with ``manage.py clock advance``, weeks pass
in a second, and every retry, lease and schedule becomes due accordingly. The packages ``domain`` and ``rules`` never
import this module, because the time is passed to them.
"""

import time
from datetime import UTC, datetime

_offset_seconds = 0.0


def now() -> float:
    """Return the seconds since the epoch (UTC) on the service's clock."""
    return time.time() + _offset_seconds


def machine() -> float:
    """Return the seconds since the epoch on the machine's own clock. Use it for times that another machine compares
    with its own clock."""
    return time.time()


def monotonic() -> float:
    """Return the seconds of a clock that nobody can set. Use it for durations and deadlines."""
    return time.monotonic()


def offset() -> float:
    """Return by how many seconds the service's clock is ahead of the machine's (0 in production)."""
    return _offset_seconds


def set_offset(seconds: float) -> None:
    """Set by how many seconds the service's clock is ahead of the machine's (local service and tests only)."""
    global _offset_seconds
    _offset_seconds = seconds


def utc(seconds: float) -> datetime:
    """Convert epoch seconds to an aware UTC date-time."""
    return datetime.fromtimestamp(seconds, UTC)


def sleep(seconds: float) -> None:
    """Wait by the machine's clock, for a back-off between tries. The offset of the service's clock has no effect."""
    time.sleep(seconds)
